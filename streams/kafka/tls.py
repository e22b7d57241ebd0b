"""The files of TLS: whom we trust, and what we show of ourselves."""

import ssl
from pathlib import Path


class TlsFileError(ValueError):
    """A file is of no use. `key` is that of the setting which names it."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def tls_context(
    *, ca: str | None, certificate: str | None = None, certificate_key: str | None = None
) -> ssl.SSLContext:
    """Return how TLS is spoken: certificates are checked, and so is the name of the host.

    Without `ca` the system's authorities are trusted. Raises TlsFileError.
    """
    for key, file in (
        ("ca", ca),
        ("certificate", certificate),
        ("certificate_key", certificate_key),
    ):
        if file is not None:
            _look(key, Path(file))
    try:
        context = ssl.create_default_context(cafile=ca)
    except ssl.SSLError:
        raise TlsFileError("ca", "holds no certificate: write a file in PEM form") from None
    if certificate is not None and certificate_key is not None:
        _show(context, certificate, certificate_key)
    return context


def _look(key: str, file: Path) -> None:
    try:
        with file.open("rb"):
            pass
    except OSError as error:
        raise TlsFileError(key, f"cannot be read: {error.strerror}") from None


def _show(context: ssl.SSLContext, certificate: str, key: str) -> None:
    try:
        context.load_cert_chain(certificate, key, _no_passphrase)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            message = "does not belong to kafka.certificate"
            raise TlsFileError("certificate_key", message) from None
        message = "is no certificate in PEM form, or kafka.certificate_key no key"
        raise TlsFileError("certificate", message) from None


def _no_passphrase() -> str:
    """Answer in place of a person, who would be asked otherwise."""
    raise TlsFileError("certificate_key", "has a passphrase: write the key without one")
