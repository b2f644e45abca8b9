"""One decision about use explained: the lines of the file that speak about it.

In: a decision, whose parts the core names. Out: lines of text, in the form of
`verger.showing.excerpt`. Nothing here decides.
"""

from collections.abc import Collection, Iterator

from verger._core import UseDecision
from verger.showing.excerpt import Excerpt
from verger.showing.palette import Palette, verdict


def explained(decision: UseDecision, verbose: bool = False, *, coloured: bool = False) -> str:
    """Return the whole explanation of a decision; `verger.UseDecision.explain` is this."""
    return "\n".join(lines(decision, Palette(coloured=coloured), verbose=verbose))


def lines(
    decision: UseDecision, palette: Palette, *, verbose: bool, more: Collection[str] = ()
) -> Iterator[str]:
    """Yield the explanation of a decision about use, with more remarks."""
    because, widest, shown, remarks = decision._explanation(verbose=verbose)
    word, colour = verdict(allowed=None if decision.line is None else decision.allowed)
    excerpt = Excerpt(palette, widest)
    yield f"{palette.paint(word, 'bold', colour)}{because}"
    yield from [""] if shown or remarks or more else []
    yield from excerpt.draw([*shown, *remarks])
    yield from map(excerpt.remark, more)


def silence(purpose: str, palette: Palette) -> str:
    """Return, as one line, that no line allows or disallows a use."""
    word, colour = verdict(allowed=None)
    return f"{palette.paint(word, 'bold', colour)} about {purpose}: no line allows or disallows it"
