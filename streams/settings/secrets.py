"""What only the environment may hold: keys, passwords, and the addresses that alerts go to."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

_NOTIFY = re.compile(r"STREAMGAUGE_NOTIFY_(\w+)_URL")
_SINK = re.compile(r"STREAMGAUGE_SINK_(LANGFUSE|PHOENIX)_KEY")
_ONE = {
    "STREAMGAUGE_CHAT_KEY": "chat_key",
    "STREAMGAUGE_DECISIONS_KEY": "decisions_key",
    "STREAMGAUGE_KAFKA_PASSWORD": "kafka_password",
    "STREAMGAUGE_KAFKA_CLIENT_SECRET": "kafka_client_secret",
}


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secrets that are set; each prints as stars, and an empty one counts as not set.

    `notify_urls` and `sink_keys` are known by the upper-case name within their variable.
    """

    chat_key: SecretStr | None = None
    decisions_key: SecretStr | None = None
    kafka_password: SecretStr | None = None
    kafka_client_secret: SecretStr | None = None
    notify_urls: Mapping[str, SecretStr] = field(default_factory=dict)
    sink_keys: Mapping[str, SecretStr] = field(default_factory=dict)


def holds_secret(name: str) -> bool:
    """Say whether a variable holds a secret."""
    return name in _ONE or bool(_NOTIFY.fullmatch(name) or _SINK.fullmatch(name))


def secrets_in(variables: Mapping[str, str]) -> Secrets:
    """Return the secrets among variables."""
    ones = {key: SecretStr(variables[name]) for name, key in _ONE.items() if variables.get(name)}
    return Secrets(
        **ones,
        notify_urls=dict(_matching(_NOTIFY, variables)),
        sink_keys=dict(_matching(_SINK, variables)),
    )


def unusable_keys(variables: Mapping[str, str]) -> Iterator[str]:
    """Yield the names of keys that no header can carry: all but printable ASCII without blanks."""
    for name, value in variables.items():
        key = _ONE.get(name, "").endswith("_key") or _SINK.fullmatch(name)
        if key and not re.fullmatch("[!-~]*", value):
            yield name


def _matching(
    pattern: re.Pattern[str], variables: Mapping[str, str]
) -> Iterator[tuple[str, SecretStr]]:
    for name, value in variables.items():
        found = pattern.fullmatch(name)
        if found and value:
            yield found[1], SecretStr(value)
