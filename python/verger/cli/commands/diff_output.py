"""The output of `verger diff` and `verger compare`: as text, Markdown or JSON, and the totals.

In: two parsed files and their `FileDiff`, as a `Between`. Out: lines on a stream. Rules are shown
and underlined as in `verger check`; in Markdown, quotes from files are code, in which nothing is a
link, a mention, a tag or a column; objects follow `schemas/diff-1.schema.json` and
`schemas/compare-1.schema.json`, in ASCII, on one line.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from verger import Agent, Decision, RobotsTxt
from verger._core import _record_text
from verger.analysis.file_diff import (
    SEVERITIES,
    CrawlerDiffs,
    CrawlersDiff,
    FileDiff,
    RecordChange,
    Severity,
)
from verger.analysis.rules import UNREQUESTED, Budget, Change
from verger.bulk.changes import ChangesReport
from verger.crawlers import agents_of
from verger.crawlers.survey import spellings
from verger.crawlers.uses import is_policy_token
from verger.grouping import by_key
from verger.objects.diff import heading
from verger.showing.excerpt import DecisionExcerpt
from verger.showing.palette import Palette
from verger.showing.printing import Total, at_most, code, line_of, sentence, totals
from verger.untrusted_text import MOST_NAMED, counted, listed, printable, rule_text, visible

MOST_REGIONS = 3
MOST_PAIRS = 5
"""The most to show before `and 14 more`; `--verbose` shows all."""

EXEMPT_STEPS = 1 << 22
"""The steps of finding what regions exempt: a thousand regions in files of thousands of rules."""

FIELDS = {
    "crawl_delay": "Crawl-delay",
    "request_rate": "Request-rate",
    "visit_time": "Visit-time",
    "content_signals": "Content-Signal",
}

WIDEST = 72
"""The most columns of a pattern, a URL or a value, which are untrusted."""

NOTHING = {
    "none": "nothing changes: the files are the same",
    "layout": "no answer changes, only layout, comments or rules without effect",
}

SAME = {True: "the same answers", False: "no difference was found, but this is not proved"}

NOUNS = {"changed": "changes", "differ": "differences"}

COLOURS: dict[bool, str] = {True: "green", False: "red"}
"""The colours of what is opened or added, and of what is closed or removed."""

MORE = "there may be more: this list is not proved to be complete"


@dataclass(frozen=True)
class Between:
    """Two readings, how the second differs from the first, and how that is shown.

    palette:    the colours of text.
    all_of_it:  whether to show every region, every record and every crawler.
    labels:     the names of the two in the output.
    verbs:      the words for a region that the second closes, and for one that it opens.
    """

    old: RobotsTxt
    new: RobotsTxt
    found: CrawlerDiffs
    palette: Palette
    all_of_it: bool
    labels: tuple[str, str] = ("old", "new")
    verbs: tuple[str, str] = ("closed", "opened")

    @cached_property
    def _agents(self) -> dict[str, tuple[Agent, Agent]]:
        tokens = [each.shown[0] for each in self.found.changed]
        pairs = zip(agents_of(self.old, tokens), agents_of(self.new, tokens), strict=True)
        return dict(zip(tokens, pairs, strict=True))

    def agents(self, of: CrawlersDiff) -> tuple[Agent, Agent]:
        """Return the rules of the first of some crawlers in both readings."""
        return self._agents[of.shown[0]]

    @cached_property
    def _budget(self) -> Budget:
        return Budget(EXEMPT_STEPS)

    def region(self, change: Change, of: CrawlersDiff, shown: Callable[[str], str]) -> str:
        """Return the region of a change without the parts that more specific rules exempt, each as
        `shown` returns it. Patterns of one dialect say nothing in another."""
        region = shown(change.region)
        if not (self._budget.left and of.is_exact and self.old.dialect == self.new.dialect):
            return region
        parts, are_all = self._budget.exempt(change, *self.agents(of))
        named = listed(parts, shown, most=self.most(MOST_REGIONS) or len(parts))
        return f"{region} except {'' if are_all else 'at least '}{named}" if parts else region

    def most(self, number: int) -> int | None:
        """Return how many to show of what is shown in part; None for all."""
        return None if self.all_of_it else number

    def names(self, of: CrawlersDiff, shown: Callable[[str], str]) -> str:
        """Return the names of some crawlers, each as `shown` returns it: first those that a file
        has."""
        if of.shown == ("*",):
            return "every crawler that no group names"
        names = sorted(of.shown, key=lambda token: token.lower() not in self._written)
        return listed(names, shown, most=self.most(MOST_NAMED) or len(names))

    @cached_property
    def _written(self) -> dict[str, str]:
        """The names in start-group lines, by their lower case."""
        groups = (*self.old.groups, *self.new.groups)
        return spellings(value for group in groups for value in group.product_tokens)

    def remarks(self, of: CrawlersDiff) -> Iterator[str]:
        """Yield what changed about the groups that bind some crawlers."""
        before, after = self.agents(of)
        it = "it" if len(of.shown) == 1 else "them"
        policies = [token for token in of.shown if is_policy_token((token,))]
        follows_star = len(policies) < len(of.shown)
        if of.named == (False, True):
            star = f", so the rules of `*` no longer apply to {it}"
            yield f"a group names {it} now{star if before.groups and follows_star else ''}"
        elif of.named == (True, False):
            star = f", so the rules of `*` apply to {it}"
            yield f"no group names {it} any more{star if after.groups and follows_star else ''}"
        if written := [token for token in policies if token.lower() in self._written]:
            names = listed(written, most=self.most(MOST_NAMED) or len(written))
            yield f"no crawler sends {names}: such a group says what pages may be used for"

    def naming(self, of: CrawlersDiff) -> Iterator[str]:
        """Yield the dialect in which alone a group names some crawlers."""
        if of.named[0] != of.named[1]:
            it = "it" if len(of.shown) == 1 else "them"
            yield f"a group names {it} in {self.labels[of.named[1]]} only"

    def changes(self, of: CrawlersDiff) -> Iterator[str]:
        """Yield where answers differ, with the lines of both files."""
        if of.changes and not of.is_exact:
            yield self.remark(MORE)
        found = pairs(of.changes)
        most = self.most(MOST_PAIRS)
        for changes in found[:most]:
            yield ""
            yield from self._pair(changes, of)
        if rest := found[most:] if most else []:
            yield ""
            yield f"and {counted(sum(map(len, rest)), 'more region')}; `--verbose` shows all"

    def _pair(self, changes: Sequence[Change], of: CrawlersDiff) -> Iterator[str]:
        """Yield the regions in which the same two rules differ, and the lines of both files."""
        most = self.most(MOST_REGIONS)
        region = partial(self._region, of=of)
        yield from at_most(changes, most, region, lambda rest: f"  and {rest:,} more")
        shows = [change.witness for change in changes if change.is_requested][:1]
        sides = zip(self.labels, self.agents(of), strict=True)
        for label, agent in sides if shows else ():
            yield from self._side(label, agent, *shows)

    def _region(self, change: Change, of: CrawlersDiff) -> str:
        verb = self.palette.paint(self.verbs[change.opened], COLOURS[change.opened])
        said = f"{verb}: {self.region(change, of, _short)}"
        if change.witness == change.region:
            return said
        mark = "" if change.is_requested else UNREQUESTED
        return f"{said}, for example {_short(change.witness)}{mark}"

    def _side(self, label: str, agent: Agent, witness: str) -> Iterator[str]:
        excerpt = DecisionExcerpt(self.palette, agent.decide(witness))
        name = self.palette.paint(f"{label:<{max(map(len, self.labels))}}", "cyan")
        yield f"  {name}  {excerpt.headline}"
        yield from (f"  {line}" for line in excerpt.file_lines())

    def records(self, records: Sequence[RecordChange]) -> Iterator[str]:
        """Yield the lines of records that were added or removed."""
        yield self.palette.paint("records of the whole file", "bold")
        most = self.most(2 * MOST_REGIONS)
        width = max(len(str(record.line)) for record in records[:most])

        def line(record: RecordChange) -> str:
            file = self.new if record.added else self.old
            text = line_of(file, record.line).decode("utf-8", "surrogateescape")
            said = visible(text.strip(), 2 * WIDEST)
            sign = self.palette.paint("+" if record.added else "-", COLOURS[record.added])
            return f"{sign} {record.line:>{width}} | {said}"

        yield from at_most(records, most, line, lambda rest: f"and {rest:,} more")

    def remark(self, text: str) -> str:
        """Return a line with a remark."""
        return f"{self.palette.paint('  =', 'cyan')} {text}"


def _short(text: str) -> str:
    return visible(text, WIDEST)


def pairs(changes: Sequence[Change]) -> list[list[Change]]:
    """Return the changes by the pair of rules that decides them, in order."""
    by_pair = by_key(((change.opened, change.old, change.new), change) for change in changes)
    return list(by_pair.values())


def summary_line(found: CrawlerDiffs, verb: str = "changed") -> str:
    """Return a line on how many crawlers' answers differ, and how much is proved."""
    number = len(found.crawlers)
    differing = sum(len(each.crawlers) for each in found.changed if each.changes)
    said = f"answers {verb} for {differing:,} of {counted(number, 'crawler')}"
    open_ = sum(len(each.crawlers) for each in found.changed if not each.is_exact)
    return f"{said}; for {open_:,} there may be more {NOUNS[verb]}" if open_ else said


