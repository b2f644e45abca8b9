"""A report as one JSON object.

In: a `SuiteReport`. Out: an object that follows `schemas/test-1.schema.json`, in ASCII, on one
line.
"""

from verger.expectations.judging import Judgement
from verger.files.json_text import Json, json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.writers import TextStream
    from verger.expectations.suite import JudgedFile, SuiteReport

SCHEMA = "verger.test/1"


def write_json(report: "SuiteReport", stream: "TextStream", /) -> None:
    """Write the report with every expectation."""
    said = {
        "schema": SCHEMA,
        "passed": report.passed,
        "failed": report.failed,
        "errors": report.errors,
        "files": [_file(file) for file in report.files],
    }
    stream.write(f"{json_text(said)}\n")


def _file(file: "JudgedFile") -> Json:
    return {
        "file": file.name,
        "robots": file.robots,
        "error": _problem(*file.error) if file.error else None,
        "results": [_result(judgement) for judgement in file.judgements],
    }


def _result(judgement: Judgement) -> Json:
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
        "error": _problem(judgement.error, judgement.hint) if judgement.error else None,
        "hint": judgement.hint,
    }


def _problem(message: str, hint: str | None) -> Json:
    return {"message": message, "hint": hint}
