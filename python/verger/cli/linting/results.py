"""The results of linting one file.

In: a file and its diagnostics. Out: values that the formats and the tally read.
"""

from collections import Counter
from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from verger.cli.linting.inputs import LintInput
    from verger.files.positions import Unit
    from verger.lint import Diagnostic, Fixed
    from verger.lint.places import DiagnosticPlaces


@dataclass(slots=True)
class Counts:
    """Counts of findings and fixes, for one file or for all."""

    fired: Counter[str] = field(default_factory=Counter)
    """How often each check fired, by code."""
    severities: Counter[str] = field(default_factory=Counter)
    fixable: int = 0
    """Findings with a safe fix, and with an unsafe one."""
    unsafe: int = 0
    made: int = 0
    refused: int = 0
    """Safe fixes that were not made, since a decision would change."""

    def include(self, other: "Counts") -> None:
        """Add other counts."""
        self.fired += other.fired
        self.severities += other.severities
        self.fixable += other.fixable
        self.unsafe += other.unsafe
        self.made += other.made
        self.refused += other.refused


@dataclass(frozen=True, slots=True)
class Linted:
    """A file, and what was found and fixed in it."""

    input: "LintInput"
    done: "Fixed"

    @property
    def diagnostics(self) -> "Sequence[Diagnostic]":
        """The diagnostics for the file after its fixes."""
        return self.done.report.diagnostics

    def places(self, unit: "Unit" = "utf-32") -> "DiagnosticPlaces":
        """Return the places of diagnostics; columns count characters, or other units."""
        from verger.lint.places import DiagnosticPlaces

        return DiagnosticPlaces(self.done.body, unit)


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome for one file, as one process hands it to another."""

    text: str = ""
    """Its part of the output."""
    counts: Counts = field(default_factory=Counts)
    body: bytes | None = None
    """The new file, if it goes to stdout."""
    would_change: bool = False
    failure: tuple[str, str | None] | None = None
    """Message and hint, if the file could not be read or written."""
