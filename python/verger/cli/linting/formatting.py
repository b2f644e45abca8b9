"""One file formatted: written in place, to stdout, or shown as a diff.

In: a `LintInput`. Out: a `Formatted`. A file that is not a robots.txt file is refused and
unchanged.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from verger.cli.linting.inputs import LintInput
from verger.errors import RobotsError
from verger.files.places import STANDARD
from verger.files.writing import rewrite
from verger.lint.format import formatted, unparted, why_not_formatted
from verger.plain import printable


@dataclass(frozen=True, slots=True)
class Formatted:
    """The result for one file."""

    name: str = ""
    changes: bool = False
    text: str = ""
    """The changes as a diff, if requested."""
    body: bytes | None = None
    """The new file, if it goes to stdout."""
    failure: tuple[str, str | None] | None = None
    notes: tuple[str, ...] = ()
    """Where the format is left out, and why."""


class Formatter:
    """Formats one file after another."""

    def __init__(self, *, is_dry: bool, diff: bool) -> None:
        """Prepare to format.

        is_dry:  whether to leave the files unchanged.
        """
        self._is_dry = is_dry
        self._diff = diff

    def __call__(self, each: LintInput) -> Formatted:
        """Format a file; a failure becomes a part of the result."""
        try:
            return self._format(each)
        except RobotsError as error:
            return Formatted(failure=(error.message, error.hint or "name another file"))

    def _format(self, each: LintInput) -> Formatted:
        body = each.read()
        if (why := why_not_formatted(body)) is not None:
            message = f"`{each.name}` cannot be formatted: {printable(why)}"
            return Formatted(failure=(message, "pass a robots.txt file in UTF-8"))
        new = formatted(body)
        done = Formatted(each.name, new != body, notes=tuple(_notes(each.name, body)))
        if self._diff:
            from verger.cli.linting.patch import patch

            return replace(done, text=patch(each.name, body, new))
        if not self._is_dry and each.path == STANDARD:
            return replace(done, body=new)
        if not self._is_dry:
            rewrite(each.path, body, new)
        return done


def _notes(name: str, body: bytes) -> Iterator[str]:
    """Yield where no blank line is written before a start-group line, and why."""
    for number, dialect in unparted(body).items():
        yield f"{name}:{number}: no blank line is added above: in {dialect}, it would end the group"
