"""The summary on stderr at the end of an audit: what the lines of the logs were.

In: a result. Out: lines of text; each line of the logs is counted in exactly one of them.
"""

from collections.abc import Iterator, Mapping

from verger.bulk.audit import AuditResult, LogLines, WhyUnseen
from verger.bulk.audit.run import WHY
from verger.cli.columns import total
from verger.plain import printable, quoted

MOST_HOSTS = 64
"""The most hosts that an audit distinguishes."""

SHOWN = 3
"""The most invalid lines that stderr names one by one."""


def closing_lines(result: AuditResult, seconds: float, *, selects_hosts: bool) -> Iterator[str]:
    """Yield the closing table, and notes on what it does not show.

    selects_hosts:  whether `--host` was given.
    """
    log = result.log
    yield total("lines", log.lines)
    yield total("judged", log.judged, "requests of crawlers")
    for name, number, what in _others(log):
        if number:
            yield total(name, number, what)
    rate = log.lines / max(seconds, 1e-9)
    yield total("time", f"{seconds:,.2f} s", f"{rate:,.0f} lines a second")
    if selects_hosts and log.judged and not (log.hosts or log.other_hosts):
        yield "note: the log has no hosts: `--host` selected nothing, and every request was judged"
    yield from _notes(result)


def unseen_lines(unseen: Mapping[str, WhyUnseen]) -> Iterator[str]:
    """Yield notes on requested crawlers that cannot have been seen."""
    for token, why in unseen.items():
        if why == "policy-token":
            yield f"note: `{token}` is a policy token: no crawler sends it"
        elif why == "no-name":
            yield f"note: no crawler sends `{token}`: without `--agent`, all are judged"
        else:
            yield f"note: neither the file, nor the log, nor the registry knows `{token}`"


def _others(log: LogLines) -> Iterator[tuple[str, int, str]]:
    methods = ", ".join(
        f"{printable(name)} {number:,}" for name, number in sorted(log.other_methods.items())
    )
    yield "people", log.people, "requests of browsers, or of clients that name no crawler"
    yield "nameless", log.nameless, "requests without a user agent"
    unnamed = "requests of crawlers that `--agent` and `--purpose` do not name"
    yield "others", log.other_crawlers, unnamed
    yield "methods", sum(log.other_methods.values()), f"requests that fetch nothing: {methods}"
    yield "no URL", log.no_url, "requests that are invalid, or for no URL"
    yield "hosts", log.other_hosts, "requests for other hosts"
    yield "times", log.other_times, "requests outside `--since` and `--until`"
    yield "undated", log.undated, "requests without a time, which is needed here"
    yield "unreadable", log.unreadable, "lines that are not entries"


def _notes(result: AuditResult) -> Iterator[str]:
    log = result.log
    for line in log.unreadable_lines[:SHOWN]:
        place = f"{printable(line.input)}:{line.line}"
        yield f"note: {place} is not an entry: {WHY[line.reason]}"
    if len(log.hosts) > 1:
        most = sorted(log.hosts, key=lambda host: -log.hosts[host])[:3]
        names = ", ".join(quoted(host) for host in most)
        more = " or more" if len(log.hosts) == MOST_HOSTS else ""
        what = f"the log has {len(log.hosts)} hosts{more}, such as {names}"
        yield f"note: {what}; one robots.txt file was applied to all of them"
        yield "hint: `--host` selects the hosts that it governs"
    unknown = sum(crawler.unknown for crawler in result.crawlers)
    if unknown:
        yield f"note: {unknown:,} requests came before the first known version"
    excused = sum(crawler.excused for crawler in result.crawlers)
    if excused:
        yield f"note: {excused:,} requests were disallowed, but allowed within the grace before"
