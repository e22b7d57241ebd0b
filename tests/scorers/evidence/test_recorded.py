from schemas.trace import Passage, RagTrace, Turn
from scorers.evidence.recorded import KINDS, recorded
from tests.fakes import a_trace


def everything(*keys: str) -> RagTrace:
    return a_trace().model_copy(
        update={
            "contexts": tuple(Passage(key=key, text=f"text of {key}") for key in keys),
            "tool_results": ({"state": "result", "result": 1}, {"state": "result", "result": 2}),
            "history": (Turn(role="user", text="Hello"), Turn(role="assistant", text=" ")),
        }
    )


def test_every_kind_is_evidence_where_all_are_asked_for_and_blanks_are_none() -> None:
    found = recorded(everything("1"), KINDS, everything=True)

    assert found is not None
    assert [(piece.key, piece.kind) for piece in found] == [
        ("1", "contexts"),
        ("tool:1", "tool_results"),
        ("tool:2", "tool_results"),
        ("turn:1", "history"),
    ]


def test_a_passage_keeps_its_key_and_a_tool_result_of_the_same_name_gives_way() -> None:
    found = recorded(everything("tool:1", "turn:1", "tool:1'"), KINDS, everything=True)

    assert found is not None
    assert [piece.key for piece in found] == [
        "tool:1",
        "turn:1",
        "tool:1'",
        "tool:1''",
        "tool:2",
        "turn:1'",
    ]
