import re
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise

import pytest
from pydantic import JsonValue

from schemas.trace import RagTrace
from streams.demo.content import assistants
from streams.demo.traffic import LENGTH, Played, play

START = datetime(2026, 6, 1, 9, tzinfo=UTC)
CAST = assistants()
PLAY = list(play(CAST, seed=1, start=START))
HEALTHY = timedelta(minutes=210)
FIXED = timedelta(minutes=280)


def wrong_share(service: str, since: timedelta, until: timedelta) -> float:
    said = [
        played.fault is not None
        for played in PLAY
        if played.row["service"] == service and since <= played.at - START < until
    ]
    return sum(said) / len(said)


def prompt_version(played: Played) -> JsonValue:
    attributes = played.row["attributes"]
    assert isinstance(attributes, dict)
    return attributes["prompt_version"]


def test_the_same_seed_and_start_give_the_same_rows() -> None:
    again = list(play(CAST, seed=1, start=START))

    assert again == PLAY


def test_another_seed_gives_other_rows_and_other_trace_ids() -> None:
    other = {played.row["trace_id"] for played in play(CAST, seed=2, start=START)}

    assert other.isdisjoint(played.row["trace_id"] for played in PLAY)


def test_another_start_moves_the_rows_and_changes_nothing_else() -> None:
    later = START + timedelta(days=1)

    moved = islice(play(CAST, seed=1, start=later), 500)

    for was, now in zip(PLAY, moved, strict=False):
        assert now.at - was.at == timedelta(days=1)
        assert now.row == was.row | {"answered_at": now.row["answered_at"]}


def test_rows_come_in_order_of_time_and_within_the_play() -> None:
    assert all(before.at <= after.at for before, after in pairwise(PLAY))
    assert all(timedelta(0) < played.at - START < LENGTH for played in PLAY)


def test_each_assistant_answers_some_four_hundred_times_an_hour() -> None:
    for one in CAST:
        rows = sum(played.row["service"] == one.service for played in PLAY)

        assert 380 <= rows / (LENGTH / timedelta(hours=1)) <= 420


def test_every_row_is_a_trace_with_an_id_of_its_own() -> None:
    traces = [RagTrace.model_validate(played.row) for played in PLAY]

    assert all(re.fullmatch("[0-9a-f]{32}", trace.trace_id) for trace in traces)
    assert len({trace.trace_id for trace in traces}) == len(traces)
    assert [trace.answered_at for trace in traces] == [played.at for played in PLAY]


def test_a_row_has_only_the_fields_that_a_producer_knows() -> None:
    fields = {field for played in PLAY for field in played.row}

    assert fields <= set(RagTrace.model_fields)
    assert not fields & {"missing", "unusable", "answered_at_from"}


def test_no_row_says_whether_it_is_wrong() -> None:
    right = {frozenset(played.row) for played in PLAY if played.fault is None}
    wrong = {frozenset(played.row) for played in PLAY if played.fault}

    assert right == wrong


def test_users_ask_more_than_one_question_in_a_session() -> None:
    sessions = {played.row["session_id"] for played in PLAY}

    assert 1.5 < len(PLAY) / len(sessions) < 4


@pytest.mark.parametrize(
    ("service", "since", "until", "low", "high"),
    [
        ("bike-desk", timedelta(0), HEALTHY, 0.01, 0.04),
        ("bike-desk", HEALTHY, FIXED, 0.28, 0.40),
        ("bike-desk", FIXED, LENGTH, 0.01, 0.04),
        ("museum-guide", timedelta(0), LENGTH, 0.01, 0.04),
    ],
)
def test_one_release_answers_wrongly_in_a_third_of_the_cases_and_all_else_is_healthy(
    service: str, since: timedelta, until: timedelta, low: float, high: float
) -> None:
    assert low <= wrong_share(service, since, until) <= high


def test_the_bad_release_lasts_from_its_own_prompt_version_to_the_next() -> None:
    bikes = [played for played in PLAY if played.row["service"] == "bike-desk"]
    versions = {
        version: [played.at - START for played in bikes if prompt_version(played) == version]
        for version in ("v7", "v8", "v9")
    }

    assert max(versions["v7"]) < HEALTHY <= min(versions["v8"])
    assert max(versions["v8"]) < FIXED <= min(versions["v9"])
    assert sum(map(len, versions.values())) == len(bikes)
