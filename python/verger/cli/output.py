"""Stdout, stderr and output files: how text becomes bytes, and what a command says.

In: where the output of a command goes, and text to write. Out: streams that fail on no character;
text whose control characters are escaped, or with styles; errors as they are told. `check` imports
this: what would take a tenth of its start-up time (`contextlib`, `shutil`, `typing`) is not
imported.

Yes is 0, no is 1, bad usage or no answer is 2, as in google/robotstxt. A question is *unanswered*
if nobody knows: a site that is not in the snapshot, a row that is no URL, a file that cannot be
read. One such question is enough in every command, whatever the other answers are.
"""

import sys
from collections.abc import Callable, Iterable
from io import TextIOWrapper

from verger import RobotsError
from verger.files.csv_text import Value, record
from verger.files.paths import STANDARD, is_terminal
from verger.files.stdio import plain_on
from verger.untrusted_text import printable, without_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from types import TracebackType
    from typing import NoReturn, TextIO

FINE = 0
DISALLOWED = 1
FAILED = 2
UNANSWERED = FAILED
SILENT = 3


class Failure(RobotsError):
    """The command cannot do its work; the message says why, the hint what to do."""


def refuse_if(is_wrong: object, message: str, hint: str | None = None) -> None:
    """Raise `Failure` if something is wrong."""
    if is_wrong:
        raise Failure(message, hint)


def refuse_first(*wrong: tuple[object, str, str | None]) -> None:
    """Raise `Failure` for the first that is wrong: whether it is, the message and the hint."""
    for is_wrong, message, hint in wrong:
        refuse_if(is_wrong, message, hint)


def see_help(command: str) -> str:
    """Return a hint that points to the options of a command."""
    return f"`verger {command} --help` shows the options"


def message_lines(message: str, hint: str | None) -> str:
    """Return the one or two lines that report a problem."""
    message, hint = without_secrets(message), hint and without_secrets(hint)
    lines = f"error: {printable(message)}\n"
    return f"{lines}hint: {printable(hint)}\n" if hint else lines


# Streams


IN_UTF_8 = ("json", "jsonl", "junit", "sarif")
"""Formats that are in UTF-8, even on a stdout in another encoding."""

BYTE_FOR_BYTE = ("csv", "diff")
"""Formats that quote files unchanged; only a terminal gets their bytes escaped: one that does not
use UTF-8 would take some of them for commands."""


class TextStream:
    """A block that writes text to stdout, or to a file which replaces the old one.

    A block that raises leaves the old file as it is.
    """

    write: Callable[[str], object]

    def __init__(self, path: str | None, format: str) -> None:
        """Prepare to write to a file; to stdout, which stays open, for None and `-`.

        format:  says the encoding on stdout; the terminal's own for most. Files are UTF-8.
        """
        is_exact = format in BYTE_FOR_BYTE
        self._errors = "surrogateescape" if is_exact else "backslashreplace"
        self.is_file = path not in (None, STANDARD)
        if path is not None and self.is_file:
            from verger.files.writing import writing

            self._writing = writing(path)
            return
        self.write = sys.stdout.write
        if is_exact and not self.isatty():
            encode(sys.stdout, "utf-8", self._errors)
        else:
            encode(sys.stdout, "utf-8" if format in IN_UTF_8 else None, "backslashreplace")

    def __enter__(self) -> "TextStream":
        if self.is_file:
            stream = plain_on(self._writing.__enter__())
            self.write = lambda text: stream.write(text.encode("utf-8", self._errors))
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        raised: BaseException | None,
        trace: "TracebackType | None",
    ) -> bool | None:
        return self._writing.__exit__(kind, raised, trace) if self.is_file else None

    def write_lines(self, lines: Iterable[str]) -> None:
        """Write lines, and end each."""
        for line in lines:
            self.write(f"{line}\n")

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return not self.is_file and sys.stdout.isatty()


def encode(stream: "TextIO", encoding: str | None, errors: str) -> None:
    """Set the encoding and its error handler, so that no character stops the output.

    Also turns off PYTHONUNBUFFERED, which would make a system call for every line.
    """
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors=errors, write_through=False)


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout unchanged, after all text."""
    sys.stdout.flush()
    plain_on(sys.stdout.buffer).write(data)


def tell(*lines: str) -> None:
    """Write lines to stderr, if there are any, after all output to stdout."""
    if lines:
        sys.stdout.flush()
        sys.stderr.write(plain_lines(without_secrets("\n".join(lines))))
        sys.stderr.flush()


def note(args: "Namespace", *lines: str) -> None:
    """Write lines that need no action to stderr, unless `--quiet` was given."""
    if not args.quiet:
        tell(*lines)


def tell_failures(failures: Iterable[tuple[str, str | None]]) -> None:
    """Write errors to stderr, each a message and a hint, after all output to stdout."""
    sys.stdout.flush()
    for message, hint in failures:
        sys.stderr.write(message_lines(message, hint))


def fail_with(failures: Iterable[tuple[str, str | None]]) -> "NoReturn":
    """End the command with these errors, so that an old output stays."""
    *others, (message, hint) = failures
    tell_failures(others)
    raise Failure(message, hint)


def plain_lines(text: str) -> str:
    """Return whole lines in which all control characters but line ends are escaped."""
    return "".join(f"{printable(line)}\n" for line in text.removesuffix("\n").split("\n"))


def expect_no_terminal(output: str, what: str) -> None:
    """Refuse to write to a terminal what is unreadable there."""
    refuse_if(is_terminal(output), f"{what} is not text for a terminal", "pass `--output FILE`")


def csv_line(fields: Iterable[Value], *, is_terminal: bool) -> str:
    """Return a record of CSV; on a terminal, with control characters escaped."""
    line = record(fields)
    return printable(line) if is_terminal else line
