"""Results: what an audit found, by crawler and by rule.

In: the tallies of the kernel. Out: frozen values with times in UTC. Nothing here prints.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from operator import attrgetter

from verger import crawlers
from verger._core import Dialect, _CrawlerTally, _LogAudit, _LogTally, _RuleTally, parse
from verger.bulk.audit.history import Version, moment_of
from verger.errors import UnusableInput
from verger.untrusted_text import counted, rule_text

RequestCounts = tuple[int, int, int, int | None, int | None]

Pair = tuple[_RuleTally, bool]
"""What one crawler fetched against one rule, and whether the rule binds it."""


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests of one kind.

    count:     how many there are.
    answered:  how many have a status from 200 to 399.
    refused:   how many have a status of 400 or more.
    first:     the time of the first, in UTC; None if there is none.
    last:      the time of the last, in UTC; None if there is none.
    """

    count: int = 0
    answered: int = 0
    refused: int = 0
    first: datetime | None = None
    last: datetime | None = None


@dataclass(frozen=True, slots=True)
class CrawlerAudit:
    """The requests of one crawler.

    token:       its product token; None for crawlers beyond the number that is counted separately.
    operator:    its operator; None if the registry does not know it.
    purposes:    what it is for, names from `verger.crawlers.PURPOSES`; empty if the registry does
                 not know it.
    respects:    whether it obeys robots.txt, as its operator or a list claims: `yes`, `no`,
                 `partial` or `unknown`; None if the registry does not know it.
    sources:     the sources of these facts: names from `verger.crawlers.SOURCES`.
    user_agent:  one of the identification strings that it sent, at most 256 bytes of it.
    requests:    GET and HEAD requests for URLs.
    closed:      requests for URLs that were closed to it by rules that bind it.
    unbound:     requests for URLs closed by rules that do not bind it, according to its operator.
    excused:     how many requests for closed URLs came while they were open within the grace
                 before.
    unknown:     how many requests came at a time for which no version of the file is known.
    robots_txt:  requests for `/robots.txt`.
    examples:    some different closed targets, whether or not the rules bind it.
    """

    token: str | None
    operator: str | None
    purposes: tuple[str, ...]
    respects: str | None
    sources: tuple[str, ...]
    user_agent: str
    requests: Requests
    closed: Requests
    unbound: Requests
    excused: int
    unknown: int
    robots_txt: Requests
    examples: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of its requests that were for closed URLs, from 0 to 1."""
        return self.closed.count / self.requests.count if self.requests.count else 0.0


@dataclass(frozen=True, slots=True)
class RuleShare:
    """What one crawler fetched against one rule.

    token:     its product token; None for crawlers beyond the number that is counted separately.
    requests:  its requests for URLs that the rule closes.
    example:   one of the targets.
    bound:     whether the rule binds the crawler, according to its operator.
    """

    token: str | None
    requests: Requests
    example: str
    bound: bool

    @property
    def closed(self) -> Requests:
        """The requests if the rule binds the crawler; else none."""
        return self.requests if self.bound else Requests()

    @property
    def unbound(self) -> Requests:
        """The requests if the rule does not bind the crawler; else none."""
        return Requests() if self.bound else self.requests


@dataclass(frozen=True, slots=True)
class RuleAudit:
    """A rule that was broken, and the requests that broke it.

    version:   the version of the file that the rule is in.
    line:      the number of its line, from 1.
    rule:      its text, such as `Disallow: /private`.
    requests:  the requests of crawlers that it binds.
    crawlers:  the crawlers that broke it: those that it binds first, by most requests.
    """

    version: Version
    line: int
    rule: str
    requests: Requests
    crawlers: tuple[RuleShare, ...]

    @property
    def example(self) -> str:
        """A target."""
        return self.crawlers[0].example


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A line that is not an entry of an access log.

    input:   the name of the log.
    line:    the number of the line, from 1.
    reason:  why: `too-long`, `no-time`, `no-request`, `no-status`, `cut`, `not-json`,
             `not-as-format` or `no-columns`.
    """

    input: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class LogLines:
    """The lines of the logs by kind; each that is not blank is counted once.

    lines:             how many there are: the sum of the other counts.
    unreadable:        lines that are not entries of an access log.
    other_times:       requests outside `since` and `until`.
    undated:           requests without a time, if the answer depends on it.
    other_hosts:       requests for hosts that `hosts` does not name.
    no_url:            malformed requests, such as TLS on a plain port; `*` and CONNECT.
    other_methods:     how many requests have a method other than GET and HEAD, by method.
    people:            requests whose user agent names no crawler.
    nameless:          requests without an identification string.
    other_crawlers:    requests of crawlers that `crawlers` does not name.
    judged:            requests of crawlers that were judged.
    first:             the time of the first request of the period and hosts, in UTC; None if there
                       is none.
    last:              the time of the last one.
    hosts:             requests by host, if the log has hosts: up to 64 hosts.
    unreadable_lines:  the first unreadable lines.
    """

    lines: int
    unreadable: int
    other_times: int
    undated: int
    other_hosts: int
    no_url: int
    other_methods: dict[str, int] = field(hash=False)
    people: int
    nameless: int
    other_crawlers: int
    judged: int
    first: datetime | None
    last: datetime | None
    hosts: dict[str, int] = field(hash=False)
    unreadable_lines: tuple[UnreadableLine, ...]


