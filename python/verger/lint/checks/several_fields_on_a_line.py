"""RT111: several fields on one line."""

import re
from collections.abc import Iterator

from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found, Span
from verger.lint.file import File
from verger.lint.words import quoted

FIELD = re.compile(
    rb"(?:\A|(?P<apart>\s))(?i:user-?agent|disallow|allow|crawl-delay|sitemap)[ \t]*:"
    rb"|(?<=[^\s])(?:User-agent|Disallow|Allow|Crawl-delay|Sitemap):[ \t]"  # a lost line end
)

GROUP = re.compile(rb"(?is)user-?agent[ \t]*:.*(?:dis)?allow[ \t]*:")


@check("RT111", "error", fix="unsafe")
def several_fields_on_a_line(file: File) -> Iterator[Found]:
    """A line with several fields, such as `User-agent: * Disallow: /`, or a file on one line.

    Why: crawlers read one field per line, and treat the rest as its value, or as its comment.

    Use instead: a line for each field.

    Fix: the line is split before each field; of `User-agent: User-agent: *`, only the second field
    stays. The rules then take effect, so the fix is unsafe.
    """
    lines = [line for line in file.lines if line.kind != "blank"]
    if len(lines) == 1 and lines[0].kind == "comment":
        span = file.content(lines[0].number)
        if GROUP.search(file.text(span)):
            yield from _split(file, lines[0].number, span, "the only line, a comment")
    for line in lines:
        if line.value_span is not None and line.key is not None:
            part_of = f"the value of {quoted(line.key)}"
            yield from _split(file, line.number, line.value_span, part_of)


def _split(file: File, number: int, span: Span, part_of: str) -> Iterator[Found]:
    """Yield what to say of a text that contains fields.

    part_of:  what crawlers take the fields for.
    """
    text = file.text(span)
    matches = list(FIELD.finditer(text)) if b":" in text else []  # few values have one
    if matches:
        start, stop = span
        edits = tuple(_apart(file, number, start, match) for match in matches)
        name = matches[0][0].strip().rstrip(b": \t")
        what = f"{quoted(name)} is read as part of {part_of}"
        found = (start + _begin(matches[0]), stop)
        yield Found(number, what, found, fix=Fix("Split the line", edits, "unsafe"))


def _apart(file: File, number: int, start: int, match: re.Match[bytes]) -> Edit:
    """Return the edit that makes a line of its own of a field in a text that begins at `start`."""
    if not match.start():  # nothing stands before it but another field, which has no value
        return Edit((file.content(number)[0], start + _begin(match)), b"")
    return Edit((start + match.start(), start + _begin(match)), file.line_end())


def _begin(match: re.Match[bytes]) -> int:
    """Return where a field begins."""
    return match.start() + len(match["apart"] or b"")


def has_field(value: bytes) -> bool:
    """Whether a value contains another field."""
    return FIELD.search(value) is not None
