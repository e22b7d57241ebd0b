"""The fold as a whole: what goes out, and when."""

from collections.abc import Sequence
from datetime import timedelta

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.pane import Pane
from schemas.score import ScoreEvent
from schemas.tally import Tally
from streams.watch.fold import Options, Watch
from streams.watch.panes.pane import OTHER
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.tables import Tables
from tests.streams.watch.records import (
    SCORER,
    SHOP,
    a_mark,
    a_score,
    a_tally,
    a_tick,
    at,
    bad,
    failed,
    undecided,
    worked_off,
)


class Teller:
    """Tells a watch of records, counting the offsets of the scores topic."""

    def __init__(self, options: Options | None = None) -> None:
        self.watch = Watch(options or Options())
        self.offset = 0

    def tell(self, *messages: ScoreEvent | Tally | Mark | Tick) -> list[Pane | Alert]:
        said: list[Pane | Alert] = []
        for message in messages:
            if isinstance(message, Mark | Tick):
                said += self.watch.fold(message)
            else:
                said += self.watch.fold(message, offset=self.offset)
                self.offset += 1
        return said

    def panes(self, *, segment: bool = False) -> list[tuple[int, dict[str, int]]]:
        """Return start and outcomes of the score panes."""
        found = sorted(self.watch.tables.scores.items())
        return [
            (key.length // 60_000, pane.outcomes)
            for key, pane in found
            if bool(key.family.segment) is segment
        ]


def panes(said: Sequence[Pane | Alert]) -> list[Pane]:
    return [message for message in said if isinstance(message, Pane)]


def test_the_same_row_judged_twice_counts_once() -> None:
    teller = Teller()

    teller.tell(a_score(1, 10), a_score(1, 10))

    assert teller.panes() == [(1, {"scored": 1})]


def test_a_row_written_twice_is_a_duplicate_in_the_minute_that_it_names() -> None:
    teller = Teller()

    teller.tell(
        a_score(1, 10, event_id="e"),
        a_score(2, 70, event_id="e"),
        a_score(2, 70, event_id="e"),
    )

    assert teller.panes() == [(1, {"scored": 1}), (1, {"duplicate": 1})]


def test_the_same_id_in_a_run_is_another_event() -> None:
    teller = Teller()

    teller.tell(a_score(1, 10, event_id="e"), a_score(1, 10, event_id="e", run="r1"))

    assert teller.panes() == [(1, {"scored": 1}), (1, {"scored": 1})]


def test_a_log_read_again_changes_nothing_even_in_final_panes() -> None:
    teller = Teller(Options(segments=("locale",)))
    events = [a_score(n, n, attributes={"locale": "de"}) for n in range(5)]
    teller.tell(*events, a_mark(900, scores=5))
    before = teller.watch.tables.to_json()

    teller.offset = 0
    teller.tell(*events)

    assert teller.watch.tables.to_json() == before


def test_changed_panes_go_out_every_ten_seconds_and_no_more_often() -> None:
    teller = Teller()

    first = teller.tell(a_score(1, 10), a_mark(12, scores=1))
    soon = teller.tell(a_score(2, 11), a_mark(17, scores=2))
    later = teller.tell(a_mark(22, scores=2))
    nothing = teller.tell(a_mark(32, scores=2))

    assert [len(panes(said)) for said in (first, soon, later, nothing)] == [1, 0, 1, 0]
    assert panes(later)[0].outcomes == {"scored": 2}
    assert not panes(later)[0].final


def test_a_pane_is_final_five_minutes_after_its_end_and_goes_out_so() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(419, scores=1))

    said = teller.tell(a_mark(420, scores=1))

    assert [(pane.final, pane.start) for pane in panes(said)] == [(True, at(0))]


def test_a_final_pane_takes_a_late_row_counts_it_and_goes_out_again() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(420, scores=1), a_mark(425, scores=1))

    said = teller.tell(a_score(2, 20), a_mark(440, scores=2))

    assert [(pane.late, pane.final, pane.outcomes) for pane in panes(said)] == [
        (1, True, {"scored": 2})
    ]


def test_a_pane_says_what_it_is_and_its_key_is_its_own() -> None:
    teller = Teller(Options(segments=("prompt_version",)))

    said = panes(
        teller.tell(
            a_score(1, 10, bad(), attributes={"prompt_version": "v7"}, probability=0.05),
            a_tally(0, rows=(0, 40), sampled=1),
            a_mark(30, scores=2),
        )
    )

    assert sorted(pane.key for pane in said) == [
        "shop/production|faithfulness|s1|prompt_version=v7|2026-03-01T00:00:00.000Z|60|live",
        "shop/production|faithfulness|s1||2026-03-01T00:00:00.000Z|60|live",
        "shop/production||||2026-03-01T00:00:00.000Z|60|live",
    ]
    assert all(Pane.model_validate_json(pane.to_json()) == pane for pane in said)


def test_an_event_adds_to_its_segments_and_never_to_their_product() -> None:
    teller = Teller(Options(segments=("locale", "prompt_version")))

    teller.tell(a_score(1, 10, attributes={"locale": "de", "prompt_version": "v7", "x": "y"}))

    names = sorted(key.family.segment for key in teller.watch.tables.scores)
    assert names == ["", "locale=de", "prompt_version=v7"]


def test_above_the_bound_new_segment_values_share_one_pane() -> None:
    teller = Teller(Options(segments=("tenant",), max_panes=3))

    for n, tenant in enumerate("abcda"):
        teller.tell(a_score(n, 10, attributes={"tenant": tenant}))

    counts = {k.family.segment: p.outcomes for k, p in teller.watch.tables.scores.items()}
    assert counts == {
        "": {"scored": 5},
        "tenant=a": {"scored": 2},
        "tenant=b": {"scored": 1},
        f"tenant={OTHER}": {"scored": 2},
    }


