"""Markdown for a pull request: a table for each file with findings, and a line about all."""

from verger.cli.inputs import LintInput
from verger.cli.lint_formats.lint_format import parts
from verger.cli.lint_formats.tally import LintTally
from verger.lint import Diagnostic, LintReport
from verger.showing.palette import Palette
from verger.showing.printing import (
    at_most,
    code,
    prose,
    sentence,
)

MARKDOWN_HEADER = "| line | | check | finding |\n|---:|---|---|---|\n"

MOST_ROWS = 50
"""The most findings of a file: a comment on GitHub has room for a few hundred."""


def markdown_of_file(each: LintInput, done: LintReport, _palette: Palette) -> str:
    """Return the table of a file."""
    found = done.diagnostics
    if not found:
        return ""
    rows = at_most(found, MOST_ROWS, _row, lambda rest: f"| | | | and {rest:,} more |\n")
    return f"{code(each.name)}\n\n{MARKDOWN_HEADER}{''.join(rows)}"


def markdown_closing(tally: LintTally) -> str:
    """Return the totals over all files as a sentence."""
    said = f"{sentence(tally.found())}\n"
    return f"\n{said}" if tally.fired else said


def _row(each: Diagnostic) -> str:
    finding = "<br>".join(parts(each, prose, lambda url: f"try {code(url)}"))
    cells = (str(each.line), each.severity, f"{each.code} {each.name}", finding)
    return f"| {' | '.join(cells)} |\n"
