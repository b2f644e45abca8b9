"""The result of a fetch, in words.

In: a fetch, or an access result. Out: lines for a person. Text from servers is made printable;
sections are named if the answer depends on them.
"""

from collections.abc import Iterator

from verger.access.entry import is_failure
from verger.access.policy import AccessReason
from verger.access.result import AccessResult, Failure
from verger.answers.fetched import Fetched
from verger.answers.times import date, span
from verger.plain import printable

EFFECTS = {
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


def explanation(fetched: Fetched) -> Iterator[str]:
    """Yield what a fetch without rules means, and what happens next."""
    policy = fetched.policy
    kind = KINDS.get(policy.reason, fetched.last.access)
    yield f"{kind}: {EFFECTS[policy.effect]}"
    yield from _failing(fetched)
    if fetched.source == "cached":
        yield f"from the cache, {span(fetched.age)} old"
    yield from _when_again(fetched)
    yield from how_it_came(fetched.last)


def provenance(fetched: Fetched) -> Iterator[str]:
    """Yield where the deciding rules came from, and how old they are."""
    policy, result = fetched.policy, fetched.rests_on
    if policy.source == "cached":
        yield f"{happened(fetched.last)}; its copy{_age_of_copy(fetched)} binds"
        yield f"unreachable: the last good copy is used instead ({policy.section})"
        yield from _failing(fetched)
        yield from _when_again(fetched)
    elif fetched.source == "snapshot":
        yield _came(fetched)
    else:
        yield f"{_came(fetched)}, fresh for {span(fetched.fresh_for)}"
    yield from how_it_came(result)


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


def _came(fetched: Fetched) -> str:
    match fetched.source:
        case "fetched":
            return happened(fetched.rests_on)
        case "renewed":
            return f"{printable(fetched.last.url)} is unchanged since it was cached"
        case "cached":
            return f"{printable(fetched.last.url)} from the cache, {span(fetched.age)} old"
        case "snapshot":
            return f"{happened(fetched.rests_on)}, according to the snapshot"


def _when_again(fetched: Fetched) -> Iterator[str]:
    """Yield when the file is requested again; never with a snapshot."""
    if fetched.source != "snapshot":
        yield f"asked again in {span(fetched.fresh_for)} at the earliest"


def _age_of_copy(fetched: Fetched) -> str:
    return "" if fetched.source == "snapshot" else f" of {span(fetched.age)} ago"


def _failing(fetched: Fetched) -> Iterator[str]:
    """Yield how long fetches have been failing, if more than once."""
    since, failures = fetched.entry.unreachable_since, fetched.entry.failures
    is_dated = fetched.unreachable_since is not None
    if since is not None and is_dated and failures > 1 and is_failure(fetched.last):
        yield f"failed {failures:,} times in a row, since {date(since)}"
