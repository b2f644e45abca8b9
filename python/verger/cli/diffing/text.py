"""Differences as text for a person: for whom, where, and which lines of both files decide.

In: a `Between`. Out: lines on a stream. Rules are shown and underlined as in `verger check`.
Colour only repeats what the words say.
"""

from collections.abc import Iterator, Sequence

from verger import Agent
from verger.analysis import Change, CrawlerDiffs, CrawlersDiff, FileDiff, RecordChange
from verger.analysis.differing import record_text
from verger.cli.diffing.between import (
    EVERY_OTHER,
    FIELDS,
    MORE,
    MOST_PAIRS,
    MOST_REGIONS,
    NOTHING,
    WIDEST,
    Between,
    heading,
    pairs,
)
from verger.cli.excerpt import DecisionExcerpt, FileText
from verger.cli.palette import Palette
from verger.plain import MOST_NAMED, counted, listed, printable, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.palette import Style
    from verger.cli.writers import TextStream

COLOURS: "dict[bool, Style]" = {True: "green", False: "red"}


class Text:
    """Writes differences as text.

    title:      the first line, if any.
    all_of_it:  whether to show every region and every crawler.
    """

    def __init__(self, stream: "TextStream", title: str | None = None, *, all_of_it: bool) -> None:
        self._stream = stream
        self._title = title
        self._palette = Palette.of(stream)
        self._all = all_of_it

    def write(self, between: Between, found: FileDiff) -> None:
        """Write what changed between two versions of a file."""
        if self._title is not None:
            self._write([self._palette.paint(printable(self._title), "bold"), ""])
        sheet = Sheet(between, self._palette, all_of_it=self._all)
        blocks = [_changed(sheet, each) for each in found.changed]
        if found.records:
            blocks.append(sheet.records(found.records))
        for index, block in enumerate(blocks):
            self._write([""] if index else [])
            self._write(block)
        if not blocks:
            self._write([NOTHING[found.severity]])

    def write_dialects(self, readings: Sequence[Between]) -> None:
        """Write where dialects answer differently, or one line if they do not."""
        was_long = False
        for index, between in enumerate(readings):
            first, other = between.labels
            blocks = list(_differences(between, self._palette, all_of_it=self._all))
            self._write([""] if index and (blocks or was_long) else [])
            said = "" if blocks else f": {_no_difference(between.found)}"
            self._write([self._palette.paint(f"{other} compared with {first}{said}", "bold")])
            for block in blocks:
                self._write(["", *block])
            was_long = bool(blocks)

    def _write(self, lines: "Iterator[str] | Sequence[str]") -> None:
        for line in lines:
            self._stream.write(f"{line}\n")


def _changed(sheet: "Sheet", of: CrawlersDiff) -> Iterator[str]:
    """Yield what changed for crawlers with the same changes."""
    yield sheet.palette.paint(heading(of, sheet.names(of)), "bold")
    yield from map(sheet.remark, sheet.between.remarks(of))
    for name, before, after in of.other_records:
        said = record_text(after) or "nothing"
        yield sheet.remark(f"{FIELDS[name]}: {said} (before: {record_text(before) or 'nothing'})")
    yield from sheet.changes(of)


def _differences(between: Between, palette: Palette, *, all_of_it: bool) -> Iterator[Sequence[str]]:
    """Yield the lines for each set of crawlers that a dialect answers differently."""
    sheet = Sheet(between, palette, all_of_it=all_of_it)
    for each in between.found.changed:
        if each.changes:
            naming = map(sheet.remark, between.naming(each))
            yield [f"for {sheet.names(each)}", *naming, *sheet.changes(each)]


def _no_difference(found: CrawlerDiffs) -> str:
    return (
        "the same answers" if found.is_exact else "no difference was found, but this is not proved"
    )


class Sheet:
    """The lines for one pair of readings."""

    def __init__(self, between: Between, palette: Palette, *, all_of_it: bool) -> None:
        self.between = between
        self.palette = palette
        self._all = all_of_it
        self._texts = FileText(between.old), FileText(between.new)
        self._width = max(map(len, between.labels))

    def names(self, of: CrawlersDiff) -> str:
        """Return the names of some crawlers."""
        if of.shown == ("*",):
            return EVERY_OTHER
        most = len(of.shown) if self._all else MOST_NAMED
        return listed(of.shown, lambda token: printable(shortened(token, WIDEST)), most=most)

    def changes(self, of: CrawlersDiff) -> Iterator[str]:
        """Yield where answers differ, with the lines of both files."""
        if of.changes and not of.is_exact:
            yield self.remark(MORE)
        agents = self.between.agents(of)
        found = pairs(of.changes)
        shown = found if self._all else found[:MOST_PAIRS]
        for changes in shown:
            yield ""
            yield from self._pair(changes, agents)
        if rest := found[len(shown) :]:
            yield ""
            yield f"and {counted(sum(map(len, rest)), 'more region')}; `--verbose` shows all"

    def _pair(self, changes: Sequence[Change], agents: tuple[Agent, Agent]) -> Iterator[str]:
        """Yield the regions in which the same two rules differ, and the lines of both files."""
        shown = changes if self._all else changes[:MOST_REGIONS]
        for change in shown:
            yield self._region(change)
        if rest := len(changes) - len(shown):
            yield f"  and {rest:,} more"
        for label, text, agent in zip(self.between.labels, self._texts, agents, strict=True):
            yield from self._side(label, text, agent, changes[0].witness)

    def _region(self, change: Change) -> str:
        verb = self.between.verbs[change.opened]
        region = shortened(printable(change.region), WIDEST)
        said = f"{self.palette.paint(verb, COLOURS[change.opened])}: {region}"
        if change.witness == change.region:
            return said
        return f"{said}, for example {shortened(printable(change.witness), WIDEST)}"

    def _side(self, label: str, text: FileText, agent: Agent, witness: str) -> Iterator[str]:
        excerpt = DecisionExcerpt(self.palette, text, agent.decide(witness))
        painted = self.palette.paint(f"{label:<{self._width}}", "cyan")
        yield f"  {painted}  {excerpt.headline()}"
        for line in excerpt.file_lines(agent.groups):
            yield f"  {line}"

    def records(self, records: Sequence[RecordChange]) -> Iterator[str]:
        """Yield the lines of records that were added or removed."""
        yield self.palette.paint("records of the whole file", "bold")
        shown = records if self._all else records[: 2 * MOST_REGIONS]
        width = max(len(str(record.line)) for record in shown)
        for record in shown:
            sign = "+" if record.added else "-"
            line = self._texts[record.added].line(record.line).decode("utf-8", "surrogateescape")
            said = shortened(printable(line.strip()), 2 * WIDEST)
            painted = self.palette.paint(sign, COLOURS[record.added])
            yield f"{painted} {record.line:>{width}} | {said}"
        if rest := len(records) - len(shown):
            yield f"and {rest:,} more"

    def remark(self, text: str) -> str:
        """Return a line with a remark."""
        return f"{self.palette.paint('  =', 'cyan')} {text}"
