"""Findings as SARIF 2.1.0 (OASIS Standard, 27 March 2020).

In: the diagnostics of files. Out: one log with one run, in ASCII, with a line for each result.
Columns count code units of UTF-16; bytes have their own offsets. A fingerprint consists of the
check, the text of the line, and its number among identical ones, so it does not change when lines
move.
"""

# ruff: noqa: PTH100, PTH117, PTH206

import os
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from inspect import cleandoc
from urllib.parse import quote

from verger import __version__
from verger.cli.linting.inputs import LintInput
from verger.cli.linting.text import Nothing
from verger.files.json_text import Json, json_text
from verger.lint import Check, all_checks
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.analysis import Edit
    from verger.cli.linting.results import Linted
    from verger.cli.linting.tally import LintTally
    from verger.lint import Diagnostic, Fix
    from verger.lint.places import DiagnosticPlaces

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT = "primaryLocationLineHash"
"""The one fingerprint that GitHub's code scanning reads."""

APPLIED = ("safe", "unsafe")
"""Fixes that a tool can make; SARIF has no fixes that a person must choose."""


class Sarif(Nothing):
    """One log for all files."""

    between = ",\n"
    is_whole = True

    def __init__(self, *, coloured: bool) -> None:
        super().__init__(coloured=coloured)
        self._index = {code: at for at, code in enumerate(all_checks())}

    def opening(self) -> str:
        """Return the log up to its results."""
        driver = {
            "name": "verger",
            "semanticVersion": __version__,
            "rules": list(map(_rule, all_checks().values())),
        }
        return (
            f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [{{\n'
            f'"tool": {json_text({"driver": driver})},\n'
            '"columnKind": "utf16CodeUnits",\n"results": [\n'
        )

    def of_file(self, linted: "Linted") -> str:
        """Return the results of a file."""
        where, places, seen = _artifact(linted.input), linted.places("utf-16"), Counter[str]()
        return ",\n".join(
            json_text(self._result(each, where, places, seen)) for each in linted.diagnostics
        )

    def closing(self, tally: "LintTally") -> str:
        """Return the log after its results: whether all files were checked."""
        notes = [{"level": "error", "message": {"text": text}} for text, _ in tally.failures]
        invocation = {
            "executionSuccessful": not tally.failures,
            "toolExecutionNotifications": notes,
        }
        return f'\n],\n"invocations": [{json_text(invocation)}]\n}}]}}\n'

    def _result(
        self, each: "Diagnostic", where: Json, places: "DiagnosticPlaces", seen: Counter[str]
    ) -> Json:
        result: dict[str, object] = {
            "ruleId": each.code,
            "ruleIndex": self._index[each.code],
            "level": each.severity,
            "message": _text(_message(each)),
            "locations": [_location(where, _region(each, places))],
            "partialFingerprints": {FINGERPRINT: _fingerprint(each, places, seen)},
        }
        if each.related:
            result["relatedLocations"] = [
                {
                    **_location(where, {"startLine": one.line}),
                    "id": at,
                    "message": _text(one.message),
                }
                for at, one in enumerate(each.related)
            ]
        if each.fix is not None and each.fix.applicability in APPLIED:
            result["fixes"] = [_fix(each.fix, where)]
        return result


def _rule(check: Check) -> Json:
    return {
        "id": check.code,
        "name": "".join(word.capitalize() for word in check.name.split("-")),
        "shortDescription": {"text": check.summary},
        "fullDescription": {"text": f"{check.why[:1].upper()}{check.why[1:]}."},
        "help": {"text": cleandoc(check.doc)},
        "defaultConfiguration": {"level": check.severity},
    }


def _message(each: "Diagnostic") -> str:
    said = f"{each.message}: {each.why}"
    return f"{said}. Try {each.witness}" if each.witness is not None else said


def _text(text: str) -> Json:
    """Return a message in which nothing from a file is a link, such as `[text](target)` (section
    3.11.6)."""
    return {"text": printable(text).replace("](", r"]\x28")}


def _artifact(each: LintInput) -> Json:
    """Return the location of a file: a relative path below the current folder, else a URL."""
    if each.body is not None:
        return {"uri": each.url or "stdin"}
    path = os.path.normpath(each.path)
    if os.path.isabs(path) or path.split(os.sep)[0] == os.pardir:
        return {"uri": f"file://{_quoted(os.path.abspath(path))}"}
    return {"uri": _quoted(path), "uriBaseId": "%SRCROOT%"}


def _quoted(path: str) -> str:
    return quote(os.fsencode(path.replace(os.sep, "/")))


def _location(where: Json, region: Json) -> Json:
    return {"physicalLocation": {"artifactLocation": where, "region": region}}


def _region(each: "Diagnostic", places: "DiagnosticPlaces") -> Json:
    first, last = places.columns_of(each)
    start, stop = places.span_of(each)
    return {
        "startLine": each.line,
        "startColumn": first,
        "endLine": each.line,
        "endColumn": last,
        "byteOffset": start,
        "byteLength": stop - start,
    }


def _fingerprint(each: "Diagnostic", places: "DiagnosticPlaces", seen: Counter[str]) -> str:
    line = places.body[slice(*places.line_of(each))].strip()
    digest = sha256(b"\0".join((each.code.encode(), line))).hexdigest()[:16]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


def _fix(fix: "Fix", where: Json) -> Json:
    return {
        "description": _text(fix.title),
        "artifactChanges": [
            {"artifactLocation": where, "replacements": list(map(_replacement, fix.edits))}
        ],
        "properties": {"applicability": fix.applicability},
    }


def _replacement(edit: "Edit") -> Json:
    start, stop = edit.span
    replaced: dict[str, object] = {
        "deletedRegion": {"byteOffset": start, "byteLength": stop - start}
    }
    if edit.replacement:
        replaced["insertedContent"] = _content(edit.replacement)
    return replaced


def _content(data: bytes) -> Json:
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"binary": b64encode(data).decode("ascii")}
