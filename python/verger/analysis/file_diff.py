"""Diff: what a new version of a file changes, for whom, and how severe the change is.

In: two parsed files. Out: a `FileDiff`: crawlers grouped by equal changes, with what was closed and
opened as path patterns, each with a URL that proves it; changes of crawl delays and other values
for crawlers; and records of the whole file. It compares meanings: layout, comments and the order
of rules count only if an answer depends on them.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import starmap
from typing import Literal, TypeAlias

from verger._core import Agent, Dialect, RobotsTxt, _places, _record_changes, parse
from verger.analysis.proof import crawlers_alike, cut_names, differences, values_in
from verger.analysis.rules import Change, Difference
from verger.crawlers import alike
from verger.options import AnyDialect, expect_robots, expect_several, expect_tokens
from verger.untrusted_text import counted

Severity: TypeAlias = Literal[
    "site-closed", "site-opened", "opened", "closed", "unproved", "other-records", "layout", "none"
]
"""How severe a change is: `site-closed`, nothing may be fetched, but something could be before;
`site-opened`, everything may be fetched, but something could not be before; `opened`, more may be
fetched; `closed`, less may be fetched; `unproved`, no change was found, but its absence was not
proved; `other-records`, no answer differs, but a record other than a rule, such as a crawl delay or
a sitemap; `layout`, only layout, comments, or rules that change no answer; `none`, the same bytes.
"""

SEVERITIES: tuple[Severity, ...] = (
    "site-closed",
    "site-opened",
    "opened",
    "closed",
    "unproved",
    "other-records",
    "layout",
    "none",
)
"""Every severity, the most severe first."""

OTHER_RECORDS = ("crawl_delay", "request_rate", "visit_time", "content_signals")
"""The records for single crawlers, other than rules, as attributes of `Agent`."""


@dataclass(frozen=True, slots=True)
class CrawlersDiff:
    """Crawlers for which the same answers and values change.

    crawlers:       their product tokens.
    changes:        what was closed, then what was opened; the lines are those of the first crawler.
    other_records:  the other records for them that changed: the name in `OTHER_RECORDS`, before,
                    after.
    named:          whether a group names them, before and after. If one does, they do not follow
                    the rules for `*`; if none does, they do.
    severity:       how severe the change is: one of `SEVERITIES`, the gravest first.
    is_exact:       whether these are all changes.
    """

    crawlers: tuple[str, ...]
    changes: tuple[Change, ...]
    other_records: tuple[tuple[str, object, object], ...]
    named: tuple[bool, bool]
    severity: Severity
    is_exact: bool

    @property
    def shown(self) -> tuple[str, ...]:
        """Their tokens for display: only `*` if it stands for all of them, because no group of
        either file names one."""
        is_default = "*" in self.crawlers and self.named == (False, False)
        return ("*",) if is_default else self.crawlers

    def __repr__(self) -> str:
        crawlers = counted(len(self.crawlers), "crawler")
        changes = counted(len(self.changes), "change")
        exact = "" if self.is_exact else ", not exact"
        return f"CrawlersDiff({self.severity}, {crawlers}, {changes}{exact})"


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A record of the whole file that was added or removed.

    field:  the name of the field.
    value:  its value as written.
    added:  whether the new file has it and the old one does not; else the other way round.
    line:   its line in the new file, or in the old file if it was removed.
    """

    field: str
    value: str
    added: bool
    line: int


