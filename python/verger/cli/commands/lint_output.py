"""The output of `verger lint`: one file at a time, in each format, and the totals over all files.

In: a `LintInput` and the `LintReport` on it. Out: its part of the output as text; text before and
after all files. Files are untrusted: their text is passed through `printable`, and quotes in
Markdown, SARIF and workflow commands are escaped, so that nothing in them is a link, a tag or a
command.
"""

# ruff: noqa: PTH100, PTH117, PTH206

import os
from argparse import Namespace
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from inspect import cleandoc
from pathlib import Path
from urllib.parse import quote

from verger import __version__
from verger.analysis import Edit
from verger.cli.inputs import LintInput
from verger.cli.output import DISALLOWED, FAILED, FINE, Failure, TextStream
from verger.cli.progress import Progress
from verger.errors import RobotsError
from verger.files.json_text import Json, json_text
from verger.files.paths import input_name
from verger.files.workers import each_of
from verger.lint import SEVERITIES, Diagnostic, LintReport, Severity, all_checks
from verger.lint.check import expect_known
from verger.objects.lint import LINT_SCHEMA, DiagnosticPlaces, lint_object, lint_summary
from verger.showing.palette import SEVERITY_COLOURS, Palette
from verger.showing.printing import (
    KEY_CELLS,
    REST_CELLS,
    VALUE_CELLS,
    at_most,
    cells_within,
    code,
    indent_of,
    marks_under,
    prose,
    sentence,
    text_of,
)
from verger.untrusted_text import counted, printable, shortened


@dataclass(slots=True)
class LintTally:
    """What `verger lint` or `fmt` did with one file, and its output; or with all files. Small,
    since one process hands it to another."""

    text: str = ""
    """The part of the output of one file."""
    body: bytes | None = None
    """The new file, if it goes to stdout."""
    files: int = 0
    """Files that were linted."""
    fired: Counter[str] = field(default_factory=Counter)
    """How often each check fired, by code."""
    fired_in: Counter[str] = field(default_factory=Counter)
    """The number of files in which each check fired."""
    counts: Counter[str] = field(default_factory=Counter)
    """Diagnostics by severity; `safe` and `unsafe` fixes on offer; fixes `made`, and safe ones
    `refused`, since a decision would change; files that `--fix` would have `changed`, and those
    `with_findings`; files of which notes have `told` what changed."""
    failures: dict[tuple[str, str | None], None] = field(default_factory=dict)
    """Message and hint for each file that could not be read or written."""
    notes: tuple[str, ...] = ()
    """Where the format is left out, and why; what unsafe fixes changed."""

    def add(self, file: "LintTally") -> None:
        """Count a file."""
        self.files += file.files
        self.fired.update(file.fired)
        self.fired_in.update(file.fired.keys())
        self.counts.update(file.counts, with_findings=bool(file.fired))
        self.failures |= file.failures

    def code(self, fail_on: Severity) -> int:
        """Return the exit code."""
        if self.failures:
            return FAILED
        counting = ("changed", *SEVERITIES[SEVERITIES.index(fail_on) :])
        return DISALLOWED if any(self.counts[each] for each in counting) else FINE

    def found(self) -> str:
        """Return `3 errors, 2 warnings in 1 file; 2 can be fixed with --fix`."""
        said = [self._findings()]
        if safe := self.counts["safe"]:
            said.append(f"{safe:,} can be fixed with --fix")
        if unsafe := self.counts["unsafe"]:
            more = " more" if safe else ""
            said.append(f"{unsafe:,}{more} with --fix --unsafe-fixes")
        return "; ".join(said)

    def fixed(self) -> str:
        """Return `2 fixed, 0 URLs and 0 uses changed; 1 error in 1 file`; notes name what unsafe
        fixes changed."""
        made = f"{self.counts['made']:,} fixed"
        if self.counts["made"] and not self.counts["told"]:
            made += ", 0 URLs and 0 uses changed"
        return "; ".join([made, *self._refused(), self._findings()])

    def fixable_in(self) -> str:
        """Return `2 fixes in 1 file`."""
        made = self.counts["made"]
        fixes = f"{made:,} fix{'' if made == 1 else 'es'}"
        files = f"{self.counts['changed']:,} of {counted(self.files, 'file')}"
        return "; ".join([f"{fixes} in {files}", *self._refused()])

    def _refused(self) -> Iterator[str]:
        if refused := self.counts["refused"]:
            yield f"{refused:,} left out, not proved to change no decision"

    def _findings(self) -> str:
        found = [
            counted(self.counts[each], each) for each in reversed(SEVERITIES) if self.counts[each]
        ]
        files, some = counted(self.files, "file"), self.counts["with_findings"]
        if some and some != self.files:
            files = f"{some:,} of {files}"
        return f"{', '.join(found) or 'no findings'} in {files}"


def tried(work: Callable[[LintInput], LintTally], each: LintInput) -> LintTally:
    """Return the result for a file; if it could not be read or written, with the failure."""
    try:
        return work(each)
    except RobotsError as error:
        return LintTally(failures={(error.message, error.hint or "name another file"): None})


