"""Differences as Markdown for a pull request: a table of regions for each crawler.

In: a `Between`. Out: lines on a stream, in GitHub Flavored Markdown. Files are untrusted: quotes
from them are code, in which nothing is a link, a mention, a tag or a column.
"""

from collections.abc import Iterator, Sequence

from verger import Decision
from verger.analysis import Change, CrawlersDiff, FileDiff, RecordChange
from verger.analysis.differing import record_text
from verger.cli.diffing.between import (
    EVERY_OTHER,
    FIELDS,
    MORE,
    MOST_PAIRS,
    NOTHING,
    Between,
    closing,
    heading,
)
from verger.cli.markdown import code, sentence
from verger.plain import HEADLINES, MOST_NAMED, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.writers import TextStream

HEADER = "| | region | for example | old | new |\n|---|---|---|---|---|"


class Markdown:
    """Writes differences as Markdown.

    title:      what is compared, in a few words.
    all_of_it:  whether to show every region and every crawler.
    """

    def __init__(self, stream: "TextStream", title: str, *, all_of_it: bool) -> None:
        self._stream = stream
        self._title = title
        self._all = all_of_it

    def write(self, between: Between, found: FileDiff) -> None:
        """Write what changed between two versions of a file."""
        for line in self._lines(between, found):
            self._stream.write(f"{line}\n")

    def _lines(self, between: Between, found: FileDiff) -> Iterator[str]:
        yield f"### {self._title}"
        for each in found.changed:
            yield ""
            yield from self._crawlers(each, between)
        if found.records:
            yield ""
            yield from self._records(found.records)
        if not (found.changed or found.records):
            yield from ("", sentence(NOTHING[found.severity]))
        yield from ("", sentence(closing(found)))

    def _crawlers(self, of: CrawlersDiff, between: Between) -> Iterator[str]:
        yield sentence(heading(of, self._names(of)))
        for remark in [*between.remarks(of), *self._other_records(of)]:
            yield f"- {remark}"
        shown = of.changes if self._all else of.changes[: 2 * MOST_PAIRS]
        if shown:
            yield from ("", HEADER)
        for change in shown:
            yield self._row(change, of, between)
        if rest := len(of.changes) - len(shown):
            yield f"| | and {rest:,} more | | | |"

    def _names(self, of: CrawlersDiff) -> str:
        if of.shown == ("*",):
            return EVERY_OTHER
        return listed(of.shown, code, most=len(of.shown) if self._all else MOST_NAMED)

    def _other_records(self, of: CrawlersDiff) -> Iterator[str]:
        for name, before, after in of.other_records:
            now, was = (
                code(said) if said else "nothing"
                for said in (record_text(after), record_text(before))
            )
            yield f"{FIELDS[name]}: {now} (before: {was})"
        if of.changes and not of.is_exact:
            yield MORE

    def _row(self, change: Change, of: CrawlersDiff, between: Between) -> str:
        word = "opened" if change.opened else "closed"
        sides = [_decided(agent.decide(change.witness)) for agent in between.agents(of)]
        cells = [word, code(change.region), code(change.witness), *sides]
        return f"| {' | '.join(cells)} |"

    def _records(self, records: Sequence[RecordChange]) -> Iterator[str]:
        yield "Records of the whole file:"
        yield ""
        shown = records if self._all else records[: 2 * MOST_PAIRS]
        for record in shown:
            word = "added" if record.added else "removed"
            yield f"- {word}, line {record.line}: {code(f'{record.field}: {record.value}')}"
        if rest := len(records) - len(shown):
            yield f"- and {rest:,} more"


def _decided(decision: Decision) -> str:
    rule = decision.rule
    verdict = "allowed" if decision.allowed else "disallowed"
    if rule is None:
        return f"{verdict}: {HEADLINES[decision.reason]}"
    field = "Allow" if rule.allow else "Disallow"
    return f"{verdict} by line {rule.line}: {code(f'{field}: {rule.pattern}')}"
