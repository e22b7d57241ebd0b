import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.folder.line import Line, holds_object, read_line, write_line

TEN = 1_767_261_600_000  # 2026-01-01T10:00:00Z

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
headers = st.lists(st.tuples(names, st.binary(max_size=20)), max_size=5)
objects = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=20), max_size=4)
values = st.none() | st.binary(max_size=60) | objects.map(lambda o: json.dumps(o).encode())


@given(st.none() | st.binary(max_size=30), values, st.integers(0, 10**14), headers)
def test_what_is_written_is_read_back_to_the_byte(
    key: bytes | None, value: bytes | None, timestamp: int, headers: list[tuple[str, bytes]]
) -> None:
    together = tuple(sorted(headers, key=lambda header: header[0]))  # a name's values keep order

    line = write_line(key=key, value=value, timestamp=timestamp, headers=together)

    assert line.count(b"\n") == 1
    assert read_line(line.removesuffix(b"\n")) == Line(key, value, timestamp, together)


def test_a_json_object_is_written_as_it_is() -> None:
    line = write_line(key=b"t-1", value=b'{"a": 1.50}', timestamp=TEN, headers=(("h", b"x"),))

    assert line == (
        b'{"key":"t-1","headers":{"h":"x"},"timestamp":1767261600000,"value":{"a": 1.50}}\n'
    )


@pytest.mark.parametrize("value", [b"", b"[1]", b"{", b'{"a":\n1}', b'{"a":1} ', b"\xff", b"{}{}"])
def test_anything_else_is_written_in_base64(value: bytes) -> None:
    line = write_line(key=None, value=value, timestamp=TEN)

    assert json.loads(line)["value_base64"] == base64.b64encode(value).decode()


@given(st.binary(max_size=80) | st.binary(max_size=60).map(lambda b: b'{"value":' + b))
def test_no_bytes_raise_and_none_are_lost(raw: bytes) -> None:
    line = read_line(raw)

    assert line.value is None or line.value in raw or b"value_base64" in raw


def test_a_bare_row_is_its_own_value_at_the_time_of_its_answer() -> None:
    raw = b'{"answered_at": "2026-01-01T11:00:00.0009+01:00", "answer": "no"}'

    assert read_line(raw) == Line(None, raw, TEN, claimed=True)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"answer": "no"}',
        b'{"answered_at": "yesterday"}',
        b'{"answered_at": "2026-02-30T11:00:00Z"}',
        b'{"answered_at": "1969-12-31T23:59:59Z"}',
        b'{"answered_at": "0001-01-01T00:00:00+23:59"}',
        b'{"answered_at": "2026-01-01T11:00:00"}',
        b'{"answer": "\\"answered_at\\": \\"2026-01-01T11:00:00Z\\""}',
    ],
)
def test_a_bare_row_that_tells_no_time_leaves_it_open(raw: bytes) -> None:
    assert read_line(raw) == Line(None, raw, None)


def test_the_members_of_an_envelope_may_stand_in_any_order_among_others() -> None:
    raw = b' { "note" : [{"value":2}], "value" : {"a": "\xc3\xbc"} ,"timestamp":5, "key":"k"} '

    assert read_line(raw) == Line(b"k", b'{"a": "\xc3\xbc"}', 5)


def test_an_envelope_without_a_time_has_that_of_its_row() -> None:
    raw = b'{"value":{"answered_at":"2026-01-01T10:00:00Z"}}'

    assert read_line(raw).timestamp == TEN


def test_an_envelopes_value_need_not_be_an_object() -> None:
    assert read_line(b'{"value":[1, 2]}').value == b"[1, 2]"
    assert read_line(b'{"value":"x"}').value == b'"x"'
    assert read_line(b'{"value":null,"key":"k"}') == Line(b"k", None, None)


def test_numbers_of_any_length_pass_as_they_are() -> None:
    digits = b"9" * 5000

    assert read_line(b'{"value":{"n":' + digits + b"}}").value == b'{"n":' + digits + b"}"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"value":',
        b'{"value":{}} {}',
        b'{"value":{},}',
        b'{"value":{},"timestamp":"now"}',
        b'{"value":{},"timestamp":-1}',
        b'{"value":{},"timestamp":' + b"9" * 5000 + b"}",
        b'{"value":{},"key":["k"]}',
        b'{"value":{},"headers":[]}',
        b'{"value":{},"headers":{"a":{}}}',
        b'{"value":{},"key":"\\ud800"}',
        b'{"value_base64":"!"}',
        b'{"value":"\xff"}',
        b'["value"]',
        b'{"value":' + b"[" * 100_000,
        b"\xef\xbb\xbf" + b'{"value":{}}',
    ],
)
def test_a_broken_envelope_is_handed_on_whole(raw: bytes) -> None:
    assert read_line(raw) == Line(None, raw, None)


def test_a_row_that_speaks_of_values_is_bare_all_the_same() -> None:
    raw = b'{"answer":"it has \\"value\\"","attributes":{"value":1}}'

    assert read_line(raw) == Line(None, raw, None)


def test_only_one_whole_object_is_an_object() -> None:
    assert holds_object(b'{"a":[1,{}]}')
    assert not any(map(holds_object, [b"", b"{", b"[]", b"{}{}", b" {}", b'{"a":\xff}']))


def test_the_time_of_something_inside_a_row_is_not_the_rows_own() -> None:
    inside = b'{"metadata":{"answered_at":"1999-01-01T00:00:00Z"},"answer":"no"}'
    both = inside[:-1] + b',"answered_at":"2026-01-01T10:00:00Z"}'

    assert read_line(inside).timestamp is None
    assert read_line(both).timestamp == TEN


def test_a_row_with_a_field_called_value_is_a_row() -> None:
    raw = b'{"trace_id":"a","value":3}'

    assert read_line(raw) == Line(None, raw, None)
