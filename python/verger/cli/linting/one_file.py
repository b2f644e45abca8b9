"""Lint one file: run the checks, make the fixes, write its part of the output.

In: an `Input`. Out: a `Result`. It holds the output as text, so that processes which share many
files pass little more than what is printed.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from verger.cli.exit import Failure
from verger.cli.linting.inputs import Input
from verger.cli.linting.place import FileText
from verger.cli.linting.results import Counts, Linted, Result
from verger.cli.linting.writers import WRITERS
from verger.errors import RobotsError
from verger.lint import Report, Settings, lint, settings_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.writers import Writer
    from verger.lint import Fixed

WITH_EDITS = ("json", "sarif")
"""Formats whose fixes are applied by other programs."""

GUARDED = ("RT101", "RT102", "RT103", "RT104", "RT501", "RT502")
"""Checks that stop a deployment: not a robots.txt file, or the site is closed to search engines."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with each file, from the command line."""

    writer: str
    """The format of the output."""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    config: Settings | None = None
    """The settings given with `--config`; None for the nearest settings file above each input."""
    fix: bool = False
    """Whether to write fixes, or show them with `diff`."""
    unsafe: bool = False
    diff: bool = False
    guard: bool = False
    coloured: bool = False

    def settings(self, path: str) -> Settings:
        """Return the settings for a file; the command line overrides the settings file."""
        settings = self.config or settings_for(path)
        if self.guard:
            settings = Settings(GUARDED, targets=settings.targets)
        return replace(
            settings,
            select=self.select or settings.select,
            ignore=self.ignore or settings.ignore,
            targets=self.targets or settings.targets,
        )


class Linter:
    """Lints one file after another."""

    def __init__(self, task: Task) -> None:
        self._task = task

    @cached_property
    def _writer(self) -> "Writer":
        return WRITERS[self._task.writer](coloured=self._task.coloured)

    def __call__(self, each: Input) -> Result:
        """Lint a file; a failure becomes a part of the result."""
        try:
            return self._lint(each)
        except (Failure, RobotsError) as error:
            return Result(failure=(error.message, error.hint or "name another file"))

    def _lint(self, each: Input) -> Result:
        task = self._task
        body = each.read()
        settings = task.settings(each.path)
        if not task.fix:
            report = self._guard(lint(body, settings=settings, url=each.url))
            return self._result(Linted(each, self._prove(report, each.url), FileText(body)))
        from verger.lint import fixed

        done = fixed(body, settings=settings, url=each.url, unsafe=task.unsafe)
        if task.diff:
            return _diff(each, body, done)
        if done.body != body and each.is_on_disk:
            each.write(done.body)
        left = self._prove(done.report, each.url)
        result = self._result(Linted(each, left, FileText(done.body), done.made, len(done.refused)))
        return result if each.is_on_disk else replace(result, body=done.body)

    def _prove(self, report: Report, url: str | None) -> Report:
        """Return a report for a program that makes the fixes: only proved fixes are safe."""
        if self._task.writer not in WITH_EDITS:
            return report
        from verger.lint import proved

        found = tuple(proved(report.body, report.diagnostics, url=url))
        return replace(report, diagnostics=found)

    def _guard(self, report: Report) -> Report:
        """Return a report for a gate: each finding is an error, and no comment silences it."""
        if not self._task.guard:
            return report
        found = (*report.diagnostics, *report.silenced)
        return Report(report.body, tuple(replace(each, severity="error") for each in found))

    def _result(self, linted: Linted) -> Result:
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
        return Result(self._writer.of_file(linted), counts)


def _diff(each: Input, body: bytes, done: "Fixed") -> Result:
    from verger.cli.linting.patch import patch

    changes = patch(each.name, body, done.body)
    counts = Counts(made=len(done.made), refused=len(done.refused))
    return Result(changes, counts, would_change=bool(changes))
