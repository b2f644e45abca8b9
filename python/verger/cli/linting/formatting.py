"""One file formatted: written in place, to stdout, or shown as a diff.

In: a `LintInput`. Out: a `Formatted`. A file that is not a robots.txt file is refused and
unchanged.
"""

from dataclasses import dataclass

from verger.cli.linting.inputs import LintInput
from verger.errors import RobotsError
from verger.files.places import STANDARD
from verger.files.writing import rewrite
from verger.lint.format import formatted, why_not_formatted
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
        changes = new != body
        if self._diff:
            from verger.cli.linting.patch import patch

            return Formatted(each.name, changes, patch(each.name, body, new))
        if not self._is_dry and each.path == STANDARD:
            return Formatted(each.name, changes, body=new)
        if not self._is_dry:
            rewrite(each.path, body, new)
        return Formatted(each.name, changes)
