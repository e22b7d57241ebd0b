"""How large a piece is: what a model turns out to read, and what cannot be divided."""

from dataclasses import replace

import pytest

from scorers.asking.claims import extract
from scorers.asking.comparing import compare
from scorers.asking.grades import grade
from scorers.asking.verdicts import verify
from scorers.contract import Judgement, JudgeUnavailableError
from scorers.judges.chunked import ChunkedJudge
from scorers.judges.windows import Reach, Window, chat_window, decisions_window
from scorers.questions import (
    CompareAnswers,
    Evidence,
    GradeAnswer,
    Question,
    VerifyClaims,
)
from tests.scorers.judges.long_texts import FACT, FILL, LONG, WINDOW, Reader, claims, evidence_of
from tests.scorers.judges.test_chunked import claims_of


async def test_a_model_that_reads_less_than_it_was_said_to_is_asked_in_smaller_chunks() -> None:
    reader = Reader(reads=chat_window(5_000))

    answer = await ChunkedJudge(reader, chat_window(16_000)).ask(claims(FACT))

    [judged] = answer.value
    assert (judged.verdict, judged.evidence_key) == ("yes", "2")
    assert judged.chunks == len(reader.asked)
    assert answer.usage.attempts == len(reader.asked) + reader.refused
    assert reader.refused > 0
    assert reader.most <= 4


async def test_what_a_model_really_reads_is_found_out_once_for_all_rows_and_scorers() -> None:
    reader, reach = Reader(reads=chat_window(5_000)), Reach()
    one = ChunkedJudge(reader, chat_window(16_000), reach=reach)
    other = ChunkedJudge(reader, chat_window(16_000), reach=reach)

    await one.ask(claims(FACT))
    refused = reader.refused
    await other.ask(claims(FACT))

    assert reader.refused == refused > 0
    assert other.identity.settings["context_tokens"] == 16_000


async def test_a_question_that_fails_in_smaller_chunks_too_teaches_nothing() -> None:
    reach = Reach()

    with pytest.raises(JudgeUnavailableError):
        await ChunkedJudge(Reader(reads=chat_window(100)), WINDOW, reach=reach).ask(claims(FACT))

    assert reach.window is None


async def test_a_model_that_refuses_everything_is_given_up_after_some_halvings() -> None:
    reader = Reader(reads=chat_window(100))

    with pytest.raises(JudgeUnavailableError) as failed:
        await ChunkedJudge(reader, WINDOW).ask(claims(FACT, evidence=LONG[:1]))

    assert failed.value.error.cause == "too_long"
    assert failed.value.usage.attempts == reader.refused < 100


async def test_many_long_claims_are_asked_in_groups_under_their_own_numbers() -> None:
    texts = [f"{n} {FACT} " + "and so on " * 300 for n in range(8)]
    reader = Reader(lambda about: tuple(Judgement("yes", quote=c) for c in claims_of(about)))

    answer = await ChunkedJudge(reader, WINDOW).ask(claims(*texts))

    assert [one.quote for one in answer.value] == texts
    groups = {about.numbered for about in reader.asked if isinstance(about, VerifyClaims)}
    assert sorted(number for group in groups for number, _ in group) == list(range(1, 9))
    assert all(WINDOW.fits(about) for about in reader.asked)


async def test_an_answer_over_the_window_is_taken_apart_in_parts_that_do_not_overlap() -> None:
    lines = [f"The mill has {n} rooms that people may see." for n in range(2_000)]
    reader = Reader()

    answer = await ChunkedJudge(reader, WINDOW).ask(extract("\n".join(lines), row="r"))

    assert list(answer.value) == lines
    assert len(reader.asked) > 1


async def test_a_field_longer_than_max_text_is_read_in_chunks_whatever_the_window() -> None:
    window = chat_window(1_000_000, 20_000)
    reader = Reader()

    [judged] = (await ChunkedJudge(reader, window).ask(claims(FACT))).value

    assert (judged.verdict, judged.evidence_key) == ("yes", "2")
    for chunk in evidence_of(reader):
        assert sum(len(piece.text) for piece in chunk) <= 20_000


WHOLE: list[Question[object]] = [
    compare(CompareAnswers("q", FILL, FILL), row="r"),
    grade(GradeAnswer("q", FILL, FILL, "1 to 5"), row="r"),
    verify(VerifyClaims((FILL,), LONG), row="r"),
    verify(VerifyClaims((FACT,), LONG, question=FILL), row="r"),
    verify(VerifyClaims((FACT,), (Evidence(FILL, FILL),)), row="r"),
]


@pytest.mark.parametrize("question", WHOLE, ids=lambda q: type(q.about).__name__)
@pytest.mark.parametrize("window", [WINDOW, decisions_window(8_000)], ids=["chat", "decisions"])
async def test_what_cannot_be_divided_is_an_error_by_name_and_is_never_sent(
    question: Question[object], window: Window
) -> None:
    reader = Reader()

    with pytest.raises(JudgeUnavailableError) as failed:
        await ChunkedJudge(reader, window).ask(question)

    assert (failed.value.error.cause, failed.value.final) == ("too_long", True)
    assert reader.asked == []


def test_where_texts_are_cut_can_change_a_verdict_and_is_in_the_identity() -> None:
    one, other = ChunkedJudge(Reader(), WINDOW), ChunkedJudge(Reader(), chat_window(9_000))

    assert one.identity.settings == {"context_tokens": 8_000, "max_text": 200_000}
    assert one.identity != other.identity
    assert replace(one.identity, settings={}) == replace(other.identity, settings={})
