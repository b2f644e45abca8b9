"""The output of `verger test`: a report as text, as one JSON object, or as JUnit XML.

In: a `SuiteReport`. Out: lines on a stream. The object follows `schemas/test-1.schema.json`, in
ASCII, on one line. Untrusted text is made printable before it is escaped: XML 1.0 section 2.2
excludes most control characters.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from verger.cli.output import Palette
from verger.expectations.judging import Judgement
from verger.expectations.suite import JudgedFile, SuiteReport
from verger.files.json_text import Json, json_text
from verger.plain import printable, unicode_text


def text_lines(report: SuiteReport, palette: Palette, *, verbose: bool) -> Iterator[str]:
    """Yield a line for each file, and the expectations below it that do not hold, or all."""
    for file in report.files:
        yield from _text_of_file(file, palette, verbose=verbose)


def _text_of_file(file: JudgedFile, palette: Palette, *, verbose: bool) -> Iterator[str]:
    name = printable(file.name)
    if file.error is not None:
        message, hint = file.error
        yield f"{name}: {palette.paint('not tested', 'bold', 'yellow')}"
        yield f"  error: {printable(message)}"
        if hint:
            yield f"  hint: {printable(hint)}"
        return
    count = sum(judgement.holds for judgement in file.judgements)
    yield f"{name}: {count:,} of {len(file.judgements):,} hold"
    for judgement in file.judgements:
        if not judgement.holds:
            yield from _text_of_judgement(judgement, palette)
        elif verbose:
            yield f"  {palette.paint('holds', 'green')} {_where(judgement)}{judgement.about}"


def _text_of_judgement(judgement: Judgement, palette: Palette) -> Iterator[str]:
    word = "fails" if judgement.error is None else "error"
    yield f"  {palette.paint(word, 'bold', 'red')} {_where(judgement)}{judgement.about}"
    yield from (f"    {line}" for line in judgement.lines)


def _where(judgement: Judgement) -> str:
    at = judgement.expectation.at
    return "" if at is None else f"line {at}: "


# JSON


SCHEMA = "verger.test/1"


def json_lines(report: SuiteReport) -> Iterator[str]:
    """Yield the report with every expectation."""
    said = {
        "schema": SCHEMA,
        "passed": report.passed,
        "failed": report.failed,
        "errors": report.errors,
        "files": [_file_object(file) for file in report.files],
    }
    yield json_text(said)


def _file_object(file: JudgedFile) -> Json:
    return {
        "file": file.name,
        "robots": file.robots,
        "error": _problem_object(*file.error) if file.error else None,
        "results": [_result_object(judgement) for judgement in file.judgements],
    }


def _result_object(judgement: Judgement) -> Json:
    expectation, verdict = judgement.expectation, judgement.verdict
    return {
        "at": expectation.at,
        "agent": expectation.agent,
        "url": expectation.url,
        "dialect": judgement.dialect,
        "holds": judgement.holds,
        "expected": {
            "allowed": expectation.allowed,
            "line": expectation.line,
            "rule": expectation.rule,
        },
        "got": verdict
        and {
            "allowed": verdict.allowed,
            "line": verdict.line,
            "rule": verdict.rule,
            "reason": verdict.reason,
            "section": verdict.section,
        },
        "because": expectation.because,
        "error": _problem_object(judgement.error, judgement.hint) if judgement.error else None,
        "hint": judgement.hint,
    }


def _problem_object(message: str, hint: str | None) -> Json:
    return {"message": message, "hint": hint}


# JUnit XML, which CI servers read: the schema is junit-10.xsd of the Jenkins xUnit plugin,
# without times, which would all be zero


def junit_lines(report: SuiteReport) -> Iterator[str]:
    """Yield the report with every expectation."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    tests = sum(map(_tests, report.files))
    yield _tag("testsuites", name="verger test", **_counts(tests, report.failed, report.errors))
    for file in report.files:
        yield from _suite(file)
    yield "</testsuites>"


def _suite(file: JudgedFile) -> Iterator[str]:
    failed = sum(not each.holds and each.error is None for each in file.judgements)
    errors = sum(each.error is not None for each in file.judgements) + (file.error is not None)
    counts = _counts(_tests(file), failed, errors)
    yield f"  {_tag('testsuite', name=file.name, **counts, skipped='0')}"
    if file.error is not None:
        message, hint = file.error
        words = f"{message}\nhint: {hint}" if hint else message
        yield f"    {_tag('testcase', name='the file', classname=file.name, file=file.name)}"
        yield f"      {_problem_element('error', message, words)}"
        yield "    </testcase>"
    for judgement in file.judgements:
        yield from _case(judgement, file.name)
    yield "  </testsuite>"


def _case(judgement: Judgement, name: str) -> Iterator[str]:
    line = {"line": str(judgement.expectation.at)} if judgement.expectation.at else {}
    tag = _tag("testcase", name=judgement.about, classname=name, file=name, **line)
    if judgement.holds:
        yield f"    {tag.removesuffix('>')}/>"
        return
    first, second, *_ = judgement.lines
    yield f"    {tag}"
    kind = "failure" if judgement.error is None else "error"
    yield f"      {_problem_element(kind, f'{first}, {second}', chr(10).join(judgement.lines))}"
    yield "    </testcase>"


def _problem_element(kind: str, message: str, words: str) -> str:
    text = "\n".join(escape(_plain(line)) for line in words.split("\n"))
    return f"{_tag(kind, message=message, type=kind)}{text}</{kind}>"


def _tests(file: JudgedFile) -> int:
    return len(file.judgements) + (file.error is not None)


def _counts(tests: int, failures: int, errors: int) -> dict[str, str]:
    return {"tests": str(tests), "failures": str(failures), "errors": str(errors)}


def _tag(element: str, **attributes: str) -> str:
    pairs = (f" {name}={quoteattr(_plain(value))}" for name, value in attributes.items())
    return f"<{element}{''.join(pairs)}>"


def _plain(text: str) -> str:
    return unicode_text(printable(text))
