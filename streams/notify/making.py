"""From settings and secrets to receivers, each with connections of its own."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from pydantic import SecretStr

from scorers.judges.http import HttpClient
from streams.links import Links
from streams.notify.receivers import Receiver
from streams.settings.edges import NotifySettings
from streams.settings.problems import Problem, closest

SECONDS = 10.0
"""How long a receiver may take to answer."""


def variable(name: str) -> str:
    """Return the variable that holds a receiver's address."""
    return f"STREAMGAUGE_NOTIFY_{_upper(name)}_URL"


def address_problems(
    receivers: Sequence[NotifySettings], urls: Mapping[str, SecretStr]
) -> list[Problem]:
    """Return what keeps alerts from where they shall go; no address is shown.

    Receivers without an address, or with one that is none; and addresses that are no receiver's,
    for whoever has set one waits for alerts there.
    """
    names = {_upper(receiver.name) for receiver in receivers}
    problems = [
        Problem(variable(name), f"notify has no receiver of that name{closest(name, names)}")
        for name in sorted(urls.keys() - names)
    ]
    for number, receiver in enumerate(receivers):
        url = urls.get(_upper(receiver.name))
        if url is None:
            problems.append(Problem(f"notify.{number}.name", f"set {variable(receiver.name)}"))
        elif not url.get_secret_value().startswith(("https://", "http://")):
            problems.append(Problem(variable(receiver.name), "must begin with https:// or http://"))
    return problems


@asynccontextmanager
async def receivers(
    sections: Sequence[NotifySettings], urls: Mapping[str, SecretStr]
) -> AsyncIterator[list[Receiver]]:
    """Yield the receivers; their connections end with the context."""
    async with AsyncExitStack() as stack:
        made = []
        for one in sections:
            client = HttpClient(timeout_seconds=SECONDS, allow_private=one.allow_private_addresses)
            stack.push_async_callback(client.close)
            url = urls[_upper(one.name)]
            made.append(Receiver(one.name, one.kind, url, client, one.repeat, links_of(one)))
        yield made


def links_of(section: NotifySettings) -> Links:
    """Return the links that a receiver is to be sent."""
    return Links(section.links.trace, section.links.dashboard, section.links.runbook)


def _upper(name: str) -> str:
    return name.upper().replace("-", "_")
