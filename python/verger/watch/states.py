"""States: what a site is like for a while, so that only entering and leaving a state is news.

In: the state of a site, and what one more check found. Out: the state after it. Nothing here
fetches, compares or tells.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

StateName: TypeAlias = Literal["good", "failing", "alternating", "replaced", "gone", "unknown"]
"""`good`: a robots.txt file; `failing`: no answer that can be judged, several times in a row;
`alternating`: versions in turn; `replaced`: something else than a robots.txt file, such as an
HTML page; `gone`: no file; `unknown`: nothing was found yet."""

ERRORS_AFTER = 3
"""After how many failures in a row a site is failing."""

CHECKS = 8
"""How many checks show whether versions alternate."""

RETURNS = 2
"""The fewest returns to a version in these checks that are an alternation: A, B, A, B."""


@dataclass(frozen=True, slots=True)
class State:
    """The state of a site.

    name:    what it is like.
    since:   when it began to be so, in seconds since the epoch.
    errors:  how many checks failed since the last that did not.
    told:    the number of the observation that was told last; 0 if none was.
    recent:  what the last checks found that did not fail: `replaced`, `gone`, or the number of the
             first observation of a file that crawlers cannot tell from it.
    unmet:   the expectations that do not hold, each in a line.
    """

    name: StateName = "unknown"
    since: float = 0.0
    errors: int = 0
    told: int = 0
    recent: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()

    @property
    def named(self) -> set[int]:
        """The numbers of the observations that it names."""
        return {self.told, *(int(key) for key in self.recent if key.isdigit())} - {0}

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
    key:           the same text for versions of which no crawler feels a difference.
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
    """Whether versions come in turn: they began to, and none is new, or has come to stay."""
    *earlier, key = recent
    if name == "alternating":
        return key in earlier and len(set(recent)) > 1
    returns = (now in recent[:at] and now != recent[at - 1] for at, now in enumerate(recent))
    return key in earlier and sum(returns) >= RETURNS
