"""The formatter of robots.txt files.

In: a file. Out: the same file with fields spelled as in their documents, one space after the colon,
no blanks around lines, one blank line before each group, and line ends of one kind. Comments and
values do not change, and neither does any decision: a file that is not robots.txt, or is over the
parsing limit, is returned unchanged.
"""

from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Sequence

from verger._core import Line, parse
from verger.analysis.draft import end_of_line
from verger.analysis.layout import spelled
from verger.analysis.whole import why_not_editable
from verger.lint.file import File
from verger.options import body_of

FIELDS = {
    field: spelled(field).encode()
    for field in (
        *("user-agent", "allow", "disallow", "sitemap", "crawl-delay", "request-rate"),
        *("visit-time", "host", "clean-param", "content-signal", "content-usage", "license"),
        "noindex",
    )
}
"""The fields with a usual spelling, and that; others stay as they are."""

MOST_PASSES = 4
"""Blank lines that may not move in one pass may move in the next, when lines are formatted."""


def formatted(body: bytes | str, *, url: str | None = None) -> bytes:
    r"""Return a file formatted; its meaning is the same to every crawler.

    >>> formatted(b"user-agent:*\r\nDISALLOW :/a   # old\r\n\r\n\r\n")
    b'User-agent: *\r\nDisallow: /a  # old\r\n'
    """
    body = body_of("body", body)
    for _ in range(MOST_PASSES):
        new = _formatted_once(body, url)
        if new == body:
            break
        body = new
    return body


def why_not_formatted(body: bytes) -> str | None:
    r"""Return why `formatted` leaves a file as it is; None if it is formatted.

    >>> why_not_formatted(b"User-agent: *\nDisallow: /\0\n")
    'line 2 has a NUL, where some crawlers end the line'
    """
    return _obstacle(File(body))


def _obstacle(file: File) -> str | None:
    if (why := why_not_editable(file.robots)) is not None:
        return why
    if file.robots.truncated:
        return f"crawlers read only its first {file.robots.bytes_read:,} bytes"
    before, nul, _ = file.body.partition(b"\0")
    if nul:
        number = len(parse(before).lines) + before.endswith((b"\n", b"\r"))
        return f"line {number} has a NUL, where some crawlers end the line"
    return None


def _formatted_once(body: bytes, url: str | None) -> bytes:
    from verger.lint.sameness import says_the_same  # imports every crawler

    file = File(body, url=url)
    if _obstacle(file) is not None:
        return body
    for layout in (_whole, _lines_alone):
        new = layout(file)
        if new == body or says_the_same(body, new, url=url):
            return new
    return body


def _whole(file: File) -> bytes:
    """Return the file with its lines formatted and its blank lines placed."""
    return _joined(file, list(_spaced(_contents(file))))


def _lines_alone(file: File) -> bytes:
    """Return the file with its lines formatted and its blank lines unchanged."""
    return _joined(file, [content for _, content in _contents(file)])


def _contents(file: File) -> list[tuple[Line, bytes]]:
    return [(line, _content(file, line)) for line in file.lines]


def _content(file: File, line: Line) -> bytes:
    """Return a line as it should be written, without its line end."""
    start, stop = file.content(line.number)
    raw = file.body[start:stop].removeprefix(BOM_UTF8).lstrip()
    if line.key is None or line.field is None or line.value_span is None:
        return raw
    name = FIELDS.get(line.field)
    if name is None or line.key.lower() != line.field or b":" not in file.body[start:stop]:
        return raw  # a misspelt field is for `lint --fix`
    value = file.text(line.value_span)
    comment = _comment(file, line)
    return b"  ".join(filter(None, (b": ".join((name, value)).rstrip(), comment)))


def _comment(file: File, line: Line) -> bytes:
    if line.comment is None:
        return b""
    assert line.value_span is not None, "the line is read"
    stop = file.content(line.number)[1]
    return file.body[file.body.index(b"#", line.value_span[1]) : stop]


def _spaced(contents: Sequence[tuple[Line, bytes]]) -> Iterator[bytes]:
    """Yield lines with one blank line before each group, and nowhere two in a row."""
    opens = set(_group_openings([line for line, _ in contents]))
    was_blank = True
    for line, content in contents:
        if not content:
            if not was_blank:
                yield b""
            was_blank = True
            continue
        if line.number in opens and not was_blank:
            yield b""
        yield content
        was_blank = False


def _group_openings(lines: Sequence[Line]) -> Iterator[int]:
    """Yield the lines before which a blank line belongs: a start-group line after any other line,
    or the first of the comments right above it."""
    above: int | None = None
    is_in_start = False
    for line in lines:
        if line.kind == "comment":
            above = above or line.number
        elif line.kind == "start-group":
            if not is_in_start:
                yield above or line.number
            is_in_start, above = True, None
        else:
            is_in_start, above = is_in_start and line.kind == "blank", None


def _joined(file: File, contents: list[bytes]) -> bytes:
    while contents and not contents[-1]:
        contents.pop()
    end = _line_end(file)
    return b"".join(content + end for content in contents)


def _line_end(file: File) -> bytes:
    """Return how most lines end."""
    counts = Counter(map(end_of_line, (file.text(line.span) for line in file.lines)))
    counts.pop(b"", None)
    return max(counts, key=lambda end: counts[end], default=b"\n")
