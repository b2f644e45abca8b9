"""A report as JUnit XML, which CI servers read.

In: a `SuiteReport`. Out: `testsuites` with a `testsuite` for each file and a `testcase` for each
expectation. The schema is junit-10.xsd of the Jenkins xUnit plugin, without times, which would all
be zero. Untrusted text is made printable before it is escaped: XML 1.0 section 2.2 excludes most
control characters.
"""

from xml.sax.saxutils import escape, quoteattr

from verger.expectations.judging import Judgement
from verger.plain import printable, unicode_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from verger.cli.writers import TextStream
    from verger.expectations.suite import JudgedFile, SuiteReport


def write_junit(report: "SuiteReport", stream: "TextStream", /) -> None:
    """Write the report with every expectation."""
    for line in _lines(report):
        stream.write(f"{line}\n")


def _lines(report: "SuiteReport") -> "Iterator[str]":
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    tests = sum(map(_tests, report.files))
    yield _tag("testsuites", name="verger test", **_counts(tests, report.failed, report.errors))
    for file in report.files:
        yield from _suite(file)
    yield "</testsuites>"


def _suite(file: "JudgedFile") -> "Iterator[str]":
    failed = sum(not each.holds and each.error is None for each in file.judgements)
    errors = sum(each.error is not None for each in file.judgements) + (file.error is not None)
    counts = _counts(_tests(file), failed, errors)
    yield f"  {_tag('testsuite', name=file.name, **counts, skipped='0')}"
    if file.error is not None:
        message, hint = file.error
        words = f"{message}\nhint: {hint}" if hint else message
        yield f"    {_tag('testcase', name='the file', classname=file.name, file=file.name)}"
        yield f"      {_problem('error', message, words)}"
        yield "    </testcase>"
    for judgement in file.judgements:
        yield from _case(judgement, file.name)
    yield "  </testsuite>"


def _case(judgement: Judgement, name: str) -> "Iterator[str]":
    line = {"line": str(judgement.expectation.at)} if judgement.expectation.at else {}
    tag = _tag("testcase", name=judgement.about, classname=name, file=name, **line)
    if judgement.holds:
        yield f"    {tag.removesuffix('>')}/>"
        return
    first, second, *_ = judgement.lines
    yield f"    {tag}"
    kind = "failure" if judgement.error is None else "error"
    yield f"      {_problem(kind, f'{first}, {second}', chr(10).join(judgement.lines))}"
    yield "    </testcase>"


def _problem(kind: str, message: str, words: str) -> str:
    text = "\n".join(escape(_plain(line)) for line in words.split("\n"))
    return f"{_tag(kind, message=message, type=kind)}{text}</{kind}>"


def _tests(file: "JudgedFile") -> int:
    return len(file.judgements) + (file.error is not None)


def _counts(tests: int, failures: int, errors: int) -> dict[str, str]:
    return {"tests": str(tests), "failures": str(failures), "errors": str(errors)}


def _tag(element: str, **attributes: str) -> str:
    pairs = (f" {name}={quoteattr(_plain(value))}" for name, value in attributes.items())
    return f"<{element}{''.join(pairs)}>"


def _plain(text: str) -> str:
    return unicode_text(printable(text))
