"""Worked cases for the binary scorer: three of our own, and the check on anyone else's.

The town, the boats and the bakery are invented.
"""

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from scorers.parameters import ParameterError
from scorers.questions import Example

SUPPORTED: Example = {
    "inputs": {
        "question": "How do I get to Ovesund island?",
        "contexts": [
            "The boat to Ovesund leaves pier 3 every 40 minutes.",
            "Bicycles travel free on all boats.",
        ],
        "answer": "Take the boat from pier 3. It goes every 40 minutes.",
    },
    "outputs": {
        "statements": [
            "The boat to Ovesund leaves from pier 3.",
            "The boat to Ovesund goes every 40 minutes.",
        ],
        "statement_scores": [1, 1],
    },
}

UNSUPPORTED: Example = {
    "inputs": {
        "question": "Who founded the Tarn bakery?",
        "contexts": ["The Tarn bakery sells rye bread and opens at six in the morning."],
        "answer": "It was founded by Ilse Morrow.",
    },
    "outputs": {
        "statements": ["The Tarn bakery was founded by Ilse Morrow."],
        "statement_scores": [0],
    },
}

IN_PART: Example = {
    "inputs": {
        "question": "What should I know about the Kelder archive?",
        "contexts": ["The Kelder archive holds 12,000 maps. Readers need a card."],
        "answer": "It holds 12,000 maps and is closed on Mondays.",
    },
    "outputs": {
        "statements": [
            "The Kelder archive holds 12,000 maps.",
            "The Kelder archive is closed on Mondays.",
        ],
        "statement_scores": [1, 0],
    },
}

OURS: tuple[Example, ...] = (SUPPORTED, UNSUPPORTED, IN_PART)


def check(examples: object) -> None:
    """Raise ParameterError unless the examples are None, or such cases as those above."""
    cases = () if examples is None else examples
    if not isinstance(cases, list | tuple):
        raise ParameterError("examples", "must be a list")
    for number, case in enumerate(cases, 1):
        example = case if isinstance(case, Mapping) else {}
        inputs, outputs = example.get("inputs"), example.get("outputs")
        if not isinstance(inputs, dict) or not _are_inputs(inputs):
            raise ParameterError(
                "examples", f"must have inputs question, contexts and answer (number {number})"
            )
        if not isinstance(outputs, dict) or not _are_outputs(outputs):
            raise ParameterError(
                "examples",
                f"must have outputs statements and statement_scores alike (number {number})",
            )


def _are_inputs(inputs: dict[str, JsonValue]) -> bool:
    texts = isinstance(inputs.get("question"), str) and isinstance(inputs.get("answer"), str)
    return texts and _all(inputs.get("contexts"), lambda context: isinstance(context, str))


def _are_outputs(outputs: dict[str, JsonValue]) -> bool:
    statements, scores = outputs.get("statements"), outputs.get("statement_scores")
    return (
        _all(statements, lambda text: isinstance(text, str) and bool(text.strip()))
        and _all(scores, lambda score: type(score) is int and score in (0, 1))
        and _length(statements) == _length(scores)
    )


def _all(values: JsonValue, holds: Callable[[JsonValue], bool]) -> bool:
    return isinstance(values, list) and all(holds(value) for value in values)


def _length(values: JsonValue) -> int:
    return len(values) if isinstance(values, list) else 0
