import socket
import ssl

import pytest

from schemas.score import ScoringError
from scorers.contract import InvalidReplyError, JudgeUnavailableError
from scorers.judges.http import CallFailedError
from streams.console.diagnosis import ModelEndpoint, Trouble, trouble


def a_place(section: str = "judge.chat", *, keyed: bool = False) -> ModelEndpoint:
    url = "https://me:sk-secret@judge.example:8443/v1/chat/completions?key=sk-secret"
    return ModelEndpoint(section, url, "judge-1", "STREAMGAUGE_CHAT_KEY", keyed)


def failed(cause: str, *, detail: str = "", by: BaseException | None = None) -> Trouble:
    error = JudgeUnavailableError(ScoringError(kind="judge_failed", cause=cause))
    call = CallFailedError(cause, detail=detail)
    call.__cause__, error.__cause__ = by, call
    return trouble(error, a_place())


def untrusted() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError()
    error.verify_message = "self-signed certificate"
    return error


@pytest.mark.parametrize(
    ("by", "what", "way_out"),
    [
        (socket.gaierror(-2, "?"), "the name judge.example has no address", "judge.chat.url"),
        (ConnectionRefusedError(), "nothing listens there", "host and port in judge.chat.url"),
        (untrusted(), "not trusted (TLS): self-signed certificate", "the name that the certifi"),
        (ssl.SSLError(1, "WRONG_VERSION"), "does not speak TLS there", "is it http://"),
        (ConnectionResetError(), "broke the connection", "look whether it is up"),
    ],
)
def test_a_connection_that_failed_says_why_and_what_to_do(
    by: BaseException, what: str, way_out: str
) -> None:
    wrapped = OSError("All attempts failed")
    wrapped.__context__ = by

    found = failed("connection", by=wrapped)

    assert what in found.what
    assert way_out in found.way_out


@pytest.mark.parametrize(
    ("cause", "detail", "what", "way_out"),
    [
        ("http_401", "", "it wants a key, and none is set", "STREAMGAUGE_CHAT_KEY"),
        ("http_404", "The model `judge-1` is not here", "knows no model judge-1", "chat.model"),
        ("http_404", "Not Found", "this is not served there", "https://host/v1"),
        ("http_405", "", "this is not served there", "https://host/v1"),
        ("http_307", "", "redirects are not followed", "judge.chat.url"),
        ("http_502", "", "answered 502: it fails", "try again later"),
        ("http_422", "", "refuses what was asked", "https://host/v1"),
        ("rate_limited", "", "answered 429", "try again later"),
        ("private_address", "", "private network (judge.example)", "judge.allow_private_addresses"),
        ("timeout", "", "no answer in time", "judge.chat.timeout"),
        ("truncated", "", "cut its reply", "judge.chat.model"),
        ("something_new", "", "something_new", "try again later"),
    ],
)
def test_a_refusal_says_what_it_means_and_what_to_do(
    cause: str, detail: str, what: str, way_out: str
) -> None:
    found = failed(cause, detail=detail)

    assert what in found.what
    assert way_out in found.way_out


def test_a_key_that_is_set_was_refused_and_not_missing() -> None:
    error = JudgeUnavailableError(ScoringError(kind="judge_failed", cause="http_403"))

    assert "the key was refused" in trouble(error, a_place(keyed=True)).what


def test_a_decisions_endpoint_that_does_not_serve_names_shape_and_path() -> None:
    error = JudgeUnavailableError(ScoringError(kind="judge_failed", cause="http_501"))

    way_out = trouble(error, a_place("judge.decisions")).way_out

    assert "judge.decisions.shape, judge.decisions.path" in way_out


def test_a_reply_in_no_shape_says_what_was_wrong_with_it() -> None:
    found = trouble(InvalidReplyError("verdicts are missing: [1]"), a_place())

    assert found.what.endswith("verdicts are missing: [1]")


def test_nothing_that_may_be_secret_is_shown() -> None:
    place = a_place()
    found = failed("http_401", detail="you sent sk-secret")

    assert place.shown == "https://judge.example:8443/v1/chat/completions"
    assert "sk-secret" not in f"{found} {place.shown} {place.host}"