@dataclass(frozen=True, slots=True)
class CrawlerDiffs:
    """The crawlers for which something differs, of all that were compared.

    crawlers:  the product tokens of all that were compared: every crawler that either file names or
               the registry lists, and `*`.
    changed:   those for which something changes, the most severe first.
    """

    crawlers: tuple[str, ...]
    changed: tuple[CrawlersDiff, ...]

    @property
    def unchanged(self) -> int:
        """For how many crawlers it is proved that no answer changed."""
        return len(self.crawlers) - sum(
            len(each.crawlers) for each in self.changed if each.changes or not each.is_exact
        )

    @property
    def changes_answers(self) -> bool:
        """Whether some answer changed, or it is not proved that none did."""
        return any(each.changes or not each.is_exact for each in self.changed)

    @property
    def is_exact(self) -> bool:
        """Whether these are all changes of answers."""
        return all(each.is_exact for each in self.changed)

    def __repr__(self) -> str:
        number = sum(len(each.crawlers) for each in self.changed)
        crawlers = counted(len(self.crawlers), "crawler")
        exact = "" if self.is_exact else ", not exact"
        return f"{type(self).__name__}({self._beginning()}{number:,} of {crawlers} changed{exact})"

    def _beginning(self) -> str:
        """Return what the representation says first."""
        return ""


@dataclass(frozen=True, slots=True, repr=False)
class FileDiff(CrawlerDiffs):
    """What a new version of a file changes.

    crawlers, changed:  those of `CrawlerDiffs`.
    records:            sitemaps and other records of the whole file.
    severity:           the most severe of all changes.
    """

    records: tuple[RecordChange, ...]
    severity: Severity

    def _beginning(self) -> str:
        return f"{self.severity}, {counted(len(self.records), 'record')} changed, "


@dataclass(frozen=True, slots=True, repr=False)
class DialectDiff(CrawlerDiffs):
    """Where another dialect gives different answers for a file; `opened` is what only it allows.

    crawlers, changed:  those of `CrawlerDiffs`.
    robots:             the file as this dialect reads it.
    """

    robots: RobotsTxt

    @property
    def dialect(self) -> Dialect:
        """The other dialect."""
        return self.robots.dialect

    def _beginning(self) -> str:
        return f"dialect={self.dialect.name!r}, "


def diff(old: RobotsTxt, new: RobotsTxt, *, crawlers: Sequence[str] = ()) -> FileDiff:
    """Return what a new version of a file changes, and for whom.

    Each crawler follows the groups that its operator says (`verger.crawlers.agent_of`).

    crawlers:  the product tokens to compare; empty for all that either file names, all of the
               registry, and `*`.
    Returns:   FileDiff. Everything in it is proved, or marked as not proved.
    Raises:    InvalidProductToken.

    >>> import verger
    >>> old = verger.parse("User-agent: *\\nDisallow: /private\\n")
    >>> added = "\\nUser-agent: GPTBot\\nAllow: /\\n"
    >>> new = verger.parse(old.body + added.encode())
    >>> found = diff(old, new)
    >>> found.severity, [(each.shown, each.named) for each in found.changed]
    ('site-opened', [(('GPTBot',), (False, True))])
    >>> [(change.region, change.witness) for change in found.changed[0].changes]
    [('/private', '/private')]
    """
    expect_robots(old=old, new=new)
    expect_tokens("crawlers", crawlers)
    looked_at, changed = _changed(old, new, crawlers, OTHER_RECORDS)
    records = tuple(starmap(RecordChange, _record_changes(old, new)))
    return FileDiff(looked_at, changed, records, _worst(changed, records, old, new))


def _changed(
    old: RobotsTxt, new: RobotsTxt, crawlers: Sequence[str], others: Sequence[str]
) -> tuple[tuple[str, ...], tuple[CrawlersDiff, ...]]:
    """Return the crawlers that were compared, and those for which something changes, the most
    severe first.

    crawlers:  empty for all.
    others:    those of `OTHER_RECORDS` to compare.
    """
    files = [old, new]
    looked_at, partition = (
        ([*crawlers], alike(files, crawlers)) if crawlers else crawlers_alike(files)
    )
    found: dict[object, list[CrawlersDiff]] = {}
    postures: dict[tuple[int, ...], str] = {}
    for tokens, before, after, what in differences(old, new, partition):
        groups = (*_places(after),)  # thousands of crawlers may follow `*`
        if what.changes and groups not in postures:
            postures[groups] = after.posture
        one = _crawlers_diff(tokens, before, after, what, others, postures.get(groups, ""))
        if one.severity == "none":
            continue
        key = (
            frozenset((change.opened, change.region, change.witness) for change in one.changes),
            one.other_records,
            one.named,
            one.severity,
        )
        found.setdefault(key, []).append(one)
    places = {token: place for place, token in enumerate(looked_at)}
    values = [value for file in files for value in values_in(file)]
    cuts = {*(() if crawlers else cut_names(looked_at, values))}
    changed = [_joined(members, places, cuts) for members in found.values()]
    changed.sort(key=lambda each: SEVERITIES.index(each.severity))
    untold = cuts.difference(*(each.crawlers for each in changed))
    return tuple(token for token in looked_at if token not in untold), (*changed,)


