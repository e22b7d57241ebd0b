from datetime import UTC, datetime

import pytest

from schemas.score import Usage
from schemas.trace import RagTrace
from scorers.citation_accuracy import CitationAccuracy
from scorers.contract import Answer, FreshAnswer, Scorer
from scorers.factual_accuracy import FactualAccuracy
from scorers.factual_consistency import FactualConsistency
from scorers.faithfulness import Faithfulness
from scorers.faithfulness_binary import FaithfulnessBinary
from scorers.judges.pricing import UNKNOWN, Price
from streams.console.diagnosis import ModelEndpoint
from streams.console.pricing import cost_account
from streams.console.rehearsal import Part, rehearse
from streams.console.sampled import Traffic
from streams.console.taking import Taken, guessed, taken, unknown
from streams.console.trying import ABOUT, Trial, Tried
from tests.fakes import CountingJudge, a_trace

AT = datetime(2026, 1, 1, tzinfo=UTC)
CHAT = Taken("chat", sent=1.0, said=20.0, price=Price(1.0, 2.0), usd_per_token=None)


async def parts(*scorers: Scorer, trace: RagTrace, stages: tuple[str, ...] = ("chat",)) -> Part:
    found = await rehearse(scorers, stages, {"chat": CHAT, "decisions": CHAT}, [trace])
    return found[scorers[0].name]


async def test_each_scorer_says_of_each_row_whether_it_could_judge_it() -> None:
    traces = [a_trace(), a_trace(contexts=None), a_trace(None)]

    found = await rehearse([Faithfulness(), FactualAccuracy()], ["chat"], {"chat": CHAT}, traces)

    assert (found["faithfulness"].able, found["faithfulness"].rows) == (1, 3)
    assert set(found["faithfulness"].unable.values()) == {1}
    assert found["factual_accuracy"].able == 0
    assert found["factual_accuracy"].unable["missing_reference"] == 2


@pytest.mark.parametrize(
    "scorer", [Faithfulness(), FaithfulnessBinary(), Faithfulness(claims="judge")]
)
async def test_a_call_takes_what_its_prompt_takes(scorer: Scorer) -> None:
    part = await parts(scorer, trace=a_trace())

    assert part.able == part.usage.calls == 1
    assert part.usage.input_tokens > 200
    assert part.usage.output_tokens == 20
    dollars = part.usage.input_tokens * 1e-6 + part.usage.output_tokens * 2e-6
    assert part.usage.cost_usd == pytest.approx(dollars)


async def test_a_cascade_asks_its_models_only_what_the_rules_leave_open() -> None:
    decided = a_trace("Paris is the capital of France.")
    passage = "The mill opens at ten, and visitors pay at the desk before the tour begins."
    open_ = a_trace("The visitors usually pay before seeing the mill.", contexts=[passage])

    easy = await parts(Faithfulness(), trace=decided, stages=("rules", "decisions", "chat"))
    hard = await parts(Faithfulness(), trace=open_, stages=("rules", "decisions", "chat"))

    assert (easy.usage.input_tokens, easy.able) == (0, 1)
    assert hard.usage.input_tokens > 0
    assert hard.usage.calls == 3


async def test_no_assistant_is_asked_again() -> None:
    class Forbidden:
        async def ask(self, messages: object, *, temperature: float) -> FreshAnswer:
            raise AssertionError

    part = await parts(FactualConsistency({"helpdesk/production": Forbidden()}), trace=a_trace())

    assert part.able == 1
    assert part.usage.calls == 2


async def test_an_answer_that_cites_nothing_is_judged_without_a_call() -> None:
    part = await parts(CitationAccuracy(), trace=a_trace("Paris, [9] says the guide book today."))

    assert part.usage == Usage()
    assert part.able == 1


def a_trial(price: Price, **usage: object) -> Tried:
    place = ModelEndpoint("judge.chat", "http://j/v1", "m", "KEY", keyed=False)
    trial = Trial("chat", place, price, CountingJudge())
    return Tried(trial, Answer((), Usage.model_validate(usage)), 0.1)


def test_what_a_model_takes_is_learnt_from_the_one_call() -> None:
    guess, items = guessed("chat", ABOUT)
    found = taken(a_trial(Price(1.0, 1.0), input_tokens=2 * guess, output_tokens=30))

    assert found is not None
    usage = found.usage(ABOUT)
    assert (usage.input_tokens, usage.output_tokens, items) == (2 * guess, 30, 1)


def test_a_price_that_only_the_endpoint_tells_is_taken_from_the_call() -> None:
    found = taken(a_trial(UNKNOWN, input_tokens=90, output_tokens=10, cost_usd=0.5))

    assert found is not None
    assert found.priced
    assert found.usage(ABOUT).cost_usd == pytest.approx(0.5)


def account(model: Taken, part: Part, *, budget: float | None = None) -> list[str]:
    traffic, chances = Traffic(100_000, 200, AT, AT), {"faithfulness": 0.05}
    lines = cost_account(traffic, {"faithfulness": part}, [model], chances, budget=budget)
    return [line.text for line in lines]


def test_the_cost_of_a_hundredth_is_that_of_the_rows_seen_times_the_traffic() -> None:
    usage = Usage(calls=10, input_tokens=1000, output_tokens=100, cost_usd=0.02)
    first, configured = account(CHAT, Part(rows=10, able=10, usage=usage))

    assert first == (
        "cost: 1 % of the traffic is 1,000 rows a day: "
        "about $2.00 a day (100,000 tokens in, 10,000 out)"
    )
    assert configured.startswith("as sampled now (faithfulness 0.05): about $10.00 a day")


def test_what_a_budget_leaves_is_told_where_it_is_too_little() -> None:
    part = Part(rows=10, able=10, usage=Usage(calls=10, cost_usd=0.02))

    assert account(CHAT, part, budget=2.5)[-1] == "judge.budget leaves 0.25 of that: $2.50 a day"
    assert account(CHAT, part, budget=10.0) == account(CHAT, part)


def test_a_price_that_nobody_told_is_asked_for_and_not_taken_for_none() -> None:
    usage = Usage(calls=10, input_tokens=1000, output_tokens=100, cost_usd=0.0)
    said = account(unknown("chat"), Part(rows=10, able=10, usage=usage))

    assert "price not known: set judge.chat.price" in said
    assert not any("$" in line for line in said)


def test_without_traffic_there_is_no_cost() -> None:
    [line] = cost_account(None, {}, [CHAT], {})

    assert line.text == "cost: not known, for the traffic is not"
