"""Formats of output: where each has its writer, and how its text becomes bytes.

In: the name of a format, and where the output goes. Out: its writer, imported only if requested; a
stream that takes text and fails on no character.
"""

import sys
from importlib import import_module

from verger.cli.streams import encode, encode_table
from verger.files.places import STANDARD
from verger.files.standard import plain_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Any, Protocol, TextIO

    class TextStream(Protocol):
        """A stream that takes text."""

        def write(self, text: str, /) -> object:
            """Write text."""
            ...

        def isatty(self) -> bool:
            """Whether it is a terminal."""
            ...


BYTE_FOR_BYTE = "surrogateescape"
"""The errors of a format that quotes files unchanged; only a terminal gets their bytes escaped."""


class WriterFormat:
    """One format of output.

    module, name:  those of its writer, a class or a function.
    encoding:      the encoding on stdout; None for the terminal's own. Files are UTF-8.
    errors:        what becomes of characters that the encoding lacks.
    """

    __slots__ = ("encoding", "errors", "module", "name")

    def __init__(
        self,
        module: str,
        name: str,
        encoding: str | None = None,
        errors: str = "backslashreplace",
    ) -> None:
        self.module = module
        self.name = name
        self.encoding = encoding
        self.errors = errors

    def load(self) -> "Any":
        """Return the writer."""
        return getattr(import_module(self.module), self.name)


def open_output(path: str | None, form: WriterFormat) -> "AbstractContextManager[TextStream]":
    """Return a stream to stdout, or to a file that replaces the old one when the block ends."""
    if path not in (None, STANDARD):
        return OutputFile(path, form.errors)
    if form.errors == BYTE_FOR_BYTE:
        encode_table(sys.stdout)
    else:
        encode(sys.stdout, form.encoding, form.errors)
    return _Stdout()


# `contextlib` would take a tenth of the start-up time of `check`.


class _Stdout:
    """A block that writes to stdout, and leaves it open."""

    def __enter__(self) -> "TextIO":
        return sys.stdout

    def __exit__(self, *_: object) -> None:
        pass


class OutputFile:
    """A file as a stream of text, which replaces the old file if the block does not raise."""

    def __init__(self, path: str, errors: str) -> None:
        from verger.files.writing import writing

        self._writing = writing(path)
        self._errors = errors

    def __enter__(self) -> "TextStream":
        self._stream = plain_on(self._writing.__enter__())
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        raised: BaseException | None,
        trace: "TracebackType | None",
    ) -> bool | None:
        return self._writing.__exit__(kind, raised, trace)

    def write(self, text: str, /) -> object:
        """Write text."""
        return self._stream.write(text.encode("utf-8", self._errors))

    def isatty(self) -> bool:
        """Return False: a file has no colours."""
        return False