def compare(
    robots: RobotsTxt, dialects: Iterable[AnyDialect], *, crawlers: Sequence[str] = ()
) -> tuple[DialectDiff, ...]:
    """Return where other dialects give different answers than the file's own dialect.

    robots:    a file, parsed in the dialect that the others are compared with.
    dialects:  the others, as names or `Dialect` objects.
    crawlers:  the product tokens to compare; empty for all, as in `diff`.
    Returns:   a DialectDiff for each, in order. Only rules are compared, not other values such as
               crawl delays.
    Raises:    InvalidProductToken, UnknownName.

    >>> import verger
    >>> robots = verger.parse("User-agent: *\\nDisallow: /*.gif\\n")
    >>> (first,) = compare(robots, [verger.ORIGINAL_1994], crawlers=["*"])
    >>> [(change.opened, change.region) for change in first.changed[0].changes]
    [(True, '/*.gif')]
    """
    expect_robots(robots=robots)
    expect_several("dialects", dialects, "dialects")
    expect_tokens("crawlers", crawlers)
    others = (parse(robots.body, dialect=dialect, url=robots.url) for dialect in dialects)
    return tuple(DialectDiff(*_changed(robots, other, crawlers, ()), other) for other in others)


def _crawlers_diff(
    tokens: Sequence[str],
    before: Agent,
    after: Agent,
    what: Difference,
    others: Sequence[str],
    posture: str,
) -> CrawlersDiff:
    values = ((name, getattr(before, name), getattr(after, name)) for name in others)
    records = tuple((name, one, other) for name, one, other in values if one != other)
    severity = severity_of(
        [change.opened for change in what.changes],
        is_exact=what.is_exact,
        posture=posture,
        has_other_records=bool(records),
    )
    named = before.named, after.named
    return CrawlersDiff(tuple(tokens), what.changes, records, named, severity, what.is_exact)


def _joined(
    members: Sequence[CrawlersDiff], places: Mapping[str, int], cuts: Set[str]
) -> CrawlersDiff:
    """Join crawlers for which the same changes, in their order.

    cuts:  names that no crawler is known by; they are told where they change alone.
    """
    tokens = sorted((each for one in members for each in one.crawlers), key=places.__getitem__)
    whole = tuple(token for token in tokens if token not in cuts)
    return replace(members[0], crawlers=whole or tuple(tokens))


def severity_of(
    opened: Sequence[bool], *, is_exact: bool, posture: str, has_other_records: bool = False
) -> Severity:
    """Return how severe the changes for one crawler are.

    opened:             for each change, whether it opens something.
    posture:            how much the crawler may fetch afterwards, see `Agent.posture`.
    has_other_records:  whether one of `OTHER_RECORDS` changed.
    """
    if not opened:
        if not is_exact:
            return "unproved"
        return "other-records" if has_other_records else "none"
    if posture == "none":
        return "site-closed"
    if posture == "all":
        return "site-opened"
    return "opened" if any(opened) else "closed"


def _worst(
    changed: Sequence[CrawlersDiff],
    records: Sequence[RecordChange],
    old: RobotsTxt,
    new: RobotsTxt,
) -> Severity:
    if changed:
        return changed[0].severity
    if records:
        return "other-records"
    return "none" if old.body == new.body else "layout"
