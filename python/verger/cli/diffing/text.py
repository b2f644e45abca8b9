"""What differs, as text for a person: for whom, where, and which lines of both files say so.

In: a `Between`. Out: lines on a stream. Rules are shown and underlined as `verger check` does it.
Colour repeats what the words say and adds nothing.
"""

from collections.abc import Iterator, Sequence

from verger import Agent
from verger.analysis import Change, CrawlersDiff, RecordChange
from verger.cli.diffing.between import (
    EVERY_OTHER,
    FIELDS,
    MOST_CRAWLERS,
    MOST_PAIRS,
    MOST_REGIONS,
    NOTHING,
    WIDEST,
    Between,
    heading,
    pairs,
    told,
)
from verger.cli.excerpt import FileText, Page
from verger.cli.palette import Palette
from verger.cli.plain import printable, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

COLOURS = {True: "green", False: "red"}


class Text:
    """Writes what differs as text.

    title:      the first line, where there is one.
    all_of_it:  whether every region and every crawler is shown, however many there are.
    """

    def __init__(self, stream: "TextIO", title: str | None = None, *, all_of_it: bool) -> None:
        self._stream = stream
        self._title = title
        self._palette = Palette.of(stream)
        self._all = all_of_it

    def write(self, between: Between) -> None:
        """Write what changed between two versions of a file."""
        if self._title is not None:
            self._stream.write(f"{self._palette.paint(printable(self._title), 'bold')}\n\n")
        sheet = Sheet(between, self._palette, all_of_it=self._all)
        for line in sheet.lines():
            self._stream.write(f"{line}\n")


class Sheet:
    """What the lines say of one pair of readings."""

    def __init__(self, between: Between, palette: Palette, *, all_of_it: bool) -> None:
        self._between = between
        self._palette = palette
        self._all = all_of_it
        self._texts = FileText(between.old), FileText(between.new)
        self._labels = between.labels
        self._width = max(map(len, between.labels))

    def lines(self) -> Iterator[str]:
        """Yield everything, the gravest first."""
        found = self._between.found
        blocks = [self.crawlers(each) for each in found.changed]
        if found.records:
            blocks.append(self._records(found.records))
        for index, block in enumerate(blocks):
            yield from [""] if index else []
            yield from block
        if not blocks:
            yield NOTHING[found.severity]

    def crawlers(self, of: CrawlersDiff) -> Iterator[str]:
        """Yield what differs for crawlers alike."""
        yield self._palette.paint(heading(of, self._names(of)), "bold")
        yield from map(self._remark, self._remarks(of))
        agents = self._between.agents(of)
        found = pairs(of.changes)
        shown = found if self._all else found[:MOST_PAIRS]
        for changes in shown:
            yield ""
            yield from self._pair(changes, agents)
        if rest := found[len(shown) :]:
            yield ""
            regions = _count(sum(map(len, rest)), "more region")
            yield f"and {regions}, by {_count(len(rest), 'other pair')} of rules"

    def _names(self, of: CrawlersDiff) -> str:
        if of.shown == ("*",):
            return EVERY_OTHER
        some = of.shown if self._all else of.shown[:MOST_CRAWLERS]
        quoted = ", ".join(printable(shortened(token, WIDEST)) for token in some)
        rest = len(of.shown) - len(some)
        return f"{quoted} and {rest:,} more" if rest else quoted

    def _remarks(self, of: CrawlersDiff) -> Iterator[str]:
        yield from self._between.remarks(of)
        for name, before, after in of.told:
            said = told(after) or "nothing"
            yield f"{FIELDS[name]}: {said} (before: {told(before) or 'nothing'})"
        if of.changes and not of.is_exact:
            yield "more may differ: the search ended at its limit"

    def _pair(self, changes: Sequence[Change], agents: tuple[Agent, Agent]) -> Iterator[str]:
        """Yield the regions in which the same two rules differ, and the lines of both files."""
        first = changes[0]
        shown = changes if self._all else changes[:MOST_REGIONS]
        for change in shown:
            yield self._region(change)
        if rest := len(changes) - len(shown):
            yield f"  and {rest:,} more"
        sides = zip(self._labels, self._texts, agents, strict=True)
        for label, text, agent in sides:
            yield from self._side(label, text, agent, first.witness)

    def _region(self, change: Change) -> str:
        word = "opened" if change.opened else "closed"
        region = shortened(printable(change.region), WIDEST)
        said = f"{self._palette.paint(word, COLOURS[change.opened])}: {region}"
        if change.witness == change.region:
            return said
        return f"{said}, for example {shortened(printable(change.witness), WIDEST)}"

    def _side(self, label: str, text: FileText, agent: Agent, witness: str) -> Iterator[str]:
        page = Page(self._palette, text, agent.decide(witness))
        painted = self._palette.paint(f"{label:>{self._width}}", "cyan")
        yield f"  {painted}  {page.headline()}"
        for line in page.file_lines(agent.groups):
            yield f"  {line}"

    def _records(self, records: Sequence[RecordChange]) -> Iterator[str]:
        yield self._palette.paint("records of the whole file", "bold")
        shown = records if self._all else records[: 2 * MOST_REGIONS]
        width = max(len(str(record.line)) for record in shown)
        for record in shown:
            sign, colour = ("+", "green") if record.added else ("-", "red")
            line = self._texts[record.added].line(record.line).decode("utf-8", "surrogateescape")
            said = shortened(printable(line.strip()), 2 * WIDEST)
            yield f"{self._palette.paint(sign, colour)} {record.line:>{width}} | {said}"
        if rest := len(records) - len(shown):
            yield f"and {rest:,} more"

    def _remark(self, text: str) -> str:
        return f"{self._palette.paint('  =', 'cyan')} {text}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
