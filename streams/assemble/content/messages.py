"""Messages of a conversation, in the shapes that SDKs and frameworks write them.

A message's text is made of its text parts alone: neither what a model thought before it spoke nor
what it asked of a tool is said to anyone, and parts of kinds not known here are passed over.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from streams.assemble.content.values import among, holds_list, parsed, text
from streams.assemble.span import Value

_ROLES = {"human": "user", "ai": "assistant", "model": "assistant", "developer": "system"}
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
_CALLS = frozenset({"tool_call", "tool_use", "tool-call", "function_call", "toolCall"})
_RESULTS = frozenset({"tool_call_response", "tool_result", "tool-result", "function_call_output"})
_RESULT = ("response", "result", "output", "content")
_INSIDE = ("kwargs", "data", "message")
"""Where frameworks put the message proper: LangChain's constructors, its dumps, OpenAI's choices"""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `text` None where it has none.

    `calls`: it asks for a tool's work. `results`: what tools gave back, told to the model.
    """

    role: str
    text: str | None
    calls: bool = False
    results: tuple[Value, ...] = ()


def messages(value: Value) -> list[Message]:
    """Return the messages of a list, of an object with one, or of JSON with either."""
    value = parsed(value)
    if isinstance(value, dict):
        listed = value.get("messages", value.get("choices"))
        return messages(listed) if holds_list(listed) else _one(value)
    if not holds_list(value):
        return []
    if len(value) == 1 and holds_list(value[0]) and not _pair(value[0]):  # a batch of one
        value = value[0]
    items = [_pair(item) if holds_list(item) else item for item in value]
    return [message for item in items if isinstance(item, dict) for message in _one(item)]


def _pair(item: Sequence[Value]) -> dict[str, Value] | None:
    """Return the message of a role and a text, as LangChain lets people write it."""
    if len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], str):  # noqa: PLR2004
        return {"role": item[0], "content": item[1]}
    return None


def last_user(conversation: Sequence[Message]) -> int | None:
    """Return the place of the last message that a person wrote, None where none did."""
    places = range(len(conversation) - 1, -1, -1)
    return next((at for at in places if _from_user(conversation[at])), None)


def _from_user(message: Message) -> bool:
    return message.role == "user" and message.text is not None


def flattened(items: Iterable[Mapping[str, Value]], *, prefix: str = "") -> list[Message]:
    """Return messages whose members are attributes: `role`, `content`, `contents.0.….text`."""
    return [_flat(item, prefix) for item in items]


def _flat(item: Mapping[str, Value], prefix: str) -> Message:
    role = _role(item.get(f"{prefix}role"))
    parts = [
        {"type": item.get(name.removesuffix("text") + "type", "text"), "text": value}
        for name, value in item.items()
        if name.startswith(f"{prefix}contents.") and name.endswith(".message_content.text")
    ]
    content = _parts(item.get(f"{prefix}content"))
    calls = any(name.startswith(f"{prefix}tool_calls.") for name in item)
    return _read(role, parts if content is None else content, calls=calls)


def _parts(content: Value) -> Value:
    """Return a message's parts where they are written as JSON. Any other JSON is what it says."""
    listed = parsed(content)
    parts = holds_list(listed) and all(isinstance(p, dict) and "type" in p for p in listed)
    return listed if parts else content


def _one(item: Mapping[str, Value]) -> list[Message]:
    for name in _INSIDE:
        inside = item.get(name)
        if isinstance(inside, dict) and ("content" in inside or "parts" in inside):
            return [_message({**_who(item), **_who(inside), **inside})]
    return [_message(item)] if "content" in item or "parts" in item else []


def _who(item: Mapping[str, Value]) -> dict[str, Value]:
    """Return who speaks: LangChain has a message's type for its role, if not `constructor`."""
    role = item.get("role", item.get("type"))
    return {} if role is None else {"role": role}


def _message(item: Mapping[str, Value]) -> Message:
    role = _role(item.get("role") or item.get("type") or item.get("event.name"))
    content = item.get("parts", item.get("content"))
    return _read(role, content, calls=bool(item.get("tool_calls")))


def _read(role: str, content: Value, *, calls: bool) -> Message:
    words = _text(role, content)
    parts = [part for part in content if isinstance(part, dict)] if holds_list(content) else []
    results = [_result(part) for part in parts if among(part.get("type"), _RESULTS)]
    if role == "tool" and not results and words is not None:
        results = [words]
    calls = calls or any(among(part.get("type"), _CALLS) for part in parts)
    return Message(role, words, calls, tuple(results))


def _result(part: Mapping[str, Value]) -> Value:
    return next((part[name] for name in _RESULT if name in part), None)


def _role(value: Value) -> str:
    """Return `user`, `assistant`, `system`, `tool`, or whatever else was written."""
    role = value.lower() if isinstance(value, str) else ""
    if role.startswith("gen_ai."):
        role = role.removeprefix("gen_ai.").removesuffix(".message")
    return _ROLES.get(role, role)


def _text(role: str, content: Value) -> str | None:
    if not holds_list(content):
        return text(content)
    found = [part for item in content if (part := _part(item)) is not None]
    # Models speak in pieces of one sentence, people in texts of their own.
    return text(("" if role == "assistant" else "\n").join(found))


def _part(item: Value) -> str | None:
    if isinstance(item, str):
        return text(item)
    if not isinstance(item, dict) or not among(item.get("type", "text"), _TEXT_PARTS):
        return None
    return text(item.get("content", item.get("text")))
