"""The audit itself: the kernel audits one log after the other.

In: logs, versions of a file, and options. Out: an `AuditResult`; what it could not see, logs
without entries and crawlers that no request can have. A thread reads and unpacks the
next piece while the kernel, without the interpreter's lock, audits the one before.
"""

import os
import re
from collections.abc import Callable, Container, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Literal, TypeAlias, get_args

from verger import crawlers as registry
from verger._core import (
    _dialect_of,
    _LogAudit,
    _LogTally,
    check_product_token,
    parse,
)
from verger.bulk.audit.history import EPOCH, Version, hosts_of, in_order
from verger.bulk.audit.logs import (
    Log,
    Piece,
    name_of,
    pieces_of,
)
from verger.bulk.audit.result import AuditResult, result_of
from verger.crawlers.survey import spellings
from verger.errors import InvalidOption, UnusableInput
from verger.files.formats import input_format
from verger.files.workers import read_ahead
from verger.options import (
    AnyDialect,
    AnyPath,
    expect_text,
    expect_texts,
    expect_tokens,
    one_or_several,
)
from verger.untrusted_text import quoted

AHEAD = 4
"""Pieces that wait while earlier ones are judged."""

EVERYONE = "*"
"""The token of all that are not known to be crawlers, if they are judged, too."""

SAME = {
    "common": "combined",
    **dict.fromkeys(("iis", "cloudfront"), "w3c"),
    **dict.fromkeys(("cloudflare", "vercel", "fastly", "akamai", "docker"), "jsonl"),
}
"""Whose logs have one of the formats."""

LOG_FORMATS = (
    *("combined", "vhost", "jsonl", "w3c", "alb", "elb", "s3", "haproxy", "nginx-proxy-manager"),
    *SAME,
)
"""The names of the formats of logs."""

JSON = "jsonl"
NAMED = (JSON,)
"""The formats of logs that a name can promise; `.csv` and `.parquet` are read like any name."""
FieldName: TypeAlias = Literal[
    "time", "host", "request", "method", "target", "query", "status", "user_agent"
]
FIELDS: tuple[FieldName, ...] = get_args(FieldName)

WhyUnseen: TypeAlias = Literal["policy-token", "no-name", "unknown"]
"""`policy-token`: no crawler sends it. `no-name`: it is `*`. `unknown`: it is in neither the file,
nor the log, nor the registry."""

WHY = {
    "too-long": "it has more than 65,536 bytes",
    "no-time": "it has no time in brackets, or one that cannot be read",
    "no-request": "it has no request",
    "no-status": "no status follows the request",
    "cut": "a quotation mark is not closed",
    "not-json": "it is not a JSON object",
    "not-as-format": "it is not written as its format says",
    "no-columns": "no `#Fields` line before it names its columns",
}
"""Why a line is not an entry, by the reason of an `UnreadableLine`."""


OBJECT = re.compile(rb"(?:\A|\n)[ \t\r]*+(?:[\[,]\s*+)?\{")
"""The beginning of a line that is read as JSON, whatever the lines before it are."""


