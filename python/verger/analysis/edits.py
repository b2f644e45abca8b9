"""Drafts: removed, inserted and rewritten lines, as spans of the original file.

In: a parsed file, and changes of its lines. Out: `Edit`s, in order, that do not overlap. Nothing
here depends on what a line means. Inserted lines get the line end of their neighbours, and a file
whose last line has no line end still has none.
"""

from bisect import bisect_left, bisect_right
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TypeAlias

from verger._core import RobotsTxt

Span: TypeAlias = tuple[int, int]

Fragment: TypeAlias = Span | bytes
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
        pieces = _pieces_of(self._changes(), len(self._body))
        if self._body[_start(self._body) :] and not end_of_line(self._body):
            _drop_line_ends(self._body, pieces)
        return edits_of(_joined(self._body, pieces), len(self._body))

    def _changes(self) -> Iterator[Edit]:
        """Yield the changes of each line, in order."""
        first = _start(self._body)
        for line in sorted({*self._removed, *self._inserted, *self._rewritten}):
            start, stop = self._lines[line - 1].span if line else (0, first)
            if line in self._removed:
                yield Edit((max(start, first), stop), b"")
            else:
                yield from sorted(self._rewritten.get(line, ()), key=lambda edit: edit.span)
            if line in self._inserted:
                yield Edit((stop, stop), self._insertion(line))

    def _insertion(self, line: int) -> bytes:
        """Return what is inserted after a line; if that stays and has no end, first an end."""
        end = self._end_near(line)
        lines = b"".join(content + end for content in self._inserted[line])
        is_ended = not line or line in self._removed or self._end_of(line)
        return lines if is_ended else end + lines

    def _end_near(self, line: int) -> bytes:
        """Return the line end of the nearest line that has one, looking at earlier lines first."""
        ends = map(self._end_of, outwards(line, len(self._lines)))
        return next(filter(None, ends), b"\n")

    def _end_of(self, line: int) -> bytes:
        start, stop = self._lines[line - 1].span
        return end_of_line(self._body[max(start, stop - 2) : stop])


def apply(body: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a file with edits applied; they are in order and do not overlap."""
    return b"".join(_bytes(body, piece) for piece in _pieces_of(edits, len(body)))


def compose(first: Iterable[Edit], then: Iterable[Edit], size: int) -> tuple[Edit, ...]:
    """Return the edits that are equivalent to two lists of edits, one applied after the other.

    size:  the size in bytes of the file to which the first edits apply.
    """
    between = _pieces_of(first, size)
    starts = list(accumulate(map(_size, between), initial=0))
    pieces = (_cut(between, starts, piece) for piece in _pieces_of(then, starts[-1]))
    return edits_of(chain.from_iterable(pieces), size)


def edits_of(pieces: Iterable[Fragment], size: int) -> tuple[Edit, ...]:
    """Return the edits that produce a file from pieces, which are in the original order."""
    edits: list[Edit] = []
    at, new = 0, b""
    for piece in (*filter(_size, pieces), (size, size)):
        if isinstance(piece, bytes):
            new += piece
        else:
            if new or piece[0] > at:
                edits.append(Edit((at, piece[0]), new))
            at, new = piece[1], b""
    return tuple(edits)


def _drop_line_ends(body: bytes, pieces: list[Fragment]) -> None:
    """Remove the end of the last line, and blank lines after it."""
    while pieces and (end := end_of_line(_bytes(body, pieces[-1]))):
        pieces[-1] = _without(pieces[-1], len(end))
        if not _bytes(body, pieces[-1]):
            pieces.pop()


def _joined(body: bytes, pieces: Iterable[Fragment]) -> list[Fragment]:
    """Return pieces, changed so that no two line ends become one.

    A CR that would now precede an LF becomes an LF, so its line keeps its own end.
    """
    joined: list[Fragment] = []
    for piece in pieces:
        if joined and _becomes_one(body, joined[-1], piece):
            joined[-1:] = [_without(joined[-1], 1), b"\n"]
        joined.append(piece)
    return joined


def _becomes_one(body: bytes, piece: Fragment, following: Fragment) -> bool:
    is_as_before = (
        isinstance(piece, tuple) and isinstance(following, tuple) and piece[1] == following[0]
    )
    is_joint = _bytes(body, piece)[-1:] == b"\r" and _bytes(body, following)[:1] == b"\n"
    return is_joint and not is_as_before


def _bytes(body: bytes, piece: Fragment) -> bytes:
    return piece if isinstance(piece, bytes) else body[slice(*piece)]


def _pieces_of(edits: Iterable[Edit], size: int) -> list[Fragment]:
    """Return the pieces of an edited file, none of them empty."""
    pieces: list[Fragment] = []
    at = 0
    for edit in edits:
        pieces += (at, edit.span[0]), edit.replacement
        at = edit.span[1]
    return [piece for piece in (*pieces, (at, size)) if _size(piece) > 0]


def _cut(pieces: Sequence[Fragment], starts: Sequence[int], piece: Fragment) -> Iterator[Fragment]:
    """Yield a piece of the file that some pieces form, as pieces of the original file.

    starts:  where in that file each piece starts.
    """
    if isinstance(piece, bytes):
        yield piece
        return
    start, stop = piece
    first, last = bisect_right(starts, start) - 1, bisect_left(starts, stop)
    for at, each in zip(starts[first:last], pieces[first:last], strict=True):
        yield _part(each, max(start - at, 0), min(stop - at, _size(each)))


def _part(piece: Fragment, low: int, high: int) -> Fragment:
    return piece[low:high] if isinstance(piece, bytes) else (piece[0] + low, piece[0] + high)


def _size(piece: Fragment) -> int:
    return len(piece) if isinstance(piece, bytes) else piece[1] - piece[0]


def _without(piece: Fragment, count: int) -> Fragment:
    return _part(piece, 0, _size(piece) - count)


def _start(body: bytes) -> int:
    """Return the offset at which the first line begins, after a byte order mark."""
    return len(BOM_UTF8) if body.startswith(BOM_UTF8) else 0


def end_of_line(text: bytes) -> bytes:
    """Return the line end of a text; empty if it has none, as the last line of a file may."""
    return next((end for end in (b"\r\n", b"\r", b"\n") if text.endswith(end)), b"")


def outwards(near: int, count: int) -> Iterator[int]:
    """Return the numbers of lines up to `near`, the nearest first, then those after it."""
    return chain(range(near, 0, -1), range(near + 1, count + 1))
