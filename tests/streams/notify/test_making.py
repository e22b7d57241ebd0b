"""Whether alerts go where somebody waits for them is known before the first one."""

from pydantic import SecretStr

from streams.notify.making import address_problems
from streams.settings.edges import NotifySettings

OPS = NotifySettings(name="on-call", kind="webhook")
HOOK = SecretStr("https://hooks.example/secret")


def said(*receivers: NotifySettings, **urls: SecretStr) -> list[str]:
    return [str(problem) for problem in address_problems(receivers, urls)]


def test_a_receiver_with_its_address_is_all_that_is_needed() -> None:
    assert said(OPS, ON_CALL=HOOK) == []


def test_a_receiver_without_an_address_is_told_which_variable_holds_it() -> None:
    assert said(OPS) == ["notify.0.name: set STREAMGAUGE_NOTIFY_ON_CALL_URL"]


def test_an_address_that_is_none_is_not_shown() -> None:
    [problem] = said(OPS, ON_CALL=SecretStr("hooks.example/secret"))

    assert "https://" in problem
    assert "secret" not in problem


def test_an_address_that_is_no_receivers_is_refused_with_the_name_that_was_meant() -> None:
    missing, stray = said(OPS, ONCALL=HOOK)[::-1]

    assert missing == "notify.0.name: set STREAMGAUGE_NOTIFY_ON_CALL_URL"
    assert stray == (
        "STREAMGAUGE_NOTIFY_ONCALL_URL: notify has no receiver of that name; did you mean ON_CALL?"
    )
