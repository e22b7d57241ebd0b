"""Having a run to oneself: claimed at the start, renewed while it goes on, and given up in time."""

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import structlog

from schemas.run import Run, RunLease
from streams.beside import beside
from streams.ports import Clock
from streams.processes import alive
from streams.replay.lease import LeaseLostError, Tenant, holder, taken

log = structlog.get_logger()

Sleep = Callable[[float], Awaitable[None]]
_WORLD = (Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid"))


@dataclass(slots=True)
class Tenancy:
    """Holds the run, or shard, of that `key`: by `held`, or by `claim` and then `keep` at once.

    `write` writes the manifest with a lease, `read` returns all that was written of the run, oldest
    first, to the topic's end. `stopwatch` is a monotonic clock in seconds.
    """

    key: str
    tenant: Tenant
    write: Callable[[RunLease], Awaitable[None]]
    read: Callable[[], Awaitable[Sequence[Run]]]
    clock: Clock
    stopwatch: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep
    _lease: RunLease | None = None
    _since: float = 0.0
    _lost: bool = False
    _ended: bool = False
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def claim(self, latest: Run | None) -> None:
        """Take the run, as its latest manifest shows it. Raises LeaseTakenError.

        The claim that came first counts, though a later one may be the latest manifest: so ours is
        written again once it is confirmed.
        """
        if latest is not None and self.tenant.bars(latest.lease, self.clock()):
            raise taken(self.key, latest.lease)
        await self._renew()
        held = holder(await self.read(), self.tenant)
        if held is None or held.nonce != self.tenant.nonce:
            self._lost = True
            raise taken(self.key, held)
        await self._renew()

    @asynccontextmanager
    async def held(self, latest: Run | None) -> AsyncIterator[Callable[[], bool]]:
        """Claim the run and keep it meanwhile; yield what says whether it is ours.

        Whatever takes long belongs inside: the lease is renewed from here on. Raises as both do.
        """
        await self.claim(latest)
        async with beside(self.keep()):
            yield self.holds

    def holds(self) -> bool:
        """Say whether the run is ours for certain. Once it is not, it never is again.

        By two clocks: the one of all processes can be set, our own may stand while a machine does.
        """
        if self._lease is None or self._lost:
            return False
        ends = self._lease.until - self.tenant.lasts + self.tenant.safe
        self._lost = self.clock() >= ends or self._spare_seconds <= 0
        return not self._lost

    async def last(self) -> None:
        """Renew the lease no more, for what is written next is the last word of this life.

        Raises LeaseLostError where the run is not ours: then nothing more may be written.
        """
        async with self._turn:
            self._ended = True
        if not self.holds():
            raise self._run_out

    async def keep(self) -> None:
        """Renew the lease three times while one lasts, until `last`.

        Raises LeaseLostError once it has run out.
        """
        while not self._ended:
            await self.sleep(self.tenant.lasts.total_seconds() / 3)
            if not self.holds():
                raise self._run_out
            try:
                async with asyncio.timeout(self._spare_seconds):
                    await self._renew()
            except (OSError, RuntimeError) as error:
                log.warning("lease_not_renewed", run=self.key, error=repr(error))

    async def _renew(self) -> None:
        async with self._turn:
            if self._ended:
                return
            lease, since = self.tenant.lease(self.clock()), self.stopwatch()
            await self.write(lease)
            self._lease, self._since = lease, since

    @property
    def _run_out(self) -> LeaseLostError:
        return LeaseLostError(
            f"run {self.key}: its lease was not renewed in time, and another may have it: start it "
            "again"
        )

    @property
    def _spare_seconds(self) -> float:
        return self.tenant.safe.total_seconds() - (self.stopwatch() - self._since)


def this_process() -> Tenant:
    """Return this process, under a nonce that no other life has.

    Two containers may bear one name and count processes from 1 each: so the host's name is followed
    by what tells worlds of process ids apart, where the system says it.
    """
    world = ""
    with suppress(OSError):
        told = [_WORLD[0].read_text().strip(), str(_WORLD[1].readlink())]
        world = "/" + blake2b(" ".join(told).encode(), digest_size=4).hexdigest()
    return Tenant(uuid.uuid4().hex, f"{os.uname().nodename}{world}", os.getpid(), alive)
