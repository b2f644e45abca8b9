"""The URLs of a command: from the command line, and from stdin for `-`.

In: the words of the command line. Out: one URL after another, in bounded memory, however
many there are. Bytes that are not UTF-8 are kept as surrogates, as in file names.
"""

from collections.abc import Iterator, Sequence
from stat import S_ISREG

from verger.access.answer import Unanswered
from verger.files.paths import STANDARD, descriptor_of, status_of
from verger.files.stdio import LONGEST, stdin_bytes


class Urls:
    """URLs in the order of the command line, and the share that has been taken."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._taken = self._read = 0
        self.is_stdin_empty = "-" in words
        """Whether stdin, once it is read to its end, held no URL."""
        self._size = _size_of_stdin() if "-" in words else None

    def __iter__(self) -> Iterator[str | Unanswered]:
        for word in self._words:
            self._taken += 1
            yield from self._lines() if word == "-" else [word]

    def _lines(self) -> Iterator[str | Unanswered]:
        """Yield the lines of stdin, without those that are blank."""
        from verger.files.lines import is_longer, numbered_lines

        on_read = self._note if self._size else None
        for number, line in numbered_lines("-", LONGEST, what="URLs", on_read=on_read):
            text = line.strip(" \t\r\n\v\f")
            self.is_stdin_empty = self.is_stdin_empty and not text
            if is_longer(line, LONGEST):
                yield _too_long(number, line)
            elif text:
                yield text

    def _note(self, read: int) -> None:
        self._read = read

    @property
    def share_taken(self) -> float | None:
        """The share that has been taken, from 0 to 1; None if the total is unknown."""
        if "-" not in self._words:
            return self._taken / len(self._words)
        return self._read / self._size if self._size and len(self._words) == 1 else None


def _size_of_stdin() -> int | None:
    """Return the size of a regular file; None for pipes and terminals."""
    status = status_of(STANDARD, descriptor_of(stdin_bytes("URLs")))
    return status.st_size if status and S_ISREG(status.st_mode) else None


def _too_long(number: int, line: str) -> Unanswered:
    shown = line[:80]
    message = f"line {number} of stdin has more than {LONGEST:,} bytes: `{shown}...`"
    return Unanswered("url-too-long", message, url=shown)
