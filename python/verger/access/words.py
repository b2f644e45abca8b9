"""The result of a fetch, and what it means for its site, in words.

In: an access result; or what is known about a site, and the time. Out: lines for a person, or a
word for a cell. They tell where rules came from and how old they are, or what a fetch without rules
means; sections are named if the answer depends on them. Text from servers is made printable.
"""

from collections.abc import Iterator

from verger._core import _REASONS
from verger.access.entry import is_failure
from verger.access.policy import AccessReason, Effect
from verger.access.result import AccessResult, Failure
from verger.access.site import SiteAccess
from verger.access.times import date, span
from verger.untrusted_text import printable

EFFECTS: dict[Effect, str] = {
    "rules": "the rules apply",
    "allow_all": "everything may be fetched",
    "disallow_all": "nothing may be fetched",
    "defer": "nothing may be fetched until the file has been requested again",
}

TOLD: frozenset[AccessReason] = frozenset(
    ("FORBIDDEN", "TOO_MANY_REQUESTS", "UNREACHABLE_FOR_LONG")
)
"""The reasons that say more than the kind of access result."""

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


def because(site: SiteAccess) -> str:
    """Return why an access policy holds: the fetch and the section, or the operator's override."""
    return f"{happened(site.last)} ({site.access.section})" if site.entry else site.access.section


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


# What a fetch means for its site


def explanation(site: SiteAccess, now: float) -> Iterator[str]:
    """Yield what a fetch without rules means, and what happens next."""
    policy = site.access
    if site.entry is None:
        yield EFFECTS[policy.effect]
        return
    kind: str = _REASONS[policy.reason] if policy.reason in TOLD else site.last.access
    if kind == "successful":  # and yet no rules: the dialect reads more than was kept
        kind = f"only the first {len(site.last.body):,} bytes were kept"
    yield f"{kind}: {EFFECTS[policy.effect]}"
    yield from _failing(site)
    if site.source == "cached":
        yield f"from the cache, {_age(site, now)} old"
    if site.source != "snapshot":
        yield again(site, now)
    yield from how_it_came(site.last)


def provenance(site: SiteAccess, now: float) -> Iterator[str]:
    """Yield where the deciding rules came from, and how old they are."""
    if site.access.copy:
        age = "" if site.source == "snapshot" else f" of {_age(site, now)} ago"
        yield f"{happened(site.last)}; the copy{age} is used"
        yield f"unreachable: the last good copy is used instead ({site.access.section})"
        yield from _failing(site)
        if site.source != "snapshot":
            yield again(site, now)
    elif site.source == "snapshot":
        yield f"{happened(site.last)}, according to the snapshot"
    else:
        yield f"{_came(site, now)}, fresh for {span(site.fresh_for(now))}"
    yield from how_it_came(site.result or site.last)


def again(site: SiteAccess, now: float) -> str:
    """Return when the file is requested again."""
    return f"requested again in {span(site.fresh_for(now))} at the earliest"


def _came(site: SiteAccess, now: float) -> str:
    if site.source == "renewed":
        return f"{printable(site.last.url)} is unchanged since it was cached"
    if site.source == "cached":
        return f"{printable(site.last.url)} from the cache, {_age(site, now)} old"
    return happened(site.last)


def _age(site: SiteAccess, now: float) -> str:
    return span(site.age(now) or 0.0)


def _failing(site: SiteAccess) -> Iterator[str]:
    """Yield how long fetches have been failing, if more than once."""
    since, failures = site.unreachable_since, site.entry.failures if site.entry else 0
    if since is not None and failures > 1 and is_failure(site.last):
        yield f"failed {failures:,} times in a row, since {date(since)}"
