"""Where a row's fields stand in somebody else's JSON."""

import pytest
from pydantic import JsonValue

from schemas.rejection import Rejection
from streams.intake.decode import Intake
from streams.intake.layout import RowLayout, follow
from tests.streams.intake.rows import record

NESTED: dict[str, JsonValue] = {
    "payload": {"user": {"text": "Q"}, "choices": [{"message": {"content": "A"}}]},
    "app.version": "v7",
    "app": {"version": "hidden"},
    "nothing": None,
}

PATHS: dict[str, JsonValue] = {
    "payload.user.text": "Q",
    "payload.choices.0.message.content": "A",
    "app.version": "v7",
    "payload.choices.1.message": None,
    "payload.choices.-1.message": None,
    "payload.choices.first": None,
    "payload.user.text.length": None,
    "nothing.at.all": None,
    "absent": None,
    "": None,
}


@pytest.mark.parametrize(("path", "value"), PATHS.items())
def test_a_dotted_path_leads_to_a_value_or_to_nothing(path: str, value: JsonValue) -> None:
    assert follow(NESTED, path) == value


def test_a_mapped_row_is_read() -> None:
    layout = RowLayout(
        fields={
            "question": "payload.user.text",
            "answer": "payload.choices.0.message.content",
            "attributes.prompt_version": "app.version",
        },
        assistant=("shop", "production"),
    )

    read = Intake(layout).decode(record(NESTED))

    assert not isinstance(read, Rejection)
    assert (read.question, read.answer) == ("Q", "A")
    assert read.attributes == {"prompt_version": "v7"}


def test_a_mapped_field_is_looked_for_nowhere_else() -> None:
    layout = RowLayout(fields={"question": "payload.text"})

    assert layout.fields_of({"question": "other", "prompt": "other"}) == {}


def test_a_mapped_attribute_wins_and_comes_first() -> None:
    layout = RowLayout(fields={"attributes.model": "llm"})

    row = layout.fields_of({"llm": "new", "attributes": {"locale": "de", "model": "old"}})

    found = row["attributes"]
    assert isinstance(found, dict)
    assert list(found.items()) == [("model", "new"), ("locale", "de")]


@pytest.mark.parametrize("names", [("answer", "response"), ("response", "output")])
def test_of_two_names_the_better_wins_wherever_it_stands(names: tuple[str, str]) -> None:
    better, worse = names

    first = RowLayout().fields_of({better: "A", worse: "B"})
    last = RowLayout().fields_of({worse: "B", better: "A"})

    assert first == last == {"answer": "A"}
