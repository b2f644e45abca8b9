"""One file looked at: what the checks find, what is mended, and what is written of it.

In: an `Input`. Out: a `Looked`, whose text is a piece of the output: processes that work on many
files hand over no more than that, and how often each check fired.
"""

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property

from verger.cli.exit import Failure
from verger.cli.linting.inputs import Input
from verger.cli.linting.place import FileText
from verger.cli.linting.tally import Counts
from verger.cli.linting.writers import WRITERS
from verger.errors import RobotsError
from verger.lint import Diagnostic, Report, Settings, lint, settings_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.writers import Writer
    from verger.lint import Fixed

WITH_EDITS = ("json", "sarif")
"""Formats from which programs make fixes."""

GUARDED = ("RT101", "RT102", "RT103", "RT104", "RT501", "RT502")
"""What stops a deployment: a file that is not a robots.txt file, or closes the site to search."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is done with every file, such as the command line asks for it."""

    writer: str
    """The format of the output."""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    config: Settings | None = None
    """The settings of the one file that was named; None for the nearest above each."""
    fix: bool = False
    """Whether fixes are written, or shown with `diff`."""
    unsafe: bool = False
    diff: bool = False
    guard: bool = False
    coloured: bool = False

    def settings(self, path: str) -> Settings:
        """Return the settings for a file; the command line has the last word."""
        settings = self.config or settings_for(path)
        if self.guard:
            settings = Settings(GUARDED, targets=settings.targets)
        return replace(
            settings,
            select=self.select or settings.select,
            ignore=self.ignore or settings.ignore,
            targets=self.targets or settings.targets,
        )


@dataclass(frozen=True, slots=True)
class Linted:
    """A file and what was found in it."""

    input: Input
    report: Report
    text: FileText
    made: tuple[Diagnostic, ...] = ()
    """What was mended."""
    refused: int = 0


@dataclass(frozen=True, slots=True)
class Looked:
    """What became of one file."""

    text: str = ""
    """Its piece of the output."""
    counts: Counts = field(default_factory=Counts)
    body: bytes | None = None
    """The new file, where it goes to stdout."""
    would_change: bool = False
    failure: tuple[str, str | None] | None = None
    """Message and hint, where the file could not be looked at."""


class Looker:
    """Looks at one file after the other."""

    def __init__(self, task: Task) -> None:
        self._task = task

    @cached_property
    def _writer(self) -> "Writer":
        return WRITERS[self._task.writer](coloured=self._task.coloured)

    def __call__(self, each: Input) -> Looked:
        """Look at a file; what cannot be done becomes words."""
        try:
            return self._look(each)
        except (Failure, RobotsError) as error:
            return Looked(failure=(error.message, error.hint or "name another file"))

    def _look(self, each: Input) -> Looked:
        task = self._task
        body = each.read()
        settings = task.settings(each.path)
        if not task.fix:
            report = self._guarded(lint(body, settings=settings, url=each.url))
            return self._told(Linted(each, self._proved(report, each.url), FileText(body)))
        from verger.lint import fixed

        done = fixed(body, settings=settings, url=each.url, unsafe=task.unsafe)
        if task.diff:
            return _shown(each, body, done)
        if done.body != body and each.is_on_disk:
            each.write(done.body)
        left = self._proved(done.report, each.url)
        told = self._told(Linted(each, left, FileText(done.body), done.made, len(done.refused)))
        return told if each.is_on_disk else replace(told, body=done.body)

    def _proved(self, report: Report, url: str | None) -> Report:
        """Return a report for a program that makes the fixes: safe is what is proved to be."""
        if self._task.writer not in WITH_EDITS:
            return report
        from verger.lint import proved

        found = tuple(proved(report.body, report.diagnostics, url=url))
        return replace(report, diagnostics=found)

    def _guarded(self, report: Report) -> Report:
        """Return a report for a gate: each finding is an error, and no comment silences it."""
        if not self._task.guard:
            return report
        found = (*report.diagnostics, *report.silenced)
        return Report(report.body, tuple(replace(each, severity="error") for each in found))

    def _told(self, linted: Linted) -> Looked:
        found = linted.report.diagnostics
        fixes = [each.fix.applicability for each in found if each.fix]
        counts = Counts(
            Counter(each.code for each in found),
            Counter(each.severity for each in found),
            fixable=fixes.count("safe"),
            unsafe=fixes.count("unsafe"),
            made=len(linted.made),
            refused=linted.refused,
        )
        return Looked(self._writer.of_file(linted), counts)


def _shown(each: Input, body: bytes, done: "Fixed") -> Looked:
    from verger.cli.linting.patch import patch

    changes = patch(each.name, body, done.body)
    counts = Counts(made=len(done.made), refused=len(done.refused))
    return Looked(changes, counts, would_change=bool(changes))
