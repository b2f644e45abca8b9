"""Answers explained: the lines of the file that led to one, and what matched.

In: a decision, whose parts the core names. Out: lines of text in the form of compiler diagnostics.
`^` underlines the bytes that matched literally, `~` a `*` and what it matched; `=` starts a remark.
Files are untrusted: all of their text is passed through `printable`, and shortened to fit a line of
a terminal.
"""

from collections.abc import Iterable, Iterator

from verger._core import Decision
from verger.showing.palette import VERDICT_COLOURS, Palette, verdict
from verger.showing.printing import Cells, cells_of, cut_cells, indent_of, marks_under, text_of
from verger.untrusted_text import quoted, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Part, _Word


class Excerpt:
    """Draws the parts of an explanation.

    widest:  the highest number of a line: margins are as wide.
    """

    def __init__(self, palette: Palette, widest: int) -> None:
        self._palette = palette
        self._gutter = 2 + len(str(widest))

    def draw(self, parts: "Iterable[_Part]") -> Iterator[str]:
        """Yield the lines of some parts."""
        for number, sections, said, allowed in parts:
            cells = [cell for section in sections for cell in _cells(*section)]
            if number is not None:
                margin = self._palette.paint(f"{number:>{self._gutter}} |", "cyan")
                yield f"{margin} {text_of(cells)}"
                continue
            words = words_of(said or ())
            marks, colour = marks_under(cells), VERDICT_COLOURS[allowed]
            if sections and said:
                painted = self._palette.paint(f"{marks} {words}", colour)
                yield f"{self._margin('|')} {' ' * indent_of(cells)}{painted}"
            elif sections:
                yield self.remark(f"target {text_of(cells)}")
                if marks:
                    indent = " " * (self._gutter + len(" = target "))
                    yield f"{indent}{self._palette.paint(marks, colour)}"
            else:
                yield self.remark(words)

    def _margin(self, sign: str) -> str:
        return self._palette.paint(f"{'':{self._gutter}} {sign}", "cyan")

    def remark(self, text: str) -> str:
        """Return a line with a remark."""
        return f"{self._margin('=')} {text}"


class DecisionExcerpt(Excerpt):
    """The explanation of one decision."""

    def __init__(self, palette: Palette, decision: Decision) -> None:
        because, widest, self._lines = decision._explanation()
        super().__init__(palette, widest)
        self._decision = decision
        word, colour = verdict(allowed=decision.allowed)
        self.headline = f"{palette.paint(word, 'bold', colour)}{because}"
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
        yield from self.draw(told)

    def file_lines(self) -> Iterator[str]:
        """Yield the start-group line and the rule, or the groups in which no rule was found."""
        return self.draw(self._lines)


def explained(decision: Decision, verbose: bool = False, *, coloured: bool = False) -> str:
    """Return the whole explanation of a decision; `verger.Decision.explain` is this."""
    excerpt = DecisionExcerpt(Palette(coloured=coloured), decision)
    return "\n".join(excerpt.lines(verbose=verbose))


def words_of(said: "Iterable[_Word]") -> str:
    """Return a sentence, with untrusted text made safe."""
    return "".join(map(_word, said))


def _word(word: "_Word") -> str:
    if isinstance(word, str):
        return word
    text, most = word
    return quoted(text) if most is None else visible(text, most)


def _cells(most: int, pieces: list[tuple[bytes, str]]) -> Cells:
    return cut_cells([cell for text, mark in pieces for cell in cells_of(text, mark)], most)
