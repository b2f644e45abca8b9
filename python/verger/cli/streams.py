"""Stdout and stderr, prepared for output.

In: streams, and text to write. Out: streams on which no character fails, and text whose control
characters are escaped.
"""

import os
import sys
from io import TextIOWrapper

from verger.cli.exit import Failure, message_lines
from verger.files.places import is_terminal
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn, TextIO


def encode(stream: "TextIO", encoding: str | None, errors: str) -> None:
    """Set the encoding and its error handler, so that no character stops the output.

    Also turns off PYTHONUNBUFFERED, which would make a system call for every line.
    """
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors=errors, write_through=False)


def encode_table(stream: "TextIO") -> None:
    """Write CSV or a diff byte for byte to a pipe, and escape what a terminal's encoding lacks.

    A terminal that does not use UTF-8 would take some of its bytes for commands.
    """
    if stream.isatty():
        encode(stream, None, "backslashreplace")
    else:
        encode(stream, "utf-8", "surrogateescape")


def terminal_width(stream: "TextIO") -> int:
    """Return the columns of a terminal; 0 for what is not a terminal, or does not know.

    `COLUMNS` comes first. Importing `shutil` for its `get_terminal_size` would take a tenth of the
    command's start-up time.
    """
    if not stream.isatty():
        return 0
    if wished := wished_width():
        return wished
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):  # a stream without a descriptor
        return 0


def wished_width() -> int:
    """Return the columns that `COLUMNS` asks for; 0 if it does not."""
    wished = os.environ.get("COLUMNS", "")
    return int(wished[:9]) if wished.isdecimal() else 0  # Python reads no number of any length


def tell(text: str) -> None:
    """Write lines to stderr, after all output to stdout."""
    sys.stdout.flush()
    sys.stderr.write(plain_lines(text))
    sys.stderr.flush()


def tell_failures(failures: "Iterable[tuple[str, str | None]]") -> None:
    """Write errors to stderr, each a message and a hint, after all output to stdout."""
    sys.stdout.flush()
    for message, hint in failures:
        sys.stderr.write(message_lines(message, hint))


def fail_with(failures: "Iterable[tuple[str, str | None]]") -> "NoReturn":
    """End the command with these errors, so that an old output stays."""
    *others, (message, hint) = failures
    tell_failures(others)
    raise Failure(message, hint)


def plain_lines(text: str) -> str:
    """Return whole lines in which all control characters but line ends are escaped."""
    return "".join(f"{printable(line)}\n" for line in text.removesuffix("\n").split("\n"))


def expect_no_terminal(output: str, what: str) -> None:
    """Refuse to write to a terminal what is unreadable there."""
    if is_terminal(output):
        raise Failure(f"{what} is not text for a terminal", "pass `--output FILE`")
