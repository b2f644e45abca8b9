"""Two readings of robots.txt and how they differ, for every output format.

In: two parsed files and their `FileDiff`. Out: a `Between`, which decides the witnesses again, and
texts that every format shares.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from verger import Agent, RobotsTxt
from verger.analysis import Change, CrawlerDiffs, CrawlersDiff
from verger.crawlers import agents_of
from verger.plain import counted

MOST_REGIONS = 3
MOST_PAIRS = 5
"""The most to show before `and 14 more`; `--verbose` shows all."""

FIELDS = {
    "crawl_delay": "Crawl-delay",
    "request_rate": "Request-rate",
    "visit_time": "Visit-time",
    "content_signals": "Content-Signal",
}

WIDEST = 72
"""The most columns of a pattern, a URL or a value, which are untrusted."""

HEADINGS = {
    "site-closed": "{} may no longer fetch anything",
    "site-opened": "{} may now fetch everything",
    "opened": "{} may fetch more",
    "closed": "{} may fetch less",
    "both": "{} may fetch more in some places and less in others",
    "unproved": "{}: no change was found, but this is not proved",
    "other-records": "{}: the rules say the same, but other records do not",
}

NOTHING = {
    "none": "nothing changes: the files are the same",
    "layout": "no answer changes, only layout, comments or rules without effect",
}

NOUNS = {"changed": "changes", "differ": "differences"}

MORE = "there may be more: this list is not proved to be complete"

EVERY_OTHER = "every crawler that no group names"


@dataclass(frozen=True, slots=True)
class Between:
    """Two readings, and how the second differs from the first.

    labels:  the names of the two in the output.
    verbs:   the words for a region that the second closes, and for one that it opens.
    """

    old: RobotsTxt
    new: RobotsTxt
    found: CrawlerDiffs
    labels: tuple[str, str] = ("old", "new")
    verbs: tuple[str, str] = ("closed", "opened")
    _agents: dict[str, tuple[Agent, Agent]] = field(default_factory=dict, init=False, repr=False)

    def agents(self, of: CrawlersDiff) -> tuple[Agent, Agent]:
        """Return the rules of the first of some crawlers in both readings."""
        if not self._agents:
            tokens = [each.shown[0] for each in self.found.changed]
            pairs = zip(agents_of(self.old, tokens), agents_of(self.new, tokens), strict=True)
            self._agents.update(zip(tokens, pairs, strict=True))
        return self._agents[of.shown[0]]

    def remarks(self, of: CrawlersDiff) -> Iterator[str]:
        """Yield what changed about the groups that bind some crawlers."""
        before, after = self.agents(of)
        it = "it" if len(of.shown) == 1 else "them"
        if of.named == (False, True):
            star = f", so the rules of `*` no longer apply to {it}" if before.groups else ""
            yield f"a group names {it} now{star}"
        elif of.named == (True, False):
            star = f", so the rules of `*` apply to {it}" if after.groups else ""
            yield f"no group names {it} any more{star}"

    def naming(self, of: CrawlersDiff) -> Iterator[str]:
        """Yield the dialect in which alone a group names some crawlers."""
        if of.named[0] != of.named[1]:
            it = "it" if len(of.shown) == 1 else "them"
            yield f"a group names {it} in {self.labels[of.named[1]]} only"


def heading(of: CrawlersDiff, names: str) -> str:
    """Return a line on what changed for some crawlers; `names` are their names."""
    is_mixed = of.severity == "opened" and len({change.opened for change in of.changes}) > 1
    return HEADINGS["both" if is_mixed else of.severity].format(names)


def pairs(changes: Sequence[Change]) -> list[list[Change]]:
    """Return the changes by the pair of rules that decides them, in order."""
    found: dict[object, list[Change]] = {}
    for change in changes:
        found.setdefault((change.opened, change.old, change.new), []).append(change)
    return list(found.values())


def closing(found: CrawlerDiffs, verb: str = "changed") -> str:
    """Return a line on how many crawlers' answers differ, and how much is proved."""
    number = len(found.crawlers)
    differing = sum(len(each.crawlers) for each in found.changed if each.changes)
    said = f"answers {verb} for {differing:,} of {counted(number, 'crawler')}"
    open_ = sum(len(each.crawlers) for each in found.changed if not each.is_exact)
    return f"{said}; for {open_:,} there may be more {NOUNS[verb]}" if open_ else said
