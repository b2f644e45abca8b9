"""The files that `verger lint` and `verger fmt` read and write back, and their changes as a diff.

In: words of the command line. Out: `LintInput`s, in the order of the words and of names in a
folder; the bytes of each. A file is read completely, up to a limit, and written completely or not
at all. In: the old and new bytes. Out: a unified diff that `patch` and `git apply` read.
"""

# ruff: noqa: PTH112

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verger.analysis.aligning import Alignment
from verger.cli.live import fetch_file
from verger.cli.output import plain_lines, refuse_if
from verger.files.paths import STANDARD, input_name, is_url
from verger.files.robots_file import read_whole
from verger.files.walk import project_files
from verger.plain import printable

NAME = "robots.txt"

READ_WHOLE = ("rfc9309", "original-1994")
"""Dialects of a fetched file: the second has no limit, so that all of it is kept."""


@dataclass(frozen=True, slots=True)
class LintInput:
    """One robots.txt file.

    path:  its path, or `-`, or the URL for which it was fetched.
    body:  its bytes, if they have been read.
    url:   its URL, if known.
    """

    path: str
    body: bytes | None = None
    url: str | None = None

    @property
    def name(self) -> str:
        """Its name in messages."""
        return printable(input_name(self.path))

    @property
    def is_on_disk(self) -> bool:
        """Whether it is a file that can be written back."""
        return self.body is None

    def read(self) -> bytes:
        """Return its bytes. Raises `Failure` and `UnusableInput`."""
        return read_whole(self.path) if self.body is None else self.body


def inputs_of(args: Namespace, words: Sequence[str], what: str) -> list[LintInput]:
    """Return the files that words name; without words, those below the current folder.

    what:  what the caller wants to do with the files, for messages.
    """
    found: dict[str, LintInput] = {}
    for word in words or [os.curdir]:
        for each in _inputs_of_word(args, word, what):
            found.setdefault(each.path, each)
    return list(found.values())


def _inputs_of_word(args: Namespace, word: str, what: str) -> Iterator[LintInput]:
    if word == STANDARD:
        yield LintInput(word, read_whole(word))
    elif is_url(word):
        robots = fetch_file(args, word, READ_WHOLE, what)
        yield LintInput(word, robots.body, robots.url)
    elif os.path.isdir(word):
        yield from _in_folder(word)
    else:
        yield LintInput(word)


def _in_folder(folder: str) -> Iterator[LintInput]:
    paths = list(project_files(folder, lambda name: name.lower() == NAME))
    refuse_if(
        not paths,
        f"no {NAME} file in the folder `{printable(folder)}`",
        "name a file, or `-` for stdin",
    )
    yield from map(LintInput, paths)


# Changes


NO_END = b"\n\\ No newline at end of file\n"


def patch(name: str, old: bytes, new: bytes) -> str:
    """Return the changes, decoded from bytes (UTF-8 with surrogateescape)."""
    before, after = list(_lines(old)), list(_lines(new))
    hunks = Alignment(before, after).get_grouped_opcodes()
    parts = [part for hunk in hunks for part in _hunk(hunk, before, after)]
    head = f"--- {name}\n+++ {name}\n" if parts else ""
    return head + b"".join(parts).decode("utf-8", "surrogateescape")


def _hunk(
    hunk: list[tuple[str, int, int, int, int]], before: list[bytes], after: list[bytes]
) -> Iterator[bytes]:
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
