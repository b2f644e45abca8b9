"""Diagnostics: what a check reports about a file, and how to fix it.

Spans are pairs of byte offsets in the file. Nothing here depends on a check.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from verger import untrusted_text
from verger.analysis.edits import Edit

Span: TypeAlias = tuple[int, int]

Severity: TypeAlias = Literal["error", "warning", "note"]
"""`error`: something written has no effect, or not the effect it seems to have; `warning`: it is
read, but perhaps not as intended; `note`: worth knowing."""

Applicability: TypeAlias = Literal["safe", "unsafe", "display"]
"""`safe`: the fix changes no decision, which is proved before it is applied; `unsafe`: it writes
what was probably meant, and changes decisions; `display`: a person has to choose."""

SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
"""From the least to the most severe."""


MOST_QUOTED = 60
"""The most characters of a piece of a file in a message."""


def quoted(text: str | bytes) -> str:
    """Return a piece of a file in backticks, safe to show."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    return untrusted_text.quoted(text, MOST_QUOTED)


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that fix what a diagnostic reports.

    title:          what it does, as a menu item of an editor.
    edits:          the spans of the file to replace, in bytes.
    applicability:  `safe`: it changes no decision; `unsafe`: it writes what was probably meant, and
                    changes decisions; `display`: a person has to choose.
    """

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability


@dataclass(frozen=True, slots=True)
class Related:
    """Another line that a diagnostic refers to.

    line:     the number of the line, from 1.
    message:  what it has to do with the diagnostic.
    """

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Found:
    """What a check found: a `Diagnostic` without the code and name of the check."""

    line: int
    message: str
    span: Span | None = None
    """What to underline; None for the whole line."""
    witness: str | None = None
    """A path that shows it: the answer for it is not what the file seems to say."""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing in a file that a check reports.

    code:      the code of the check, such as `RT301`.
    name:      the name of the check, such as `pattern-without-slash`.
    severity:  `error`, `warning` or `note`.
    message:   what is wrong, in a sentence.
    why:       why it matters, in a sentence.
    line:      the number of the line, from 1.
    span:      the bytes to underline, as offsets in the file.
    witness:   a path, or a URL, that shows it.
    fix:       what fixes it; None if nothing does.
    related:   other lines that it refers to.
    """

    code: str
    name: str
    severity: Severity
    message: str
    why: str
    line: int
    span: Span
    witness: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()

    @property
    def page(self) -> str:
        """The page of the documentation that explains the check."""
        return f"docs/checks/{self.name}.md"
