"""One decision explained: the lines of the file that led to it, and what matched.

In: a decision, whose parts the core names. Out: lines of text in the form of compiler diagnostics.
`^` underlines the bytes that matched literally, `~` a `*` and what it matched; `=` starts a remark.
Files are untrusted: all of their text is passed through `printable`, and shortened to fit a line of
a terminal.
"""

from collections.abc import Iterator

from verger._core import Decision
from verger.plain import printable, quoted, shortened
from verger.showing.palette import Palette, verdict
from verger.showing.printing import Cells, cells_of, cut_cells, indent_of, marks_under, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Part


class DecisionExcerpt:
    """The explanation of one decision."""

    def __init__(self, palette: Palette, decision: Decision) -> None:
        because, widest, self._lines = decision._explanation()
        self._palette = palette
        self._decision = decision
        word, self._colour = verdict(allowed=decision.allowed)
        self._gutter = 2 + len(str(widest))
        self.headline = f"{palette.paint(word, 'bold', self._colour)}{because}"
        """The decision as one line."""

    def lines(self, *, verbose: bool, is_kept_in_part: bool = False) -> Iterator[str]:
        """Yield the whole explanation.

        verbose:          also name what the rule was compared with, and the rules that it beats.
        is_kept_in_part:  whether a fetch kept only the beginning of the file.
        """
        yield self.headline
        yield ""
        yield from self.file_lines()
        told = self._decision._remarks(verbose=verbose, kept_in_part=is_kept_in_part)
        for part in told:
            yield from self._draw(part)

    def file_lines(self) -> Iterator[str]:
        """Yield the start-group line and the rule, or the groups in which no rule was found."""
        for part in self._lines:
            yield from self._draw(part)

    def _draw(self, part: "_Part") -> Iterator[str]:
        number, sections, said = part
        cells = [cell for section in sections for cell in _cells(*section)]
        words = "".join(map(_word, said or ()))
        if number is not None:
            margin = self._palette.paint(f"{number:>{self._gutter}} |", "cyan")
            yield f"{margin} {text_of(cells)}"
            if said:
                marks = self._palette.paint(f"{marks_under(cells)} {words}", self._colour)
                yield f"{self._margin('|')} {' ' * indent_of(cells)}{marks}"
        elif sections:
            yield self.remark(f"target {text_of(cells)}")
            if marks := marks_under(cells):
                indent = " " * (self._gutter + len(" = target "))
                yield f"{indent}{self._palette.paint(marks, self._colour)}"
        else:
            yield self.remark(words)

    def _margin(self, sign: str) -> str:
        return self._palette.paint(f"{'':{self._gutter}} {sign}", "cyan")

    def remark(self, text: str) -> str:
        """Return a line with a remark."""
        return f"{self._margin('=')} {text}"


def explained(decision: Decision, verbose: bool = False, *, coloured: bool = False) -> str:
    """Return the whole explanation of a decision; `verger.Decision.explain` is this."""
    excerpt = DecisionExcerpt(Palette(coloured=coloured), decision)
    return "\n".join(excerpt.lines(verbose=verbose))


def _cells(most: int, pieces: list[tuple[bytes, str]]) -> Cells:
    return cut_cells([cell for text, mark in pieces for cell in cells_of(text, mark)], most)


def _word(word: str | tuple[str, int | None]) -> str:
    """Return a text of ours, or untrusted text made safe."""
    if isinstance(word, str):
        return word
    text, most = word
    return quoted(text) if most is None else shortened(printable(text), most)
