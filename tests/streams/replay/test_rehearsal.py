from collections.abc import Mapping
from datetime import timedelta

import pytest

from schemas.score import ScoreEvent
from schemas.trace import RagTrace
from scorers.factual_accuracy import FactualAccuracy
from scorers.faithfulness import Faithfulness
from scorers.judges.pricing import UNKNOWN, Price
from streams.console.taking import Taken, assumed
from streams.ports import Record
from streams.replay.rehearsal import BASIS, Estimate, Rehearsal
from streams.scoring.earlier import Earlier, Unknown
from streams.scoring.panel import Seat
from streams.scoring.sampling import BodySampler
from tests.fakes import CountingJudge, a_record, a_trace
from tests.streams.scoring.half import INTAKE
from tests.streams.watch.records import a_score

CHAT = assumed("chat", Price(1.0, 2.0))
SILENT = CountingJudge()


class Known:
    """Knows verdicts on the rows of these offsets, whoever asks."""

    def __init__(self, seat: Seat, traces: list[RagTrace]) -> None:
        self.ids = {seat.event_id(trace) for trace in traces}

    def verdict(self, event_id: str) -> ScoreEvent | None:
        return a_score(0, 0, event_id=event_id) if event_id in self.ids else None


def trace(n: int) -> RagTrace:
    return a_trace(id=f"row-{n}", answer=f"Paris has {n} bridges over the river.")


def records(traces: list[RagTrace]) -> list[Record]:
    return [a_record(one, offset) for offset, one in enumerate(traces)]


def panel() -> dict[str, Seat]:
    scorers = (Faithfulness(), FactualAccuracy())
    return {one.name: Seat(one, SILENT, timedelta(minutes=1)) for one in scorers}


def a_rehearsal(
    *,
    probability: float = 1.0,
    scorers: Mapping[str, float | None] | None = None,
    earlier: Earlier | None = None,
    seats: dict[str, Seat] | None = None,
) -> Rehearsal:
    seats = seats or panel()
    chances = scorers or dict.fromkeys(seats)
    sampler = BodySampler("salt", probability, [], chances, INTAKE.heads)
    return Rehearsal(sampler, INTAKE.decode, seats, earlier or Unknown())


async def estimated(rehearsal: Rehearsal, model: Taken = CHAT) -> Estimate:
    return await rehearsal.estimate(["chat"], {"chat": model})


async def test_rows_drawn_rejected_and_there_already_are_counted_one_by_one() -> None:
    traces, seats = [trace(n) for n in range(40)], panel()
    known = Known(seats["faithfulness"], traces[:10])
    rehearsal = a_rehearsal(earlier=known, seats=seats)

    rehearsal.take([*records(traces), a_record(b"no json", 40), a_record(b"", 41)])
    found = await estimated(rehearsal)

    assert (found.rows, found.sampled, found.rejected) == (42, 40, 2)
    one = found.scorers["faithfulness"]
    assert (one.sampled, one.reusable, one.bought, one.basis) == (40, 10, 30, 30)
    assert found.scorers["factual_accuracy"].reusable == 0


async def test_the_rows_are_those_that_a_run_draws() -> None:
    traces = [trace(n) for n in range(400)]
    chances = {"faithfulness": None, "factual_accuracy": 0.05}
    rehearsal = a_rehearsal(probability=0.2, scorers=chances)
    drawn = rehearsal.sampler.draws(records(traces)).others

    rehearsal.take(records(traces))
    found = await estimated(rehearsal)

    assert 50 < found.sampled < 110
    assert found.scorers["faithfulness"].sampled == found.sampled == len(drawn)
    assert 0 < found.scorers["factual_accuracy"].sampled < found.sampled / 2


async def test_what_a_few_rows_take_is_scaled_to_all_that_would_be_bought() -> None:
    few, many = a_rehearsal(), a_rehearsal()
    few.take(records([trace(n) for n in range(100, 200)]))
    for start in range(100, 1000, 100):
        many.take(records([trace(n) for n in range(start, start + 100)]))

    small, large = await estimated(few), await estimated(many)

    one, nine = small.scorers["faithfulness"], large.scorers["faithfulness"]
    assert (one.basis, nine.basis) == (100, BASIS)
    assert nine.usage.attempts == 9 * one.usage.attempts == 900
    assert nine.usage.input_tokens == pytest.approx(9 * one.usage.input_tokens, rel=0.01)
    assert nine.usage.cost_usd == pytest.approx(9 * (one.usage.cost_usd or 0), rel=0.01)


async def test_rows_from_all_over_are_rehearsed_and_always_the_same() -> None:
    short = [a_trace(id=f"short-{n}", answer="It is so.") for n in range(250)]
    long = [a_trace(id=f"long-{n}", answer="It is so. " * 40) for n in range(250)]
    both, again, one_half = a_rehearsal(), a_rehearsal(), a_rehearsal()
    both.take(records([*short, *long]))
    again.take(records([*long, *short]))
    one_half.take(records(short))

    first, second, half = [await estimated(one) for one in (both, again, one_half)]

    assert first.usage == second.usage
    assert first.usage.input_tokens > 2 * half.usage.input_tokens


async def test_a_scorer_that_can_judge_no_row_takes_nothing() -> None:
    rehearsal = a_rehearsal()
    rehearsal.take(records([trace(n) for n in range(5)]))

    found = await estimated(rehearsal)

    assert found.scorers["factual_accuracy"].usage.attempts == 0
    assert found.scorers["factual_accuracy"].usage.cost_usd == 0.0


async def test_a_cost_that_nobody_knows_is_not_taken_for_none() -> None:
    rehearsal = a_rehearsal()
    rehearsal.take(records([trace(0)]))

    found = await estimated(rehearsal, assumed("chat", UNKNOWN))

    assert found.scorers["faithfulness"].usage.cost_usd is None
    assert found.usage.cost_usd is None
    assert found.usage.attempts == 1


async def test_an_empty_stretch_takes_nothing() -> None:
    found = await estimated(a_rehearsal())

    assert (found.rows, found.sampled, found.usage.attempts) == (0, 0, 0)
    assert found.usage.cost_usd == 0.0


async def test_nobody_is_asked() -> None:
    rehearsal = a_rehearsal()
    rehearsal.take(records([trace(n) for n in range(5)]))

    await estimated(rehearsal)

    assert SILENT.asked == []
