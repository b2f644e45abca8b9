"""Drafts: removed, inserted and rewritten lines, as spans of the original file.

In: a parsed file, and changes of its lines. Out: `Edit`s, in order, that do not overlap. Nothing
here depends on what a line means. Inserted lines get the line end of their neighbours, and a file
whose last line has no line end still has none.
"""

from bisect import bisect_left, bisect_right
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TypeAlias

from verger._core import RobotsTxt

Span: TypeAlias = tuple[int, int]

Piece: TypeAlias = Span | bytes
"""A part of a new file: a span of the original file, or new bytes."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A span of a file, in bytes, and its replacement.

    span:         the first byte, and the one after the last, as offsets in the file.
    replacement:  the bytes to put there.
    """

    span: Span
    replacement: bytes


class Draft:
    """Changes of the lines of one file; lines are numbered from 1."""

    def __init__(self, robots: RobotsTxt) -> None:
        self._body = robots.body
        self._lines = robots.lines
        self._removed: set[int] = set()
        self._inserted: dict[int, list[bytes]] = {}
        self._rewritten: dict[int, list[Edit]] = {}

    def remove(self, line: int) -> None:
        """Remove a line with its line end."""
        self._removed.add(line)

    def insert(self, after: int, contents: Iterable[bytes]) -> None:
        """Insert lines after a line and earlier insertions there; 0 is the start of the file."""
        self._inserted.setdefault(after, []).extend(contents)

    def rewrite(self, line: int, span: Span, replacement: bytes) -> None:
        """Replace a span within a line."""
        self._rewritten.setdefault(line, []).append(Edit(span, replacement))

    def edits(self) -> tuple[Edit, ...]:
        """Return the edits that turn the original file into this draft."""
        pieces = [piece for piece in self._pieces() if _size(piece) > 0]
        if self._body[_start(self._body) :] and not end_of_line(self._body):
            _drop_line_ends(self._body, pieces)
        return edits_of(_joined(self._body, pieces), len(self._body))

    def _pieces(self) -> Iterator[Piece]:
        """Yield the pieces of the new file, some of them empty."""
        at = 0
        for line in sorted({*self._removed, *self._inserted, *self._rewritten}):
            start, stop = self._lines[line - 1].span if line else (0, _start(self._body))
            yield at, start
            start = max(start, at)
            if line in self._removed:
                yield start, _start(self._body)
            else:
                yield from self._line(line, start, stop)
            yield from (each + self._end_near(line) for each in self._inserted.get(line, ()))
            at = stop
        yield at, len(self._body)

    def _line(self, line: int, start: int, stop: int) -> Iterator[Piece]:
        """Yield a line that stays, rewritten, with an end if others follow."""
        for edit in sorted(self._rewritten.get(line, ()), key=lambda edit: edit.span):
            yield start, edit.span[0]
            yield edit.replacement
            start = edit.span[1]
        yield start, stop
        has_end = bool(end_of_line(self._body[max(stop - 2, 0) : stop])) or not line
        if line in self._inserted and not has_end:
            yield self._end_near(line)

    def _end_near(self, line: int) -> bytes:
        """Return the line end of the nearest line that has one, looking at earlier lines first."""
        before = range(line, 0, -1)
        behind = range(line + 1, len(self._lines) + 1)
        for numbers in (before, behind):
            for number in numbers:
                start, stop = self._lines[number - 1].span
                if end := end_of_line(self._body[max(start, stop - 2) : stop]):
                    return end
        return b"\n"