def test_minutes_become_ten_and_then_an_hour_and_are_gone_after_four_weeks() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_score(2, 130, bad()), a_score(3, 700))
    hour, day = 3_600, 86_400

    lengths = []
    for second in (6 * hour + 670, 6 * hour + 1270, 3 * day, 30 * day):
        teller.tell(a_mark(second, scores=3))
        lengths.append(teller.panes())

    assert lengths == [
        [(10, {"scored": 2}), (1, {"scored": 1})],
        [(10, {"scored": 2}), (10, {"scored": 1})],
        [(60, {"scored": 3})],
        [],
    ]


def test_a_row_for_minutes_that_have_become_longer_goes_to_the_longer_pane() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(6 * 3_600 + 670, scores=1))

    teller.tell(a_score(2, 300))

    assert teller.panes() == [(10, {"scored": 2})]


def test_a_shorter_pane_under_a_longer_one_is_dead() -> None:
    """As after a crash between writing the longer pane and deleting what it replaces."""
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(420, scores=1))
    short = dict(teller.watch.tables.scores)
    teller.tell(a_mark(6 * 3_600 + 670, scores=1))
    tables = Tables.from_json(teller.watch.tables.to_json())
    tables.scores.update(short)

    back = Watch(Options(), tables)
    view = back.window(SHOP, SCORER, length=timedelta(hours=1), at=at(3_600))
    back.fold(a_mark(6 * 3_600 + 700, scores=1))

    assert view.n == 1
    assert len(tables.scores) == 1


def test_a_replay_fills_panes_of_its_own_that_leave_with_it() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_score(1, 10, run="r1"), a_tally(0, rows=(0, 9), run="r1"))

    teller.tell(a_mark(30, run="r1", scores=3))
    said = teller.tell(a_mark(40, run="r1", scores=3, done=True))

    assert {(pane.run, pane.final) for pane in panes(said) if pane.run} == {("r1", True)}
    assert teller.panes() == [(1, {"scored": 1})]
    assert not teller.watch.tables.ledgers
    assert teller.watch.watermark is None


def test_a_replays_rows_read_again_after_it_left_stay_away() -> None:
    teller = Teller()
    replayed = a_score(1, 10, run="r1")
    teller.tell(replayed, a_mark(40, run="r1", scores=1, done=True))

    back = Watch(Options(), teller.watch.tables)
    back.fold(replayed, offset=0)

    assert not back.tables.scores


def test_marks_are_let_through_by_a_record_that_could_not_be_read() -> None:
    teller = Teller()
    teller.tell(a_score(1, 10), a_mark(600, scores=2))
    assert teller.watch.watermark is None

    teller.watch.fold(None, offset=1)

    assert teller.watch.watermark == at(540)


def test_a_window_knows_its_series_its_coverages_and_what_is_missing() -> None:
    teller = Teller()
    teller.tell(
        *(a_score(n, 10 + n, bad() if n < 2 else None) for n in range(6)),
        a_score(6, 20, failed()),
        a_score(7, 20, undecided()),
        a_score(8, 70, series="s2"),
        a_tally(0, rows=(0, 20), sampled=10),
        a_tally(60, rows=(20, 25), sampled=1),
    )

    view = teller.watch.window(SHOP, SCORER, length=timedelta(minutes=10), at=at(600))

    assert view.family.series == "s1"
    assert view.n == 6
    assert view.judged == 7 / 8
    assert view.seen == 9 / 11
    assert view.pending == 2
    assert view.undecided == 1 / 7
    assert view.rows == {"base": 25}
    assert [worst.score for worst in view.worst[:2]] == [0.25, 0.25]
    assert teller.watch.scorers() == [(SHOP, SCORER)]


def test_of_two_series_as_large_the_later_one_is_current_and_its_ledgers_begin_with_it() -> None:
    teller = Teller()
    teller.tell(
        a_score(1, 10),
        a_score(2, 130, series="s2"),
        a_tally(0, rows=(0, 100)),
        a_tally(120, rows=(100, 101)),
    )

    view = teller.watch.window(SHOP, SCORER, length=timedelta(minutes=10), at=at(600))

    assert view.family.series == "s2"
    assert view.rows == {"base": 1}
    assert view.seen == 1.0


def test_the_state_is_one_json_text_and_comes_back_whole() -> None:
    teller = Teller(Options(segments=("locale",)))
    teller.tell(
        a_score(1, 10, bad(), attributes={"locale": "dé|e"}),
        a_tally(0, rows=(0, 4), shed=1, rejected=2),
        a_mark(600, scores=2),
        a_mark(605, {0: worked_off(), 3: worked_off()}, scores=9, of=4),
        a_tick(610),
    )

    text = teller.watch.tables.to_json()

    assert Tables.from_json(text) == teller.watch.tables


def test_a_row_dated_twenty_years_back_holds_nobody_up() -> None:
    rule = ThresholdRule(name="bad", kind="threshold", scorer=SCORER, above=0.1, min_n=10)
    teller = Teller(Options(rules=[rule]))
    twenty_years = 20 * 365 * 86_400

    teller.tell(a_score(0, -twenty_years), *(a_score(n, 30, bad()) for n in range(1, 60)))
    said = teller.tell(*(a_mark(second, {0: worked_off()}) for second in (200, 260, 320)))

    assert [alert.status for alert in said if isinstance(alert, Alert)] == ["firing"]
