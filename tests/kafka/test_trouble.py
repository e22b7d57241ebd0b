"""Words for what a real broker in tests cannot easily be brought to do."""

import ssl

import pytest

from streams.kafka.trouble import SILENT, alerted, mismatched, unreached, untrusted
from streams.security import Security


def a_failed_check(code: int, message: str) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, message)
    error.verify_code, error.verify_message = code, message
    return error


@pytest.mark.parametrize(
    ("code", "message", "says"),
    [
        (10, "certificate has expired", "out of its time"),
        (9, "certificate is not yet valid", "out of its time"),
        (64, "IP address mismatch", "not for kafka.example"),
        (18, "self-signed certificate", "not trusted"),
    ],
)
def test_a_certificate_is_refused_for_a_reason(code: int, message: str, says: str) -> None:
    assert says in untrusted(a_failed_check(code, message), "kafka.example").what


def a_tls_error(reason: str) -> ssl.SSLError:
    error = ssl.SSLError(1, reason)
    error.reason = reason
    return error


@pytest.mark.parametrize(
    ("reason", "says"),
    [
        ("SSLV3_ALERT_HANDSHAKE_FAILURE", "wants to see a client certificate"),
        ("TLSV1_ALERT_UNKNOWN_CA", "does not trust our client certificate"),
        ("SSLV3_ALERT_CERTIFICATE_EXPIRED", "does not trust our client certificate"),
        ("SSLV3_ALERT_BAD_CERTIFICATE", "does not trust our client certificate"),
    ],
)
def test_an_alert_about_our_certificate_is_told(reason: str, says: str) -> None:
    found = alerted(a_tls_error(reason))

    assert found is not None
    assert says in found.what


@pytest.mark.parametrize("reason", ["WRONG_VERSION_NUMBER", "TLSV1_ALERT_INTERNAL_ERROR"])
def test_another_failure_of_tls_is_not_put_on_our_certificate(reason: str) -> None:
    assert alerted(a_tls_error(reason)) is None


def test_a_host_that_is_silent_may_yet_wake_up() -> None:
    assert unreached(TimeoutError(), "kafka.example") is SILENT
    assert not SILENT.lasting


def test_what_is_offered_fits_what_is_asked_for() -> None:
    assert mismatched([], Security()) is None
    assert mismatched(["PLAIN", "OAUTHBEARER"], Security("PLAIN", "a", "b")) is None
