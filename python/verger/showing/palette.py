"""Colours of a terminal, and of the picture of a value; they only repeat what the words say."""

import os

from verger._core import _VERDICTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Stream(Protocol):
        """Where text is written."""

        def isatty(self) -> bool:
            """Return whether it is a terminal."""
            ...


STYLES = {
    "bold": "1",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "magenta": "35",
    "cyan": "36",
}

SEVERITY_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
"""The colour of each severity."""


class Palette:
    """Terminal colours, or none."""

    def __init__(self, *, coloured: bool) -> None:
        self._coloured = coloured

    @classmethod
    def of(cls, stream: "Stream") -> "Palette":
        """Return colours for a terminal, unless NO_COLOR or FORCE_COLOR say otherwise.

        A file of `--output` has none: FORCE_COLOR is for pipes that lead to a terminal.
        """
        if os.environ.get("NO_COLOR") or getattr(stream, "is_file", False):
            return cls(coloured=False)
        forced = os.environ.get("FORCE_COLOR")
        if forced:
            return cls(coloured=forced != "0")
        return cls(coloured=stream.isatty() and os.environ.get("TERM") != "dumb")

    def paint(self, text: str, *styles: str) -> str:
        """Return the text in these styles."""
        if not (self._coloured and text):
            return text
        codes = ";".join(STYLES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"


VERDICT_COLOURS = {True: "green", False: "red", None: "yellow"}


def verdict(*, allowed: bool | None) -> tuple[str, str]:
    """Return the word for an answer, and its colour; None is an answer that no line gives."""
    return _VERDICTS[allowed], VERDICT_COLOURS[allowed]
