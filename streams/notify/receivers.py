"""A receiver: where it is, in which shape it is told, and how patient we are with it."""

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from pydantic import SecretStr

from scorers.judges.http import CallFailedError, HttpClient
from streams.links import Links
from streams.notify.bodies import Body, alertmanager, slack, webhook
from streams.notify.desk import APART, Due

FIRST_WAIT, LONGEST_WAIT = timedelta(seconds=5), timedelta(minutes=5)

OF_THE_MESSAGE = frozenset({"http_400", "http_413", "http_422"})
"""Refusals that speak of what was sent: the receiver is well, and takes the others."""

_WAYS_OUT = {"private_address": "private_address: set allow_private_addresses, if it is meant"}

log = structlog.get_logger()


@dataclass(slots=True)
class Receiver:
    """Tells one receiver, and waits longer after each failure. Its address is never shown.

    An alert that it refuses for what it says waits alone, and holds up no other.
    `repeat` is how often it is reminded; Alertmanager is told each minute, for it lets go of an
    alert of which it hears nothing.
    """

    name: str
    kind: str
    url: SecretStr
    client: HttpClient
    repeat: timedelta
    links: Links
    failures: int = field(default=0, init=False)
    _not_before: float = field(default=0.0, init=False)
    _refused: dict[tuple[str, str], float] = field(default_factory=dict, init=False)

    @property
    def every(self) -> timedelta:
        """How often it hears of what still fires."""
        return APART if self.kind == "alertmanager" else self.repeat

    @property
    def ready(self) -> bool:
        """Whether it may be tried now."""
        return self.wait_seconds <= 0

    @property
    def wait_seconds(self) -> float:
        """How long it is to be left alone; 0 or less, when it is not."""
        return self._not_before - asyncio.get_running_loop().time()

    @property
    def failing(self) -> int:
        """How many tries in a row have failed, and how many alerts it refuses for what they say."""
        clock = asyncio.get_running_loop().time()
        return self.failures + sum(until > clock for until in self._refused.values())

    async def tell(self, due: Due, *, now: datetime) -> bool:
        """Send, and say whether it was taken. What was not is due again later."""
        step, clock = (due.alert.alert_id, due.alert.status), asyncio.get_running_loop().time()
        self._refused = {one: until for one, until in self._refused.items() if until > clock}
        if step in self._refused:
            return False
        try:
            await self.client.post(self._address, self._body(due, now), headers={})
        except CallFailedError as error:
            if error.cause in OF_THE_MESSAGE:
                self._refused[step] = clock + LONGEST_WAIT.total_seconds()
            else:
                self._wait(error)
            log.warning(
                "notification_failed",
                receiver=self.name,
                alert_id=due.alert.alert_id,
                cause=_WAYS_OUT.get(error.cause, error.cause),
                failures=self.failures,
            )
            return False
        self.failures = 0
        log.info("notified", receiver=self.name, rule=due.alert.rule, status=due.alert.status)
        return True

    @property
    def _address(self) -> str:
        url = self.url.get_secret_value()
        return f"{url.rstrip('/')}/api/v2/alerts" if self.kind == "alertmanager" else url

    def _body(self, due: Due, now: datetime) -> Body:
        match self.kind:
            case "alertmanager":
                return alertmanager(due.alert, self.links, now=now, repeats=self.every)
            case "slack":
                return slack(due.alert, self.links, reminder=due.reminder)
            case _:
                return webhook(due.alert, self.links, receiver=self.name)

    def _wait(self, error: CallFailedError) -> None:
        self.failures += 1
        doubled = FIRST_WAIT.total_seconds() * 2 ** min(self.failures - 1, 10)
        asked = error.retry_after_seconds or 0.0
        wait = min(max(doubled, asked), LONGEST_WAIT.total_seconds())
        self._not_before = asyncio.get_running_loop().time() + wait
