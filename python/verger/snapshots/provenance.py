"""The fetch that an answer is based on, in words.

In: the site that was fetched, and the time. Out: lines for a person: where the rules came from and
how old they are, or what a fetch without rules means; sections are named if the answer depends on
them.
"""

from collections.abc import Iterator

from verger.access.entry import is_failure
from verger.access.site import SiteAccess
from verger.access.times import date, span
from verger.access.words import EFFECTS, KINDS, happened, how_it_came
from verger.plain import printable


def explanation(site: SiteAccess, now: float) -> Iterator[str]:
    """Yield what a fetch without rules means, and what happens next."""
    policy = site.access
    kind = KINDS.get(policy.reason, site.last.access)
    yield f"{kind}: {EFFECTS[policy.effect]}"
    yield from _failing(site)
    if site.source == "cached":
        yield f"from the cache, {_age(site, now)} old"
    yield from _when_again(site, now)
    yield from how_it_came(site.last)


def provenance(site: SiteAccess, now: float) -> Iterator[str]:
    """Yield where the deciding rules came from, and how old they are."""
    if site.access.copy:
        age = "" if site.source == "snapshot" else f" of {_age(site, now)} ago"
        yield f"{happened(site.last)}; the copy{age} is used"
        yield f"unreachable: the last good copy is used instead ({site.access.section})"
        yield from _failing(site)
        yield from _when_again(site, now)
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


def _when_again(site: SiteAccess, now: float) -> Iterator[str]:
    """Yield when the file is requested again; never with a snapshot."""
    if site.source != "snapshot":
        yield again(site, now)


def _age(site: SiteAccess, now: float) -> str:
    return span(site.age(now) or 0.0)


def _failing(site: SiteAccess) -> Iterator[str]:
    """Yield how long fetches have been failing, if more than once."""
    since, failures = site.unreachable_since, site.entry.failures if site.entry else 0
    if since is not None and failures > 1 and is_failure(site.last):
        yield f"failed {failures:,} times in a row, since {date(since)}"
