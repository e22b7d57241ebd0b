"""What does not fit a judge's window: read in chunks, in whole or not at all, and never a 0."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import cast

import pytest

from schemas.score import ScoringError, Usage
from scorers import examples
from scorers.asking.claims import extract
from scorers.asking.comparing import compare
from scorers.asking.grades import grade
from scorers.asking.support import support
from scorers.asking.verdicts import verify
from scorers.contract import Answer, JudgeIdentity, Judgement, JudgeUnavailableError
from scorers.faithfulness_binary import statements
from scorers.judges.chunked import ChunkedJudge
from scorers.judges.retrying import A
from scorers.judges.windows import Reach, Window, chat_window, decisions_window
from scorers.questions import (
    CompareAnswers,
    Evidence,
    ExtractClaims,
    GradeAnswer,
    Question,
    ScoreStatements,
    Subject,
    SupportSentence,
    VerifyClaims,
)

WINDOW = chat_window(8_000)
FILL = " ".join(f"Room {n} of the mill is open to visitors on weekdays." for n in range(1_000))
FACT = "The mill was built in 1782."
LONG = (Evidence("1", FILL), Evidence("2", f"{FILL} {FACT}"))


def unavailable(cause: str, *, final: bool = False) -> JudgeUnavailableError:
    error = ScoringError(kind="judge_failed", cause=cause)
    return JudgeUnavailableError(error, Usage(calls=1, attempts=1), final=final)


def by_fact(about: Subject) -> object:
    """Support what stands in the evidence word for word; take out the lines of an answer."""
    match about:
        case VerifyClaims(claims=claims, evidence=evidence):
            return tuple(_judged(claim, evidence) for claim in claims)
        case SupportSentence(sentence=sentence, evidence=evidence):
            return _judged(sentence, evidence)
        case ExtractClaims(answer=answer):
            return tuple(filter(None, answer.splitlines()))
        case _:
            raise AssertionError(f"{about} was not to be asked")


def _judged(claim: str, evidence: tuple[Evidence, ...]) -> Judgement:
    held = [piece.key for piece in evidence if claim in piece.text]
    return Judgement("yes", 1.0, evidence_key=held[0], quote=claim) if held else Judgement("unsure")


@dataclass
class Reader:
    """Answers by a function of the subject, keeps the subjects, and refuses what is too long."""

    answer: Callable[[Subject], object] = by_fact
    reads: Window | None = None
    asked: list[Subject] = field(default_factory=list)
    refused: int = 0
    now: int = 0
    most: int = 0
    identity: JudgeIdentity = field(default_factory=lambda: JudgeIdentity("chat", "1", "m"))

    async def ask(self, question: Question[A]) -> Answer[A]:
        if self.reads is not None and not self.reads.fits(question.about):
            self.refused += 1
            raise unavailable("too_long", final=True)
        self.asked.append(question.about)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        value = self.answer(question.about)
        if isinstance(value, JudgeUnavailableError):
            raise value
        usage = Usage(calls=1, attempts=1, input_tokens=10, cost_usd=0.5)
        return Answer(cast("A", value), usage, "m-1", "sent")


def claims(*texts: str, evidence: tuple[Evidence, ...] = LONG) -> Question[tuple[Judgement, ...]]:
    return verify(VerifyClaims(texts, evidence, "When was it built?"), row="r")


def evidence_of(reader: Reader) -> list[tuple[Evidence, ...]]:
    return [about.evidence for about in reader.asked if isinstance(about, VerifyClaims)]


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


async def test_many_long_claims_are_asked_in_groups_under_their_own_numbers() -> None:
    texts = [f"{n} {FACT} " + "and so on " * 300 for n in range(8)]
    reader = Reader(lambda about: tuple(Judgement("yes", quote=c) for c in claims_of(about)))

    answer = await ChunkedJudge(reader, WINDOW).ask(claims(*texts))

    assert [one.quote for one in answer.value] == texts
    groups = {about.numbered for about in reader.asked if isinstance(about, VerifyClaims)}
    assert sorted(number for group in groups for number, _ in group) == list(range(1, 9))
    assert all(WINDOW.fits(about) for about in reader.asked)


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


async def test_other_failures_are_raised_as_they_are() -> None:
    judge = ChunkedJudge(Reader(lambda _: unavailable("http_400", final=True)), WINDOW)

    with pytest.raises(JudgeUnavailableError) as failed:
        await judge.ask(claims(FACT, evidence=(Evidence("1", FACT),)))

    assert failed.value.error.cause == "http_400"


def test_where_texts_are_cut_can_change_a_verdict_and_is_in_the_identity() -> None:
    one, other = ChunkedJudge(Reader(), WINDOW), ChunkedJudge(Reader(), chat_window(9_000))

    assert one.identity.settings == {"context_tokens": 8_000, "max_text": 200_000}
    assert one.identity != other.identity
    assert replace(one.identity, settings={}) == replace(other.identity, settings={})