# Text


def diff_lines(between: Between, found: FileDiff, title: str | None) -> Iterator[str]:
    """Yield what changed between two versions of a file.

    title:  the first line, if any.
    """
    if title is not None:
        yield from (between.palette.paint(printable(title), "bold"), "")
    blocks = [_changed(between, each) for each in found.changed]
    if found.records:
        blocks.append(between.records(found.records))
    for index, block in enumerate(blocks):
        yield from [""] if index else []
        yield from block
    if not blocks:
        yield NOTHING[found.severity]


def compare_lines(readings: Sequence[Between]) -> Iterator[str]:
    """Yield where dialects answer differently, or one line if they do not."""
    was_long = False
    for index, between in enumerate(readings):
        first, other = between.labels
        blocks = list(_differences(between))
        yield from [""] if index and (blocks or was_long) else []
        said = "" if blocks else f": {SAME[between.found.is_exact]}"
        yield between.palette.paint(f"{other} compared with {first}{said}", "bold")
        for block in blocks:
            yield from ("", *block)
        was_long = bool(blocks)


def _changed(between: Between, of: CrawlersDiff) -> Iterator[str]:
    """Yield what changed for crawlers with the same changes."""
    yield between.palette.paint(heading(of, between.names(of, _short)), "bold")
    yield from map(between.remark, between.remarks(of))
    yield from map(between.remark, _other_records(of, str))
    yield from between.changes(of)


