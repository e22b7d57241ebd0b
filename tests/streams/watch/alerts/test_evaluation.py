"""Alerts as they leave the fold: when they fire, what they say, and when they end."""

from streams.links import Links
from tests.streams.watch.alerts.day import BAD_ANSWERS, Day, every, never
from tests.streams.watch.records import (
    at,
)


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


def test_an_alert_carries_the_links_that_the_fold_was_told() -> None:
    day = Day(BAD_ANSWERS, links=Links(trace="https://t.example/{trace_id}", runbook="https://r"))

    day.rows(0, 1200, every(3))

    fired = day.alerts[0]
    assert [one.link for one in fired.exemplars] == [
        f"https://t.example/{one.trace_id}" for one in fired.exemplars
    ]
    assert fired.annotations["runbook_url"] == "https://r"
    assert day.watch.active()[0].exemplars[0].link is not None


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
