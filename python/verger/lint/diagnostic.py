"""Diagnostics: what a check reports of a file, and what would mend it.

Spans are pairs of byte offsets in the file. Nothing here knows a check.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from verger.analysis import Edit

Span: TypeAlias = tuple[int, int]

Severity: TypeAlias = Literal["error", "warning", "note"]
"""`error`: something written has no effect, or another than it seems to have; `warning`: it is
read, but perhaps not as it was meant; `note`: worth knowing."""

Applicability: TypeAlias = Literal["safe", "unsafe", "display"]
"""`safe`: the fix changes no decision, which is proved before it is made; `unsafe`: it says what
was probably meant, and changes decisions; `display`: a person has to choose."""

SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From what matters least to what matters most."""


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that mend what a diagnostic reports."""

    title: str
    """What it does, as a menu of an editor says it."""
    edits: tuple[Edit, ...]
    applicability: Applicability


@dataclass(frozen=True, slots=True)
class Related:
    """Another line that a diagnostic speaks of."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a check has found: a `Diagnostic` before the check's own name stands on it."""

    line: int
    message: str
    span: Span | None = None
    """What to underline; None for all of the line."""
    witness: str | None = None
    """A path that shows it: one for which the file says something else than it seems to."""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing in a file that a check reports."""

    code: str
    name: str
    severity: Severity
    message: str
    why: str
    """Why it matters, in a sentence."""
    line: int
    span: Span
    """What it is about, in bytes."""
    witness: str | None = None
    """A path, or a URL, that shows it."""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()

    @property
    def page(self) -> str:
        """The page of the documentation that explains the check."""
        return f"docs/checks/{self.name}.md"
