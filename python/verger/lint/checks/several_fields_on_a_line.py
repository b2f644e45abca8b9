"""RT111: several fields on one line."""

import re
from collections.abc import Iterator

from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found
from verger.lint.file import File
from verger.lint.words import quoted

FIELD = re.compile(
    rb"(?P<apart>\s)(?i:user-?agent|disallow|allow|crawl-delay|sitemap)[ \t]*:"
    rb"|(?<=[^\s])(?:User-agent|Disallow|Allow|Crawl-delay|Sitemap):[ \t]"  # a lost line end
)


@check("RT111", "error", fix="unsafe")
def several_fields_on_a_line(file: File) -> Iterator[Found]:
    """A line with several fields, such as `User-agent: * Disallow: /`, or a file on one line.

    Why: crawlers read one field per line, and treat the rest as its value.

    Use instead: a line for each field.

    Fix: the line is split before each field. The rules then take effect, so the fix is unsafe.
    """
    for line in file.lines:
        if line.value_span is None or line.key is None:
            continue
        value = file.text(line.value_span)
        matches = list(FIELD.finditer(value)) if b":" in value else []  # few values have one
        if matches:
            start, stop = line.value_span
            end = file.line_end()
            edits = tuple(Edit((start + m.start(), start + _begin(m)), end) for m in matches)
            name = matches[0][0].strip().rstrip(b": \t")
            what = f"{quoted(name)} is read as part of the value of {quoted(line.key)}"
            span = (start + _begin(matches[0]), stop)
            yield Found(line.number, what, span, fix=Fix("Split the line", edits, "unsafe"))


def _begin(match: re.Match[bytes]) -> int:
    """Return where a field begins."""
    return match.start() + len(match["apart"] or b"")


def has_field(value: bytes) -> bool:
    """Whether a value contains another field."""
    return FIELD.search(value) is not None