SOON = 2.0
"""Seconds until the progress is shown."""


def done_with(
    args: Namespace,
    work: Callable[[LintInput], LintTally],
    inputs: Sequence[LintInput],
    stream: TextStream,
) -> Iterator[LintTally]:
    """Yield what is done with each file, in order, and tell its notes; show the progress."""
    # A bar would be mixed with findings on the same terminal.
    with closing(Progress(shown=not stream.isatty(), quiet=args.quiet, after=SOON)) as progress:
        for number, done in enumerate(each_of(partial(tried, work), inputs), start=1):
            yield done
            progress.note(*done.notes)
            progress.count(number, "files", share=number / len(inputs))


@dataclass(frozen=True, slots=True)
class LintFormat:
    """One format of output.

    of_file:   returns the output for one file; empty if there is nothing to report.
    opening:   the text before all files.
    closing:   returns the text after all files.
    between:   the text between the outputs of two files.
    is_whole:  whether the output is one document, complete even if no file could be read.
    """

    of_file: Callable[[LintInput, LintReport, Palette], str] = lambda *_: ""
    opening: str = ""
    closing: Callable[[LintTally], str] = lambda _: ""
    between: str = ""
    is_whole: bool = False


# Text


MOST_WITNESS = 120


def _text_of_file(each: LintInput, done: LintReport, palette: Palette) -> str:
    """Return the diagnostics of a file, separated by blank lines."""
    places = DiagnosticPlaces(done.body, "utf-32")
    return "\n".join(
        "".join(f"{line}\n" for line in _text_lines(each.name, one, places, palette))
        for one in done.diagnostics
    )


def _text_lines(
    name: str, each: Diagnostic, places: DiagnosticPlaces, palette: Palette
) -> Iterator[str]:
    column, _ = places.columns_of(each)
    word = palette.paint(f"{each.severity} {each.code}", "bold", SEVERITY_COLOURS[each.severity])
    yield f"{name}:{each.line}:{column}: {word}: {printable(each.message)}"
    gutter = 2 + len(str(each.line))
    if places.body:
        yield from _excerpt(each, places, gutter, palette)
    margin = palette.paint(f"{'':{gutter}} =", "cyan")
    yield from (f"{margin} {remark}" for remark in _remarks(each))


def _excerpt(
    each: Diagnostic, places: DiagnosticPlaces, gutter: int, palette: Palette
) -> Iterator[str]:
    body, (start, stop) = places.body, places.line_of(each)
    first, last = places.span_of(each)
    cells = [
        *cells_within(body, (start, first), " ", KEY_CELLS),
        *(cells_within(body, (first, last), "^", VALUE_CELLS) or [(" ", "^")]),
        *cells_within(body, (last, stop), " ", REST_CELLS),
    ]
    yield f"{palette.paint(f'{each.line:>{gutter}} |', 'cyan')} {text_of(cells)}"
    under = palette.paint(marks_under(cells), SEVERITY_COLOURS[each.severity])
    yield f"{palette.paint(f'{chr(32):>{gutter}} |', 'cyan')} {' ' * indent_of(cells)}{under}"


def _remarks(each: Diagnostic) -> Iterator[str]:
    yield each.why
    for related in each.related:
        yield f"line {related.line}: {printable(related.message)}"
    if each.witness is not None:
        yield f"try: {shortened(printable(each.witness), MOST_WITNESS)}"
    if each.fix is not None:
        yield f"fix: {printable(each.fix.title)} ({HOW[each.fix.applicability]})"


def _statistics(tally: LintTally) -> str:
    """Return a line for each check that fired, the most frequent first."""
    if not tally.fired:
        return ""
    head = f"{'findings':>10} {'files':>8} {'share':>7}  check\n"
    return head + "".join(
        f"{count:>10,} {tally.fired_in[code]:>8,} {tally.fired_in[code] / tally.files:>7.1%}  "
        f"{code} {all_checks()[code].name}\n"
        for code, count in sorted(tally.fired.items(), key=lambda item: (-item[1], item[0]))
    )


# JSON: an object that follows `schemas/lint-1.schema.json`, in ASCII, with a line for each file


def _json_of_file(each: LintInput, done: LintReport, _palette: Palette) -> str:
    return json_text(lint_object(input_name(each.path), done))


def _json_closing(tally: LintTally) -> str:
    summary = lint_summary(tally.files, tally.counts, tally.fired, tally.fired_in)
    unread = [message for message, _ in tally.failures]
    return f'\n], "unread": {json_text(unread)}, "summary": {json_text(summary)}}}\n'


# SARIF 2.1.0 (OASIS Standard, 27 March 2020): one log with one run, in ASCII
#
# Columns count code units of UTF-16; bytes have their own offsets. A fingerprint consists of the
# check, the text of the line, and its number among identical ones, so it does not change when
# lines move.

FINGERPRINT = "primaryLocationLineHash"
"""The one fingerprint that GitHub's code scanning reads."""

