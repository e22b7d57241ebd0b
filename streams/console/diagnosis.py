"""Why an endpoint gave no answer, in words for whoever can mend it. Pure.

Nothing that the other side said is repeated: it may hold keys or judged text.
"""

import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from scorers.contract import InvalidReplyError, JudgeUnavailableError
from scorers.judges.http import CallFailedError


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """An endpoint as the settings name it: where, which model, and under which keys.

    `section` is the path of its settings, `key` the variable that its key comes from, and `keyed`
    whether that is set. `url` is where requests are posted.
    """

    section: str
    url: str
    model: str
    key: str
    keyed: bool

    @property
    def shown(self) -> str:
        """The address without what may be secret in it: a user, a query."""
        parts = urlsplit(self.url)
        host = parts.netloc.rpartition("@")[2]
        return f"{parts.scheme}://{host}{parts.path}"

    @property
    def host(self) -> str:
        """The name that is looked up."""
        return urlsplit(self.url).hostname or ""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What happened, and the way out."""

    what: str
    way_out: str


def trouble(error: JudgeUnavailableError, at: ModelEndpoint) -> Trouble:
    """Say what happened at a place, and what to do."""
    cause = error.error.cause or error.error.kind
    if isinstance(error, InvalidReplyError):
        what = f"answered, but not in the shape that was asked for: {error.wrong}"
        return Trouble(what, f"try another model: {at.section}.model")
    if cause == "connection":
        return _unconnected(error, at)
    if cause == "rate_limited" or cause.startswith("http_"):
        status = "429" if cause == "rate_limited" else cause.removeprefix("http_")
        return _refused(status, _detail(error), at)
    said = _OTHERS.get(cause)
    return said(at) if said else Trouble(f"gave no answer: {cause}", _LATER)


_LATER = "try again later; if it stays so, ask whoever runs it"

_OTHERS: Mapping[str, Callable[[ModelEndpoint], Trouble]] = {
    "private_address": lambda at: Trouble(
        f"lies in a private network ({at.host}), and was not connected to",
        "if that is meant, set judge.allow_private_addresses: true",
    ),
    "timeout": lambda at: Trouble(
        "gave no answer in time", f"look whether it is up; else raise {at.section}.timeout"
    ),
    "invalid_output": lambda at: Trouble(
        "sent no JSON of the protocol", f"is {at.section}.url an API, up to and with the version?"
    ),
    "truncated": lambda at: Trouble(
        "cut its reply, or our text", f"its window is too small: try another {at.section}.model"
    ),
    "empty_response": lambda at: Trouble(
        "sent an empty reply", f"try another model: {at.section}.model"
    ),
}


def _unconnected(error: JudgeUnavailableError, at: ModelEndpoint) -> Trouble:
    causes = list(_chain(error))
    if any(isinstance(one, socket.gaierror) for one in causes):
        return Trouble(
            f"cannot be found: the name {at.host} has no address (DNS)",
            f"is {at.section}.url right, and can this machine look names up?",
        )
    for one in causes:
        if isinstance(one, ssl.SSLCertVerificationError):
            return Trouble(
                f"has a certificate that is not trusted (TLS): {one.verify_message}",
                "use the name that the certificate is for, or an endpoint with a public one",
            )
    if any(isinstance(one, ssl.SSLError) for one in causes):
        return Trouble(
            "does not speak TLS there",
            f"is it http:// in {at.section}.url, or another port?",
        )
    if any(isinstance(one, ConnectionRefusedError) for one in causes):
        return Trouble(
            "refused the connection: nothing listens there",
            f"start it, or correct host and port in {at.section}.url",
        )
    return Trouble("broke the connection", "look whether it is up, and what lies between")


def _refused(status: str, detail: str, at: ModelEndpoint) -> Trouble:
    if status in {"404", "410"} and "model" in detail:
        what, way_out = f"it knows no model {at.model}", f"name one that it has: {at.section}.model"
    else:
        said = _STATUSES.get(status) or _CLASSES.get(status[0], _misunderstood)
        what, way_out = said(at)
    return Trouble(f"answered {status}: {what}", way_out)


def _locked(at: ModelEndpoint) -> tuple[str, str]:
    said = "the key was refused" if at.keyed else "it wants a key, and none is set"
    return said, f"put one that it takes into {at.key}"


def _elsewhere(at: ModelEndpoint) -> tuple[str, str]:
    way_out = f"put the address that it leads to into {at.section}.url"
    return "it has moved, and redirects are not followed", way_out


def _misunderstood(at: ModelEndpoint) -> tuple[str, str]:
    return "it refuses what was asked", _path(at)


def _not_served(at: ModelEndpoint) -> tuple[str, str]:
    return "this is not served there", _path(at)


_STATUSES: Mapping[str, Callable[[ModelEndpoint], tuple[str, str]]] = {
    "401": _locked,
    "403": _locked,
    "404": _not_served,
    "405": _not_served,
    "410": _not_served,
    "429": lambda _: ("the quota is spent, or it is busy", _LATER),
    "501": _not_served,
}

_CLASSES: Mapping[str, Callable[[ModelEndpoint], tuple[str, str]]] = {
    "3": _elsewhere,
    "5": lambda _: ("it fails", _LATER),
}


def _path(at: ModelEndpoint) -> str:
    if at.section == "judge.decisions":
        return f"look at {at.section}.shape, {at.section}.path and {at.section}.model"
    return f"write {at.section}.url up to and with the version: https://host/v1"


def _detail(error: BaseException) -> str:
    """Return the body of a refusal: to decide by."""
    found = (one.detail for one in _chain(error) if isinstance(one, CallFailedError))
    return next(found, "").lower()


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
