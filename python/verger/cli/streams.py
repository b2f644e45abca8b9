"""Stdout and stderr, made ready for what will be written.

In: streams, and what a command says. Out: the same such that no character stops the output, and
that nothing of a stranger acts on a terminal.
"""

import sys
from io import TextIOWrapper

from verger.cli.exit import Failure
from verger.cli.plain import printable
from verger.files.places import is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def encode(stream: "TextIO", encoding: str | None, errors: str) -> None:
    """Let no character stop the output: CSV gives bytes back, text shows what it cannot say.

    PYTHONUNBUFFERED would make a system call of every line.
    """
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors=errors, write_through=False)


def encode_table(stream: "TextIO") -> None:
    """Let CSV give bytes back in a file, and show on a terminal what its encoding cannot say.

    A terminal that does not read UTF-8 would take some of its bytes for commands.
    """
    if stream.isatty():
        encode(stream, None, "backslashreplace")
    else:
        encode(stream, "utf-8", "surrogateescape")


def tell(text: str) -> None:
    """Write lines to stderr, behind what stdout has."""
    sys.stdout.flush()
    sys.stderr.write(plain_lines(text))
    sys.stderr.flush()


def plain_lines(text: str) -> str:
    """Return whole lines in which nothing acts but their ends."""
    return "".join(f"{printable(line)}\n" for line in text.removesuffix("\n").split("\n"))


def expect_no_terminal(output: str, what: str) -> None:
    """Refuse to write to a terminal what nobody can read there."""
    if is_terminal(output):
        raise Failure(f"{what} is not text for a terminal", "pass `--output FILE`")
