"""Workflow commands of GitHub, one for each finding (GitHub Docs, "Workflow commands for GitHub
Actions").
"""

import os

from verger.cli.inputs import LintInput
from verger.cli.lint_formats.lint_format import parts
from verger.lint import Diagnostic, LintReport
from verger.objects.lint import DiagnosticPlaces
from verger.showing.palette import Palette
from verger.untrusted_text import printable

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}

IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = IN_MESSAGE | {":": "%3A", ",": "%2C"}
"""Escaped characters (actions/toolkit, `packages/core/src/command.ts`)."""


def github_of_file(each: LintInput, done: LintReport, _palette: Palette) -> str:
    path = each.name if each.body is not None else each.path
    places = DiagnosticPlaces(done.body, "utf-32")
    return "".join(f"{_command(path, one, places)}\n" for one in done.diagnostics)


def _command(path: str, each: Diagnostic, places: DiagnosticPlaces) -> str:
    first, last = places.columns_of(each)
    properties = {
        "file": os.path.normpath(path) if os.path.lexists(path) else path,
        "line": str(each.line),
        "endLine": str(each.line),
        "col": str(first),
        "endColumn": str(max(last, first)),
        "title": f"{each.code} {each.name}",
    }
    said = ",".join(f"{name}={escaped(value, IN_PROPERTY)}" for name, value in properties.items())
    message = "\n".join(parts(each, printable, lambda url: f"try: {printable(url)}"))
    return f"::{LEVELS[each.severity]} {said}::{escaped(message, IN_MESSAGE)}"


def escaped(text: str, table: dict[str, str]) -> str:
    """Return text escaped for a part of a workflow command, without control characters."""
    return "".join(table.get(each) or printable(each) for each in text)
