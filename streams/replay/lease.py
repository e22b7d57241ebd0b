"""Whose a run is: the rules by which one process works on it and a second one does not. Pure.

A lease stands in the run's manifest. Whoever wants the run writes its own lease there, and then
reads what else was written: the first claim that found the run free holds it. So of two processes
that begin in the same moment one goes, and sees why.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from schemas.run import Run, RunLease
from schemas.wire import rfc3339

LASTS = timedelta(seconds=30)
"""How long a lease is good for after it was written. It is renewed after a third of that."""


class LeaseTakenError(RuntimeError):
    """Another process works on this run: wait for it, or stop it there."""


class LeaseLostError(RuntimeError):
    """This process did not renew its lease in time: another may have the run. Start it again."""


@dataclass(frozen=True, slots=True)
class Tenant:
    """A process that wants a run, by a `nonce` of its own. `host` is one world of process ids.

    `alive` says whether a process of this host runs; a lease is good for `lasts`.
    """

    nonce: str
    host: str
    pid: int
    alive: Callable[[int], bool]
    lasts: timedelta = LASTS

    def lease(self, now: datetime) -> RunLease:
        """Return a lease that begins now."""
        return RunLease(nonce=self.nonce, host=self.host, pid=self.pid, until=now + self.lasts)

    @property
    def safe(self) -> timedelta:
        """For how long its holder relies on it: less than others wait, for clocks differ."""
        return self.lasts * 5 / 6

    def bars(self, lease: RunLease | None, now: datetime) -> bool:
        """Say whether a lease keeps us from the run: another's, which is in force."""
        return lease is not None and lease.nonce != self.nonce and self.in_force(lease, now)

    def in_force(self, lease: RunLease, now: datetime) -> bool:
        """Say whether a lease counts: it has not run out, and its holder may be alive."""
        return lease.until > now and not self._outlived(lease)

    def _outlived(self, lease: RunLease) -> bool:
        """Say whether its process has ended for certain: one with our own id was before us."""
        here = lease.nonce != self.nonce and lease.host == self.host
        return here and (lease.pid == self.pid or not self.alive(lease.pid))


def holder(manifests: Iterable[Run], tenant: Tenant) -> RunLease | None:
    """Return who holds a run, given all that was written of it, oldest first; None: nobody.

    What another wrote while a lease was in force does not count. Its holder ends a lease by writing
    none.
    """
    held: RunLease | None = None
    for run in manifests:
        barred = held is not None and tenant.in_force(held, run.at)
        if not barred or run.lease is None or (held and run.lease.nonce == held.nonce):
            held = run.lease
    return held


def taken(run: str, lease: RunLease | None) -> LeaseTakenError:
    """Return the error that names who has a run, and until when."""
    if lease is None:
        return LeaseTakenError(f"run {run}: another process gave it back just now; start again")
    return LeaseTakenError(
        f"run {run} is worked on by process {lease.pid} on {lease.host} (at least until "
        f"{rfc3339(lease.until)}): stop it there, or wait until then"
    )
