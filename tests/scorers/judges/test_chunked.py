"""What a question comes to whose evidence is asked about in pieces."""

from collections.abc import Callable

import pytest

from scorers import examples
from scorers.asking.support import support
from scorers.contract import Judgement, JudgeUnavailableError
from scorers.faithfulness_binary import statements
from scorers.judges.chunked import ChunkedJudge
from scorers.questions import (
    Evidence,
    ExtractClaims,
    ScoreStatements,
    Subject,
    SupportSentence,
    VerifyClaims,
)
from tests.scorers.judges.long_texts import (
    FACT,
    FILL,
    LONG,
    WINDOW,
    Reader,
    by_fact,
    claims,
    evidence_of,
    unavailable,
)


async def test_what_fits_is_asked_in_one_piece_and_as_it_is() -> None:
    reader = Reader()
    question = claims(FACT, evidence=(Evidence("1", FACT),))

    [judged] = (await ChunkedJudge(reader, WINDOW).ask(question)).value

    assert reader.asked == [question.about]
    assert (judged.verdict, judged.chunks, judged.flags) == ("yes", 1, ())


async def test_a_fact_in_the_last_chunk_alone_is_found_under_its_passage() -> None:
    reader = Reader()

    answer = await ChunkedJudge(reader, WINDOW).ask(claims(FACT))

    [judged] = answer.value
    assert (judged.verdict, judged.evidence_key, judged.quote) == ("yes", "2", FACT)
    assert judged.flags == ("chunked",)
    assert judged.chunks == len(reader.asked) > 2
    assert all(WINDOW.fits(about) for about in reader.asked)


async def test_every_chunk_is_paid_for_and_the_model_named_once() -> None:
    reader = Reader()

    answer = await ChunkedJudge(reader, WINDOW).ask(claims(FACT))

    n = len(reader.asked)
    assert (answer.usage.calls, answer.usage.input_tokens, answer.usage.cost_usd) == (
        n,
        10 * n,
        0.5 * n,
    )
    assert answer.resolved == "m-1"
    assert (answer.prompt or "").count("sent") == n


async def test_few_chunks_of_a_question_are_under_way_at_a_time() -> None:
    reader = Reader()

    await ChunkedJudge(reader, WINDOW).ask(claims(FACT))

    assert reader.most == 4


def denying(about: Subject) -> object:
    """Contradict where the fact stands in the first passage, support where in the second."""
    assert isinstance(about, VerifyClaims)
    word: dict[str, Judgement] = {"1": Judgement("no"), "2": Judgement("yes")}
    return tuple(
        next((word[p.key] for p in about.evidence if FACT in p.text), Judgement("unsure"))
        for _ in about.claims
    )


@pytest.mark.parametrize(
    ("first", "second", "verdict", "flags"),
    [
        (FACT, FACT, "yes", ("chunked", "conflict")),
        (FACT, "", "no", ("chunked",)),
        ("", "", "unsure", ("chunked",)),
    ],
)
async def test_support_wins_over_contradiction_and_that_is_told(
    first: str, second: str, verdict: str, flags: tuple[str, ...]
) -> None:
    evidence = (Evidence("1", f"{first} {FILL}"), Evidence("2", f"{FILL} {second}"))

    answer = await ChunkedJudge(Reader(denying), WINDOW).ask(claims("c", evidence=evidence))

    [judged] = answer.value
    assert (judged.verdict, judged.flags) == (verdict, flags)


def failing_beside(fact: str) -> Callable[[Subject], object]:
    def answer(about: Subject) -> object:
        assert isinstance(about, VerifyClaims)
        if any(fact in piece.text for piece in about.evidence):
            return by_fact(about)
        return unavailable("timeout")

    return answer


async def test_a_chunk_that_fails_is_no_matter_where_another_supports_the_claim() -> None:
    judge = ChunkedJudge(Reader(failing_beside(FACT)), WINDOW)

    [judged] = (await judge.ask(claims(FACT))).value

    assert (judged.verdict, judged.flags) == ("yes", ("chunked", "partial"))


async def test_a_chunk_that_fails_is_the_error_of_a_question_that_it_might_have_decided() -> None:
    reader = Reader(failing_beside(FACT))

    with pytest.raises(JudgeUnavailableError) as failed:
        await ChunkedJudge(reader, WINDOW).ask(claims(FACT, "The mill is red."))

    assert failed.value.error.cause == "timeout"
    assert failed.value.usage.attempts == len(reader.asked)


async def test_a_part_of_a_tool_result_is_sent_as_text_and_a_whole_one_as_json() -> None:
    rows = ",".join(f'{{"room":{n},"open":true}}' for n in range(2_000))
    evidence = (
        Evidence("tool:1", f"[{rows}]", "tool_results"),
        Evidence("tool:2", '{"built":1782}', "tool_results"),
    )
    reader = Reader()

    await ChunkedJudge(reader, WINDOW).ask(claims("Room 7 is open.", evidence=evidence))

    sent = [piece for chunk in evidence_of(reader) for piece in chunk]
    assert {piece.whole for piece in sent if piece.key == "tool:1"} == {False}
    assert [piece for piece in sent if piece.key == "tool:2"] == [evidence[1]]


def claims_of(about: Subject) -> tuple[str, ...]:
    assert isinstance(about, VerifyClaims)
    return about.claims


async def test_a_cited_sentence_is_supported_where_one_chunk_supports_it() -> None:
    question = support(SupportSentence(FACT, LONG), row="r")

    judged = (await ChunkedJudge(Reader(), WINDOW).ask(question)).value

    assert (judged.verdict, judged.support, judged.evidence_key) == ("yes", 1.0, "2")


async def test_statements_are_found_first_and_then_checked_in_every_chunk() -> None:
    about = ScoreStatements(f"{FACT}\nIt is red.", LONG, "When?", examples.OURS)
    reader = Reader()

    answer = await ChunkedJudge(reader, WINDOW).ask(statements(about, row="r"))

    assert [(s.text, s.judgement.verdict) for s in answer.value] == [
        (FACT, "yes"),
        ("It is red.", "unsure"),
    ]
    assert isinstance(reader.asked[0], ExtractClaims)
    assert answer.usage.calls == len(reader.asked)


async def test_other_failures_are_raised_as_they_are() -> None:
    judge = ChunkedJudge(Reader(lambda _: unavailable("http_400", final=True)), WINDOW)

    with pytest.raises(JudgeUnavailableError) as failed:
        await judge.ask(claims(FACT, evidence=(Evidence("1", FACT),)))

    assert failed.value.error.cause == "http_400"
