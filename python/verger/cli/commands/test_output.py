"""What `verger test` found, as text, JSON or JUnit XML.

In: a report of files with expectations. Out: lines. The JSON object follows
`schemas/test-1.schema.json`, in ASCII, on one line. Untrusted text is made printable before it is
escaped: XML 1.0 section 2.2 excludes most control characters.
"""

import sys
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from verger.access.answer import Answer, Use
from verger.expectations.judging import JudgedFile, Judgement, SuiteReport
from verger.expectations.proving import Evidence
from verger.files.json_text import Json, json_text
from verger.grouping import by_key
from verger.showing.palette import Palette
from verger.untrusted_text import counted, listed, printable, unicode_text

MOST_CRAWLERS = 8
"""The most crawlers that a failure names, unless all are listed."""


def text_lines(report: SuiteReport, palette: Palette, *, verbose: bool) -> Iterator[str]:
    """Yield a line for each file, and the expectations below it that do not hold, or all."""
    for each in report.files:
        yield from _text_of_file(each, palette, verbose=verbose)


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
    alike = by_key((_said_of_crawler(judgement), judgement) for judgement in file.judgements)
    for judgements in alike.values():
        if not judgements[0].holds:
            yield from _text_of_judgements(judgements, palette, verbose=verbose)
        elif verbose:
            holds = palette.paint("holds", "green")
            yield from (f"  {holds} {_where(each)}{each.about}" for each in judgements)


def _said_of_crawler(judgement: Judgement) -> tuple[object, ...]:
    """Return all that is said of a judgement but the name of the crawler."""
    return judgement.holds, judgement.expectation.at, judgement.asked, judgement.lines


def _text_of_judgements(
    judgements: Sequence[Judgement], palette: Palette, *, verbose: bool
) -> Iterator[str]:
    """Yield what went wrong with one question about some crawlers."""
    first = judgements[0]
    word = palette.paint("fails" if first.error is None else "error", "bold", "red")
    agents = [each.expectation.agent for each in judgements]
    named = listed(agents, printable, most=len(agents) if verbose else MOST_CRAWLERS)
    yield f"  {word} {_where(first)}{named} {first.asked}"
    yield from (f"    {line}" for line in first.told(sys.maxsize if verbose else MOST_CRAWLERS))


def _where(judgement: Judgement) -> str:
    at = judgement.expectation.at
    return "" if at is None else f"line {at}: "


# JSON


SCHEMA = "verger.test/1"


def json_lines(report: SuiteReport) -> Iterator[str]:
    """Yield the report with every expectation."""
    yield json_text(
        {
            "schema": SCHEMA,
            "passed": report.passed,
            "failed": report.failed,
            "errors": report.errors,
            "files": [_file_object(file) for file in report.files],
        }
    )


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
        "agent": expectation.agent if expectation.tokens else None,
        "purposes": [*expectation.purposes],
        "except": [*expectation.except_],
        "url": expectation.url,
        "pattern": expectation.pattern,
        "except_paths": [*expectation.except_paths],
        "use": expectation.use,
        "dialect": judgement.dialect,
        "holds": judgement.holds,
        "expected": {
            "allowed": expectation.allowed,
            "line": expectation.line,
            "rule": expectation.rule,
        },
        "got": None if verdict is None else _verdict_object(verdict),
        "evidence": None if judgement.evidence is None else _evidence_object(judgement.evidence),
        "because": expectation.because,
        "error": _problem_object(judgement.error, judgement.hint) if judgement.error else None,
        "hint": judgement.hint,
    }


def _verdict_object(verdict: Answer | Use) -> Json:
    return {
        "allowed": verdict.allowed,
        "line": verdict.line,
        "rule": None if verdict.rule is None else str(verdict.rule),
        "reason": verdict.reason,
        "section": verdict.section,
    }


def _evidence_object(evidence: Evidence) -> Json:
    return {
        "agents": [*evidence.crawlers],
        "counterexamples": [
            {
                "agents": [*each.crawlers],
                "url": each.url,
                "got": _verdict_object(each.verdict),
            }
            for each in evidence.counterexamples
        ],
        "unproved": [*evidence.unproved],
    }


def _problem_object(message: str, hint: str | None) -> Json:
    return {"message": message, "hint": hint}


# JUnit XML, which CI servers read: the schema is junit-10.xsd of the Jenkins xUnit plugin,
# without times, which would all be zero


def junit_lines(report: SuiteReport) -> Iterator[str]:
    """Yield the report with every expectation."""
    root = Element("testsuites", {"name": "verger test", **_counts(report)})
    for file in report.files:
        _add_file(root, file)
    for each in root.iter():
        each.attrib = {name: _plain(value) for name, value in each.attrib.items()}
        each.text = each.text and "\n".join(map(_plain, each.text.split("\n")))
    indent(root)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield tostring(root, "unicode")


def _add_file(root: Element, file: JudgedFile) -> None:
    counts = _counts(SuiteReport((file,)))
    suite = SubElement(root, "testsuite", {"name": file.name, **counts, "skipped": "0"})
    if file.error is not None:
        message, hint = file.error
        case = _case(suite, file, "the file")
        words = f"{message}\nhint: {hint}" if hint else message
        SubElement(case, "error", message=message, type="error").text = words
    for judgement in file.judgements:
        line = {"line": str(judgement.expectation.at)} if judgement.expectation.at else {}
        case = _case(suite, file, judgement.about, **line)
        if not judgement.holds:
            first, second, *_ = judgement.lines
            kind = "failure" if judgement.error is None else "error"
            problem = SubElement(case, kind, message=f"{first}, {second}", type=kind)
            problem.text = "\n".join(judgement.lines)


def _case(suite: Element, file: JudgedFile, name: str, **line: str) -> Element:
    about = {"name": name, "classname": file.name, "file": file.name, **line}
    return SubElement(suite, "testcase", about)


def _counts(report: SuiteReport) -> dict[str, str]:
    tests = sum(len(file.judgements) + (file.error is not None) for file in report.files)
    return {"tests": str(tests), "failures": str(report.failed), "errors": str(report.errors)}


def _plain(text: str) -> str:
    return unicode_text(printable(text))


# The closing line


def summary_line(report: SuiteReport) -> str:
    """Return the closing line."""
    count = report.passed + report.failed
    hold = "holds" if 1 in (report.passed, count) else "hold"
    parts = [f"{report.passed:,} of {counted(count, 'expectation')} {hold}"]
    if report.errors:
        parts.append(f"{report.errors:,} cannot be tested")
    return "; ".join(parts)
