"""An audit in plain Python, with regular expressions, for logs that servers write.

In: the bytes of a log, versions of a file. Out: the same counts as the kernel's. It reads a line
with one pattern or `json.loads`, asks `RobotsTxt.decide`, and shares no code with the kernel.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import verger
from verger.bulk.audit import AuditResult, LogLines, Version, crawler_in

LINE = re.compile(
    r'(?P<before>[^\[]*)\[(?P<time>[^\]]+)\] "(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3}|-) \S+'
    r'(?: "(?:[^"\\]|\\.)*" "(?P<agent>(?:[^"\\]|\\.)*)")?',
    re.DOTALL,
)
ESCAPE = re.compile(r'\\(?:x([0-9a-fA-F]{2})|(["\\]))')
REQUEST = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) (.+?)(?: HTTP/\S*)?", re.DOTALL)
HOST = re.compile(r"([^: ]+):\d+ ")


@dataclass(slots=True)
class Counts:
    """What is counted."""

    lines: Counter[str] = field(default_factory=Counter)
    requests: Counter[str] = field(default_factory=Counter)
    closed: Counter[tuple[str, int, int]] = field(default_factory=Counter)
    """By crawler, version and line."""
    refused: Counter[str] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    robots_txt: Counter[str] = field(default_factory=Counter)
    first: dict[str, datetime] = field(default_factory=dict)
    last: dict[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """What a line says."""

    time: datetime
    request: str
    status: int | None
    agent: str
    host: str | None


def counts_of(
    log: bytes,
    versions: Sequence[Version],
    *,
    grace: timedelta = timedelta(0),
    hosts: Sequence[str] = (),
) -> Counts:
    """Count what the kernel counts."""
    judge, counts = Judge(versions, grace), Counts()
    for line in log.split(b"\n"):
        text = line.decode("utf-8", "surrogateescape").rstrip(" \t\r\n\f")
        if text and not text.startswith("#Fields:"):
            counts.lines["lines"] += 1
            _count(text, judge, hosts, counts)
    return counts


def _count(text: str, judge: "Judge", hosts: Sequence[str], counts: Counts) -> None:
    entry = _entry(text)
    if entry is None:
        counts.lines["unreadable"] += 1
        return
    request = REQUEST.fullmatch(entry.request)
    host = (
        urlsplit(request[2]).hostname if request and "://" in request[2] else None
    ) or entry.host
    if hosts and host is not None and host.lower() not in hosts:
        counts.lines["other_hosts"] += 1
        return
    if request is None:
        counts.lines["no_url"] += 1
        return
    method, target = request[1], _plain(request[2])
    if method.upper() not in ("GET", "HEAD"):
        counts.lines["other_methods"] += 1
    elif not target.startswith(("/", "http://", "https://")):
        counts.lines["no_url"] += 1
    else:
        _judge(entry, target, judge, counts)


def _judge(entry: Entry, target: str, judge: "Judge", counts: Counts) -> None:
    crawler = crawler_in(entry.agent) if entry.agent else None
    if crawler is None:
        counts.lines["people" if entry.agent else "nameless"] += 1
        return
    crawler = crawler.lower()
    counts.lines["judged"] += 1
    counts.requests[crawler] += 1
    counts.robots_txt[crawler] += target.partition("?")[0] == "/robots.txt"
    found = judge.verdict(crawler, target, entry.time)
    if found == "excused":
        counts.excused[crawler] += 1
    elif found == "unknown":
        counts.unknown[crawler] += 1
    elif not isinstance(found, str):
        counts.closed[crawler, *found] += 1
        counts.refused[crawler] += entry.status is not None and entry.status >= 400
        counts.first[crawler] = min(counts.first.get(crawler, entry.time), entry.time)
        counts.last[crawler] = max(counts.last.get(crawler, entry.time), entry.time)


class Judge:
    """Judges by versions in order, each parsed once."""

    def __init__(self, versions: Sequence[Version], grace: timedelta) -> None:
        earliest = datetime.min.replace(tzinfo=UTC)
        self._starts = [version.since or earliest for version in versions]
        self._is_known = [version.since is None for version in versions]
        self._files = [verger.parse(version.body) for version in versions]
        self._grace = grace

    def verdict(self, crawler: str, target: str, time: datetime) -> str | tuple[int, int]:
        """Return `open`, `excused`, `unknown`, or the version and line that closed it."""
        in_force = [at for at, start in enumerate(self._starts) if start <= time]
        if not in_force:
            return "unknown"
        now = in_force[-1]
        url = f"http://host{target}" if target.startswith("/") else target
        decision = self._files[now].decide(url, crawler)
        if decision.allowed:
            return "open"
        oldest = time - self._grace
        for at in range(now, -1, -1):
            if self._files[at].allowed(url, crawler):
                return "excused"
            if self._is_known[at] or self._starts[at] <= oldest:
                assert decision.line is not None
                return now, decision.line
        return "unknown"


def _entry(text: str) -> Entry | None:
    if text.startswith("{"):
        return _json_entry(text)
    match = LINE.match(text)
    if match is None:
        return None
    try:
        time = datetime.strptime(match["time"], "%d/%b/%Y:%H:%M:%S %z")
    except ValueError:
        return None
    status = None if match["status"] == "-" else int(match["status"])
    agent = _plain(match["agent"] or "")
    host = HOST.match(match["before"])
    return Entry(time, match["request"], status, _named(agent), host[1] if host else None)


def _json_entry(text: str) -> Entry | None:
    try:
        row = json.loads(text)
    except ValueError:
        return None
    time = datetime.fromisoformat(row["time"])
    request = row["request"].replace("\\", "\\\\")
    return Entry(time, request, row["status"], _named(row["http_user_agent"]), row.get("host"))


def _named(agent: str) -> str:
    return "" if agent == "-" else agent


def _plain(text: str) -> str:
    def byte(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else match[2]

    latin = text.encode("utf-8", "surrogateescape").decode("latin-1")
    return ESCAPE.sub(byte, latin).encode("latin-1").decode("utf-8", "surrogateescape")


def lines_in(log: LogLines) -> dict[str, int]:
    """Return how many lines the kernel counted, and how many of each kind."""
    names = ("lines", "unreadable", "other_hosts", "no_url", "people", "nameless", "judged")
    counts = {name: getattr(log, name) for name in names}
    return counts | {"other_methods": sum(log.other_methods.values())}


def counts_in(result: AuditResult) -> Counts:
    """Return what the kernel counted, in the same form."""
    places = {version.name: at for at, version in enumerate(result.versions)}
    crawlers = {(crawler.token or "").lower(): crawler for crawler in result.crawlers}
    closed = {
        ((share.token or "").lower(), places[rule.version.name], rule.line): share.requests.count
        for rule in result.rules
        for share in rule.crawlers
    }
    return Counts(
        Counter(lines_in(result.log)),
        Counter({token: each.requests.count for token, each in crawlers.items()}),
        Counter(closed),
        Counter({token: each.closed.refused for token, each in crawlers.items()}),
        Counter({token: each.excused for token, each in crawlers.items()}),
        Counter({token: each.unknown for token, each in crawlers.items()}),
        Counter({token: each.robots_txt.count for token, each in crawlers.items()}),
        {token: each.closed.first for token, each in crawlers.items() if each.closed.first},
        {token: each.closed.last for token, each in crawlers.items() if each.closed.last},
    )
