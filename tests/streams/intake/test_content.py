"""How each content field is read, and when it is of no use."""

import pytest
from pydantic import JsonValue

from schemas.trace import Passage, Turn
from streams.intake.content import UnusableError, cited, passages, turns

PASSAGES: dict[str, tuple[JsonValue, tuple[Passage, ...]]] = {
    "texts": (["a", "b"], (Passage(key="1", text="a"), Passage(key="2", text="b"))),
    "objects with a key": ([{"key": "E1", "text": "a"}], (Passage(key="E1", text="a"),)),
    "objects with an id": ([{"id": 7, "content": "a"}], (Passage(key="7", text="a"),)),
    "objects without a key": (
        ["a", {"page_content": "b", "metadata": {"source": "s"}}],
        (Passage(key="1", text="a"), Passage(key="2", text="b", source="s")),
    ),
    "an empty text": ([{"key": "1", "text": ""}], (Passage(key="1", text=""),)),
    "a score that is none": ([{"text": "a", "score": "high"}], (Passage(key="1", text="a"),)),
    "a score out of range": ([{"text": "a", "score": 10**400}], (Passage(key="1", text="a"),)),
    "nothing retrieved": ([], ()),
}


@pytest.mark.parametrize(("value", "read"), PASSAGES.values(), ids=PASSAGES)
def test_passages_come_as_texts_or_as_objects(value: JsonValue, read: tuple[Passage, ...]) -> None:
    assert tuple(Passage.model_validate(one) for one in passages(value)) == read


NO_PASSAGES: dict[str, JsonValue] = {
    "one text": "a",
    "an object": {"1": "a"},
    "a null among them": ["a", None],
    "a number among them": [1],
    "no text": [{"key": "1"}],
    "a text that is a list": [{"text": ["a"]}],
    "a key that is true": [{"key": True, "text": "a"}],
    "a key that is a fraction": [{"key": 1.5, "text": "a"}],
    "one key twice": [{"key": "A", "text": "a"}, {"key": "A", "text": "a"}],
    "a key that another passage has by its place": ["a", {"key": "1", "text": "b"}],
}


@pytest.mark.parametrize("value", NO_PASSAGES.values(), ids=NO_PASSAGES)
def test_passages_that_cannot_be_told_apart_or_read_are_unusable(value: JsonValue) -> None:
    with pytest.raises(UnusableError):
        passages(value)


def test_a_turn_has_a_role_and_a_text() -> None:
    assert turns([{"role": "user", "content": "Hi"}, {"role": "assistant", "text": ""}]) == (
        Turn(role="user", text="Hi"),
        Turn(role="assistant", text=""),
    )


@pytest.mark.parametrize(
    "value", ["Hi", [{"text": "Hi"}], [{"role": "user"}], ["Hi"], [{"role": "u", "content": [1]}]]
)
def test_a_turn_without_either_makes_the_history_unusable(value: JsonValue) -> None:
    with pytest.raises(UnusableError):
        turns(value)


def test_a_citation_may_lack_its_text_but_not_be_of_another_kind() -> None:
    assert cited({"1": "a", "2": None}) == {"1": "a", "2": None}
    with pytest.raises(UnusableError):
        cited({"1": 1})
