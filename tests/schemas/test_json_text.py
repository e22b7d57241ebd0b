"""Hostile JSON has one documented outcome each, and the quick reader never refuses more."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.json_text import MAX_DEPTH, MAX_DIGITS, UnreadableJsonError, peek, read_object

MIB = 1 << 20


def nested(levels: int) -> bytes:
    """An object whose lists and objects stand `levels` deep in all."""
    return b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


REFUSED = {
    "nothing at all": (b"", "empty"),
    "white space only": (b" \r\n\t", "empty"),
    "a byte order mark only": (b"\xef\xbb\xbf", "empty"),
    "two byte order marks": (b"\xef\xbb\xbf\xef\xbb\xbf{}", "not_json"),
    "UTF-16 with a mark": ('{"a":1}'.encode("utf-16"), "not_utf8"),
    "UTF-16 without a mark": ('{"a":1}'.encode("utf-16-le"), "not_json"),
    "a byte that is no UTF-8": (b'{"a":"\xff"}', "not_utf8"),
    "a surrogate encoded as UTF-8": (b'{"a":"\xed\xa0\x80"}', "not_utf8"),
    "the first half of a pair, escaped": (b'{"a":"\\ud800"}', "lone_surrogate"),
    "the second half of a pair, escaped": (b'{"a":"\\uDFFF x"}', "lone_surrogate"),
    "half of a pair in a key": (b'{"\\ud83d":1}', "lone_surrogate"),
    "a pair the wrong way round": (b'{"a":"\\ude00\\ud83d"}', "lone_surrogate"),
    "NaN": (b'{"a":NaN}', "not_finite"),
    "Infinity": (b'{"a":[Infinity]}', "not_finite"),
    "minus Infinity": (b'{"a":-Infinity}', "not_finite"),
    "a float out of range": (b'{"a":1e999}', "not_finite"),
    "a long integer": (b'{"a":' + b"1" * 5_000 + b"}", "number_too_long"),
    "a long fraction": (b'{"a":0.' + b"1" * 5_000 + b"}", "number_too_long"),
    "a duplicate key": (b'{"a":1,"a":1}', "duplicate_key"),
    "a duplicate key deep inside": (b'{"a":[{"b":{"c":1,"c":2}}]}', "duplicate_key"),
    "a duplicate key spelled in two ways": (b'{"a":1,"\\u0061":2}', "duplicate_key"),
    "one level too many": (nested(MAX_DEPTH + 1), "too_deep"),
    "a great many levels": (b'{"a":' + b"[" * 100_000, "too_deep"),
    "a list": (b"[{}]", "not_an_object"),
    "a string": (b'"{}"', "not_an_object"),
    "null": (b"null", "not_an_object"),
    "two objects": (b'{"a":1} {"a":2}', "trailing_text"),
    "text after the object": (b'{"a":1} thanks', "trailing_text"),
    "text before the object": (b'Sure: {"a":1}', "not_json"),
    "a torn object": (b'{"a":', "not_json"),
    "a trailing comma": (b'{"a":1,}', "not_json"),
    "single quotes": (b"{'a':1}", "not_json"),
    "a comment": (b'{"a":1 /* one */}', "not_json"),
    "a number with a leading zero": (b'{"a":01}', "not_json"),
    "a line break inside a string": (b'{"a":"\n"}', "not_json"),
    "a NUL byte inside a string": (b'{"a":"\x00"}', "not_json"),
}


@pytest.mark.parametrize(("raw", "code"), REFUSED.values(), ids=REFUSED)
def test_a_hostile_text_has_one_outcome(raw: bytes, code: str) -> None:
    with pytest.raises(UnreadableJsonError) as refused:
        read_object(raw, max_bytes=MIB)

    assert refused.value.code == code


TAKEN = {
    "an empty object": (b"{}", {}),
    "white space around": (b' \n{"a": 1}\r\n', {"a": 1}),
    "one byte order mark": (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
    "an escaped NUL": (b'{"a":"\\u0000"}', {"a": "\0"}),
    "bidi controls": ('{"a":"\u202eabc"}'.encode(), {"a": "\u202eabc"}),
    "a whole pair, escaped": (b'{"a":"\\ud83d\\ude00"}', {"a": "\U0001f600"}),
    "an escaped backslash before u": (b'{"a":"\\\\ud800"}', {"a": "\\ud800"}),
    "the deepest object": (nested(MAX_DEPTH), json.loads(nested(MAX_DEPTH))),
    "the longest integer": (b'{"a":' + b"7" * MAX_DIGITS + b"}", {"a": int("7" * MAX_DIGITS)}),
    "a number too small to tell from zero": (b'{"a":1e-999}', {"a": 0.0}),
    "one key in two objects": (b'{"a":{"b":1},"c":{"b":2}}', {"a": {"b": 1}, "c": {"b": 2}}),
}


@pytest.mark.parametrize(("raw", "value"), TAKEN.values(), ids=TAKEN)
def test_an_odd_but_valid_text_is_read(raw: bytes, value: object) -> None:
    assert read_object(raw, max_bytes=MIB) == value
    assert peek(raw, max_bytes=MIB) == value


def test_text_is_read_like_bytes() -> None:
    assert read_object('\ufeff{"ä":"ö"}', max_bytes=MIB) == {"ä": "ö"}


def test_text_with_half_a_surrogate_pair_is_refused() -> None:
    with pytest.raises(UnreadableJsonError, match="lone_surrogate"):
        read_object('{"a":"\ud800"}', max_bytes=MIB)


@pytest.mark.parametrize("raw", ['{"a":"äääää"}', '{"a":"äääää"}'.encode()])
def test_the_length_is_that_of_the_bytes(raw: str | bytes) -> None:
    assert read_object(raw, max_bytes=18) == {"a": "äääää"}
    with pytest.raises(UnreadableJsonError, match="too_large"):
        read_object(raw, max_bytes=17)


def test_the_length_is_checked_before_anything_is_read() -> None:
    with pytest.raises(UnreadableJsonError, match="too_large"):
        peek(b"\xff" * 11, max_bytes=10)


QUICKLY_TAKEN = {
    "duplicate keys: the last counts": (b'{"a":1,"a":2}', {"a": 2}),
    "a number out of range": (b'{"a":1e999}', {"a": float("inf")}),
    "more levels than a row may have": (nested(150), json.loads(nested(150))),
}


@pytest.mark.parametrize(("raw", "value"), QUICKLY_TAKEN.values(), ids=QUICKLY_TAKEN)
def test_a_peek_lets_pass(raw: bytes, value: object) -> None:
    assert peek(raw, max_bytes=MIB) == value


@pytest.mark.parametrize(
    ("raw", "code"),
    [case for name, case in REFUSED.items() if case[1] not in {"duplicate_key", "number_too_long"}],
)
def test_a_peek_refuses_with_the_same_code_or_lets_pass(raw: bytes, code: str) -> None:
    try:
        peek(raw, max_bytes=MIB)
    except UnreadableJsonError as refused:
        assert refused.code == code
    else:
        assert code in {"not_finite", "too_deep"}


def test_no_part_of_the_text_stands_in_the_error() -> None:
    for raw, _ in REFUSED.values():
        secret = raw.replace(b'"a"', b'"patient-4711"').replace(b"\\u0061", b"patient-4711")
        with pytest.raises(UnreadableJsonError) as refused:
            read_object(secret, max_bytes=MIB)
        assert "4711" not in str(refused.value)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":' + b"1" * (MIB - 10) + b"}",
        b'{"a":0.' + b"1" * (MIB - 10) + b"}",
        b'{"a":[' + b"[]," * (MIB // 3 - 10) + b"[]]}",
        b'{"a":"' + b"\\ud800" * (MIB // 6 - 10) + b'"}',
        b'{"a":"' + b"\\" * (MIB - 10),
    ],
    ids=["integer", "fraction", "lists", "surrogates", "backslashes"],
)
def test_a_full_mebibyte_of_malice_takes_no_time(raw: bytes) -> None:
    started = time.process_time()

    try:
        read_object(raw, max_bytes=MIB)
    except UnreadableJsonError as refused:
        assert refused.code != "too_large"

    assert time.process_time() - started < 2


def finite_json() -> st.SearchStrategy[object]:
    """Any JSON value that strict JSON can write."""
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
    return st.recursive(
        leaves.filter(lambda leaf: leaf not in (float("inf"), float("-inf"))),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )


@settings(max_examples=100)
@given(st.dictionaries(st.text(), finite_json(), max_size=5), st.booleans())
def test_what_was_written_strictly_is_read_back(value: dict[str, object], escape: bool) -> None:
    raw = json.dumps(value, ensure_ascii=escape, allow_nan=False).encode(errors="surrogatepass")

    assert read_object(raw, max_bytes=MIB) == value


@settings(max_examples=300)
@given(st.binary(max_size=60) | st.text('{}[]":,\\u0de1 -.eNI', max_size=60).map(str.encode))
def test_no_bytes_crash_a_reader_and_a_peek_takes_whatever_is_read(raw: bytes) -> None:
    try:
        read = read_object(raw, max_bytes=MIB)
    except UnreadableJsonError:
        return
    assert peek(raw, max_bytes=MIB) == read
