"""What an endpoint takes of the chat protocol: found out by being refused."""

from dataclasses import dataclass, replace
from typing import Literal

from pydantic import JsonValue

from scorers.judges.http import CallFailedError
from scorers.judges.prompts import Prompt

ReplyFormat = Literal["json_schema", "json_object", "plain"]
LimitName = Literal["max_tokens", "max_completion_tokens"]

FORMATS: tuple[ReplyFormat, ...] = ("json_schema", "json_object", "plain")
"""How JSON can be asked for, the strictest first."""

_REFUSED = frozenset({"http_400", "http_422"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to ask for JSON, the strictest way first, and what the limit of a reply is called."""

    reply_format: ReplyFormat = "json_schema"
    limit_name: LimitName = "max_tokens"

    @property
    def refused(self) -> tuple[ReplyFormat, ...]:
        """The formats that were tried before this one."""
        return FORMATS[: FORMATS.index(self.reply_format)]

    def after(self, failed: CallFailedError) -> "Dialect | None":
        """Return the dialect to try next; None where the refusal is about something else."""
        if failed.cause not in _REFUSED:
            return None
        detail = failed.detail.lower()
        if "max_completion_tokens" in detail and self.limit_name == "max_tokens":
            return replace(self, limit_name="max_completion_tokens")
        named = "response_format" in detail or "json_schema" in detail
        weaker = FORMATS[len(self.refused) + 1 :]
        return replace(self, reply_format=weaker[0]) if named and weaker else None

    def fields(self, asked: Prompt) -> dict[str, JsonValue]:
        """Return the fields of a request that depend on the dialect."""
        fields: dict[str, JsonValue] = {self.limit_name: asked.max_tokens}
        if self.reply_format == "json_object":
            fields["response_format"] = {"type": "json_object"}
        elif self.reply_format == "json_schema":
            schema: JsonValue = {
                "name": asked.step.name,
                "strict": True,
                "schema": asked.step.shape,
            }
            fields["response_format"] = {"type": "json_schema", "json_schema": schema}
        return fields
