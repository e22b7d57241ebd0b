"""What a run keeps of its settings, and what stays with whoever runs it."""

import json
from typing import Any

import pytest
from pydantic import JsonValue

from streams.replay.planning import ReplayRefusedError
from streams.settings.load import Settings
from streams.wiring.frozen import as_frozen, frozen


def settings(**changes: Any) -> Settings:
    judge = {"kind": "chat", "chat": {"url": "https://one.example/v1", "model": "judge-1"}}
    return Settings.model_validate({"judge": judge, **changes})


def test_what_decides_a_verdict_is_as_it_was() -> None:
    began = frozen(settings(sampling={"probability": 0.2}, scorers={"citation_accuracy": None}))
    today = settings(
        sampling={"probability": 0.9, "salt": "other"},
        scorers={"faithfulness": {"pass_at": 0.1}, "factual_accuracy": {}},
        judge={"kind": "chat", "chat": {"url": "https://one.example/v1", "model": "judge-2"}},
        abstentions=["no"],
    )

    found = as_frozen(today, json.loads(json.dumps(began)))

    assert frozen(found) == began
    assert found.judge.chat.model == "judge-1"
    assert found.scorers.on == ("faithfulness",)


def test_addresses_limits_and_prices_are_todays() -> None:
    chat = {"url": "https://two.example/v1", "model": "judge-1", "timeout": "5s", "in_flight": 4}
    today = settings(judge={"kind": "chat", "chat": chat, "budget": {"calls_per_hour": 7}})

    found = as_frozen(today, frozen(settings()))

    assert str(found.judge.chat.url) == "https://two.example/v1"
    assert found.judge.chat.in_flight == 4
    assert found.judge.budget.calls_per_hour == 7
    assert found.watch == today.watch


def test_no_secret_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STREAMGAUGE_CHAT_KEY", "sk-very-secret")

    assert "sk-very-secret" not in json.dumps(frozen(settings()))


@pytest.mark.parametrize(
    ("section", "kept", "words"),
    [
        ("sampling", {"probability": 0.1, "moon": "full"}, r"began with .*sampling\.moon"),
        ("judge", None, r"began with .*judge:"),
    ],
)
def test_settings_that_were_kept_and_cannot_be_read_now_are_told_as_the_runs(
    section: str, kept: JsonValue, words: str
) -> None:
    began = {**frozen(settings()), section: kept}

    with pytest.raises(ReplayRefusedError, match=words):
        as_frozen(settings(), began)
