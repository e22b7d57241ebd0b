"""What is listed of a backtest, for people and for programs."""

import json
from collections.abc import Sequence
from datetime import timedelta

from schemas.alert import Alert, Exemplar
from schemas.score import Scored, ScoreEvent
from streams.console.backtest import Heard
from streams.console.episodes import Report, account, json_lines, report
from tests.streams.notify.alerts import NOON, after, an_alert
from tests.streams.watch.records import a_score

FAILED = Scored(
    score=0.0,
    normalized=0.0,
    bad=True,
    label="contradicted",
    breakdown={
        "claims": [
            {
                "text": "We open at 7.",
                "verdict": "no",
                "evidence": {"key": "1", "quote": "We open at 10."},
            },
            {"text": "On weekdays.", "verdict": "yes"},
        ]
    },
)
SCORES: dict[str, list[ScoreEvent]] = {
    "t2": [a_score(2, 0, FAILED), a_score(2, 0, FAILED, scorer="other")]
}


def heard(*alerts: Alert, days: float = 2.0) -> Heard:
    return Heard(list(alerts), scores=90, start=NOON, end=after(days=days))


def of(
    found: Heard, rules: Sequence[str] = ("bad-answers",), *, begin: float = 0, to: float = 48
) -> Report:
    made = report(found, rules, start=after(hours=begin), end=after(hours=to))
    assert made is not None
    return made


def fired(episode: str, hour: float, *, ends: float | None = None) -> list[Alert]:
    exemplars = (Exemplar(trace_id="t2", label="contradicted", at=NOON),)
    update = {"starts_at": after(hours=hour), "exemplars": exemplars}
    first = an_alert(episode=episode, at=after(hours=hour)).model_copy(update=update)
    if ends is None:
        return [first]
    last = an_alert("resolved", episode=episode, at=after(hours=ends)).model_copy(update=update)
    return [first, last]


def test_episodes_are_counted_by_rule_and_day_with_the_minutes_that_they_stood() -> None:
    found = of(heard(*fired("a", 1, ends=2), *fired("b", 30, ends=30.5)), ["bad-answers", "quiet"])

    assert [len(one.steps) for one in found.episodes] == [2, 2]
    count = found.counts["bad-answers"]
    assert (count.episodes, count.per_day, count.minutes) == (2, 1.0, 90)
    assert found.counts["quiet"].episodes == 0


def test_of_a_time_what_stood_in_it_counts_and_no_more_minutes_than_that() -> None:
    found = of(
        heard(*fired("a", 1, ends=2), *fired("b", 9, ends=11), *fired("c", 21)), begin=10, to=22
    )

    assert [one.fired.alert_id for one in found.episodes] == ["b", "c"]
    assert (found.counts["bad-answers"].minutes, found.counts["bad-answers"].per_day) == (120, 4.0)


def test_a_time_in_which_nothing_is_stored_has_no_report() -> None:
    assert report(Heard(), ["r"], start=None, end=None) is None
    assert report(heard(), ["r"], start=after(days=3), end=None) is None


def test_people_read_when_what_how_sure_and_which_claims_failed() -> None:
    found = of(heard(*fired("a", 1, ends=2), *fired("b", 30)))

    lines = ["  " * line.depth + line.text for line in account(found, SCORES)]

    assert lines[0] == "90 scores, 2026-03-01 12:00 to 2026-03-03 12:00 UTC"
    assert lines[1] == "bad-answers (page), shop/production, faithfulness"
    assert lines[2].startswith("  firing at 2026-03-01 13:00 UTC: faithfulness flagged 21 %")
    assert "    rate 21.0% (13.0% to 31.0%), threshold 10%, n=84" in lines
    assert "    trace t2 (contradicted)" in lines
    assert lines.count("        contradicted: We open at 7.") == 2  # once an episode
    assert "          evidence [1] We open at 10." in lines
    assert not any("On weekdays." in line for line in lines)
    assert "  not resolved by the end" in lines
    assert lines[-1] == "bad-answers: episodes 2, a day 1.00, minutes firing 1,140"


def test_people_are_told_how_far_time_had_to_be_made() -> None:
    made = heard()
    made.made_until = after(hours=47)

    said = [line.text for line in account(of(made), {})]

    assert said[1].startswith("no marks are left from before 2026-03-03 11:00 UTC")


def test_programs_read_a_line_an_episode_and_a_summary() -> None:
    found = of(heard(*fired("a", 1, ends=2)))

    episode, summary = (json.loads(line) for line in json_lines(found, SCORES))

    assert (episode["fired_at"], episode["resolved_at"]) == (
        "2026-03-01T13:00:00.000Z",
        "2026-03-01T14:00:00.000Z",
    )
    steps = [Alert.model_validate(step) for step in episode["steps"]]
    assert [step.status for step in steps] == ["firing", "resolved"]
    assert steps[0].value.n == 84
    assert episode["failed_claims"] == {
        "t2": [
            {
                "verdict": "contradicted",
                "claim": "We open at 7.",
                "evidence": "[1] We open at 10.",
            }
        ]
    }
    assert summary["rules"] == {
        "bad-answers": {"episodes": 1, "episodes_per_day": 0.5, "minutes_firing": 60}
    }
    assert found.end - found.start == timedelta(days=2)
