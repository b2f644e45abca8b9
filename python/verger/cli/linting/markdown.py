"""Findings as Markdown for a pull request: a table for each file.

In: the diagnostics of a file. Out: GitHub Flavored Markdown. Quotes from files are escaped, so that
nothing in them is a link, a mention, a tag or a column.
"""

from verger.cli.linting.text import Nothing
from verger.cli.markdown import code, prose, sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.results import Linted
    from verger.cli.linting.tally import LintTally
    from verger.lint import Diagnostic

HEADER = "| line | | check | finding |\n|---:|---|---|---|\n"

MOST_ROWS = 50
"""The most findings of a file: a comment on GitHub has room for a few hundred."""


class Markdown(Nothing):
    """A table for each file with findings, and a line about all."""

    between = "\n"

    def opening(self) -> str:
        """Return the title."""
        return "### verger lint\n\n"

    def of_file(self, linted: "Linted") -> str:
        """Return the table of a file."""
        found = linted.diagnostics
        if not found:
            return ""
        rows = "".join(map(_row, found[:MOST_ROWS]))
        rest = len(found) - MOST_ROWS
        more = f"| | | | and {rest:,} more |\n" if rest > 0 else ""
        return f"{code(linted.input.name)}\n\n{HEADER}{rows}{more}"

    def closing(self, tally: "LintTally") -> str:
        """Return the totals over all files as a sentence."""
        said = f"{sentence(tally.found())}\n"
        return f"\n{said}" if tally.fired else said


def _row(each: "Diagnostic") -> str:
    cells = (str(each.line), each.severity, f"{each.code} {each.name}", _finding(each))
    return f"| {' | '.join(cells)} |\n"


def _finding(each: "Diagnostic") -> str:
    said = [prose(f"{each.message}: {each.why}")]
    if each.witness is not None:
        said.append(f"try {code(each.witness)}")
    if each.fix is not None:
        said.append(f"fix: {prose(each.fix.title)}")
    return "<br>".join(said)
