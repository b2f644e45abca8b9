"""Findings as annotations of a GitHub workflow.

In: the diagnostics of a file. Out: one workflow command per line (GitHub Docs, "Workflow commands
for GitHub Actions"), in which text from a file cannot become a command.
"""

import os

from verger.cli.linting.text import Nothing
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.results import Linted
    from verger.lint import Diagnostic
    from verger.lint.places import DiagnosticPlaces

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}

IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = IN_MESSAGE | {":": "%3A", ",": "%2C"}
"""Escaped characters (actions/toolkit, `packages/core/src/command.ts`)."""


class Github(Nothing):
    """A workflow command for each diagnostic."""

    def of_file(self, linted: "Linted") -> str:
        """Return the annotations of a file."""
        path = linted.input.name if linted.input.body is not None else linted.input.path
        places = linted.places()
        return "".join(f"{_command(path, each, places)}\n" for each in linted.diagnostics)


def _command(path: str, each: "Diagnostic", places: "DiagnosticPlaces") -> str:
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
    return f"::{LEVELS[each.severity]} {said}::{escaped(_message(each), IN_MESSAGE)}"


def _message(each: "Diagnostic") -> str:
    said = [f"{each.message}: {each.why}"]
    if each.witness is not None:
        said.append(f"try: {each.witness}")
    if each.fix is not None:
        said.append(f"fix: {each.fix.title}")
    return "\n".join(map(printable, said))


def escaped(text: str, table: dict[str, str]) -> str:
    """Return text escaped for a part of a workflow command, without control characters."""
    return "".join(table.get(each) or printable(each) for each in text)
