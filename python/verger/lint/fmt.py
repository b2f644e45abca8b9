"""The formatter of robots.txt files.

In: a file. Out: the same file with fields spelled as in their documents, one space after the colon,
no blanks around lines, one blank line before each group, and line ends of one kind. Comments and
values do not change, and neither does any decision in any dialect: a file that is not robots.txt,
is a template, or is over the parsing limit, is returned unchanged.
"""

from codecs import BOM_UTF8
from collections.abc import Container, Iterable, Iterator, Sequence

from verger._core import DIALECTS, Line, parse
from verger.analysis.proof import says_the_same
from verger.analysis.readings import ends_group, readings
from verger.analysis.writable import OTHER_FILE, why_not_editable
from verger.lint.file import File
from verger.lint.spelling import FIELDS
from verger.options import body_of

MOST_PASSES = 4
"""Blank lines that may not move in one pass may move in the next, when lines are formatted."""


def formatted(body: bytes | str, *, url: str | None = None) -> bytes:
    r"""Return a file formatted; its meaning is the same to every crawler, in every dialect.

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


def why_not_formatted(body: bytes) -> tuple[str, str] | None:
    r"""Return why `formatted` leaves a file as it is, and a hint; None if it is formatted.

    >>> why_not_formatted(b"User-agent: *\nDisallow: {{ path }}\n")
    ('line 2 is part of a text that was not rendered', 'run it on the rendered file')
    """
    return _obstacle(File(body))


def unparted(body: bytes) -> dict[int, str]:
    r"""Return the start-group lines before which `formatted` writes no blank line, each with a
    dialect in which it would end a group.

    >>> unparted(b"User-agent: a\nAllow: /a\nUser-agent: b\nDisallow: /b\n")
    {3: 'original-1994'}
    """
    file = File(body)
    lines = set() if _obstacle(file) else {line.number for line in _openings(file.lines)}
    return {number: name for number, name in _joined_starts(file).items() if number in lines}


def _obstacle(file: File) -> tuple[str, str] | None:
    if (found := why_not_editable(file.robots)) is not None:
        return found
    if file.robots.truncated:
        return f"crawlers read only its first {file.robots.bytes_read:,} bytes", OTHER_FILE
    before, nul, _ = file.body.partition(b"\0")
    if nul:
        number = len(parse(before).lines) + before.endswith((b"\n", b"\r"))
        return f"line {number} has a NUL, where some crawlers end the line", OTHER_FILE
    return None


def _formatted_once(body: bytes, url: str | None) -> bytes:
    file = File(body, url=url)
    if _obstacle(file) is not None:
        return body
    contents = [(line, _content(file, line)) for line in file.lines]
    lines_alone = (content for _, content in contents)  # with the blank lines as they are
    for layout in (_spaced(contents, _joined_starts(file)), lines_alone):
        new = _joined(file, list(layout))
        if new == body or says_the_same(body, new, url=url):
            return new
    return body


def _content(file: File, line: Line) -> bytes:
    """Return a line as it should be written, without its line end."""
    start, stop = file.content(line.number)
    raw = file.body[start:stop].removeprefix(BOM_UTF8).lstrip()
    if line.key is None or line.field is None or line.value_span is None:
        return raw
    name = FIELDS.get(line.field)
    if name is None or line.key.lower() != line.field or b":" not in file.body[start:stop]:
        return raw  # a misspelt field is for `lint --fix`
    written = b": ".join((name, file.text(line.value_span))).rstrip()
    if line.comment is None:
        return written
    comment = file.body[file.body.index(b"#", line.value_span[1]) : stop]
    return b"  ".join((written, comment))


def _joined_starts(file: File) -> dict[int, str]:
    """Return the start-group lines, other than the first, of groups that a blank line would end,
    each with the name of a dialect that reads them so."""
    found: dict[int, str] = {}
    for dialect in DIALECTS.values():
        robots = parse(file.body, dialect=dialect, url=file.url)
        for name, reading, _ in readings(robots, robots) if ends_group(dialect, "") else ():
            for group in reading.groups:
                for number in group.start_lines[1:]:
                    found.setdefault(number, name)
    return found


def _spaced(contents: Sequence[tuple[Line, bytes]], joined: Container[int]) -> Iterator[bytes]:
    """Yield lines with one blank line before each group, and nowhere two in a row.

    joined:  the start-group lines that go on with a group, in some dialect.
    """
    lines = [line for line, _ in contents]
    places = _above(lines)
    opens = {places[line.number] for line in _openings(lines) if line.number not in joined}
    was_blank = True
    for line, content in contents:
        if not was_blank and (not content or line.number in opens):
            yield b""
        if content:
            yield content
        was_blank = not content


def _openings(lines: Iterable[Line]) -> Iterator[Line]:
    """Yield the start-group lines after any line but a blank one, a comment or another of them."""
    is_in_start = False
    for line in lines:
        if line.kind == "start-group" and not is_in_start:
            yield line
        if line.kind != "comment":
            is_in_start = line.kind == "start-group" or (is_in_start and line.kind == "blank")


def _above(lines: Iterable[Line]) -> dict[int, int]:
    """Return for each line the first of the comments right above it, or the line itself."""
    places: dict[int, int] = {}
    above: int | None = None
    for line in lines:
        places[line.number] = above or line.number
        above = places[line.number] if line.kind == "comment" else None
    return places


def _joined(file: File, contents: list[bytes]) -> bytes:
    while contents and not contents[-1]:
        contents.pop()
    return b"".join(content + file.line_end for content in contents)