def audit_logs(
    logs: AnyPath | Iterable[Log],
    versions: Sequence[Version],
    *,
    crawler_of: Callable[[str], str | None] | None = None,
    everyone: bool = False,
    dialect: AnyDialect = "rfc9309",
    log_format: str | None = None,
    fields: Sequence[tuple[FieldName, str]] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    hosts: Sequence[str] = (),
    crawlers: Sequence[str] = (),
    grace: timedelta = timedelta(0),
    on_piece: Callable[[Piece], None] | None = None,
) -> AuditResult:
    """Audit the requests in access logs with the robots.txt file that was in force.

    logs:        a path, or paths and binary streams; gzip is recognised.
    versions:    the versions of one file, in any order; nothing is known before the first, unless
                 its `since` is None.
    crawler_of:  returns the product tokens in an identification string, as `a,b` for a crawler
                 that follows b's group if none names a; None for people (default: `crawler_in`,
                 with the names in the versions).
    everyone:    whether to audit people, too, as a crawler that no group names; only with the
                 default `crawler_of`.
    log_format:  how lines are written: a name among `LOG_FORMATS`, or a format as nginx or Apache
                 write it in their configuration; None to detect it for each line.
    fields:      names of JSON members besides the usual ones: ("user_agent", "client.ua").
    since:       the first time that is judged; until: the end, exclusive. Both, and the times of
                 versions, have a time zone.
    hosts:       the hosts whose requests are judged, in any spelling, without ports; all if empty.
    crawlers:    the product tokens of the crawlers to audit; all if empty.
    grace:       how long a crawler may use its copy of the file (RFC 9309 section 2.4).
    on_piece:    called with each piece of a log after it was judged.
    Raises:      InvalidProductToken for `crawlers`, and for what `crawler_of` returns;
                 InvalidOption for `versions`, for `hosts`, for `log_format`, for a log whose name
                 contradicts it, and for `fields` if no line is JSON.
    """
    log_format = expect_log_format(log_format)
    if fields and log_format not in (None, JSON):
        why = f"`fields` is for JSON, and `log_format` says {log_format}"
        raise InvalidOption(why, "leave one of them out")
    logs = [_log(each, log_format) for each in one_or_several("logs", logs)]
    expect_texts("hosts", hosts, "hosts")
    expect_tokens("crawlers", crawlers)
    _expect_versions(versions)
    read_as = _dialect_of(dialect)
    if crawlers:
        check_product_token(crawlers, dialect=read_as)
    ordered = in_order(versions)
    kernel = _LogAudit(
        [(_microseconds(version.since), version.body) for version in ordered],
        crawler_of or _crawler_finder(names_in(ordered, read_as), everyone=everyone),
        dialect=read_as,
        log_format=log_format,
        fields=fields,
        since=_microseconds(since),
        until=_microseconds(until),
        hosts=hosts_of(hosts),
        crawlers=crawlers,
        grace=grace // timedelta(microseconds=1),
    )
    problems: list[UnusableInput] = []
    empty: list[str] = []
    is_json = not fields or log_format == JSON
    for place, log in enumerate(logs):
        before, problem = kernel.log, None
        try:
            for piece in read_ahead(pieces_of(log), waiting=AHEAD, name="verger-log"):
                kernel.feed(piece.data)
                is_json = is_json or bool(OBJECT.search(piece.data))
                if on_piece is not None:
                    on_piece(piece)
        except UnusableInput as damage:
            problem = damage
        kernel.finish_input()
        if problem is None and kernel.log.lines == before.lines:
            empty.append(name_of(log))
        problem = problem or _unread(before, kernel.log, place, name_of(log))
        problems += [problem] if problem else []
    if not is_json and kernel.log.lines > kernel.log.unreadable:
        hint = "leave `--log-field` (in Python `fields`) out"
        raise InvalidOption("fields of JSON are named, and no line is a JSON object", hint)
    return result_of(kernel, [name_of(log) for log in logs], ordered, problems, empty, read_as)


def expect_log_format(log_format: str | None) -> str | None:
    """Return a format of logs by its usual name; raise InvalidOption if it cannot be read."""
    if log_format is not None:
        expect_text("log_format", log_format)
        log_format = SAME.get(log_format, log_format)
    _LogAudit.expect_format(log_format)
    return log_format


def _expect_versions(versions: Sequence[Version]) -> None:
    """Raise InvalidOption unless there is at least one version."""
    example = "pass at least one, such as `[Version('robots.txt', body)]`"
    if isinstance(versions, Version | str | bytes) or not isinstance(versions, Sequence):
        raise InvalidOption("`versions` is not a list of versions", example)
    if not versions:
        raise InvalidOption(
            "`versions` is empty: there is no robots.txt file to audit with", example
        )
    for each in versions:
        if not isinstance(each, Version) or not isinstance(each.body, bytes):
            raise InvalidOption(f"`versions` holds `{each!r:.60}`, not a version", example)


def _log(given: AnyPath | Log, log_format: str | None) -> Log:
    """Return a log; raise TypeError if it is neither a path nor a stream."""
    if isinstance(given, str | os.PathLike):
        input_format(given, log_format, NAMED, option="log_format")
        return given
    if hasattr(given, "read1"):
        return given
    kind = type(given).__name__
    raise TypeError(f"`logs` must hold paths, or binary streams with `read1`, not {kind}")


