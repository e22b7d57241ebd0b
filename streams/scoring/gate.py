"""The gate that rows wait at while the judge's endpoint refuses everyone."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.score import ScoringError
from scorers.contract import JudgeUnavailableError
from scorers.judges.bounded import Limits

_LOOKS_SECONDS = 0.5
"""How long a row waits before it looks again."""


@dataclass(frozen=True, slots=True)
class Gate:
    """Lets rows through while the breaker is closed, and one a pause while it is open.

    Where rows wait (`waits`), no more are read, and none is spent on a judge that cannot answer;
    else they fail at once with the cause that opened it.
    """

    limits: Sequence[Limits]
    waits: bool

    @property
    def shut(self) -> bool:
        """Whether an endpoint refuses everyone now."""
        return any(limits.breaker.open for limits in self.limits)

    async def __call__(self) -> None:
        """Return once a question may be asked. Raises JudgeUnavailableError where none waits."""
        loop = asyncio.get_running_loop()
        for limits in self.limits:
            while wait := limits.breaker.wait_seconds(loop.time()):
                if not self.waits:
                    error = ScoringError(kind="judge_failed", cause=limits.cause)
                    raise JudgeUnavailableError(error)
                await asyncio.sleep(min(wait, _LOOKS_SECONDS))
