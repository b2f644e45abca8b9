"""States: what a site is like for a while, so that only entering and leaving a state is news.

In: the state of a site, and what one more check found. Out: the state after it. Nothing here
fetches, compares or tells.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias

StateName: TypeAlias = Literal["good", "failing", "alternating", "replaced", "gone", "unknown"]
"""`good`: a robots.txt file; `failing`: no answer that can be judged, several times in a row;
`alternating`: two versions in turn; `replaced`: something else than a robots.txt file, such as an
HTML page; `gone`: no file; `unknown`: nothing was found yet."""

ERRORS_AFTER = 3
"""After how many failures in a row a site is failing."""

CHECKS = 8
"""How many checks show whether two versions alternate."""

SWITCHES = 3
"""The fewest switches between two versions in these checks that are an alternation: A, B, A, B."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a site.

    name:    what it is like.
    since:   when it began to be so, in seconds since the epoch.
    errors:  how many checks failed since the last that did not.
    told:    the number of the observation that was told last; 0 if none was.
    recent:  what the last checks found that did not fail, each in a short text.
    unmet:   the expectations that do not hold, each in a line.
    """

    name: StateName = "unknown"
    since: float = 0.0
    errors: int = 0
    told: int = 0
    recent: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "State":
        """Return the state that an archive has stored as JSON."""
        lists = {name: tuple(stored.get(name, ())) for name in ("recent", "unmet")}
        return cls(**{**stored, **lists})


def state_after(
    before: State, found: StateName, key: str, at: float, *, errors_after: int = ERRORS_AFTER
) -> State:
    """Return the state after one more check.

    found:         what the check found: `good`, `failing`, `replaced` or `gone`.
    key:           the same text for versions that say the same.
    at:            the time of the check, in seconds since the epoch.
    errors_after:  the failures in a row after which a site is failing.
    """
    if found == "failing":
        errors = before.errors + 1
        name: StateName = found if errors >= errors_after else before.name
        recent = before.recent
    else:
        errors, recent = 0, (*before.recent, key)[-CHECKS:]
        name = "alternating" if _alternates(before.name, recent) else found
    since = before.since if name == before.name else at
    return replace(before, name=name, since=since, errors=errors, recent=recent)


def _alternates(name: StateName, recent: tuple[str, ...]) -> bool:
    """Whether two versions come in turn: they began to, and neither has come to stay."""
    versions = len(set(recent))
    if name == "alternating":
        return versions == 2
    return versions == 2 and sum(one != other for one, other in pairwise(recent)) >= SWITCHES