def _crawler_finder(named: Container[str], *, everyone: bool) -> Callable[[str], str | None]:
    """Return a function that finds the crawler of an identification string."""
    find = partial(crawler_in, named=named)
    return (lambda header: find(header) or EVERYONE) if everyone else find


def crawler_in(header: str, named: Container[str] = ()) -> str | None:
    """Return the product tokens of an identification string; None for people.

    Of several products, the one that the file names, else a known crawler, else the first. A
    crawler that follows another's group if none names it has both, as `a,b`.

    named:  the names in the file, in lower case, as `names_in` returns them.
    """
    token = registry.token_in(header, named)
    return ",".join(registry.tokens_of(token)) if token else None


def names_in(versions: Sequence[Version], dialect: AnyDialect = "rfc9309") -> frozenset[str]:
    """Return the names in the versions of a file, in lower case, without `*`."""
    read = (parse(version.body, dialect=dialect) for version in versions)
    return frozenset(
        spellings(
            value for robots in read for group in robots.groups for value in group.product_tokens
        )
    )


def _unread(before: _LogTally, log: _LogTally, place: int, name: str) -> UnusableInput | None:
    """Return why no line of one log holds a request that could be judged; None if one does.

    Requests that fetch nothing tell nothing of a log that has other lines, too.

    before:  the counts for the logs before it.
    place:   its place among the logs.
    """
    names = ("lines", "unreadable", "no_url", "undated", "nameless")
    lines, unreadable, no_url, undated, nameless = (
        getattr(log, n) - getattr(before, n) for n in names
    )
    methods = _count(log.methods) - _count(before.methods)
    lost = unreadable + no_url + undated
    if not lines or lines > lost + nameless + (methods if lost else 0):
        return None
    known = f"`--log-format` takes {', '.join(LOG_FORMATS)}, or your server's format"
    known += ", and `--log-field` other names in JSON"
    if undated:
        why = f"no line of `{name}` has a time, and the answer depends on it"
        hint = (
            "name a member of JSON with `--log-field time=PATH`, or judge by one file, at all times"
        )
        return UnusableInput(why, hint)
    if nameless:
        why = f"no line of `{name}` has a user agent, so that no crawler can be named"
        of_json = "name a member of JSON with `--log-field user_agent=PATH`"
        hint = f"log in combined format, {of_json}, or judge all as one with `--everyone`"
        return UnusableInput(why, hint)
    why = f"none of {lines:,} lines is a fetch of a URL that could be read"
    if unreadable == lines:
        why = f"none of {lines:,} lines is an entry of an access log"
    elif not methods:
        why = f"none of {lines:,} lines holds a URL that was requested"
    odd = [
        (at, f" is {quoted(text, 100)}") for of, at, text in log.lines_without_url if of == place
    ]
    odd += [(at, f": {WHY[reason]}") for of, at, reason in log.unreadable_lines if of == place]
    at, what = odd[0]
    return UnusableInput(why, f"line {at:,} of `{name}`{what}; {known}")


def _count(methods: Sequence[tuple[str, int]]) -> int:
    return sum(number for _, number in methods)


def expect_entries(result: AuditResult) -> None:
    """Raise UnusableInput if no line of the logs can be judged."""
    log = result.log
    selected = log.judged + log.people + log.other_crawlers
    if result.problems and not selected + log.other_hosts + log.other_times:
        raise result.problems[0]


def unseen(
    result: AuditResult, crawlers: Sequence[str], *, dialect: AnyDialect = "rfc9309"
) -> dict[str, WhyUnseen]:
    """Return the product tokens that no request can have, and why."""
    if not crawlers:
        return {}
    named = names_in(result.versions, dialect)
    seen = {(crawler.token or "").lower() for crawler in result.crawlers}
    found: dict[str, WhyUnseen] = {}
    for token in crawlers:
        known = registry.find(token)
        if token == "*":
            found[token] = "no-name"
        elif known is not None and known.kind == "policy-token":
            found[token] = "policy-token"
        elif known is None and token.lower() not in seen and token.lower() not in named:
            found[token] = "unknown"
    return found


def _microseconds(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - EPOCH) // timedelta(microseconds=1)
