"""Findings as one JSON object.

In: the diagnostics of files. Out: an object that follows `schemas/lint-1.schema.json`, in ASCII,
with a line for each file.
"""

from verger.cli.linting.text import Nothing
from verger.files.json_text import Json, json_text
from verger.files.places import input_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.results import Linted
    from verger.cli.linting.tally import LintTally
    from verger.lint import Diagnostic, Fix
    from verger.lint.places import DiagnosticPlaces

SCHEMA = "verger.lint/1"


class JsonObject(Nothing):
    """One object for all files."""

    between = ",\n"
    is_whole = True

    def opening(self) -> str:
        """Return the beginning of the object."""
        return f'{{"schema": "{SCHEMA}", "files": [\n'

    def of_file(self, linted: "Linted") -> str:
        """Return the object of a file."""
        places = linted.places()
        return json_text(
            {
                "file": input_name(linted.input.path),
                "fixed": len(linted.done.made),
                "silenced": len(linted.done.report.silenced),
                "diagnostics": [_facts(each, places) for each in linted.diagnostics],
            }
        )

    def closing(self, tally: "LintTally") -> str:
        """Return the end of the object."""
        checks = {
            code: {"findings": count, "files": tally.fired_in[code]}
            for code, count in sorted(tally.fired.items())
        }
        summary = {
            "files": tally.files,
            "errors": tally.severities["error"],
            "warnings": tally.severities["warning"],
            "notes": tally.severities["note"],
            "fixed": tally.made,
            "checks": checks,
        }
        unread = [message for message, _ in tally.failures]
        return f'\n], "unread": {json_text(unread)}, "summary": {json_text(summary)}}}\n'


def _facts(each: "Diagnostic", places: "DiagnosticPlaces") -> Json:
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
        "fix": each.fix and _fix(each.fix),
        "related": [{"line": one.line, "message": one.message} for one in each.related],
    }


def _fix(fix: "Fix") -> Json:
    return {
        "title": fix.title,
        "applicability": fix.applicability,
        "edits": [
            {
                "span": edit.span,
                "replacement": edit.replacement.decode("utf-8", "surrogateescape"),
            }
            for edit in fix.edits
        ],
    }
