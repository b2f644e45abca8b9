"""Formats of output: where each has its writer, and how its text becomes bytes.

In: the name of a format, and where the output goes. Out: its writer, imported only if requested; a
stream that takes text and fails on no character.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from verger.cli.streams import encode
from verger.files.places import STANDARD
from verger.files.standard import plain_on
from verger.files.writing import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.files.standard import Stream

    class TextStream(Protocol):
        """A stream that takes text."""

        def write(self, text: str, /) -> object:
            """Write text."""
            ...

        def isatty(self) -> bool:
            """Whether it is a terminal."""
            ...


@dataclass(frozen=True, slots=True)
class WriterFormat:
    """One format of output.

    module, name:  those of its writer, a class or a function.
    encoding:      the encoding on stdout; None for the terminal's own. Files are UTF-8.
    errors:        what becomes of characters that the encoding lacks.
    """

    module: str
    name: str
    encoding: str | None = None
    errors: str = "backslashreplace"

    def load(self) -> Any:
        """Return the writer."""
        return getattr(import_module(self.module), self.name)


@contextmanager
def open_output(path: str | None, form: WriterFormat) -> "Iterator[TextStream]":
    """Yield a stream to stdout, or to a file that replaces the old one when the block ends."""
    if path in (None, STANDARD):
        encode(sys.stdout, form.encoding, form.errors)
        yield sys.stdout
        return
    with writing(path) as output:
        yield _File(plain_on(output), form.errors)


class _File:
    """A file as a stream of text."""

    def __init__(self, stream: "Stream", errors: str) -> None:
        self._stream = stream
        self._errors = errors

    def write(self, text: str, /) -> object:
        """Write text."""
        return self._stream.write(text.encode("utf-8", self._errors))

    def isatty(self) -> bool:
        """Return False: a file has no colours."""
        return False
