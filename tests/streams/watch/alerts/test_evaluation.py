"""Alerts as they leave the fold: when they fire, what they say, and when they end."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from schemas.alert import Alert
from schemas.mark import Mark, Tick
from schemas.score import Outcome, ScoreEvent
from schemas.tally import Tally
from streams.links import NO_LINKS, Links
from streams.watch.fold import Options, Watch
from streams.watch.rules.blind import BlindRule
from streams.watch.rules.kinds import Rule
from streams.watch.rules.threshold import ThresholdRule
from streams.watch.rules.traffic import TrafficRule
from streams.watch.tables import Tables
from tests.streams.watch.records import (
    SCORER,
    a_mark,
    a_score,
    a_tally,
    a_tick,
    at,
    bad,
    busy,
    failed,
    good,
    worked_off,
)

BAD_ANSWERS = ThresholdRule(
    name="bad-answers",
    kind="threshold",
    scorer=SCORER,
    above=0.1,
    window=timedelta(minutes=30),
    min_n=30,
)
BLIND = BlindRule(name="blind", kind="blind")
SILENCE = TrafficRule(name="silence", kind="traffic")

Message = ScoreEvent | Tally | Mark | Tick


class Day:
    """A stream of one row every ten seconds, with a mark after each, told to a watch."""

    def __init__(self, *rules: Rule, links: Links = NO_LINKS) -> None:
        self.options = Options(rules=rules, segments=("prompt_version",), links=links)
        self.watch = Watch(self.options)
        self.told: list[tuple[Message, int]] = []
        self.alerts: list[Alert] = []
        self.row = 0
        self.offset = 0

    def tell(self, *messages: Message) -> None:
        for message in messages:
            offset = self.offset
            said = self.watch.fold(message, offset=offset)
            self.told.append((message, offset))
            self.offset += not isinstance(message, Mark | Tick)
            self.alerts += [each for each in said if isinstance(each, Alert)]

    def rows(
        self,
        start: int,
        end: int,
        outcome: Callable[[int], Outcome],
        *,
        series: str = "s1",
        version: Callable[[int], str] = lambda n: "v1",
    ) -> None:
        for second in range(start, end, 10):
            n = self.row
            self.row += 1
            attributes = {"prompt_version": version(n)}
            event = a_score(n, second, outcome(n), series=series, attributes=attributes)
            self.tell(event, a_tally(second - second % 60, rows=(n, n + 1)))
            self.tell(a_mark(second + 5, scores=2 * self.row))

    def idle(self, start: int, end: int) -> None:
        for second in range(start, end, 10):
            self.tell(a_mark(second + 5, scores=2 * self.row))

    @property
    def steps(self) -> list[tuple[str, float]]:
        """Return status and minute of each alert."""
        return [(alert.status, (alert.evaluated_at - at(0)).seconds / 60) for alert in self.alerts]


def every(n: int) -> Callable[[int], Outcome]:
    return lambda row: bad() if row % n == 0 else good()


def never(_: int) -> Outcome:
    return good()


def test_too_many_bad_answers_fire_once_there_are_enough_of_them() -> None:
    day = Day(BAD_ANSWERS)

    day.rows(0, 1200, every(3))

    assert day.steps == [("firing", 6.0)]  # 30 answers after 5 minutes, twice in a row


def test_an_alert_says_what_where_how_sure_and_which_answers() -> None:
    day = Day(BAD_ANSWERS)

    day.rows(0, 1200, every(3), version=lambda n: "v7" if n % 3 == 0 else "v6")

    alert = day.alerts[0]
    assert alert.annotations["summary"] == (
        "faithfulness flagged 33 % (22-47 %), n=36, since 2026-03-01 00:06 UTC, last 30 min, "
        "shop/production"
    )
    assert alert.labels == {
        "alertname": "bad-answers",
        "service_name": "shop",
        "environment": "production",
        "metric": "faithfulness",
        "severity": "page",
    }
    assert alert.window.start == at(6 * 60 - 1800)
    assert (alert.value.n, alert.value.coverage, alert.value.threshold) == (36, 1.0, 0.1)
    assert alert.value.lower is not None
    assert alert.value.lower > 0.1
    assert [exemplar.score for exemplar in alert.exemplars] == [0.25] * 5
    assert alert.change_hints == {"prompt_version": "v7"}
    assert alert.scorer == {
        "name": "faithfulness",
        "version": "1",
        "judge": "rules",
        "judge_model": "",
    }


def test_a_rate_at_its_bound_does_not_fire() -> None:
    day = Day(BAD_ANSWERS)

    day.rows(0, 7200, every(10))

    assert day.alerts == []


def test_it_ends_once_the_rate_was_surely_low_for_a_quarter_of_an_hour() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))

    day.rows(1200, 7200, never)

    (_, fired), (status, ended) = day.steps
    first, last = day.alerts
    assert (status, fired) == ("resolved", 6.0)
    assert 45 < ended < 70
    assert last.alert_id == first.alert_id
    assert last.ends_at == last.evaluated_at


def test_without_data_it_neither_ends_nor_goes_on() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))

    day.idle(1200, 9000)

    assert [status for status, _ in day.steps] == ["firing", "nodata"]
    assert day.watch.active()[0].status == "nodata"


def test_a_judge_that_fails_is_blind_and_no_bad_answer() -> None:
    day = Day(BAD_ANSWERS, BLIND)
    day.rows(0, 1200, every(3))

    day.rows(1200, 2400, lambda _: failed())

    blind = [alert for alert in day.alerts if alert.rule == "blind"]
    assert [(a.status, a.labels["cause"]) for a in blind] == [("firing", "judge")]
    assert blind[0].annotations["summary"].startswith("faithfulness is blind: ")
    assert [a.status for a in day.alerts if a.rule == "bad-answers"] == ["firing", "nodata"]


def test_rows_whose_verdicts_do_not_come_are_blindness_of_the_score_half() -> None:
    day = Day(BLIND)
    day.rows(0, 900, never)

    for minute in range(15, 40):
        day.tell(a_tally(60 * minute, rows=(1000 * minute, 1000 * minute + 6)))
        day.tell(a_mark(60 * minute + 30, scores=day.row * 2 + minute - 14))

    assert [(a.status, a.labels["cause"]) for a in day.alerts] == [("firing", "score")]


def test_a_score_half_that_stopped_is_told_by_ticks() -> None:
    day = Day(BLIND)
    day.rows(0, 600, never)

    day.tell(*(a_tick(second) for second in range(600, 1200, 5)))

    assert [(a.status, a.labels["cause"], a.starts_at) for a in day.alerts] == [
        ("firing", "score", at(595 + 120))
    ]


def test_a_partition_that_the_score_half_stopped_is_told_while_the_others_go_on() -> None:
    day = Day(BLIND)
    day.rows(0, 600, never)
    day.tell(a_mark(606, {0: worked_off(), 1: busy(590)}, of=2, scores=120))

    for second in range(610, 1200, 10):
        day.tell(a_mark(second, {0: worked_off()}, of=2, scores=120))

    assert day.steps == [("firing", (606 + 120) / 60)]
    assert day.alerts[0].labels["cause"] == "score"
    assert day.alerts[0].annotations["summary"] == (
        "faithfulness is blind: no report on some partition since 2026-03-01 00:12 UTC: the score "
        "half is down, or stopped it (its log says why; streamgauge dead list), last 15 min, "
        "shop/production"
    )
    assert day.watch.watermark == at(1190 - 60)


def test_it_is_told_the_same_by_the_mark_that_ends_it() -> None:
    ticked, silent = Day(BLIND), Day(BLIND)
    for day in (ticked, silent):
        day.rows(0, 600, never)
    ticked.tell(*(a_tick(second) for second in range(600, 1200, 5)))

    for day in (ticked, silent):
        day.rows(1200, 1800, never)

    assert [status for status, _ in silent.steps] == ["firing", "resolved"]
    assert [a.alert_id for a in silent.alerts] == [a.alert_id for a in ticked.alerts]
    assert silent.alerts == ticked.alerts


def test_a_score_half_that_stops_again_is_told_once_the_alarm_has_cooled() -> None:
    day = Day(BLIND)
    day.rows(0, 600, never)
    day.tell(*(a_tick(second) for second in range(600, 1200, 5)))
    day.rows(1200, 1500, never)

    day.tell(*(a_tick(second) for second in range(1500, 6000, 5)))

    (_, ended) = day.steps[1]
    assert day.steps[2] == ("firing", ended + 30)


def test_rows_that_no_longer_come_are_told_and_so_is_their_return() -> None:
    day = Day(SILENCE)
    day.rows(0, 600, never)

    day.idle(600, 3600)
    day.rows(3600, 4200, never)

    assert day.steps == [("firing", 25.0), ("resolved", 61.0)]
    assert day.alerts[0].labels["metric"] == "traffic"


def test_an_alert_carries_the_links_that_the_fold_was_told() -> None:
    day = Day(BAD_ANSWERS, links=Links(trace="https://t.example/{trace_id}", runbook="https://r"))

    day.rows(0, 1200, every(3))

    fired = day.alerts[0]
    assert [one.link for one in fired.exemplars] == [
        f"https://t.example/{one.trace_id}" for one in fired.exemplars
    ]
    assert fired.annotations["runbook_url"] == "https://r"
    assert day.watch.active()[0].exemplars[0].link is not None


def test_traffic_is_silent_while_any_partition_is_blind() -> None:
    day = Day(SILENCE)
    day.rows(0, 600, never)
    day.tell(a_mark(606, {0: worked_off(), 1: worked_off()}, of=2, scores=120))

    for second in range(610, 6000, 10):
        day.tell(a_mark(second, {0: worked_off()}, of=2, scores=120))

    assert day.watch.stopped == [1]
    assert day.alerts == []


def test_an_alert_of_an_old_series_ends_when_the_new_one_has_enough_to_say() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))

    day.rows(1200, 3600, every(3), series="s2")

    assert [a.status for a in day.alerts] == ["firing", "resolved", "firing"]
    assert [a.annotations["series"] for a in day.alerts] == ["s1", "s2", "s2"]
    assert "new series" in day.alerts[1].annotations["description"]
    assert day.steps[2][1] == day.steps[1][1] + 2
    assert "A new series began at 2026-03-01 00:20 UTC." in day.alerts[2].annotations["description"]


def told_by(messages: Sequence[tuple[Message, int]], watch: Watch) -> list[Alert]:
    said = [each for m, offset in messages for each in watch.fold(m, offset=offset)]
    return [each for each in said if isinstance(each, Alert)]


def test_a_rebuild_from_the_start_tells_the_same_alerts() -> None:
    day = Day(BAD_ANSWERS, BLIND, SILENCE)
    day.rows(0, 1200, every(3))
    day.rows(1200, 6000, never)
    day.idle(6000, 9000)

    again = told_by(day.told, Watch(day.options))

    assert len(again) > 2
    assert again == day.alerts


def test_an_alarm_that_is_ahead_of_time_does_not_count_an_evaluation_twice() -> None:
    """As after a crash between writing an alarm and writing the clock."""
    day = Day(BAD_ANSWERS)
    day.rows(0, 380, every(3))
    text = day.watch.tables.to_json()
    day.tell(a_mark(425, scores=2 * day.row))
    ahead = Tables.from_json(text)
    ahead.alarms.update(day.watch.tables.alarms)
    assert len(ahead.alarms) == 1

    watch = Watch(day.options, ahead)
    watch.fold(a_mark(425, scores=2 * day.row))

    assert watch.tables.alarms == day.watch.tables.alarms


def test_each_segment_has_an_alarm_of_its_own_and_says_so() -> None:
    day = Day(BAD_ANSWERS.model_copy(update={"by": "prompt_version"}))

    day.rows(0, 2400, every(3), version=lambda n: "v7" if n % 3 == 0 else "v6")

    assert [a.labels["prompt_version"] for a in day.alerts] == ["v7"]
    assert day.alerts[0].annotations["summary"].endswith("shop/production, prompt_version=v7")


def test_a_segment_without_rows_for_a_day_is_gone_and_its_alert_ends() -> None:
    day = Day(BAD_ANSWERS.model_copy(update={"by": "prompt_version"}))
    day.rows(0, 1200, every(3), version=lambda n: "v7")

    day.rows(1200, 3600, never, version=lambda n: "v8")
    for hour in range(1, 26):
        day.rows(3600 * hour, 3600 * hour + 10, never, version=lambda n: "v8")

    assert [a.status for a in day.alerts] == ["firing", "nodata", "resolved"]
    assert "no answers of it for a day" in day.alerts[-1].annotations["summary"]


def test_an_alert_says_how_far_the_rate_moved_and_what_moved_it() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 3600, every(20), version=lambda n: "v6")

    day.rows(3600, 6000, every(2), version=lambda n: "v6" if n % 2 else "v7")

    fired = day.alerts[0]
    moved, because = fired.annotations["description"].split(". ")
    assert fired.change_hints == {"prompt_version": "v7"}
    assert moved.endswith("on the day before")
    assert because.startswith("prompt_version=v7 (new since 2026-03-01 01:00 UTC) accounts for +")


def test_its_end_says_when_it_fired() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))

    day.rows(1200, 6000, never)

    ended = day.alerts[-1]
    assert ended.status == "resolved"
    assert "fired 2026-03-01 00:06 UTC" in ended.annotations["summary"]


def test_an_alert_whose_rule_was_taken_out_is_ended_by_the_next_tick_with_the_reason() -> None:
    day = Day(BAD_ANSWERS, SILENCE)
    day.rows(0, 1200, every(3))

    again = Watch(Options(rules=(SILENCE,)), Tables.from_json(day.watch.tables.to_json()))
    (ended,) = [m for m in again.fold(a_tick(1300)) if isinstance(m, Alert)]

    assert ended.alert_id == day.alerts[0].alert_id
    assert (ended.status, ended.ends_at) == ("resolved", at(1300))
    assert ended.labels == day.alerts[0].labels
    assert "taken out" in ended.annotations["description"]
    assert [m for m in again.fold(a_tick(1305)) if isinstance(m, Alert)] == []


def test_so_is_one_whose_rule_was_given_another_severity() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))
    ticket = BAD_ANSWERS.model_copy(update={"severity": "ticket"})

    again = Watch(Options(rules=(ticket,)), Tables.from_json(day.watch.tables.to_json()))
    ended = [m for m in again.fold(a_tick(1300)) if isinstance(m, Alert)]

    assert [(a.status, a.severity) for a in ended] == [("resolved", "page")]


def test_an_alert_of_an_earlier_life_that_a_rebuild_does_not_come_to_is_ended() -> None:
    day = Day(BAD_ANSWERS)
    day.rows(0, 1200, every(3))
    laxer = BAD_ANSWERS.model_copy(update={"above": 0.5})

    for rule, statuses in ((laxer, ["resolved"]), (BAD_ANSWERS, ["firing"])):
        again = Watch(Options(rules=(rule,), standing=tuple(day.alerts)))
        said = told_by([*day.told, (a_tick(1300), -1)], again)
        assert [a.status for a in said] == statuses


def test_a_scorer_of_another_version_is_another_series_and_never_mixed() -> None:
    """F59: its settings are read again in mid-stream, and half a window is of the old ones."""
    day = Day(BAD_ANSWERS)
    day.rows(0, 900, every(3), series="s1")

    day.rows(900, 2400, never, series="s2")

    keys = [key for key in day.watch.tables.scores if not key.family.segment]
    split = [key.family.series for key in sorted(keys, key=lambda key: key.start)]
    assert split == ["s1"] * 15 + ["s2"] * 25
    seen = day.watch.window(*day.watch.scorers()[0], length=timedelta(hours=1), at=at(2400))
    assert (seen.family.series, seen.n) == ("s2", 150)
    assert [a.annotations["series"] for a in day.alerts] == ["s1", "s2"]


MINUTES_TO_TELL = {"bad": 15, "blind": 10, "silence": 20}


@pytest.mark.parametrize(
    ("trouble", "rule", "cause"),
    [("judge", "blind", "judge"), ("score", "blind", "score"), ("traffic", "silence", None)],
)
def test_three_troubles_are_three_alerts_in_time_and_none_about_quality(
    trouble: str, rule: str, cause: str | None
) -> None:
    day = Day(BAD_ANSWERS, BLIND, SILENCE)
    day.rows(0, 3600, every(20))

    if trouble == "judge":
        day.rows(3600, 5400, lambda _: failed())
    elif trouble == "traffic":
        day.idle(3600, 5400)
    else:
        day.tell(*(a_tick(second) for second in range(3600, 5400, 5)))

    (alert,) = day.alerts
    assert (alert.rule, alert.status, alert.labels.get("cause")) == (rule, "firing", cause)
    assert alert.evaluated_at - at(3600) <= timedelta(minutes=MINUTES_TO_TELL[rule])
    assert "flagged" not in alert.annotations["summary"]
