"""The table of faults: what is typed in faults.toml, and how a result is compared with it.

In: faults.toml; an `Answer` for an open and one for a closed URL. Out: `Fault` rows, and what was
`Seen`, in the same words.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verger.client import Answer

OPEN, CLOSED = "/open/page", "/closed/page"
OUTCOMES = {
    "rules": (True, False),
    "no_rules": (True, True),
    "allow_all": (True, True),
    "disallow_all": (False, False),
    "defer": (False, False),
}
"""Whether an open and a closed URL may be fetched, by outcome."""
KEYS = {"name", "what", "row", "access", "failure", "status", "note", "short"}


@dataclass(frozen=True)
class Fault:
    """One row of the table."""

    name: str
    what: str
    outcomes: dict[str, str]
    """By dialect."""
    access: str | None
    """None where the dialects come to different results."""
    failures: tuple[str, ...]
    """Names that fit; `none` for a result without failure."""
    status: int | None
    note: str | None
    short: bool


@dataclass(frozen=True)
class Seen:
    """What a client said of one fault in one dialect."""

    outcome: str
    decisions: tuple[bool, bool]
    access: str | None
    failure: str
    status: int | None
    note: str | None

    def __str__(self) -> str:
        return f"{self.outcome} {self.decisions} {self.access} {self.failure} {self.status}"


def read(path: Path) -> tuple[Fault, ...]:
    """Return the rows of a table in its order."""
    table = tomllib.loads(path.read_text("utf-8"))
    return tuple(row(entry, table["row"]) for entry in table["fault"])


def row(entry: dict[str, Any], rows: dict[str, dict[str, str]]) -> Fault:
    assert set(entry) <= KEYS, entry
    return Fault(
        name=entry["name"],
        what=entry["what"],
        outcomes=rows[entry["row"]],
        access=entry.get("access"),
        failures=tuple(entry.get("failure", "none").split("|")),
        status=entry.get("status"),
        note=entry.get("note"),
        short=entry.get("short", False),
    )


def expected(fault: Fault, dialect: str, seen: Seen) -> Seen:
    """Return what a dialect should have come to; of several fitting names the one that was seen."""
    outcome = fault.outcomes[dialect]
    failures = fault.failures if fault.access else (seen.failure,)
    return Seen(
        outcome=outcome,
        decisions=OUTCOMES[outcome],
        access=fault.access or seen.access,
        failure=seen.failure if seen.failure in failures else "|".join(failures),
        status=seen.status if fault.status is None else fault.status,
        note=fault.note,
    )


def seen(fault: Fault, answers: Sequence[Answer]) -> Seen:
    """Return what a client said, in the words of the table."""
    first = answers[0]
    result = first.result
    assert result is not None
    effect: str = first.access.effect
    if effect == "rules" and not any(map(decided_by_rule, answers)):
        effect = "no_rules"
    has_note = fault.note is not None and any(fault.note in note for note in result.notes)
    return Seen(
        outcome=effect,
        decisions=(answers[0].allowed, answers[1].allowed),
        access=result.access,
        failure=result.failure or "none",
        status=result.status,
        note=fault.note if has_note else None,
    )


def decided_by_rule(answer: Answer) -> bool:
    return answer.decision is not None and answer.decision.line is not None
