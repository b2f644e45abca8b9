"""Exceptions of other HTTP clients, read as replies and failures of a hop.

In: what requests, urllib3, urllib, httpx, aiohttp or the standard library raised. Out: a `Reply`
if the exception stands for a response, such as that of `raise_for_status`; else a `HopFailed` with
the kind of failure. Clients wrap exceptions in their own, so all that are chained to one are
looked at, by the names of their classes: no client is imported.
"""

import ssl
from typing import Any

from verger.access.result import Failure, is_redirect
from verger.fetching.transport import HopFailed, Reply, certificate, first_line, handshake, words

NAMES: dict[Failure, frozenset[str]] = {
    "too-many-redirects": frozenset(("TooManyRedirects",)),
    "redirect-invalid": frozenset(
        ("InvalidUrlRedirectClientError", "NonHttpUrlRedirectClientError")
    ),
    "dns": frozenset(
        (
            "ClientConnectorDNSError",
            "InvalidURL",
            "LocationParseError",
            "NameResolutionError",
            "UnicodeError",
            "gaierror",
            "herror",
        )
    ),
    "tls": frozenset(("CertificateError", "ClientSSLError", "SSLError")),
    "broken-body": frozenset(
        (
            "ChunkedEncodingError",
            "ClientPayloadError",
            "ContentDecodingError",
            "ContentEncodingError",
            "DecodeError",
            "DecodingError",
            "IncompleteRead",
            "PayloadEncodingError",
        )
    ),
    "reset": frozenset(
        (
            "BrokenPipeError",
            "CloseError",
            "ConnectionAbortedError",
            "ConnectionResetError",
            "ReadError",
            "ServerDisconnectedError",
            "WriteError",
        )
    ),
    # before time-outs, since urllib3 derives one from the other
    "refused": frozenset(
        (
            "ClientConnectorError",
            "ConnectError",
            "ConnectionRefusedError",
            "NewConnectionError",
            "ProxyError",
        )
    ),
    "timeout": frozenset(("Timeout", "TimeoutError", "TimeoutException")),
    "invalid-response": frozenset(
        (
            "BadHttpMessage",
            "ClientResponseError",
            "HTTPException",
            "HttpProcessingError",
            "InvalidHeader",
            "ProtocolError",
        )
    ),
}
"""Classes of exceptions by what they mean, in the order in which they are looked for: what says
most comes first."""

MESSAGES: dict[str, Failure] = {
    "without sending complete message body": "broken-body",
    "disconnected without sending a response": "reset",
}
"""What httpx says where the class of its exception does not."""

MOST_CHAINED = 16

LEAST_FOLLOWED = 5
"""The redirects after which there is no file to be found (RFC 9309 section 2.3.1.2)."""

RAISED_FOR_STATUS = frozenset(("ClientResponseError", "HTTPError", "HTTPStatusError"))
"""Classes of exceptions that stand for a response: of aiohttp, of requests and urllib, of httpx."""


def reply_of(error: Exception) -> Reply | HopFailed:
    """Return what an exception of an HTTP client says: a response, or why there is none."""
    return _response_of(error) or failure_of(error)


def failure_of(error: BaseException) -> HopFailed:
    """Return the failure that an exception stands for, by all that it was raised for."""
    chained = _chained(error)
    said = str(error)
    for message, failure in MESSAGES.items():
        if message in said:
            return HopFailed(failure, first_line(said))
    for failure, names in NAMES.items():
        # what opens a site is no attempt that failed before this one
        looked = [error] if failure == "too-many-redirects" else chained
        if found := _last(looked, names):
            is_early = failure == "too-many-redirects" and _followed(found) < LEAST_FOLLOWED
            return HopFailed("refused" if is_early else failure, _detail(found))
    return HopFailed("invalid-response", _detail(chained[-1]))


def _followed(error: BaseException) -> int:
    """Return how many redirects a client followed; enough if it does not tell, as httpx."""
    response = getattr(error, "response", None)
    history = getattr(error if response is None else response, "history", None)
    return LEAST_FOLLOWED if history is None else len(history)


def _chained(error: BaseException) -> list[BaseException]:
    """Return an exception and those that it was raised for, the original one last."""
    found = [error]
    for each in found:
        several = getattr(each, "exceptions", ())  # those of a group
        causes = (getattr(each, "reason", None), each.__cause__, each.__context__)
        parts = (*each.args, *several, *causes)
        new = [part for part in parts if isinstance(part, BaseException) and part not in found]
        found += new[: MOST_CHAINED - len(found)]
    return found


def _last(chained: list[BaseException], names: frozenset[str]) -> BaseException | None:
    found = [each for each in chained if names & {base.__name__ for base in type(each).__mro__}]
    return found[-1] if found else None


def _detail(error: BaseException) -> str:
    """Return a failure in a few words, without object reprs or memory addresses."""
    match error:
        case ssl.SSLCertVerificationError():
            return certificate(error)
        case ssl.SSLError():
            return handshake(error)
        case OSError(errno=int(number)) if number > 0:
            return words(error)
    said = getattr(error, "message", None)  # of aiohttp, whose text is a repr
    text = first_line(getattr(error, "strerror", None) or str(error if said is None else said))
    return type(error).__name__ if not text or " object at 0x" in text else text


def _response_of(error: Exception) -> Reply | HopFailed | None:
    """Return the response that an exception was raised for, if that is why it was raised.

    aiohttp raises the same class for what it cannot read, with that as its cause, without fields.
    """
    if type(error).__name__ not in RAISED_FOR_STATUS or error.__cause__ is not None:
        return None
    response = getattr(error, "response", None)
    response = error if response is None else response
    status = getattr(response, "status_code", getattr(response, "status", None))
    if not isinstance(status, int) or not 300 <= status < 1_000:
        return None
    if is_redirect(status) and "infinite loop" in str(error):
        return HopFailed("too-many-redirects", "the redirects do not end")
    fields = fields_of(getattr(response, "headers", None))
    return None if fields is None else Reply(status, fields)


def fields_of(headers: object) -> list[tuple[str, str]] | None:
    """Return header fields as names and values, bytes as text like in a `Reply`.

    headers:  a mapping of any client, or pairs. None for what is neither.
    """
    pairs: Any = headers.items() if hasattr(headers, "items") else headers
    try:
        fields = [(_text(name), _text(value)) for name, value in pairs]
    except (TypeError, ValueError):
        return None
    return fields if all(isinstance(part, str) for field in fields for part in field) else None


def _text(part: Any) -> Any:
    return part.decode("ascii", "surrogateescape") if isinstance(part, bytes) else part
