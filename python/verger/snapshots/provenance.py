"""The fetch that an answer is based on, in words.

In: a fetch. Out: lines for a person: where the rules came from and how old they are, or what a
fetch without rules means; sections are named if the answer depends on them.
"""

from collections.abc import Iterator

from verger.access.entry import is_failure
from verger.access.times import date, span
from verger.access.words import EFFECTS, KINDS, happened, how_it_came
from verger.plain import printable
from verger.snapshots.fetched import Fetched


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
    if policy.copy:
        yield f"{happened(fetched.last)}; the copy{_age_of_copy(fetched)} is used"
        yield f"unreachable: the last good copy is used instead ({policy.section})"
        yield from _failing(fetched)
        yield from _when_again(fetched)
    elif fetched.source == "snapshot":
        yield _came(fetched)
    else:
        yield f"{_came(fetched)}, fresh for {span(fetched.fresh_for)}"
    yield from how_it_came(result)


def again(fetched: Fetched) -> str:
    """Return when the file is requested again."""
    return f"requested again in {span(fetched.fresh_for)} at the earliest"


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
        yield again(fetched)


def _age_of_copy(fetched: Fetched) -> str:
    return "" if fetched.source == "snapshot" else f" of {span(fetched.age)} ago"


def _failing(fetched: Fetched) -> Iterator[str]:
    """Yield how long fetches have been failing, if more than once."""
    since, failures = fetched.entry.unreachable_since, fetched.entry.failures
    is_dated = fetched.unreachable_since is not None
    if since is not None and is_dated and failures > 1 and is_failure(fetched.last):
        yield f"failed {failures:,} times in a row, since {date(since)}"
