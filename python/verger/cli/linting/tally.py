"""Counts of findings and fixes over all files.

In: the result of each file. Out: the exit code, and the closing line for stderr.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from verger.cli.exit import DISALLOWED, FAILED, FINE
from verger.cli.linting.results import Counts
from verger.lint.diagnostic import SEVERITIES
from verger.plain import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.results import Result
    from verger.lint import Severity


@dataclass(slots=True)
class LintTally(Counts):
    """Counts over all files."""

    files: int = 0
    """Files that were linted."""
    with_findings: int = 0
    changed: int = 0
    """Files that `--fix` would change."""
    fired_in: Counter[str] = field(default_factory=Counter)
    """The number of files in which each check fired."""
    failures: dict[tuple[str, str | None], None] = field(default_factory=dict)

    def add(self, result: "Result") -> None:
        """Count a file."""
        if result.failure is not None:
            self.failures.setdefault(result.failure)
            return
        self.include(result.counts)
        self.files += 1
        self.with_findings += bool(result.counts.fired)
        self.changed += result.would_change
        self.fired_in.update(result.counts.fired.keys())

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
