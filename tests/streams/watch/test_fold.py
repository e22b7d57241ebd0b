"""The fold as a whole: what counts once, what a window knows, and what comes back of its state."""

from datetime import timedelta

from schemas.alert import Alert
from schemas.pane import Pane
from streams.watch.options import Options
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
from tests.streams.watch.teller import Teller, panes


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
