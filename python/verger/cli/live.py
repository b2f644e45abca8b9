"""How files are fetched: those of many URLs, or that of one site, by the client of the options.

In: the options of a command, and URLs. Out: a source of files for `verger.snapshots`; one file, or
the `Failure` for a site without one; an `AsyncClient`, and what its requests carry.
"""

import logging
import os
import re
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from time import time

from verger import DIALECTS, Dialect, RobotsTxt, __version__, origin
from verger.access.answer import Question, Unanswered, origin_asked
from verger.access.result import AccessResult
from verger.access.words import EFFECTS, happened
from verger.cache.existing import usable_store
from verger.cache.store import Store
from verger.cli.options import TIMEOUT, Tokens, cache_of, headers_of
from verger.cli.output import Failure, note, refuse_if
from verger.cli.progress import Progress
from verger.client import AsyncClient, Event, Site
from verger.client.identity import TokenNotSent
from verger.fetching.limits import FetchLimits
from verger.plain import printable, quoted
from verger.snapshots.live import Live

USER_IGNORED = (
    "note: the user name and password in a URL are not sent\n"
    "hint: `--header 'origin=https://example.com Authorization: ...'` sends a field to one site"
)

has_user = re.compile(r"[^:/?#]+://[^/?#]*@").match


def fetch_site(args: Namespace, url: str, dialects: Sequence[str]) -> Site:
    """Return the site of a URL after fetching its file, in the first of some dialects.

    Keeps as much of the file as any of the dialects reads.
    """
    name = origin(url)
    if has_user(url):
        note(args, USER_IGNORED)
    questions = [Question(("*",), DIALECTS[dialect]) for dialect in dialects]
    progress = Progress(shown=False, quiet=args.quiet)
    with live(args, questions, progress, name) as source:
        return source.file_for(name).sites[0]


def fetch_file(args: Namespace, url: str, dialects: Sequence[str], verb: str) -> RobotsTxt:
    """Return the file of a URL's origin, in the first of some dialects.

    verb:  what the caller does with the file, for messages.
    """
    site = fetch_site(args, url, dialects)
    if site.robots is None:
        raise no_file(site.last, verb)
    refuse_if(
        site.result is not None and site.result.truncated,
        f"only the beginning of {quoted(url)} was read",
        "pass the file itself",
    )
    return site.robots


def no_file(last: AccessResult, verb: str, *, is_live: bool = True) -> Failure:
    """Return the failure of a command that needs a file, and the result of fetching it.

    is_live:  whether it was fetched now, so that a later fetch may succeed.
    """
    why = f"there is no robots.txt file to {verb}: {happened(last)}"
    then = "try again later, or " if is_live and last.access == "unreachable" else ""
    return Failure(why, f"{then}pass a saved file")


def tell_absence(args: Namespace, site: Site) -> None:
    """Note on stderr that a site has no file, if none is needed: everything may be fetched."""
    if site.robots is None:
        note(args, f"note: {happened(site.last)}: {EFFECTS[site.access.effect]}")


def live(
    args: Namespace, questions: Sequence[Question], progress: Progress, site: str | None
) -> Live:
    """Return a source that fetches; with a `site`, only the file of that origin."""
    store = usable_store(cache_of(args))
    told: list[str] = []

    def origin_of(url: str) -> str:
        if has_user(url) and not told:
            told.append(url)
            progress.note(USER_IGNORED)
        return _origin_of(url, site=site)

    return Live(
        partial(client, args, tokens=questions[0].tokens, store=store),
        questions,
        origin_of=origin_of,
        clock=time,
        on_problem=lambda detail: progress.note(problem_lines(detail)),
        on_wait=sys.stdout.flush,  # a reader gets all answers so far
    )


def _origin_of(url: str, *, site: str | None) -> str:
    """Return the origin whose file governs a URL; with a `site`, also a path on it."""
    if site is not None and url.startswith("/"):
        return site
    try:
        name = origin_asked(
            url,
            why_not="each has a robots.txt of its own",
            hint="pass an absolute URL, or a file with `--robots FILE`",
        )
    except Unanswered as error:
        if os.path.isfile(url):  # noqa: PTH113 -- a robots.txt file among the URLs
            shown = printable(url)
            hint = f"to read the file of that name, pass `--robots {shown}`"
            raise Unanswered(error.kind, error.message, hint, url=error.url) from None
        raise
    if site not in (None, name):
        why = f"{quoted(url)} is not on `{site}`, the site of `--robots`"
        hint = "leave `--robots` out to use the file of each origin"
        raise Unanswered("out-of-scope", why, hint)
    return name


IDLE = 10.0


def identification(tokens: Tokens) -> str:
    """Return the default identification string of requests.

    A bare token does not identify the client, so the string also names verger.
    """
    token = tokens[0]
    return (
        f"verger/{__version__}" if token == "*" else f"{token} (checked with verger/{__version__})"
    )


def client(
    args: Namespace,
    *,
    tokens: Tokens,
    dialect: str | Dialect,
    store: Store | None,
    on_event: Callable[[Event], None],
    clock: Callable[[], float],
    body_bytes: int | None = None,
    memory_bytes: int = 16 << 20,
    public_only: bool = False,
    private: Sequence[str] = (),
) -> AsyncClient:
    """Return the client that the options describe; requests carry `--user-agent`, or a token.

    body_bytes:  how much of a file to keep; None for what the dialect reads.
    """

    silence_log()
    total = args.timeout or TIMEOUT
    headers = headers_of(args)
    return AsyncClient(
        args.user_agent or identification(tokens),
        token=tokens,
        dialect=dialect,
        store=store,
        limits=FetchLimits(total=total, idle=min(total, IDLE), body_bytes=body_bytes),
        headers=headers.pop(""),
        origin_headers=headers,
        memory_bytes=memory_bytes,
        connect_to=args.connect_to or (),
        proxy=args.proxy,
        ca_bundle=args.ca_bundle,
        public_only=public_only,
        private=private,
        on_event=on_event,
        clock=clock,
    )


def silence_log() -> None:
    """Keep Python from printing what commands print themselves, or ask for on purpose.

    That is problems of the store, which events report, and questions about other crawlers.
    """

    warnings.simplefilter("ignore", TokenNotSent)
    logging.getLogger("verger").addHandler(logging.NullHandler())


def problem_lines(detail: str) -> str:
    """Return the lines that report a cache that failed and is bypassed."""
    message, _, hint = detail.partition("\nhint: ")
    note = f"note: the cache failed, and is not used: {printable(message)}\n"
    return f"{note}hint: {printable(hint)}\n" if hint else note