@dataclass(frozen=True, slots=True)
class AuditResult:
    """Which crawlers fetched what was closed to them.

    log:       the lines of the logs, by kind.
    crawlers:  the crawlers, first those with the most requests for URLs closed to them.
    rules:     rules that were broken, first those broken most often; those that bind none of the
               crawlers are last.
    versions:  the versions of the file.
    problems:  logs that could not be read, or not to their end, or of which no line holds a request
               that could be judged.
    empty:     the names of the logs that have no line of a request, not even an invalid one.
    """

    log: LogLines
    crawlers: tuple[CrawlerAudit, ...]
    rules: tuple[RuleAudit, ...]
    versions: tuple[Version, ...]
    problems: tuple[UnusableInput, ...]
    empty: tuple[str, ...] = ()

    @property
    def closed(self) -> int:
        """How many requests were for URLs closed by rules that bind the crawler."""
        return sum(crawler.closed.count for crawler in self.crawlers)

    @property
    def unbound(self) -> int:
        """How many requests were for URLs closed by rules that do not bind the crawler."""
        return sum(crawler.unbound.count for crawler in self.crawlers)

    def __repr__(self) -> str:
        parts = [
            counted(self.log.lines, "line"),
            f"{counted(self.log.judged, 'request')} judged",
            f"{self.closed:,} closed",
            counted(len(self.crawlers), "crawler"),
            counted(len(self.versions), "version"),
            *([counted(len(self.problems), "problem")] if self.problems else []),
        ]
        return f"AuditResult({', '.join(parts)})"


def result_of(
    kernel: _LogAudit,
    names: Sequence[str],
    versions: Sequence[Version],
    problems: Sequence[UnusableInput],
    empty: Sequence[str],
    dialect: Dialect,
) -> AuditResult:
    """Return what the kernel counted; `names` are those of the inputs, `empty` of those
    without a line.
    """
    tallies = kernel.crawlers
    tokens = [tally.tokens.partition(",")[0] or None for tally in tallies]
    binding = _binding(versions, dialect)
    pairs = [(tally, binding(tally.version, tokens[tally.crawler])) for tally in kernel.rules]
    by_crawler: dict[int, list[Pair]] = {}
    for pair in pairs:
        by_crawler.setdefault(pair[0].crawler, []).append(pair)
    found = [
        _crawler(tally, tokens[place], by_crawler.get(place, ()))
        for place, tally in enumerate(tallies)
        if tally.requests[0]
    ]
    found.sort(key=lambda each: (-each.closed.count, -each.requests.count, each.token or "~"))
    return AuditResult(
        _lines(kernel.log, names, sum(each.requests.count for each in found)),
        tuple(found),
        tuple(_rules(pairs, versions, tokens)),
        tuple(versions),
        tuple(problems),
        tuple(empty),
    )


