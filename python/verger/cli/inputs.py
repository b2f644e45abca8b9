"""The files that `verger lint` and `verger fmt` read and write back.

In: words of the command line. Out: `LintInput`s, in the order of the words and of names in a
folder; the bytes of each. A file is read completely, up to a limit, and written completely or not
at all.
"""

# ruff: noqa: PTH112, PTH118, PTH120, PTH122

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from verger import RFC9309, UnusableInput, parse
from verger.cli.live import fetch_file
from verger.cli.output import Failure, refuse_if
from verger.files.paths import STANDARD, input_name, is_url
from verger.files.robots_file import read_named, read_whole
from verger.files.walk import project_files
from verger.untrusted_text import printable

NAME = "robots.txt"

READ, SILENT = {"start-group", "rule", "record"}, {"blank", "comment"}
"""Kinds of lines that a crawler may read, and that say nothing."""

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
        yield from _in_folder(word, is_read=what == "lint")
    else:
        yield LintInput(word)


def _in_folder(folder: str, *, is_read: bool) -> Iterator[LintInput]:
    """Yield the files of a folder that have the name of a robots.txt file; if none has, and they
    are only read, all its files, if their content is that of robots.txt files."""
    paths = list(project_files(folder, lambda name: name.lower() == NAME))
    if not paths:
        paths = list(project_files(folder, lambda name: not name.startswith(".")))
        none = f"no {NAME} file in the folder `{printable(folder)}`"
        refuse_if(not (paths and is_read), none, "name a file, or `-` for stdin")
        kinds = {path: _kinds_of(path) for path in paths}
        file = next((path for path in paths if kinds[path] is READ), "")
        fine = READ | SILENT if file else READ
        other = [path for path in paths if not kinds[path] <= fine]
        if other:
            shown = file or os.path.join(folder, NAME)
            pattern = os.path.join(os.path.dirname(shown), f"*{os.path.splitext(shown)[1]}")
            raise Failure(
                f"{none}, and `{printable(other[0])}` is not one by its content",
                f"name the files, such as `{printable(pattern)}`",
            )
    yield from map(LintInput, paths)


def _kinds_of(path: str) -> Set[str]:
    """Return `READ` for a file with a line that a crawler reads, or that cannot be read, which is
    told later; for others the kinds of their lines."""
    try:
        kinds = {line.kind for line in parse(read_named(path, [RFC9309])).lines}
    except UnusableInput:
        return READ
    return READ if kinds & READ else kinds or SILENT
