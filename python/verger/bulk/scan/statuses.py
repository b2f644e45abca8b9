"""What every status means in one dialect, asked of the access policy once and handed on as a table.

In: a dialect. Out: for each status the kind of access (RFC 9309 section 2.3.1) and the effect of
the policy. A redirect has none: it is one hop, and what it leads to is another capture.
"""

from typing import TypeAlias

from verger._core import Dialect
from verger.access.policy import policy_after
from verger.access.result import AccessResult

Meaning: TypeAlias = tuple[str, str | None]

STATUSES = range(100, 1_000)
"""What HTTP has room for (RFC 9110 section 15)."""


def meanings(dialect: Dialect) -> list[Meaning]:
    """Return what each of `STATUSES` means."""
    return [meaning(status, dialect) for status in STATUSES]


def meaning(status: int | None, dialect: Dialect) -> Meaning:
    """Return what a status means, or no response at all."""
    if status is not None and 300 <= status < 400 and status != 304:
        return "redirect", None
    result = AccessResult(url="", fetched_at=0.0, status=status)
    return result.access, policy_after(result, dialect).effect
