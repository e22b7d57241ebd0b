"""Who is told of which alert, and when: an alert once, its end once, reminders in between."""

from datetime import datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from schemas.alert import Alert, Mute, Notice
from streams.notify.desk import APART, Desk, Due
from tests.streams.notify.alerts import NOON, a_mute, a_notice, after, an_alert

HOURS_4 = timedelta(hours=4)


def told(*messages: Alert | Mute | Notice, at: datetime, partition: int = 0) -> list[Due]:
    desk = Desk()
    for message in messages:
        desk.hear(message, partition=partition)
    return list(desk.due("ops", now=at, every=HOURS_4, partitions={0}))


def test_an_alert_that_fires_is_told() -> None:
    assert told(an_alert(), at=NOON) == [Due(an_alert())]


def test_an_alert_that_was_told_is_not_told_again_by_another_process() -> None:
    assert told(an_alert(), a_notice(an_alert(), at=NOON), at=after(hours=1)) == []


def test_what_still_fires_is_reminded_of() -> None:
    (due,) = told(an_alert(), a_notice(an_alert(), at=NOON), at=after(hours=4))

    assert due.reminder


def test_the_end_is_told_to_those_who_know_of_the_beginning() -> None:
    ended = an_alert("resolved", at=after(hours=1))
    knows = a_notice(an_alert(), at=NOON)

    assert told(an_alert(), knows, ended, at=after(hours=1)) == [Due(ended)]
    assert told(an_alert(), ended, at=after(hours=1)) == []


def test_an_end_that_was_told_is_told_once() -> None:
    ended = an_alert("resolved", at=after(hours=1))

    assert told(ended, a_notice(ended, at=after(hours=1)), at=after(hours=9)) == []


def test_an_end_within_the_minute_waits_for_the_minute() -> None:
    ended = an_alert("resolved", at=after(seconds=30))
    story = (an_alert(), a_notice(an_alert(), at=NOON), ended)

    assert told(*story, at=after(seconds=40)) == []
    assert told(*story, at=after(seconds=60)) == [Due(ended)]


def test_lost_data_is_told_as_such() -> None:
    silent = an_alert("nodata", at=after(hours=1))

    assert told(a_notice(an_alert(), at=NOON), silent, at=after(hours=1)) == [Due(silent)]


def test_another_episode_of_the_same_alert_is_news() -> None:
    again = an_alert(episode="e2", at=after(hours=3))
    ended = an_alert("resolved", at=after(hours=1))

    assert told(a_notice(ended, at=after(hours=1)), again, at=after(hours=3)) == [Due(again)]


def test_a_muted_alert_waits_until_the_mute_ends() -> None:
    muted = a_mute(until=after(hours=2))

    assert told(an_alert(), muted, at=after(hours=1)) == []
    assert told(an_alert(), muted, at=after(hours=2)) == [Due(an_alert())]


def test_a_mute_by_labels_covers_what_has_all_of_them() -> None:
    ours = a_mute(until=after(hours=2), service_name="shop", metric="faithfulness")
    other = a_mute(until=after(hours=2), service_name="shop", metric="citation_accuracy")

    assert told(an_alert(), ours, at=NOON) == []
    assert told(an_alert(), other, at=NOON) == [Due(an_alert())]


def test_alerts_of_other_workers_partitions_are_left_to_them() -> None:
    assert told(an_alert(), at=NOON, partition=3) == []


@given(
    st.lists(
        st.tuples(st.sampled_from(["firing", "nodata", "resolved", "look"]), st.integers(1, 400))
    )
)
def test_no_receiver_is_told_twice_within_a_minute_nor_of_an_end_before_a_beginning(
    story: list[tuple[str, int]],
) -> None:
    desk, now, notices = Desk(), NOON, list[Notice]()
    for step, seconds in story:
        now += timedelta(seconds=seconds)
        if step != "look":
            desk.hear(an_alert(step, at=now))
        for due in desk.due("ops", now=now, every=HOURS_4, partitions={0}):
            notices.append(a_notice(due.alert, at=now))
            desk.hear(notices[-1])

    assert all(b.at - a.at >= APART for a, b in pairwise(notices))
    assert not notices or notices[0].status != "resolved"
