"""What was found: counts for a file and for all files, and the closing line.

In: what became of each file. Out: the exit code, and words for stderr.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from verger.cli.exit import DISALLOWED, FAILED, FINE
from verger.lint.diagnostic import SEVERITIES
from verger.plain import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.looking import Looked
    from verger.lint import Severity


@dataclass(slots=True)
class Counts:
    """Findings and fixes, of one file or of all."""

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
        """Count what another counts, too."""
        self.fired += other.fired
        self.severities += other.severities
        self.fixable += other.fixable
        self.unsafe += other.unsafe
        self.made += other.made
        self.refused += other.refused


@dataclass(slots=True)
class Tally(Counts):
    """Counts over all files."""

    files: int = 0
    """That were looked at."""
    with_findings: int = 0
    changed: int = 0
    """Files that would be written otherwise."""
    fired_in: Counter[str] = field(default_factory=Counter)
    """In how many files each check fired."""
    failures: dict[tuple[str, str | None], None] = field(default_factory=dict)

    def add(self, looked: "Looked") -> None:
        """Count a file."""
        if looked.failure is not None:
            self.failures.setdefault(looked.failure)
            return
        self.include(looked.counts)
        self.files += 1
        self.with_findings += bool(looked.counts.fired)
        self.changed += looked.would_change
        self.fired_in.update(looked.counts.fired.keys())

    def code(self, fail_on: "Severity") -> int:
        """Return the exit code."""
        if self.failures:
            return FAILED
        counting = SEVERITIES[SEVERITIES.index(fail_on) :]
        is_bad = self.changed or any(self.severities[each] for each in counting)
        return DISALLOWED if is_bad else FINE

    def found(self) -> str:
        """Return `3 errors, 2 warnings in 1 file; 2 can be fixed with --fix`."""
        said = [self._findings()]
        if self.fixable:
            said.append(f"{self.fixable:,} can be fixed with --fix")
        if self.unsafe:
            more = " more" if self.fixable else ""
            said.append(f"{self.unsafe:,}{more} with --fix --unsafe-fixes")
        return "; ".join(said)

    def fixed(self) -> str:
        """Return `2 fixed; 1 error in 1 file`."""
        return "; ".join([f"{self.made:,} fixed", *self._refused(), self._findings()])

    def fixable_in(self) -> str:
        """Return `2 fixes in 1 file`."""
        fixes = f"{self.made:,} fix{'' if self.made == 1 else 'es'}"
        files = f"{self.changed:,} of {counted(self.files, 'file')}"
        return "; ".join([f"{fixes} in {files}", *self._refused()])

    def _refused(self) -> Iterator[str]:
        if self.refused:
            yield f"{self.refused:,} left out, not proved to change no decision"

    def _findings(self) -> str:
        found = [
            counted(self.severities[each], each)
            for each in reversed(SEVERITIES)
            if self.severities[each]
        ]
        files = counted(self.files, "file")
        if self.with_findings and self.with_findings != self.files:
            files = f"{self.with_findings:,} of {files}"
        return f"{', '.join(found) or 'no findings'} in {files}"
