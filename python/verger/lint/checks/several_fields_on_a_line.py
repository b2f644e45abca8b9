"""RT111: several fields on one line."""

import re
from collections.abc import Iterator

from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found
from verger.lint.file import File
from verger.lint.words import quoted

FIELD = re.compile(rb"\s(user-?agent|disallow|allow|crawl-delay|sitemap)[ \t]*:", re.IGNORECASE)


@check(
    "RT111",
    "several-fields-on-a-line",
    "error",
    why="crawlers read one field for each line, and take the rest for its value",
    fix="unsafe",
)
def several_fields_on_a_line(file: File) -> Iterator[Found]:
    """A line with several fields, such as `User-agent: * Disallow: /`, or a file on one line.

    Use instead: a line for each field.

    Fix: the line is split before each field. The rules take effect then, so the fix is unsafe.
    """
    for line in file.lines:
        if line.value_span is None or line.key is None:
            continue
        matches = list(FIELD.finditer(file.text(line.value_span)))
        if matches:
            start, stop = line.value_span
            end = file.line_end()
            edits = tuple(Edit((start + m.start(), start + m.start() + 1), end) for m in matches)
            what = f"{quoted(matches[0][1])} is read as a part of the value of {quoted(line.key)}"
            span = (start + matches[0].start(1), stop)
            yield Found(line.number, what, span, fix=Fix("Split the line", edits, "unsafe"))
