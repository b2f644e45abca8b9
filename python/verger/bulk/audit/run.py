"""The audit itself: logs go through the kernel, one after the other.

In: logs, versions of a file, and what counts. Out: an `AuditResult`. A thread reads and unpacks
what comes next while the kernel, which leaves the interpreter free, judges what came before.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from verger import crawlers as registry
from verger._core import Dialect, _LogAudit, parse, product_token
from verger.bulk.audit.history import Version, in_order
from verger.bulk.audit.logs import (
    Log,
    Piece,
    UnusableInput,
    name_of,
    pieces_of,
    read_ahead,
)
from verger.bulk.audit.result import EPOCH, AuditResult, result_of
from verger.errors import InvalidProductToken

Form: TypeAlias = Literal["combined", "vhost", "json"]
FieldName: TypeAlias = Literal[
    "time", "host", "request", "method", "target", "query", "status", "user_agent"
]

GOES_BY = {
    # Google, Google's common crawlers: several tokens each, of which one in the file is enough.
    "googlebot-image": "Googlebot",
    "googlebot-news": "Googlebot",
    "googlebot-video": "Googlebot",
    "google-inspectiontool": "Googlebot",
    "googleother-image": "GoogleOther",
    "googleother-video": "GoogleOther",
    # Apple Support, About Applebot: where no group names Applebot, it follows Googlebot's.
    "applebot": "Googlebot",
}
"""By whose group a crawler goes where none names it, as its operator says; else by that of `*`."""


def audit_logs(
    logs: Sequence[Log],
    versions: Sequence[Version],
    *,
    crawler_of: Callable[[str], str | None] | None = None,
    dialect: str | Dialect = "rfc9309",
    form: Form | None = None,
    fields: Sequence[tuple[FieldName, str]] = (),
    since: datetime | None = None,
    until: datetime | None = None,
    hosts: Sequence[str] = (),
    crawlers: Sequence[str] = (),
    grace: timedelta = timedelta(0),
    on_piece: Callable[[Piece], None] | None = None,
) -> AuditResult:
    """Judge the requests in access logs by the robots.txt file that was in force.

    logs:        paths and binary streams; gzip is recognised.
    versions:    of one file, in any order; before the first nothing is known, unless it is
                 `since` None.
    crawler_of:  returns the product tokens in an identification string, as `a,b` for a crawler
                 that prefers a to b; None for people (default: `crawler_in`).
    form:        how lines are written; None to look at each.
    fields:      names of JSON members besides the usual ones: ("user_agent", "client.ua").
    since:       the first time that counts; `until` is the first that counts no more. Both, and
                 those of versions, with a time zone.
    hosts:       those that count, without ports; all where there are none.
    crawlers:    the product tokens that count; all where there are none.
    grace:       how long a crawler may go by its copy of the file (RFC 9309 section 2.4).
    on_piece:    is told of every piece of a log when it has been judged.
    """
    ordered = in_order(versions)
    kernel = _LogAudit(
        [(_microseconds(version.since), version.octets) for version in ordered],
        crawler_of or crawler_in,
        dialect=dialect,
        form=form,
        fields=fields,
        since=_microseconds(since),
        until=_microseconds(until),
        hosts=hosts,
        crawlers=crawlers,
        grace=grace // timedelta(microseconds=1),
    )
    problems: list[UnusableInput] = []
    for log in logs:
        try:
            for piece in read_ahead(pieces_of(log)):
                kernel.feed(piece.octets)
                if on_piece is not None:
                    on_piece(piece)
        except UnusableInput as problem:
            problems.append(problem)
        kernel.finish_input()
    return result_of(kernel, [name_of(log) for log in logs], ordered, problems)


def crawler_in(header: str) -> str | None:
    """Return the product token in an identification string; None for people.

    That of a known crawler as it is usually written, else what the string itself names. Where its
    operator says that it goes by another crawler's group if none names it, as `a,b`.
    """
    known = registry.of_user_agent(header)
    token = known.token if known else product_token(header)
    if token is None or not _is_token(token):
        return None
    other = GOES_BY.get(token.lower())
    return f"{token},{other}" if other else token


def _is_token(token: str) -> bool:
    try:
        _NOTHING.agent(token)
    except InvalidProductToken:
        return False
    return "," not in token


_NOTHING = parse(b"")


def _microseconds(moment: datetime | None) -> int | None:
    return None if moment is None else (moment - EPOCH) // timedelta(microseconds=1)
