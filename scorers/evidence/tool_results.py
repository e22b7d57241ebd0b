"""The results of finished tool calls, out of the shapes that agent frameworks record them in.

Read: calls with `state` and `result` or `output` (alone, or in the `parts`, `content` or
`toolInvocations` of messages), tool messages, `tool_result` and `tool_call_response` blocks, and
bare values. What failed, or was not finished, is passed over.
"""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue

_FINISHED = frozenset({"result", "output-available", "completed", "success", "ok"})
_INSIDE = ("parts", "toolInvocations", "tool_invocations", "content")
_RESULT = ("result", "output", "response", "content")
_BLOCKS = frozenset({"tool_result", "tool-result", "tool_call_response"})
_OTHER_SPEAKERS = frozenset({"user", "system", "developer"})


def finished(items: Sequence[JsonValue]) -> list[JsonValue]:
    """Return the results in order. None stands for no result and is left out."""
    return [result for item in items for result in _results(item) if result is not None]


def _results(item: JsonValue) -> Iterator[JsonValue]:
    if not isinstance(item, dict):
        yield item
    elif _failed(item) or item.get("role") in _OTHER_SPEAKERS:
        return
    elif isinstance(call := item.get("toolInvocation"), dict):
        yield from _results(call)
    elif "state" in item or item.get("type") in _BLOCKS or item.get("role") == "tool":
        yield from _of_call(item)
    elif any(isinstance(item.get(key), list | dict) for key in _INSIDE):
        yield from _of_message(item)
    elif "role" not in item and item.get("type") not in ("text", "reasoning", "step-start"):
        yield item


def _failed(item: dict[str, JsonValue]) -> bool:
    marks = (item.get("is_error"), item.get("isError"))
    return True in marks or item.get("status") in ("error", "failed")


def _of_call(call: dict[str, JsonValue]) -> Iterator[JsonValue]:
    if "state" not in call or call["state"] in _FINISHED:
        yield next((call[key] for key in _RESULT if key in call), None)


def _of_message(message: dict[str, JsonValue]) -> Iterator[JsonValue]:
    for key in _INSIDE:
        inside = message.get(key)
        if isinstance(inside, dict):
            yield from _results(inside)
        elif isinstance(inside, list):
            for part in inside:
                if isinstance(part, dict):
                    yield from _results(part)
