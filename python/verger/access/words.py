"""The result of a fetch, in words.

In: an access result. Out: a line for a person, or a word for a cell. Text from servers is made
printable.
"""

from collections.abc import Iterator

from verger.access.policy import AccessReason, Effect
from verger.access.result import AccessResult, Failure
from verger.plain import printable

EFFECTS: dict[Effect, str] = {
    "rules": "the rules apply",
    "allow_all": "everything may be fetched",
    "disallow_all": "nothing may be fetched",
    "defer": "nothing may be fetched until the file has been requested again",
}

KINDS: dict[AccessReason, str] = {
    "FORBIDDEN": "access refused",
    "TOO_MANY_REQUESTS": "too many requests",
    "UNREACHABLE_FOR_LONG": "unreachable for long",
}
"""What happened, if the kind of access result does not say enough."""

SHORT: dict[Failure, str] = {
    "too-many-redirects": "redirects",
    "redirect-disallowed": "redirects",
    "redirect-refused": "redirects",
    "redirect-invalid": "redirects",
    "invalid-response": "response",
}
"""Failures whose own names are wider than a cell."""


def happened(result: AccessResult) -> str:
    """Return the result of a request: `https://example.com/robots.txt answered 503`."""
    url = printable(result.url)
    detail = printable(result.detail or result.failure or "")
    match result.failure:
        case None if result.status is None:
            return f"nothing is known about {url}: there is neither a status nor a body"
        case None:
            return f"{url} answered {result.status}"
        case "broken-body":
            return f"{url} answered {result.status} with a broken body: {detail}"
        case "dns" | "refused" | "tls" | "reset" | "timeout":
            return f"{url} cannot be reached: {detail}"
        case _:
            return f"{url} cannot be fetched: {detail}"


def in_a_word(result: AccessResult) -> str:
    """Return a status, or a failure in at most 11 characters."""
    if result.failure is None:
        return "unknown" if result.status is None else str(result.status)
    return SHORT.get(result.failure, result.failure)


def how_it_came(result: AccessResult) -> Iterator[str]:
    """Yield the redirects that were followed, and what was tolerated."""
    for url in result.redirects:
        yield f"redirected to {printable(url)}"
    for note in result.notes:
        yield printable(note)


def measures(result: AccessResult) -> str:
    """Return how much was read, and how long that took."""
    cut = ", and there is more" if result.truncated else ""
    return f"{len(result.body):,} bytes{cut}, fetched in {result.elapsed:.2f} s"
