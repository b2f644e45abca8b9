"""Terminal colours, for those who want them.

In: a stream, and NO_COLOR, FORCE_COLOR and TERM from the environment. Out: text with styles, or
unchanged.
"""

import os

from verger.cli.writers import OutputFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from verger.cli.writers import TextStream

    Style: TypeAlias = Literal["bold", "red", "green", "yellow", "magenta", "cyan"]

STYLES: "dict[Style, str]" = {
    "bold": "1",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "magenta": "35",
    "cyan": "36",
}


class Palette:
    """Terminal colours, or none."""

    def __init__(self, *, coloured: bool) -> None:
        self._coloured = coloured

    @classmethod
    def of(cls, stream: "TextStream") -> "Palette":
        """Return colours for a terminal, unless NO_COLOR or FORCE_COLOR say otherwise.

        A file of `--output` has none: FORCE_COLOR is for pipes that lead to a terminal.
        """
        if os.environ.get("NO_COLOR") or isinstance(stream, OutputFile):
            return cls(coloured=False)
        forced = os.environ.get("FORCE_COLOR")
        if forced:
            return cls(coloured=forced != "0")
        return cls(coloured=stream.isatty() and os.environ.get("TERM") != "dumb")

    @property
    def is_coloured(self) -> bool:
        """Whether it has colours."""
        return self._coloured

    def paint(self, text: str, *styles: "Style") -> str:
        """Return the text in these styles."""
        if not (self._coloured and text):
            return text
        codes = ";".join(STYLES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"


def verdict(*, allowed: bool) -> "tuple[str, Style]":
    """Return the word for an answer, and its colour."""
    return ("allowed", "green") if allowed else ("disallowed", "red")