def apply(body: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a file with edits applied; they are in order and do not overlap."""
    parts: list[bytes] = []
    at = 0
    for edit in edits:
        parts += body[at : edit.span[0]], edit.replacement
        at = edit.span[1]
    return b"".join((*parts, body[at:]))


def compose(first: Sequence[Edit], then: Sequence[Edit], size: int) -> tuple[Edit, ...]:
    """Return the edits that are equivalent to two lists of edits, one applied after the other.

    size:  the size in bytes of the file to which the first edits apply.
    """
    between = _pieces_of(first, size)
    starts = list(accumulate(map(_size, between), initial=0))
    pieces: list[Piece] = []
    at = 0
    for edit in then:
        pieces += _cut(between, starts, at, edit.span[0])
        pieces.append(edit.replacement)
        at = edit.span[1]
    pieces += _cut(between, starts, at, starts[-1])
    return edits_of(pieces, size)


def edits_of(pieces: Iterable[Piece], size: int) -> tuple[Edit, ...]:
    """Return the edits that produce a file from pieces, which are in the original order."""
    edits: list[Edit] = []
    at, new = 0, b""
    for piece in pieces:
        if isinstance(piece, bytes):
            new += piece
        elif piece[0] < piece[1]:
            if new or piece[0] > at:
                edits.append(Edit((at, piece[0]), new))
            at, new = piece[1], b""
    if new or size > at:
        edits.append(Edit((at, size), new))
    return tuple(edits)


def _drop_line_ends(body: bytes, pieces: list[Piece]) -> None:
    """Remove the end of the last line, and blank lines after it."""
    while pieces and (end := end_of_line(_bytes(body, pieces[-1]))):
        pieces[-1] = _without(pieces[-1], len(end))
        if not _bytes(body, pieces[-1]):
            pieces.pop()


def _joined(body: bytes, pieces: Iterable[Piece]) -> list[Piece]:
    """Return pieces, changed so that no two line ends become one.

    A CR that would now precede an LF becomes an LF, so its line keeps its own end.
    """
    joined: list[Piece] = []
    for piece in pieces:
        if joined and _becomes_one(body, joined[-1], piece):
            joined[-1:] = [_without(joined[-1], 1), b"\n"]
        joined.append(piece)
    return joined


def _becomes_one(body: bytes, piece: Piece, following: Piece) -> bool:
    is_as_before = (
        isinstance(piece, tuple) and isinstance(following, tuple) and piece[1] == following[0]
    )
    is_joint = _bytes(body, piece)[-1:] == b"\r" and _bytes(body, following)[:1] == b"\n"
    return is_joint and not is_as_before


def _bytes(body: bytes, piece: Piece) -> bytes:
    return piece if isinstance(piece, bytes) else body[slice(*piece)]


def _pieces_of(edits: Iterable[Edit], size: int) -> list[Piece]:
    pieces: list[Piece] = []
    at = 0
    for edit in edits:
        pieces += (at, edit.span[0]), edit.replacement
        at = edit.span[1]
    return [*pieces, (at, size)]


def _cut(pieces: Sequence[Piece], starts: Sequence[int], start: int, stop: int) -> list[Piece]:
    """Return the pieces between two offsets of the file that the pieces form.

    starts:  where in that file each piece starts.
    """
    found: list[Piece] = []
    first, last = max(bisect_right(starts, start) - 1, 0), bisect_left(starts, stop)
    for at, piece in zip(starts[first:last], pieces[first:last], strict=False):
        low, high = max(start - at, 0), min(stop - at, _size(piece))
        if low < high and isinstance(piece, bytes):
            found.append(piece[low:high])
        elif low < high:
            found.append((piece[0] + low, piece[0] + high))
    return found


def _size(piece: Piece) -> int:
    return len(piece) if isinstance(piece, bytes) else piece[1] - piece[0]


def _without(piece: Piece, count: int) -> Piece:
    return piece[:-count] if isinstance(piece, bytes) else (piece[0], piece[1] - count)


def _start(body: bytes) -> int:
    """Return the offset at which the first line begins, after a byte order mark."""
    return len(BOM_UTF8) if body.startswith(BOM_UTF8) else 0


def end_of_line(text: bytes) -> bytes:
    """Return the line end of a text; empty if it has none, as the last line of a file may."""
    if text.endswith(b"\r\n"):
        return b"\r\n"
    return text[-1:] if text.endswith((b"\r", b"\n")) else b""
