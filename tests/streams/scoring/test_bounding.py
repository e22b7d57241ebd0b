"""Events of very long answers: small enough for a broker, and the worst claims are in them."""

from datetime import timedelta
from typing import get_args

import pytest
from pydantic import JsonValue

from schemas.score import Breakdown, NotScorable, Outcome, Scored
from scorers.faithfulness import Faithfulness
from scorers.judges.rules import RulesJudge
from streams.pipeline import run
from streams.scoring.bounding import LEFT_OUT, MOST_BYTES, bounded
from streams.scoring.disclosure import MOST, Disclosure
from streams.scoring.panel import Seat
from tests.fakes import NOON, ListSink, ListSource, a_record, a_trace, no_beats
from tests.streams.scoring.half import a_scoring


def row(verdict: str, n: int, text: str = "word") -> dict[str, JsonValue]:
    return {"text": f"{text} {n}", "verdict": verdict, "evidence": None, "start": n, "end": n + 4}


def scored(rows: list[JsonValue], **more: JsonValue) -> Scored:
    breakdown: Breakdown = {"total": len(rows), "claims": rows, **more}
    return Scored(
        score=0, normalized=0, label="x", counts={"claims": len(rows)}, breakdown=breakdown
    )


def breakdown(outcome: Outcome) -> Breakdown:
    assert isinstance(outcome, Scored | NotScorable)
    assert outcome.breakdown is not None
    return outcome.breakdown


def claims(outcome: Outcome) -> list[Breakdown]:
    rows = breakdown(outcome)["claims"]
    assert isinstance(rows, list)
    return [row for row in rows if isinstance(row, dict)]


def test_what_fits_is_left_as_it_is() -> None:
    outcome = scored([row("yes", n) for n in range(100)])

    assert bounded(outcome, "claims") == outcome


def test_of_many_claims_the_worst_stay_in_their_order_and_the_rest_is_counted() -> None:
    words = ["yes", "undecided", "unsure", "no"]
    outcome = scored([row(words[n % 4], n) for n in range(400)])

    small = bounded(outcome, "claims", most=20_000)

    shown = [claim["verdict"] for claim in claims(small)]
    places = [int(str(claim["start"])) for claim in claims(small)]
    assert {word: shown.count(word) for word in words[2:]} == {"unsure": 100, "no": 100}
    assert 0 < len(shown) - 200 < 100
    assert "yes" not in shown
    assert places == sorted(places)
    assert breakdown(small)["left_out"] == {"claims": 400 - len(shown)}
    assert breakdown(small)["total"] == 400
    assert isinstance(small, Scored)
    assert small.counts == {"claims": 400}


@pytest.mark.parametrize("disclosure", get_args(Disclosure))
def test_an_event_of_ten_thousand_claims_is_within_the_limit(disclosure: Disclosure) -> None:
    outcome = scored([row("no", n, "ü" * 200) for n in range(10_000)], statements=["ü"] * 10_000)

    small = bounded(outcome, disclosure)

    assert MOST_BYTES * 0.9 < len(small.model_dump_json().encode()) <= MOST_BYTES + 1_000
    left_out = breakdown(small)["left_out"]
    assert isinstance(left_out, dict)
    assert set(left_out) == {"claims", "statements"}


async def test_a_very_long_answer_of_one_word_lines_makes_an_event_that_a_broker_takes() -> None:
    row = a_trace("\n".join(f"Word{n}" for n in range(5_000)))
    seats = {"faithfulness": Seat(Faithfulness(), RulesJudge(), timedelta(seconds=60))}
    source, sink = ListSource([a_record(row)]), ListSink()
    scoring = a_scoring(source, sink, seats)

    await run(source, scoring, beats=no_beats(), clock=lambda: NOON, in_flight=1)

    [event] = sink.scores
    assert isinstance(event.outcome, Scored)
    assert MOST_BYTES * 0.9 < len(event.to_json()) < MOST_BYTES + 10_000
    assert event.outcome.counts["claims"] + event.outcome.counts["undecided"] == 5_000
    assert LEFT_OUT in event.outcome.breakdown


def test_one_text_that_is_too_long_by_itself_is_cut_and_not_left_out() -> None:
    outcome = scored([row("no", 1, "long " * 300_000)])

    small = bounded(outcome, "full")

    [claim] = claims(small)
    assert len(str(claim["text"])) == MOST
    assert "left_out" not in breakdown(small)


def test_sentences_that_cite_what_does_not_exist_are_among_the_worst() -> None:
    rows: list[JsonValue] = [{**row("yes", n), "fabricated": n == 300} for n in range(400)]
    outcome = NotScorable(reason="undecided", breakdown={"sentence_rows": rows})

    small = bounded(outcome, "claims", most=5_000)

    shown = breakdown(small)["sentence_rows"]
    assert isinstance(shown, list)
    assert rows[300] in shown
