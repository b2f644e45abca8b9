"""Stdout, made ready for what will be written."""

from io import TextIOWrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO


def encode(stream: "TextIO", encoding: str | None, errors: str) -> None:
    """Let no character stop the output: CSV gives octets back, text shows what it cannot say.

    PYTHONUNBUFFERED would make a system call of every line.
    """
    if isinstance(stream, TextIOWrapper):
        stream.reconfigure(encoding=encoding, errors=errors, write_through=False)
