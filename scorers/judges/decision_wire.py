"""The two shapes of a decisions request and its reply, read strictly: nothing is mended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from scorers.asking.reading import a_list, a_number, an_object
from scorers.contract import InvalidReplyError
from scorers.judges.replies import model_name
from scorers.judges.typed import (
    YES,
    Choice,
    Levels,
    Refused,
    Told,
    TypedAnswer,
    TypedQuestion,
    YesNo,
    outcomes,
)

Shape = Literal["systemone", "openai"]
Asked = Mapping[str, TypedQuestion]

PATHS: Mapping[Shape, str] = {"systemone": "systemone", "openai": "decisions"}
"""Where a shape is usually spoken, after the address."""

BELOW_THE_BEST = 0.01
"""How far the named choice may lie below the likeliest: replies are rounded."""

_SUM_OFF_EACH, _SUM_OFF = 0.005, 1e-6

_TYPES: Mapping[Shape, Mapping[type[TypedQuestion], str]] = {
    "systemone": {YesNo: "noul", Choice: "choice", Levels: "score"},
    "openai": {YesNo: "predicate", Choice: "choice", Levels: "score"},
}


@dataclass(frozen=True, slots=True)
class Answers:
    """What a reply tells: by question, with those it left out, and the model that spoke."""

    told: Mapping[str, TypedAnswer]
    missing: tuple[str, ...]
    model: str | None


def request(shape: Shape, model: str, state: str, asked: Asked) -> dict[str, JsonValue]:
    """Return the body that asks these questions about one text."""
    if shape == "systemone":
        questions: JsonValue = {name: _systemone(question) for name, question in asked.items()}
        return {"model": model, "state": state, "questions": questions}
    listed: JsonValue = [{"name": name, **_openai(one)} for name, one in asked.items()]
    return {"model": model, "input": state, "questions": listed}


def _systemone(question: TypedQuestion) -> dict[str, JsonValue]:
    body: dict[str, JsonValue] = {
        "type": _TYPES["systemone"][type(question)],
        "instructions": question.instructions,
    }
    match question:
        case Choice(options=options):
            body["criteria"] = dict(options)
        case Levels(levels=levels):
            body["criteria"] = list(levels)
    return body


def _openai(question: TypedQuestion) -> dict[str, JsonValue]:
    body: dict[str, JsonValue] = {
        "type": _TYPES["openai"][type(question)],
        "instructions": question.instructions,
    }
    match question:
        case Choice(options=options):
            body["choices"] = [
                {"value": name} if text is None else {"value": name, "description": text}
                for name, text in options
            ]
        case Levels(levels=levels):
            body["levels"] = [{"label": text} for text in levels]
    return body


def read(shape: Shape, reply: Mapping[str, JsonValue], asked: Asked) -> Answers:
    """Return what a reply tells. Raises InvalidReplyError, saying what was wrong."""
    found = _mapped(reply) if shape == "systemone" else _in_order(reply, asked)
    unknown = found.keys() - asked.keys()
    if unknown:
        raise InvalidReplyError("the reply answers a question that was not asked")
    masses = reply.get("diagnostics")
    told = {
        name: _answer(shape, an_object(found[name], "each answer"), question, _mass(masses, name))
        for name, question in asked.items()
        if name in found
    }
    return Answers(
        told=told,
        missing=tuple(name for name in asked if name not in found),
        model=model_name(reply.get("model")),
    )


def _mapped(reply: Mapping[str, JsonValue]) -> Mapping[str, object]:
    return an_object(reply.get("answers"), "answers")


def _in_order(reply: Mapping[str, JsonValue], asked: Asked) -> Mapping[str, object]:
    """Return the answers by name: all of them, in the order of the questions."""
    answers = [an_object(one, "each answer") for one in a_list(reply, "answers")]
    if [answer.get("name") for answer in answers] != list(asked):
        raise InvalidReplyError("the answers are not those to the questions, in their order")
    return dict(zip(asked, answers, strict=True))


def _mass(masses: JsonValue, name: str) -> object:
    one = masses.get(name) if isinstance(masses, dict) else None
    return one.get("label_mass") if isinstance(one, dict) else None


def _answer(
    shape: Shape, answer: Mapping[str, object], question: TypedQuestion, mass: object
) -> TypedAnswer:
    kind = answer.get("type")
    if kind == "refusal":
        return Refused()
    if kind is not None and kind != _TYPES[shape][type(question)]:
        raise InvalidReplyError("an answer is of another type than its question")
    if isinstance(question, YesNo):
        key = "noul" if shape == "systemone" else "probability"
        probabilities = {YES: _share(answer.get(key))}
    else:
        probabilities = _spread(shape, answer, question)
    if mass is None:
        mass = answer.get("x_label_mass")
    return Told(probabilities, None if mass is None else _share(mass))


def _share(value: object) -> float:
    return a_number(value, "each probability", least=0, most=1)


def _spread(
    shape: Shape, answer: Mapping[str, object], question: Choice | Levels
) -> dict[str, float]:
    """Return the probabilities of all answers to a question, and of no others; they sum to 1."""
    given = answer.get("probabilities")
    if shape == "systemone":
        pairs = list(an_object(given, "probabilities").items())
    else:
        pairs = _listed(given, question)
    known = outcomes(question)
    if sorted(name for name, _ in pairs) != sorted(known):
        raise InvalidReplyError("probabilities must name every option, and each once")
    shares = {name: _share(value) for name, value in pairs}
    if abs(sum(shares.values()) - 1) > _SUM_OFF_EACH * len(known) + _SUM_OFF:
        raise InvalidReplyError("the probabilities must sum to 1")
    if isinstance(question, Choice):
        chosen = answer.get("choice")
        if not isinstance(chosen, str) or chosen not in shares:
            raise InvalidReplyError("choice must be one of the options")
        if shares[chosen] < max(shares.values()) - BELOW_THE_BEST - _SUM_OFF:
            raise InvalidReplyError("choice is not the likeliest option")
    return {name: shares[name] for name in known}


def _listed(given: object, question: Choice | Levels) -> list[tuple[str, object]]:
    """Return the pairs of a list; a level goes by its label."""
    if not isinstance(given, list):
        raise InvalidReplyError("probabilities must be a list")
    rows = [an_object(row, "each probability") for row in given]
    if isinstance(question, Choice):
        return [(str(row.get("value")), row.get("probability")) for row in rows]
    places: Sequence[str] = question.levels
    return [
        (str(places.index(label)) if (label := str(row.get("label"))) in places else label, p)
        for row in rows
        for p in [row.get("probability")]
    ]
