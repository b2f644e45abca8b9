"""The closing table of a run: how many rows there were of each kind, and why.

In: the totals of a run. Out: lines of text.
"""

from collections.abc import Iterator

from verger.bulk.filter.rulings import RULES, Kind
from verger.bulk.filter.tally import HEADINGS, Tally, heading_of
from verger.cli.columns import share, total
from verger.plain import printable

WORDS = {
    "UNAVAILABLE": "no file",
    "FORBIDDEN": "the file is forbidden",
    "TOO_MANY_REQUESTS": "too many requests",
    "TOO_MANY_REDIRECTS": "too many redirects",
    "REDIRECT_DISALLOWED": "redirected through a disallowed URL",
    "REDIRECT_REFUSED": "redirected to where nothing is fetched",
    "SERVER_ERROR": "server error",
    "UNDEFINED_STATUS": "no status, or an undefined one",
    "NETWORK_ERROR": "network error",
    "BROKEN_BODY": "broken body",
    "UNREACHABLE_FOR_LONG": "unreachable for long",
    "NOT_IN_SNAPSHOT": "not in the snapshot",
    "UNREADABLE_FILE": "the file of the snapshot cannot be read",
    "invalid-url": "no URL (invalid-url)",
    "invalid-row": "no URL to be found in the row (invalid-row)",
    "url-too-long": "too long for a URL (url-too-long)",
}


def closing_lines(tally: Tally, seconds: float, fetched: int | None) -> Iterator[str]:
    """Yield the closing table; `fetched` is the number of files fetched, None without a network."""
    counts = tally.counts
    rows = counts.total()
    rate = tally.decided / max(seconds, 1e-9)
    yield total("rows", rows)
    for heading in HEADINGS:
        kinds = [(kind, count) for kind, count in counts.items() if heading_of(kind) == heading]
        number = sum(count for _, count in kinds)
        if number or heading != "unanswered":
            yield total(heading, number, share(number, rows))
        for kind, count in sorted(kinds, key=lambda item: (-item[1], item[0][1])):
            yield total("", count, _words(kind))
    if tally.taken_over:
        yield total("taken over", tally.taken_over, "rows of the previous run")
    if fetched is not None:
        yield total("fetched", fetched, "robots.txt files")
    yield total("time", f"{seconds:,.2f} s", f"{rate:,.0f} rows a second")


def _words(kind: Kind) -> str:
    allowed, why = kind
    if why == RULES:
        return "by the rules of the file" if allowed else "by a rule of the file"
    reason, space, cause = why.partition(" ")
    return printable(f"{WORDS.get(reason, reason)}{space}{cause}")
