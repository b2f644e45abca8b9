"""Changes as a unified diff.

In: the old and new bytes. Out: text that `patch` and `git apply` read.
"""

from collections.abc import Iterator
from typing import TypeAlias

from verger.analysis.alignment import Alignment
from verger.cli.output import plain_lines

Hunk: TypeAlias = list[tuple[str, int, int, int, int]]

NO_END = b"\n\\ No newline at end of file\n"


def patch(name: str, old: bytes, new: bytes) -> str:
    """Return the changes, decoded from bytes (UTF-8 with surrogateescape)."""
    before, after = list(_lines(old)), list(_lines(new))
    hunks = Alignment(before, after).get_grouped_opcodes()
    parts = [part for hunk in hunks for part in _hunk(hunk, before, after)]
    head = f"--- {name}\n+++ {name}\n" if parts else ""
    return head + b"".join(parts).decode("utf-8", "surrogateescape")


def _hunk(hunk: Hunk, before: list[bytes], after: list[bytes]) -> Iterator[bytes]:
    """Yield a header, and the lines of both versions between its first and its last."""
    (_, i, _, j, _), (_, _, i_end, _, j_end) = hunk[0], hunk[-1]
    yield f"@@ -{_range(i, i_end)} +{_range(j, j_end)} @@\n".encode()
    for kind, start, stop, new_start, new_stop in hunk:
        gone, came = before[start:stop], after[new_start:new_stop]
        sides = [(b" ", gone)] if kind == "equal" else [(b"-", gone), (b"+", came)]
        for mark, lines in sides:
            yield from (mark + line + (b"" if line.endswith(b"\n") else NO_END) for line in lines)


def _range(start: int, stop: int) -> str:
    """Return lines as a hunk names them: an empty range by the line before it."""
    size = stop - start
    return f"{start + 1}" if size == 1 else f"{start + (size > 0)},{size}"


def shown_diff(text: str, *, is_terminal: bool) -> str:
    """Return a diff unchanged for a pipe or file, escaped for a terminal."""
    return plain_lines(text) if text and is_terminal else text


def _lines(body: bytes) -> Iterator[bytes]:
    """Yield lines as `patch` counts them, which end only at a line feed."""
    lines = body.split(b"\n")
    yield from (line + b"\n" for line in lines[:-1])
    if lines[-1]:
        yield lines[-1]
