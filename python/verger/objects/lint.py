"""What `lint` finds as objects, see `schemas/lint-1.schema.json`, and the places of diagnostics."""

from collections import Counter
from collections.abc import Mapping

from verger.files.json_text import Json
from verger.files.positions import Positions, Span
from verger.lint import Diagnostic, LintReport

LINT_SCHEMA = "verger.lint/1"


class DiagnosticPlaces(Positions):
    """A file, with the places of diagnostics about it: spans that stay in one line, and columns.

    Fastest if requested in the order of the file.
    """

    def line_of(self, diagnostic: Diagnostic) -> Span:
        """Return the bytes of a diagnostic's line, without its end."""
        return self.line_span(min(diagnostic.line, len(self.starts)) - 1)

    def span_of(self, diagnostic: Diagnostic) -> Span:
        """Return the span of a diagnostic, within its line."""
        start, stop = self.line_of(diagnostic)
        first = min(max(diagnostic.span[0], start), stop)
        return first, min(max(diagnostic.span[1], first), stop)

    def columns_of(self, diagnostic: Diagnostic) -> tuple[int, int]:
        """Return the columns where a diagnostic begins and ends, from 1."""
        first, last = self.span_of(diagnostic)
        return self.place(first)[1] + 1, self.place(last)[1] + 1


def lint_report(name: str, done: LintReport) -> Json:
    """Return the report on one file, as the command prints it."""
    fired = Counter(each.code for each in done.diagnostics)
    counts = Counter[str](each.severity for each in done.diagnostics)
    return {
        "schema": LINT_SCHEMA,
        "files": [lint_object(name, done)],
        "unread": [],
        "summary": lint_summary(1, counts, fired, dict.fromkeys(fired, 1)),
    }


def lint_object(name: str, done: LintReport) -> Json:
    """Return what was found in a file."""
    places = DiagnosticPlaces(done.body, "utf-32")
    return {
        "file": name,
        "fixed": len(done.made),
        "silenced": len(done.silenced),
        "diagnostics": [_facts(one, places) for one in done.diagnostics],
    }


def lint_summary(
    files: int, counts: Counter[str], fired: Mapping[str, int], fired_in: Mapping[str, int]
) -> Json:
    """Return the totals over files.

    counts:    diagnostics by severity, and fixes `made`.
    fired:     how often each check fired, by code; and in how many files.
    """
    return {
        "files": files,
        "errors": counts["error"],
        "warnings": counts["warning"],
        "notes": counts["note"],
        "fixed": counts["made"],
        "checks": {
            code: {"findings": count, "files": fired_in[code]}
            for code, count in sorted(fired.items())
        },
    }


def _facts(each: Diagnostic, places: DiagnosticPlaces) -> Json:
    first, last = places.columns_of(each)
    return {
        "code": each.code,
        "name": each.name,
        "severity": each.severity,
        "message": each.message,
        "why": each.why,
        "line": each.line,
        "column": first,
        "end_column": last,
        "span": each.span,
        "witness": each.witness,
        "fix": each.fix
        and {
            "title": each.fix.title,
            "applicability": each.fix.applicability,
            "edits": [
                {
                    "span": edit.span,
                    "replacement": edit.replacement.decode("utf-8", "surrogateescape"),
                }
                for edit in each.fix.edits
            ],
        },
        "related": [{"line": one.line, "message": one.message} for one in each.related],
    }
