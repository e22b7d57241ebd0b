"""What sampling knows of a row: its identity, its minute, its labels."""

import pytest
from pydantic import JsonValue

from schemas.rejection import Rejection
from streams.intake.decode import Intake
from streams.intake.event_time import event_time
from streams.intake.head import Head
from streams.intake.labels import label
from streams.intake.layout import RowLayout
from tests.streams.intake.rows import NINE_FIFTEEN, record, row

MINUTE = 60_000


def head(value: object, layout: RowLayout | None = None) -> Head:
    """Read the head of what must be a row."""
    read = Intake(layout or RowLayout()).head(record(value))
    assert not isinstance(read, Rejection), read
    return read


def test_a_head_knows_whose_row_it_is_and_its_labels() -> None:
    read = head(row(environment="qa", feedback="down", attributes={"model": "m", "beta": True}))

    assert (read.trace_id, read.profile.assistant) == ("t-1", "shop/qa")
    assert read.profile.labels == {
        "model": "m",
        "beta": "true",
        "feedback": "down",
        "service": "shop",
        "environment": "qa",
    }


def test_a_numbered_row_has_its_number_as_trace_id() -> None:
    assert head({"service": "shop", "input_id": 12}).trace_id == "12"


def test_a_blank_trace_id_names_no_row() -> None:
    assert head({"service": "shop", "trace_id": " "}).trace_id is None


def test_the_assistant_of_the_topic_wins_over_the_row() -> None:
    assert head(row(), RowLayout(assistant=("bank", "eu"))).profile.assistant == "bank/eu"


EVENT_TIMES = {
    "not said": (None, NINE_FIFTEEN, "record"),
    "long ago": (0, 0, "row"),
    "five minutes ahead": (NINE_FIFTEEN + 5 * MINUTE, NINE_FIFTEEN + 5 * MINUTE, "row"),
    "further ahead": (NINE_FIFTEEN + 5 * MINUTE + 1, NINE_FIFTEEN, "clamped"),
}


@pytest.mark.parametrize(("answered", "at", "source"), EVENT_TIMES.values(), ids=EVENT_TIMES)
def test_event_time_is_never_far_ahead_of_the_record(
    answered: int | None, at: int, source: str
) -> None:
    assert event_time(answered, NINE_FIFTEEN) == (at, source)


TIMES: dict[str, JsonValue] = {
    "UTC": "2026-01-31T09:15:00Z",
    "milliseconds": "2026-01-31T09:15:00.000Z",
    "nanoseconds": "2026-01-31T09:15:00.000999999Z",
    "another zone": "2026-01-31T14:45:00+05:30",
    "a blank for the T": "2026-01-31 09:15:00+00:00",
    "seconds since 1970": 1_769_850_900,
    "seconds with a fraction": 1_769_850_900.0004,
    "milliseconds since 1970": 1_769_850_900_000,
    "microseconds since 1970": 1_769_850_900_000_999,
    "nanoseconds since 1970": 1_769_850_900_000_999_999,
}


@pytest.mark.parametrize("value", TIMES.values(), ids=TIMES)
def test_a_time_may_be_written_in_several_ways(value: JsonValue) -> None:
    assert event_time(value, NINE_FIFTEEN) == (NINE_FIFTEEN, "row")


LABELS: dict[str, tuple[JsonValue, str | None]] = {
    "text": ("v7", "v7"),
    "a whole number": (7, "7"),
    "a fraction": (0.5, "0.5"),
    "true": (True, "true"),
    "false": (False, "false"),
    "null": (None, None),
    "an empty text": ("", None),
    "the longest text": ("x" * 128, "x" * 128),
    "a longer text": ("x" * 129, None),
    "a line break": ("a\nb", None),
    "a list": (["a"], None),
    "an object": ({"a": 1}, None),
}


@pytest.mark.parametrize(("value", "text"), LABELS.values(), ids=LABELS)
def test_a_label_is_short_text_or_left_out(value: JsonValue, text: str | None) -> None:
    assert label(value) == text


def test_the_first_sixteen_attributes_that_can_be_labels_are_kept() -> None:
    attributes: dict[str, object] = {"no": [], "n" * 65: "long name", "": "no name"}
    attributes |= {f"a{i}": i for i in range(20)}

    read = Intake().decode(record(row(attributes=attributes)))

    assert not isinstance(read, Rejection)
    assert read.attributes == {f"a{i}": str(i) for i in range(16)}


@pytest.mark.parametrize("attributes", ["v7", ["v7"], 7, None])
def test_attributes_of_another_kind_are_none(attributes: object) -> None:
    assert head(row(attributes=attributes)).profile.labels == {
        "service": "shop",
        "environment": "production",
    }