def _differences(between: Between) -> Iterator[Sequence[str]]:
    """Yield the lines for each set of crawlers that a dialect answers differently."""
    for each in between.found.changed:
        if each.changes:
            naming = map(between.remark, between.naming(each))
            yield [f"for {between.names(each, _short)}", *naming, *between.changes(each)]


# Markdown for a pull request: a table of regions for each crawler


HEADER = "| | region | for example | old | new |\n|---|---|---|---|---|"


def markdown_lines(between: Between, found: FileDiff, title: str) -> Iterator[str]:
    """Yield what changed between two versions of a file.

    title:  what is compared, in a few words.
    """
    yield f"### {title}"
    for each in found.changed:
        yield ""
        yield from _crawlers(each, between)
    if found.records:
        yield ""
        yield from _records(found.records, between.most(2 * MOST_PAIRS))
    if not (found.changed or found.records):
        yield from ("", sentence(NOTHING[found.severity]))
    yield from ("", sentence(summary_line(found)))


def _crawlers(of: CrawlersDiff, between: Between) -> Iterator[str]:
    yield sentence(heading(of, between.names(of, code)))
    more = [MORE] if of.changes and not of.is_exact else []
    for remark in [*between.remarks(of), *_other_records(of, code), *more]:
        yield f"- {remark}"
    if of.changes:
        yield from ("", HEADER)
    most = between.most(2 * MOST_PAIRS)
    row = partial(_row, of=of, between=between)
    yield from at_most(of.changes, most, row, lambda rest: f"| | and {rest:,} more | | | |")


def _other_records(of: CrawlersDiff, shown: Callable[[str], str]) -> Iterator[str]:
    """Yield the other records that changed, each value as `shown` returns it."""
    for name, *values in of.other_records:
        was, now = (shown(said) if said else "nothing" for said in map(_record_text, values))
        yield f"{FIELDS[name]}: {now} (before: {was})"


def _row(change: Change, of: CrawlersDiff, between: Between) -> str:
    word = "opened" if change.opened else "closed"
    sides = [_decided(agent.decide(change.witness)) for agent in between.agents(of)]
    witness = code(change.witness) + ("" if change.is_requested else UNREQUESTED)
    cells = [word, between.region(change, of, code), witness, *sides]
    return f"| {' | '.join(cells)} |"


def _records(records: Sequence[RecordChange], most: int | None) -> Iterator[str]:
    yield "Records of the whole file:"
    yield ""
    words = ("removed", "added")
    yield from at_most(
        records,
        most,
        lambda one: f"- {words[one.added]}, line {one.line}: {code(f'{one.field}: {one.value}')}",
        lambda rest: f"- and {rest:,} more",
    )


def _decided(decision: Decision) -> str:
    said, rule = DecisionExcerpt(Palette(coloured=False), decision).headline, decision.rule
    return said if rule is None else f"{said}: {code(rule_text(rule.allow, rule.pattern))}"


# Snapshots of many sites


SHOWN: tuple[Severity, ...] = ("site-closed", "site-opened", "opened", "closed", "unproved")
"""The severities of a change of answers."""


def snapshots_lines(report: ChangesReport) -> Iterator[str]:
    """Yield the closing table: sites, then those that changed, by severity and by purpose."""
    rows: list[Total] = [
        ("sites", report.origins, ""),
        ("  not compared", report.unknown, ""),
        ("  identical", report.identical, ""),
        ("  same answers", report.compared - report.identical - report.changed, ""),
        ("  changed", report.changed, ""),
        *((f"    {each}", report.by_severity[each] or None, "") for each in SEVERITIES),
    ]
    yield from totals(rows, width=31)
    yield from _by_purpose(report)


def _by_purpose(report: ChangesReport) -> Iterator[str]:
    """Yield the sites that changed for crawlers of each purpose."""
    purposes = sorted({purpose for purpose, _ in report.by_purpose})
    if not purposes:
        return
    severities = [each for each in SHOWN if any((p, each) in report.by_purpose for p in purposes)]
    yield "for crawlers of   " + "".join(f"{each:>13}" for each in severities)
    for purpose in purposes:
        numbers = "".join(f"{report.by_purpose[purpose, each]:>13,}" for each in severities)
        yield f"  {purpose:<16}{numbers}"
