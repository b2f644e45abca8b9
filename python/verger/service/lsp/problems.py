"""What is wrong with a file, how to mend it, and its form: what the linter says.

In: a parsed file. Out: `Problem`s in the order of the file, and the file in its form. The one
module of the server that knows where problems come from.
"""

from dataclasses import dataclass
from typing import Literal

from verger._core import Finding, RobotsTxt
from verger.analysis import Edit
from verger.service.lsp.text import Span


@dataclass(frozen=True, slots=True)
class Fix:
    """What mends a problem."""

    title: str
    edits: tuple[Edit, ...]
    applicability: Literal["safe", "unsafe", "display"]


@dataclass(frozen=True, slots=True)
class Related:
    """Another line that a problem is about."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong in a span of the file."""

    code: str
    name: str
    severity: Literal["error", "warning", "note"]
    message: str
    span: Span
    why: str = ""
    witness: str | None = None
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    page: str = ""


def problems(robots: RobotsTxt) -> tuple[Problem, ...]:
    """Return what is wrong with a file."""
    return tuple(_of_finding(robots, finding) for finding in robots.findings)


def formatted(robots: RobotsTxt) -> bytes:
    """Return a file in its form."""
    return robots.body


def _of_finding(robots: RobotsTxt, finding: Finding) -> Problem:
    start, stop = robots.lines[finding.line - 1].span if finding.line else (0, 0)
    stop = start + len(robots.body[start:stop].rstrip(b"\r\n"))
    return Problem(finding.code, finding.code, finding.severity, finding.message, (start, stop))
