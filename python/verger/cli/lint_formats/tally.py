"""What was done with one file, or with all: counts, the exit code, and the closing lines."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from verger.cli.output import DISALLOWED, FAILED, FINE
from verger.lint import SEVERITIES, Severity
from verger.untrusted_text import counted


@dataclass(slots=True)
class LintTally:
    """What `verger lint` or `fmt` did with one file, and its output; or with all files. Small,
    since one process hands it to another."""

    text: str = ""
    """The part of the output of one file."""
    body: bytes | None = None
    """The new file, if it goes to stdout."""
    files: int = 0
    """Files that were linted."""
    fired: Counter[str] = field(default_factory=Counter)
    """How often each check fired, by code."""
    fired_in: Counter[str] = field(default_factory=Counter)
    """The number of files in which each check fired."""
    counts: Counter[str] = field(default_factory=Counter)
    """Diagnostics by severity; `safe` and `unsafe` fixes on offer; fixes `made`, and safe ones
    `refused`, since a decision would change; files that `--fix` would have `changed`, and those
    `with_findings`; files of which notes have `told` what changed."""
    failures: dict[tuple[str, str | None], None] = field(default_factory=dict)
    """Message and hint for each file that could not be read or written."""
    notes: tuple[str, ...] = ()
    """Where the format is left out, and why; what unsafe fixes changed."""

    def add(self, file: "LintTally") -> None:
        """Count a file."""
        self.files += file.files
        self.fired.update(file.fired)
        self.fired_in.update(file.fired.keys())
        self.counts.update(file.counts, with_findings=bool(file.fired))
        self.failures |= file.failures

    def code(self, fail_on: Severity) -> int:
        """Return the exit code."""
        if self.failures:
            return FAILED
        counting = ("changed", *SEVERITIES[SEVERITIES.index(fail_on) :])
        return DISALLOWED if any(self.counts[each] for each in counting) else FINE

    def found(self) -> str:
        """Return `3 errors, 2 warnings in 1 file; 2 can be fixed with --fix`."""
        said = [self._findings()]
        if safe := self.counts["safe"]:
            said.append(f"{safe:,} can be fixed with --fix")
        if unsafe := self.counts["unsafe"]:
            more = " more" if safe else ""
            said.append(f"{unsafe:,}{more} with --fix --unsafe-fixes")
        return "; ".join(said)

    def fixed(self) -> str:
        """Return `2 fixed, 0 URLs and 0 uses changed; 1 error in 1 file`; notes name what unsafe
        fixes changed."""
        made = f"{self.counts['made']:,} fixed"
        if self.counts["made"] and not self.counts["told"]:
            made += ", 0 URLs and 0 uses changed"
        return "; ".join([made, *self._refused(), self._findings()])

    def fixable_in(self) -> str:
        """Return `2 fixes in 1 file`."""
        made = self.counts["made"]
        fixes = f"{made:,} fix{'' if made == 1 else 'es'}"
        files = f"{self.counts['changed']:,} of {counted(self.files, 'file')}"
        return "; ".join([f"{fixes} in {files}", *self._refused()])

    def _refused(self) -> Iterator[str]:
        if refused := self.counts["refused"]:
            yield f"{refused:,} left out, not proved to change no decision"

    def _findings(self) -> str:
        found = [
            counted(self.counts[each], each) for each in reversed(SEVERITIES) if self.counts[each]
        ]
        files, some = counted(self.files, "file"), self.counts["with_findings"]
        if some and some != self.files:
            files = f"{some:,} of {files}"
        return f"{', '.join(found) or 'no findings'} in {files}"
