"""A judge over HTTP that is slow, fails in every way, and keeps account of what it was paid for."""

import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random

from tests.judge_server import Heard, JudgeServer, Play, agree, hang, reply, reset
from tests.kafka.accounts import Call

_CLAIM = re.compile(r'"claim":"([^"]*)"')
_LIFE = re.compile(r"/(\d+)/v1/")


@dataclass
class FickleJudge:
    """Answers most calls, within a second; the others fail. `pids`: who each life is."""

    dice: Random
    pids: Sequence[int] = ()
    fails: float = 0.06
    away: bool = False
    paid: list[Call] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)

    def play(self, heard: Heard) -> Play:
        """Decide what becomes of a call. One that will be answered is paid from now on."""
        if self.away:
            return self._fault("away", reply("no", 503))
        if self.dice.random() < self.fails:
            [way] = self.dice.choices(list(_WAYS), weights=[4, 4, 4, 4, 1])
            return self._fault(way, _WAYS[way])
        [claim] = _CLAIM.findall(heard.user)
        self.paid.append(Call(claim, self._pid(heard), time.time_ns() // 1_000_000))
        return reply(agree(heard), after=self.dice.uniform(0.05, 1))

    def _pid(self, heard: Heard) -> int:
        life = _LIFE.search(heard.path)
        assert life is not None
        return self.pids[int(life[1])]

    def _fault(self, name: str, play: Play) -> Play:
        self.faults[name] += 1
        return play


_WAYS: dict[str, Play] = {
    "busy": reply("no", 429, retry_after="1"),
    "broken": reply("no", 500),
    "garbage": reply("<html>"),
    "reset": reset,
    "silent": hang,  # it holds a slot of its caller for a whole time limit
}


@asynccontextmanager
async def fickle_judge(dice: Random) -> AsyncIterator[tuple[FickleJudge, str]]:
    """Yield a judge and its address, up to where a life's number goes."""
    judge = FickleJudge(dice)
    async with JudgeServer(lambda heard: judge.play(heard)) as server:
        yield judge, server.url.removesuffix("/v1")
