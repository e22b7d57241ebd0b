"""Where secrets come from, and that nothing shows them."""

import pytest

from streams.settings.load import Settings, load, read_secrets
from streams.settings.problems import SettingsError
from tests.streams.settings.loading import Write, problems


def test_secrets_come_from_the_environment_and_print_as_stars(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("STREAMGAUGE_CHAT_KEY", "s3cret")
    monkeypatch.setenv("STREAMGAUGE_DECISIONS_KEY", "")
    monkeypatch.setenv("STREAMGAUGE_NOTIFY_ON_CALL_URL", "https://hooks/s3cret")
    monkeypatch.setenv("STREAMGAUGE_SINK_LANGFUSE_KEY", "s3cret")

    secrets = read_secrets()

    assert load(None) == Settings()
    assert secrets.chat_key is not None
    assert secrets.chat_key.get_secret_value() == "s3cret"
    assert secrets.decisions_key is None
    assert (set(secrets.notify_urls), set(secrets.sink_keys)) == ({"ON_CALL"}, {"LANGFUSE"})
    assert "s3cret" not in repr(secrets)


@pytest.mark.parametrize("key", ["s3cret\n", "s3 cret", "s3cr\u00e9t", "s3cret\r\nx: y"])
@pytest.mark.parametrize("name", ["CHAT", "DECISIONS", "SINK_LANGFUSE"])
def test_a_key_that_no_header_can_carry_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, name: str, key: str
) -> None:
    monkeypatch.setenv(f"STREAMGAUGE_{name}_KEY", key)

    with pytest.raises(SettingsError, match=f"STREAMGAUGE_{name}_KEY: holds") as refused:
        load(None)

    assert "s3" not in str(refused.value)


def test_no_file_may_hold_a_secret(write: Write) -> None:
    said = problems(write("judge: {chat: {key: s3cret}}"))

    assert "no such key" in said["judge.chat.key"]
    assert "s3cret" not in str(said)
