"""What a person writes to be left alone."""

from datetime import timedelta

import pytest

from streams.notify.desk import Desk
from streams.notify.muting import MuteRefusedError, mute_of
from tests.streams.notify.alerts import NOON, after, an_alert

ALERTS = [an_alert(episode="abc123"), an_alert(episode="abd456")]
HOURS_2 = timedelta(hours=2)


def test_the_first_characters_of_an_id_name_an_alert() -> None:
    mute = mute_of("abc", ALERTS, lasts=HOURS_2, by="kim", at=NOON)

    assert (mute.alert_id, mute.until, mute.by) == ("abc123", after(hours=2), "kim")
    assert mute.covers(ALERTS[0], at=NOON)
    assert not mute.covers(ALERTS[1], at=NOON)


def test_labels_name_every_alert_that_has_them() -> None:
    mute = mute_of("service_name=shop,metric=faithfulness", [], lasts=HOURS_2, by="kim", at=NOON)

    assert mute.covers(ALERTS[0], at=NOON)


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("ab", "2 alerts"),
        ("zzz", "no alert"),
        ("", "no alert"),
        ("service name=shop", "name=value"),
        ("service_name=", "name=value"),
    ],
)
def test_what_names_no_alert_or_too_many_is_refused(target: str, says: str) -> None:
    with pytest.raises(MuteRefusedError, match=says):
        mute_of(target, ALERTS, lasts=HOURS_2, by="kim", at=NOON)


def test_a_mute_is_lifted_by_one_of_the_same_target_that_lasts_no_time() -> None:
    desk = Desk()
    desk.hear(an_alert())
    desk.hear(mute_of("metric=faithfulness,service_name=shop", [], lasts=HOURS_2, by="a", at=NOON))
    target = "service_name=shop,metric=faithfulness"
    desk.hear(mute_of(target, [], lasts=timedelta(0), by="b", at=after(hours=1)))

    due = desk.due("ops", now=after(hours=1), every=HOURS_2, partitions={0})

    assert len(due) == 1


def test_a_mute_ends_one_day() -> None:
    with pytest.raises(MuteRefusedError, match="--for"):
        mute_of("abc", ALERTS, lasts=timedelta(days=31), by="kim", at=NOON)
