"""A watch half that comes back from its tables goes on as if nothing had happened."""

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.pane import Pane
from schemas.score import Outcome, ScoreEvent
from schemas.tally import Tally
from streams.watch.fold import Watch
from streams.watch.options import Options
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.cusum import CusumRule
from streams.watch.rules.regression import RegressionRule
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.rules.traffic import TrafficRule
from streams.watch.tables import Tables
from tests.streams.watch.records import (
    SCORER,
    a_mark,
    a_score,
    a_tally,
    a_tick,
    bad,
    busy,
    failed,
    good,
    worked_off,
)

OPTIONS = Options(
    rules=(
        ThresholdRule.model_validate(
            {
                "name": "bad-answers",
                "kind": "threshold",
                "scorer": SCORER,
                "above": 0.1,
                "window": "10m",
                "min_n": 3,
                "for": 1,
            }
        ),
        RegressionRule(
            name="worse",
            kind="regression",
            scorer=SCORER,
            min_n=1,
            for_=1,
            alpha=0.4,
            window=timedelta(minutes=10),
            by="locale",
        ),
        CusumRule.model_validate(
            {"name": "drift", "kind": "cusum", "scorer": SCORER, "from": 0.2, "to": 0.6, "min_n": 1}
        ),
        BlindRule(name="blind", kind="blind"),
        TrafficRule(name="silence", kind="traffic"),
    ),
    segments=("locale",),
    max_panes=30,
)

Message = ScoreEvent | Tally | Mark | Tick


OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(st.builds(good), st.builds(bad), st.builds(failed))


@st.composite
def stories(draw: st.DrawFn) -> list[Message]:
    """Records of an hour or a night: rows that repeat, marks that wait, partitions that stop."""
    second, scores, story = 600, 0, list[Message]()
    night = draw(st.integers(0, 60))
    for n in range(draw(st.integers(1, 40))):
        second += 25_000 if n == night else draw(st.sampled_from([0, 1, 5, 20, 90, 400]))
        kind = draw(st.sampled_from(["score", "score", "score", "tally", "mark", "mark", "tick"]))
        row, run = draw(st.integers(0, 15)), draw(st.sampled_from([None, None, None, "r1"]))
        if kind == "score":
            story.append(
                a_score(
                    row,
                    second - draw(st.integers(0, 500)),
                    draw(OUTCOMES),
                    event_id=f"e{row}",
                    series=draw(st.sampled_from(["s1", "s1", "s2"])),
                    attributes={"locale": draw(st.sampled_from("abc"))},
                    partition=draw(st.integers(0, 1)),
                    run=run,
                )
            )
        elif kind == "tally":
            story.append(a_tally(second, rows=(row, row + 3), epoch=row % 3, run=run))
        elif kind == "mark":
            standing = draw(st.sampled_from([worked_off(), worked_off(), busy(second - 30)]))
            ahead = draw(st.integers(0, 1))
            done = run is not None and draw(st.booleans())
            story.append(
                a_mark(second, {row % 2: standing}, of=2, scores=scores + ahead, run=run, done=done)
            )
        else:
            story.append(a_tick(second))
        scores += kind in ("score", "tally")
    return story


def told(story: list[Message], *, restarts: frozenset[int]) -> tuple[list[Pane | Alert], bytes]:
    """Fold a story. A new life reads the scores again from the offset that is due to it."""
    watch, said, log = Watch(OPTIONS), list[Pane | Alert](), list[ScoreEvent | Tally]()
    for n, message in enumerate(story):
        if n in restarts:
            watch = Watch(OPTIONS, Tables.from_json(watch.tables.to_json()))
            for offset in range(watch.due.scores, len(log)):
                said += watch.fold(log[offset], offset=offset)
        said += watch.fold(message, offset=len(log))
        if not isinstance(message, Mark | Tick):
            log.append(message)
    return said, watch.tables.to_json()


@settings(max_examples=30)
@given(stories(), st.frozensets(st.integers(0, 40)))
def test_a_restart_between_any_two_records_changes_nothing(
    story: list[Message], restarts: frozenset[int]
) -> None:
    assert told(story, restarts=restarts) == told(story, restarts=frozenset())


@settings(max_examples=40)
@given(stories(), st.integers(0, 40))
def test_a_log_read_again_from_an_older_offset_changes_no_pane(
    story: list[Message], back: int
) -> None:
    watch = Watch(OPTIONS)
    log = [m for m in story if isinstance(m, ScoreEvent | Tally) and m.run is None]
    for offset, message in enumerate(log):
        watch.fold(message, offset=offset)
    before = watch.tables.to_json()

    again = Watch(OPTIONS, Tables.from_json(before))
    for offset, message in list(enumerate(log))[back:]:
        again.fold(message, offset=offset)

    assert again.tables.to_json() == before
