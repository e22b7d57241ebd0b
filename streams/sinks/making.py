"""From settings and secrets to sinks, each with connections of its own."""

import base64
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from pydantic import SecretStr

from scorers.judges.http import HttpClient
from streams.ports import Clock
from streams.settings.edges import SinkSettings, TelemetrySettings
from streams.settings.problems import Problem
from streams.sinks.delivery import Delivery
from streams.sinks.posts import langfuse, phoenix

SECONDS = 10.0
"""How long a sink may take to answer."""

CALLS = 8
"""Calls to a sink at once: it gets what scoring leaves of the process."""

_POSTS = {"langfuse": langfuse, "phoenix": phoenix}


def variable(kind: str) -> str:
    """Return the variable that holds a sink's key."""
    return f"STREAMGAUGE_SINK_{kind.upper()}_KEY"


def without_key(sinks: Sequence[SinkSettings], keys: Mapping[str, SecretStr]) -> list[Problem]:
    """Return the sinks whose key is not there, or is none. Phoenix may be had without one."""
    problems = []
    for number, sink in enumerate(sinks):
        key = keys.get(sink.kind.upper())
        if sink.kind == "langfuse" and (key is None or ":" not in key.get_secret_value()):
            way_out = f"set {variable(sink.kind)} to its public and its secret key, as pk-…:sk-…"
            problems.append(Problem(f"sinks.{number}.kind", way_out))
    return problems


@asynccontextmanager
async def deliveries(
    sinks: Sequence[SinkSettings],
    keys: Mapping[str, SecretStr],
    telemetry: TelemetrySettings,
    *,
    clock: Clock,
    sent: Callable[[str, str], None],
) -> AsyncIterator[list[Delivery]]:
    """Yield what delivers to each sink; their connections end with the context."""
    async with AsyncExitStack() as stack:
        made = []
        for one in sinks:
            private = one.allow_private_addresses
            client = HttpClient(timeout_seconds=SECONDS, in_flight=CALLS, allow_private=private)
            stack.push_async_callback(client.close)
            posts = partial(
                _POSTS[one.kind],
                attach_to=telemetry.attach_to,
                judged_text=telemetry.judged_text,
            )
            headers = _headers(one.kind, keys.get(one.kind.upper()))
            url = one.url.rstrip("/")
            made.append(Delivery(one.kind, url, headers, posts, client, clock, sent))
        yield made


def _headers(kind: str, key: SecretStr | None) -> dict[str, SecretStr]:
    if key is None:
        return {}
    said = key.get_secret_value()
    if kind == "langfuse":
        return {"authorization": SecretStr(f"Basic {base64.b64encode(said.encode()).decode()}")}
    return {"authorization": SecretStr(f"Bearer {said}")}
