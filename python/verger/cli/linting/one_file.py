"""Lint one file, and write its part of the output.

In: a `LintInput`. Out: a `Result`. It holds the output as text, so that processes which share many
files pass little more than what is printed.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

from verger.cli.linting.inputs import LintInput
from verger.cli.linting.results import Counts, Linted, Result
from verger.cli.linting.writers import WRITERS
from verger.errors import RobotsError
from verger.files.writing import rewrite
from verger.lint import Fixed, Settings, settings_for
from verger.lint.modes import Mode, Tried, run_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.writers import Writer

TRIED: dict[str, Tried] = {
    "json": "one-by-one",
    "sarif": "one-by-one",
    "text": "together",
    "github": "together",
    "markdown": "together",
}
"""How far the formats try fixes: other programs apply those of JSON and SARIF."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to do with each file, from the command line."""

    writer: str
    """The format of the output; `diff` shows what a mode with fixes would write."""
    mode: Mode = "lint"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    config: Settings | None = None
    """The settings given with `--config`; None for the nearest settings file above each input."""
    coloured: bool = False

    def settings(self, path: str) -> Settings:
        """Return the settings for a file; the command line overrides the settings file."""
        settings = self.config or settings_for(path)
        return settings.updated(self.select, self.ignore, self.targets)


class Linter:
    """Lints one file after another."""

    def __init__(self, task: Task) -> None:
        self._task = task

    @cached_property
    def _writer(self) -> "Writer":
        writer: Writer = WRITERS[self._task.writer].load()(coloured=self._task.coloured)
        return writer

    def __call__(self, each: LintInput) -> Result:
        """Lint a file; a failure becomes a part of the result."""
        try:
            return self._lint(each)
        except RobotsError as error:
            return Result(failure=(error.message, error.hint or "name another file"))

    def _lint(self, each: LintInput) -> Result:
        task, body = self._task, each.read()
        tried = TRIED.get(task.writer, "as-checked")
        done = run_on(
            body,
            task.settings(each.path),
            url=each.url,
            name=each.file_name,
            mode=task.mode,
            fixes=tried,
        )
        if task.writer == "diff":
            return _diff(each, body, done)
        result = Result(self._writer.of_file(Linted(each, done)), _counts(done, tried))
        if not task.mode.startswith("fix"):
            return result
        if not each.is_on_disk:
            return replace(result, body=done.body)
        rewrite(each.path, body, done.body)
        return result


def _counts(done: Fixed, tried: Tried) -> Counts:
    """Return what is counted for a file; only fixes that were tried together are on offer."""
    found = done.report.diagnostics
    fixes = [each.fix.applicability for each in found if each.fix and tried == "together"]
    return Counts(
        Counter(each.code for each in found),
        Counter(each.severity for each in found),
        fixable=fixes.count("safe"),
        unsafe=fixes.count("unsafe"),
        made=len(done.made),
        refused=len(done.refused),
    )


def _diff(each: LintInput, body: bytes, done: Fixed) -> Result:
    from verger.cli.linting.patch import patch

    changes = patch(each.name, body, done.body)
    counts = Counts(made=len(done.made), refused=len(done.refused))
    return Result(changes, counts, would_change=bool(changes))
