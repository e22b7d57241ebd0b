"""Messages, in the shapes that SDKs write them."""

import pytest

from streams.assemble.content.messages import Message, flattened, last_user, messages
from streams.assemble.span import Value


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "parts": [{"type": "text", "content": "When?"}]}],
        [{"role": "user", "content": [{"type": "text", "text": "When?"}]}],
        '[{"role": "user", "content": "When?"}]',
        {"messages": [{"role": "user", "content": "When?"}]},
        {"messages": [[{"type": "human", "content": "When?"}]]},
        [{"type": "human", "data": {"content": "When?"}}],
        [{"event.name": "gen_ai.user.message", "content": "When?"}],
        {"role": "user", "content": "When?"},
        {"messages": [["user", "When?"]]},
        [["human", "When?"]],
    ],
)
def test_a_user_s_message_is_read_in_any_shape(value: Value) -> None:
    assert messages(value) == [Message("user", "When?")]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}],
        [{"role": "assistant", "parts": [{"type": "tool_call", "name": "look"}]}],
        [{"role": "assistant", "content": [{"type": "tool_use", "name": "look"}]}],
        {"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [{}]}}]},
    ],
)
def test_a_request_for_a_tool_is_known_in_any_shape(value: Value) -> None:
    assert messages(value) == [Message("assistant", None, calls=True)]


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "tool", "content": "rain"}],
        [{"role": "user", "parts": [{"type": "tool_call_response", "result": "rain"}]}],
        [{"role": "tool", "parts": [{"type": "tool_call_response", "response": "rain"}]}],
        [{"role": "user", "content": [{"type": "tool_result", "content": "rain"}]}],
    ],
)
def test_what_a_tool_gave_back_is_known_in_any_shape(value: Value) -> None:
    [message] = messages(value)

    assert message.results == ("rain",)


def test_an_answer_in_json_is_what_it_says_and_parts_in_json_are_parts() -> None:
    answer, parts = '{"open": "at ten"}', '[{"type": "text", "text": "At ten."}]'

    said = flattened([{"role": "assistant", "content": answer}, {"role": "a", "content": parts}])

    assert [message.text for message in said] == [answer, "At ten."]


def test_pieces_of_a_model_s_words_are_one_text_and_a_person_s_are_several() -> None:
    parts: Value = [{"type": "text", "text": "At "}, {"type": "text", "text": "ten."}]

    [said] = messages([{"role": "assistant", "content": parts}])
    [asked] = messages([{"role": "user", "content": parts}])

    assert (said.text, asked.text) == ("At ten.", "At \nten.")


def test_flattened_messages_are_read_with_their_parts_and_calls() -> None:
    item: dict[str, Value] = {
        "message.role": "assistant",
        "message.contents.0.message_content.type": "text",
        "message.contents.0.message_content.text": "Absolutely.",
        "message.contents.1.message_content.type": "image",
        "message.tool_calls.0.tool_call.id": "1",
    }

    assert flattened([item], prefix="message.") == [Message("assistant", "Absolutely.", calls=True)]


def test_the_last_message_of_a_user_is_one_with_a_text() -> None:
    told = [Message("user", "When?"), Message("assistant", "x"), Message("user", None)]

    assert last_user(told) == 0
    assert last_user(told[1:]) is None