APPLIED = ("safe", "unsafe")
"""Fixes that a tool can make; SARIF has no fixes that a person must choose."""


SARIF_OPENING = (
    '{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{\n'
    '"columnKind": "utf16CodeUnits",\n"results": [\n'
)


def _sarif_of_file(each: LintInput, done: LintReport, _palette: Palette) -> str:
    where, places, seen = _artifact(each), DiagnosticPlaces(done.body, "utf-16"), Counter[str]()
    return ",\n".join(
        json_text(_sarif_result(one, where, places, seen)) for one in done.diagnostics
    )


def _sarif_closing(tally: LintTally) -> str:
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


# GitHub: a workflow command for each diagnostic (GitHub Docs, "Workflow commands for GitHub
# Actions")

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}

IN_MESSAGE = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_PROPERTY = IN_MESSAGE | {":": "%3A", ",": "%2C"}
"""Escaped characters (actions/toolkit, `packages/core/src/command.ts`)."""


def _github_of_file(each: LintInput, done: LintReport, _palette: Palette) -> str:
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
    message = "\n".join(_parts(each, printable, lambda url: f"try: {printable(url)}"))
    return f"::{LEVELS[each.severity]} {said}::{escaped(message, IN_MESSAGE)}"


def escaped(text: str, table: dict[str, str]) -> str:
    """Return text escaped for a part of a workflow command, without control characters."""
    return "".join(table.get(each) or printable(each) for each in text)


# Markdown for a pull request: a table for each file with findings, and a line about all

MARKDOWN_HEADER = "| line | | check | finding |\n|---:|---|---|---|\n"

MOST_ROWS = 50
"""The most findings of a file: a comment on GitHub has room for a few hundred."""


def _markdown_of_file(each: LintInput, done: LintReport, _palette: Palette) -> str:
    """Return the table of a file."""
    found = done.diagnostics
    if not found:
        return ""
    rows = at_most(found, MOST_ROWS, _row, lambda rest: f"| | | | and {rest:,} more |\n")
    return f"{code(each.name)}\n\n{MARKDOWN_HEADER}{''.join(rows)}"


def _markdown_closing(tally: LintTally) -> str:
    """Return the totals over all files as a sentence."""
    said = f"{sentence(tally.found())}\n"
    return f"\n{said}" if tally.fired else said


def _row(each: Diagnostic) -> str:
    finding = "<br>".join(_parts(each, prose, lambda url: f"try {code(url)}"))
    cells = (str(each.line), each.severity, f"{each.code} {each.name}", finding)
    return f"| {' | '.join(cells)} |\n"


def _parts(
    each: Diagnostic, shown: Callable[[str], str], witness: Callable[[str], str]
) -> list[str]:
    """Return what a diagnostic says: the finding, the URL that shows it, and the fix.

    shown:    returns the text of a sentence.
    witness:  returns the text of the URL.
    """
    said = [shown(f"{each.message}: {each.why}")]
    if each.witness is not None:
        said.append(witness(each.witness))
    if each.fix is not None:
        said.append(f"fix: {shown(each.fix.title)}")
    return said


LINT_FORMATS = {
    "text": LintFormat(_text_of_file, between="\n"),
    "json": LintFormat(
        _json_of_file,
        f'{{"schema": "{LINT_SCHEMA}", "files": [\n',
        _json_closing,
        ",\n",
        is_whole=True,
    ),
    "jsonl": LintFormat(lambda *of_file: f"{_json_of_file(*of_file)}\n"),
    "sarif": LintFormat(_sarif_of_file, SARIF_OPENING, _sarif_closing, ",\n", is_whole=True),
    "github": LintFormat(_github_of_file),
    "markdown": LintFormat(_markdown_of_file, "### verger lint\n\n", _markdown_closing, "\n"),
    "statistics": LintFormat(closing=_statistics),
    "diff": LintFormat(),
}
"""`diff` and `statistics` are text, chosen by options of their own."""


# The checks

HOW = {None: "", "safe": "safe", "unsafe": "unsafe", "display": "by hand"}


def checks_table() -> str:
    """Return a line for each check."""
    checks = all_checks().values()
    wide = max(len(each.name) for each in checks)
    head = f"{'code':<6} {'name':<{wide}} {'severity':<8} {'fix':<7}  finds\n"
    return head + "".join(
        f"{each.code:<6} {each.name:<{wide}} {each.severity:<8} {HOW[each.fix]:<7}  "
        f"{each.summary}\n"
        for each in checks
    )


def check_page(word: str) -> str:
    """Return the documentation of a check, by its code or name. Raises UnknownName, Failure."""
    known = expect_known(word)
    each = next((one for one in all_checks().values() if known in (one.code, one.name)), None)
    if each is None:
        raise Failure(f"`{known}` is the prefix of several codes", "pass a code, such as RT304")
    return (
        f"{each.code} {each.name}\n\n{cleandoc(each.doc)}\n\n"
        f"severity  {each.severity}\nfix       {HOW[each.fix] or 'none'}\nwhy       {each.why}\n"
    )