def _binding(versions: Sequence[Version], dialect: Dialect) -> Callable[[int, str | None], bool]:
    """Return what says whether the rules of a version bind a crawler."""

    @cache
    def is_bound(version: int, token: str | None) -> bool:
        crawler = crawlers.find(token) if token else None
        if crawler is None or crawler.bound_by == "groups":
            return True
        robots = parse(versions[version].body, dialect=dialect)
        return crawlers.is_bound(crawler, named=crawlers.agent_of(robots, crawler.token).named)

    return is_bound


def _crawler(tally: _CrawlerTally, token: str | None, pairs: Sequence[Pair]) -> CrawlerAudit:
    closed, unbound = _requests(tally.closed), Requests()
    if not all(is_bound for _, is_bound in pairs):
        closed, unbound = (
            _sum([_requests(each.closed) for each, is_bound in pairs if is_bound is wanted])
            for wanted in (True, False)
        )
    known = crawlers.find(token) if token else None
    return CrawlerAudit(
        token,
        known.operator if known else None,
        known.purposes if known else (),
        known.respects if known else None,
        known.sources if known else (),
        tally.agent,
        _requests(tally.requests),
        closed,
        unbound,
        tally.excused,
        tally.unknown,
        _requests(tally.robots_txt),
        tuple(tally.examples),
    )


def _rules(
    pairs: Sequence[Pair], versions: Sequence[Version], tokens: Sequence[str | None]
) -> list[RuleAudit]:
    by_rule: dict[tuple[int, tuple[int, int]], list[Pair]] = {}
    for pair in pairs:  # one line may have an `Allow` and a `Disallow`, without a LF between them
        by_rule.setdefault((pair[0].version, pair[0].rule.span), []).append(pair)
    rules = [_rule(group, versions, tokens) for group in by_rule.values()]
    return sorted(rules, key=lambda rule: -rule.requests.count)


def _rule(
    pairs: Sequence[Pair], versions: Sequence[Version], tokens: Sequence[str | None]
) -> RuleAudit:
    first = pairs[0][0]
    shares = [
        RuleShare(tokens[each.crawler], _requests(each.closed), each.example, is_bound)
        for each, is_bound in pairs
    ]
    shares.sort(key=lambda share: (not share.bound, -share.requests.count, share.token or "~"))
    rule = first.rule
    return RuleAudit(
        versions[first.version],
        rule.line,
        rule_text(rule.allow, rule.pattern),
        _sum([share.requests for share in shares if share.bound]),
        tuple(shares),
    )


def _sum(parts: Sequence[Requests]) -> Requests:
    firsts = [part.first for part in parts if part.first]
    lasts = [part.last for part in parts if part.last]
    count, answered, refused = (
        sum(map(attrgetter(name), parts)) for name in ("count", "answered", "refused")
    )
    return Requests(count, answered, refused, min(firsts, default=None), max(lasts, default=None))


def _lines(log: _LogTally, names: Sequence[str], judged: int) -> LogLines:
    return LogLines(
        lines=log.lines,
        unreadable=log.unreadable,
        other_times=log.other_times,
        undated=log.undated,
        other_hosts=log.other_hosts,
        no_url=log.no_url,
        other_methods=dict(log.methods),
        people=log.people,
        nameless=log.nameless,
        other_crawlers=log.other_crawlers,
        judged=judged,
        first=moment_of(log.first),
        last=moment_of(log.last),
        hosts=dict(log.hosts),
        unreadable_lines=tuple(
            UnreadableLine(names[place], number, reason)
            for place, number, reason in log.unreadable_lines
        ),
    )


def _requests(tally: RequestCounts) -> Requests:
    count, answered, refused, first, last = tally
    return Requests(count, answered, refused, moment_of(first), moment_of(last))
