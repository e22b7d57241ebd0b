"""What counts as an answer of a decisions model, in both shapes, and what does not."""

import json
from typing import Any

import pytest

from scorers.contract import InvalidReplyError
from scorers.judges.decision_wire import Shape, read, request
from scorers.judges.typed import Choice, Levels, Refused, Told, TypedQuestion, YesNo

CHOICE = Choice("which?", (("a", "is a"), ("b", "is b"), ("c", "is c")))
ASKED: dict[str, TypedQuestion] = {
    "c0": CHOICE,
    "c1": YesNo("is it?"),
    "c2": Levels("how much?", ("none", "some", "all")),
}
P = {"a": 0.7, "b": 0.2, "c": 0.1}


def systemone(**changes: Any) -> dict[str, Any]:
    answers: dict[str, Any] = {
        "c0": {"type": "choice", "choice": "a", "probabilities": P, "confidence": 0.1},
        "c1": {"type": "noul", "noul": 0.25},
        "c2": {"score": 1.4, "probabilities": {"0": 0.1, "1": 0.4, "2": 0.5}},
    }
    return {"model": "m-1", "answers": {**answers, **changes}, "usage": {"input_tokens": 9}}


def openai() -> dict[str, Any]:
    choice = [{"value": name, "probability": p} for name, p in P.items()]
    levels = [("none", 0.1), ("some", 0.4), ("all", 0.5)]
    return {
        "model": "m-1",
        "answers": [
            {"type": "choice", "name": "c0", "choice": "a", "probabilities": choice},
            {"type": "predicate", "name": "c1", "probability": 0.25},
            {
                "type": "score",
                "name": "c2",
                "score": 1.4,
                "probabilities": [
                    {"value": n, "label": label, "probability": p}
                    for n, (label, p) in enumerate(levels)
                ],
            },
        ],
    }


@pytest.mark.parametrize(("shape", "reply"), [("systemone", systemone()), ("openai", openai())])
def test_both_shapes_tell_the_same(shape: Shape, reply: dict[str, Any]) -> None:
    found = read(shape, reply, ASKED)

    assert found.told == {
        "c0": Told(P),
        "c1": Told({"yes": 0.25}),
        "c2": Told({"0": 0.1, "1": 0.4, "2": 0.5}),
    }
    assert (found.missing, found.model) == ((), "m-1")


def test_the_body_of_systemone_is_a_map_of_questions() -> None:
    body = request("systemone", "m", "state", ASKED)

    assert body["state"] == "state"
    assert json.loads(json.dumps(body["questions"])) == {
        "c0": {
            "type": "choice",
            "instructions": "which?",
            "criteria": {"a": "is a", "b": "is b", "c": "is c"},
        },
        "c1": {"type": "noul", "instructions": "is it?"},
        "c2": {"type": "score", "instructions": "how much?", "criteria": ["none", "some", "all"]},
    }


def test_the_body_of_openai_is_a_list_in_order() -> None:
    body = request("openai", "m", "state", ASKED)

    assert body["input"] == "state"
    questions: Any = body["questions"]
    assert [(one["name"], one["type"]) for one in questions] == [
        ("c0", "choice"),
        ("c1", "predicate"),
        ("c2", "score"),
    ]
    assert questions[0]["choices"][1] == {"value": "b", "description": "is b"}
    assert questions[2]["levels"] == [{"label": "none"}, {"label": "some"}, {"label": "all"}]


def a_choice(**changes: Any) -> dict[str, Any]:
    return systemone(c0={"choice": "a", "probabilities": P, **changes})


BROKEN = {
    "an option is missing": a_choice(probabilities={"a": 0.8, "b": 0.2}),
    "an option is unknown": a_choice(probabilities={**P, "d": 0.0}),
    "a probability over 1": systemone(c1={"noul": 1.01}),
    "a negative one": systemone(c1={"noul": -0.01}),
    "a text": systemone(c1={"noul": "0.5"}),
    "a boolean": systemone(c1={"noul": True}),
    "a huge whole number": systemone(c1={"noul": 10**400}),
    "nothing": systemone(c1={}),
    "another type": systemone(c1={"type": "choice", "noul": 0.5}),
    "a choice that is not the likeliest": a_choice(choice="b"),
    "a choice that is no option": a_choice(choice="d"),
    "no choice": a_choice(choice=None),
    "a sum that is too low": a_choice(probabilities={"a": 0.7, "b": 0.2, "c": 0.08}),
    "an answer to nothing": systemone(c9={"noul": 0.5}),
    "no answers": {"answers": None},
}


@pytest.mark.parametrize("reply", BROKEN.values(), ids=BROKEN)
def test_what_is_broken_is_refused_and_not_mended(reply: dict[str, Any]) -> None:
    with pytest.raises(InvalidReplyError):
        read("systemone", reply, ASKED)


@pytest.mark.parametrize(
    "probabilities", [{"a": 0.7, "b": 0.2, "c": 0.09}, {"a": 0.71, "b": 0.2, "c": 0.1}]
)
def test_rounding_to_hundredths_is_no_fault(probabilities: dict[str, float]) -> None:
    assert read("systemone", a_choice(probabilities=probabilities), ASKED).told["c0"] == Told(
        probabilities
    )


def test_what_a_reply_leaves_out_is_named() -> None:
    reply = systemone()
    del reply["answers"]["c1"]

    assert read("systemone", reply, ASKED).missing == ("c1",)


@pytest.mark.parametrize("change", ["swap", "drop", "rename"])
def test_a_list_must_answer_every_question_in_order(change: str) -> None:
    reply = openai()
    answers = reply["answers"]
    if change == "swap":
        answers[0], answers[1] = answers[1], answers[0]
    elif change == "drop":
        answers.pop()
    else:
        answers[0]["name"] = "c7"

    with pytest.raises(InvalidReplyError):
        read("openai", reply, ASKED)


def test_one_question_may_be_refused() -> None:
    reply = openai()
    reply["answers"][1] = {"type": "refusal", "name": "c1"}

    assert isinstance(read("openai", reply, ASKED).told["c1"], Refused)


def test_the_mass_of_the_labels_is_found_where_servers_put_it() -> None:
    beside = {**systemone(), "diagnostics": {"c0": {"label_mass": 0.4}}}
    inside = systemone(c1={"noul": 0.5, "x_label_mass": 0.3})

    assert read("systemone", beside, ASKED).told["c0"] == Told(P, 0.4)
    assert read("systemone", inside, ASKED).told["c1"] == Told({"yes": 0.5}, 0.3)
