"""SARIF 2.1.0 (OASIS Standard, 27 March 2020): one log with one run, in ASCII.

Columns count code units of UTF-16; bytes have their own offsets. A fingerprint consists of the
check, the text of the line, and its number among identical ones, so it does not change when lines
move.
"""

# ruff: noqa: PTH100, PTH117, PTH206

import os
from base64 import b64encode
from collections import Counter
from contextlib import suppress
from hashlib import sha256
from inspect import cleandoc
from pathlib import Path
from urllib.parse import quote

from verger import __version__
from verger.analysis import Edit
from verger.cli.inputs import LintInput
from verger.cli.lint_formats.tally import LintTally
from verger.files.json_text import Json, json_text
from verger.lint import Diagnostic, LintReport, all_checks
from verger.objects.lint import DiagnosticPlaces
from verger.showing.palette import Palette
from verger.untrusted_text import printable

FINGERPRINT = "primaryLocationLineHash"
"""The one fingerprint that GitHub's code scanning reads."""

APPLIED = ("safe", "unsafe")
"""Fixes that a tool can make; SARIF has no fixes that a person must choose."""


SARIF_OPENING = (
    '{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{\n'
    '"columnKind": "utf16CodeUnits",\n"results": [\n'
)


def sarif_of_file(each: LintInput, done: LintReport, _palette: Palette) -> str:
    where, places, seen = _artifact(each), DiagnosticPlaces(done.body, "utf-16"), Counter[str]()
    return ",\n".join(
        json_text(_sarif_result(one, where, places, seen)) for one in done.diagnostics
    )


def sarif_closing(tally: LintTally) -> str:
    """Return the log after its results: whether all files were checked, and by what."""
    notes = [{"level": "error", "message": {"text": text}} for text, _ in tally.failures]
    invocation = {
        "executionSuccessful": not tally.failures,
        "toolExecutionNotifications": notes,
    }
    driver = {
        "name": "verger",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": check.code,
                "name": "".join(word.capitalize() for word in check.name.split("-")),
                "shortDescription": {"text": check.summary},
                "fullDescription": {"text": f"{check.why[:1].upper()}{check.why[1:]}."},
                "help": {"text": cleandoc(check.doc)},
                "defaultConfiguration": {"level": check.severity},
            }
            for check in all_checks().values()
        ],
    }
    return (
        f'\n],\n"invocations": [{json_text(invocation)}],\n'
        f'"tool": {json_text({"driver": driver})}\n}}]}}\n'
    )


def _sarif_result(
    each: Diagnostic, where: Json, places: DiagnosticPlaces, seen: Counter[str]
) -> Json:
    said = f"{each.message}: {each.why}"
    shown = said if each.witness is None else f"{said}. Try {each.witness}"
    result: dict[str, object] = {
        "ruleId": each.code,
        "ruleIndex": list(all_checks()).index(each.code),
        "level": each.severity,
        "message": _text(shown),
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
        changed = {
            "artifactLocation": where,
            "replacements": list(map(_replacement, each.fix.edits)),
        }
        result["fixes"] = [
            {
                "description": _text(each.fix.title),
                "artifactChanges": [changed],
                "properties": {"applicability": each.fix.applicability},
            }
        ]
    return result


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
        return {"uri": Path(os.path.abspath(path)).as_uri()}
    return {"uri": quote(os.fsencode(path.replace(os.sep, "/"))), "uriBaseId": "%SRCROOT%"}


def _location(where: Json, region: Json) -> Json:
    return {"physicalLocation": {"artifactLocation": where, "region": region}}


def _region(each: Diagnostic, places: DiagnosticPlaces) -> Json:
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


def _fingerprint(each: Diagnostic, places: DiagnosticPlaces, seen: Counter[str]) -> str:
    line = places.body[slice(*places.line_of(each))].strip()
    digest = sha256(b"\0".join((each.code.encode(), line))).hexdigest()[:16]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


def _replacement(edit: Edit) -> Json:
    start, stop = edit.span
    content = {"binary": b64encode(edit.replacement).decode("ascii")}
    with suppress(UnicodeDecodeError):
        content = {"text": edit.replacement.decode()}
    return {
        "deletedRegion": {"byteOffset": start, "byteLength": stop - start},
        **({"insertedContent": content} if edit.replacement else {}),
    }
