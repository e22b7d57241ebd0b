"""Our own cases always run; those that are handed over beside the project run where they are."""

import sys
from pathlib import Path

import pytest

from tests.conformance.__main__ import main
from tests.conformance.comparing import differences
from tests.conformance.running import files, kind_of, run_file

OWN = Path(__file__).parent / "cases"
SHARED = Path(__file__).parents[3] / "shared" / "data" / "conformance"


@pytest.mark.parametrize("path", files([OWN]), ids=lambda path: path.stem)
def test_our_own_cases_hold(path: Path) -> None:
    assert [result for result in run_file(path) if result.trouble] == []


def test_the_cases_that_were_handed_over_hold() -> None:
    if not SHARED.is_dir():
        print("SKIPPED: the conformance cases are not beside the project", file=sys.stderr)  # noqa: T201
        pytest.skip("the conformance cases are not beside the project (../shared)")

    failed = [result for path in files([SHARED]) for result in run_file(path) if result.trouble]

    assert failed == []


def test_every_kind_of_case_has_one_of_our_own() -> None:
    shared = files([SHARED]) if SHARED.is_dir() else []

    assert {kind_of(path) for path in shared} <= {kind_of(path) for path in files([OWN])}


def test_a_failing_case_is_printed_with_its_difference_and_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = tmp_path / "rounding_more.jsonl"
    cases.write_text(
        '{"id": "good", "value": 0.5, "expected": 0.5}\n'
        '{"id": "bad", "value": 0.5, "expected": 0.6}\n'
    )

    code = main([str(tmp_path)])

    *lines, last = capsys.readouterr().out.splitlines()
    assert code == 1
    assert lines == ["rounding_more.jsonl bad: result: expected 0.6, got 0.5"]
    assert last == "1 passed, 1 failed"


def test_a_call_that_the_script_does_not_have_fails_the_case(tmp_path: Path) -> None:
    case = (
        '{"id": "x", "input": {"question": "q", "contexts": ["c"], "answer": "a"},'
        ' "judge_script": %s, "expected": {}}'
    )
    unexpected = tmp_path / "faithfulness_binary_1.jsonl"
    left_over = tmp_path / "faithfulness_binary_2.jsonl"
    unexpected.write_text(case % "[]")
    left_over.write_text(
        case.replace('"answer": "a"', '"answer": ""') % '[{"step": "statements", "raw": "{}"}]'
    )

    assert run_file(unexpected)[0].trouble == ["unexpected call: statements"]
    assert run_file(left_over)[0].trouble == ["script entry left over: statements"]


def test_a_file_of_no_known_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="names no kind"):
        kind_of(tmp_path / "poetry.jsonl")


@pytest.mark.parametrize(
    ("expected", "actual", "same"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": {"b": 0.1 + 0.2}}, {"a": {"b": 0.3}}, True),
        ([1, 2], [1, 2, 3], False),
        ({"a": None}, {}, False),
        (0, False, False),
        (1.0, 1, True),
        ({"a": [{"b": "x"}]}, {"a": [{"b": "x", "c": 1}]}, True),
    ],
)
def test_only_what_is_named_is_compared(expected: object, actual: object, same: bool) -> None:
    assert (differences(expected, actual) == []) is same
