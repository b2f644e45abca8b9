"""RT113: a line without a colon after its field."""

from collections.abc import Iterator

from verger.analysis import Edit
from verger.analysis.layout import separator_span
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT113", "warning", fix="safe")
def missing_colon(file: File) -> Iterator[Found]:
    """A line without a colon between field and value, which Google accepts, and others do not.

    Why: Google reads such a line, and other crawlers skip it.

    Use instead: `Disallow: /private`.

    Fix: a colon is written. The fix is unsafe if a decision of any crawler may change.
    """
    for number in sorted({each.line for each in file.by_code.get("missing-colon", [])}):
        line = file.line(number)
        if line.key is None or line.value_span is None:
            continue
        span = separator_span(file.robots, line)
        fix = file.prove_fix([Edit(span, b": ")], "Write a colon")
        yield Found(number, f"there is no colon after {quoted(line.key)}", fix=fix)
