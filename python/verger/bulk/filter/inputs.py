"""Inputs: the files and streams with the rows, and how far each has been read.

In: the paths of the command line. Out: their bytes, lines and formats. Knows nothing of what lines
mean.
"""

# ruff: noqa: PTH116

import os
import stat
from collections.abc import Iterator, Sequence

from verger.errors import InvalidOption, UnusableInput
from verger.files.formats import input_format
from verger.files.lines import lines_of, read_bytes
from verger.files.reading import damaged
from verger.files.stdio import LONGEST
from verger.plain import quoted

FORMATS = ("text", "jsonl", "csv", "parquet")
STDIN = "stdin"


class UrlInput:
    """One file or stream of rows."""

    __slots__ = ("format", "is_plain", "mtime_ns", "name", "path", "position", "size")

    def __init__(self, path: str, format_name: str | None, *, option: str = "format") -> None:
        self.path = path
        self.name = STDIN if path == "-" else path
        self.format = input_format(path, format_name, FORMATS, option=option) or "text"
        self.size = self.mtime_ns = 0
        self.is_plain = False
        """Whether it is a file that can be read again, and whose size is known."""
        self.position = 0
        """Bytes of such a file that were read so far."""
        if path != "-":
            self._look()
        elif self.format == "parquet":
            raise UnusableInput("Parquet cannot be read from stdin", "pass the path of the file")

    def _look(self) -> None:
        try:
            status = os.stat(self.path)
            if stat.S_ISDIR(status.st_mode):
                why = f"{quoted(self.path)} is a folder, not a file of URLs"
                raise UnusableInput(why, "name a file in it")
            if not os.access(self.path, os.R_OK):
                raise PermissionError(13, "permission denied")
        except OSError as error:
            raise damaged(self.name, error) from None
        self.is_plain = stat.S_ISREG(status.st_mode)
        if self.is_plain:
            self.size, self.mtime_ns = status.st_size, status.st_mtime_ns
        elif self.format == "parquet":
            raise UnusableInput(
                f"{quoted(self.path)} is a pipe; Parquet is only read from files",
                "write it to a file first",
            )

    def lines(self) -> Iterator[list[str]]:
        """Yield the lines as they come, some at a time, without line ends.

        A line of more than `LONGEST` bytes is cut one byte after that; the rest is skipped.
        """
        return lines_of(self.chunks(), LONGEST)

    def chunks(self) -> Iterator[bytes]:
        """Yield the unpacked bytes. Raises UnusableInput."""
        on_read = self._note if self.is_plain else None
        return read_bytes(self.path, what="URLs", format=self.format, on_read=on_read)

    def _note(self, position: int) -> None:
        self.position = position


def inputs_of(words: Sequence[str], format_name: str | None) -> list[UrlInput]:
    """Return the inputs that the command line names; stdin if it names none."""
    paths = list(words) or ["-"]
    if paths.count("-") > 1:
        raise InvalidOption("stdin can be read once: `-` is given twice")
    return [UrlInput(path, format_name, option="--input-format") for path in paths]
