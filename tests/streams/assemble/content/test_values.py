"""What attribute values say, and how much of them is read."""

from streams.assemble.content.values import (
    MAX_DEPTH,
    MAX_INDEX,
    MAX_VALUE_BYTES,
    decoded,
    indexed,
    number,
    parsed,
    plain,
    text,
)


def test_json_in_a_text_is_read_if_it_is_an_object_or_a_list() -> None:
    assert parsed('{"a": [1]}') == {"a": [1]}
    assert parsed(" [1]") == [1]
    assert parsed("[kb-1] says so") == "[kb-1] says so"
    assert parsed('"a"') == '"a"'
    assert parsed([1]) == [1]


def test_where_everything_is_json_texts_are_too() -> None:
    assert decoded('"a"') == "a"
    assert decoded("7") == 7
    assert decoded("a") == "a"


def test_a_blank_redacted_or_broken_text_is_none() -> None:
    assert [text(value) for value in ("", " \n", "__REDACTED__", 7, None, "\ud800ä")] == [None] * 6
    assert text(" a ") == " a "


def test_a_text_is_read_up_to_its_bound_in_bytes() -> None:
    assert text("a" * MAX_VALUE_BYTES) is not None
    assert text("a" * (MAX_VALUE_BYTES + 1)) is None
    assert text("ä" * (MAX_VALUE_BYTES // 2)) is not None
    assert text("ä" * (MAX_VALUE_BYTES // 2 + 1)) is None
    assert parsed("[" + " " * MAX_VALUE_BYTES + "]") is None


def test_json_that_is_too_deep_for_a_row_is_a_text() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    deeper = f"[{deepest}]"

    assert parsed(deepest) != deepest
    assert parsed(deeper) == deeper


def test_a_whole_number_that_no_float_comes_near_is_no_number() -> None:
    endless = 10**400

    assert (number(endless), number(7)) == (None, 7.0)
    assert plain({"a": [endless, 2**64 - 1]}) == {"a": [str(endless), 2**64 - 1]}


def test_a_flattened_list_stands_by_its_indices_and_not_by_its_names() -> None:
    attributes = {"d.10.id": "k", "d.2.id": "c", "d.2.text": "C", "dd.1.id": "x", "d.x.id": "y"}

    assert indexed(attributes, "d") == [{"id": "c", "text": "C"}, {"id": "k"}]


def test_an_index_that_nobody_means_is_refused() -> None:
    attributes = {f"d.{MAX_INDEX}.id": "last", f"d.{MAX_INDEX + 1}.id": "x", "d.999999999.id": "y"}

    assert indexed(attributes, "d") == [{"id": "last"}]


def test_a_value_without_a_place_in_json_is_told_another_way() -> None:
    assert plain({"a": (b"\x01", float("nan"), "\ud800", 1)}) == {"a": ["01", None, "?", 1]}
