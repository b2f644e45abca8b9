"""How files are fetched: those of many URLs, or that of one site, by the client of the options.

In: the options of a command, and URLs. Out: a source of files as those of `verger.snapshots`; one
file, or the `Failure` for a site without one; an `AsyncClient`, and what its requests carry.
"""

import asyncio
import logging
import os
import re
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from time import time
from typing import Self

from verger import RFC9309, Dialect, RobotsTxt, __version__, origin
from verger._core import _dialect_of
from verger.access.answer import Question, Unanswered, origin_asked
from verger.access.policy import bytes_read
from verger.access.result import AccessResult
from verger.access.words import EFFECTS, happened
from verger.cache.opening import usable_store
from verger.cache.store import Store
from verger.cli.options import cache_of, headers_of
from verger.cli.output import Failure, note, refuse_if
from verger.cli.progress import Progress
from verger.cli.tokens import Tokens
from verger.client import AsyncClient, Event, Site
from verger.client.identity import TokenNotSent
from verger.client.network import CONNECTIONS, Network
from verger.client.site import Override, suits
from verger.fetching.limits import FetchLimits
from verger.fetching.plan import SLACK
from verger.files.workers import read_ahead
from verger.loop_thread import LoopThread
from verger.lru_cache import KEPT_BYTES, LruCache, cost_of_site
from verger.options import AnyDialect
from verger.snapshots.sources import FetchedFile, RobotsFile, overriding_file
from verger.untrusted_text import printable, quoted

USER_IGNORED = (
    "note: the user name and password in a URL are not sent\n"
    "hint: `--header 'origin=https://example.com Authorization: ...'` sends a field to one site"
)

AHEAD = 256
"""How many URLs are read before the first of them is answered."""

has_user = re.compile(r"[^:/?#]+://[^/?#]*@").match


def fetch_site(args: Namespace, url: str, dialects: Sequence[str | Dialect]) -> Site:
    """Return the site of a URL after fetching its file, in the first of some dialects.

    Keeps as much of the file as any of the dialects reads.
    """
    name = origin(url)
    if has_user(url):
        note(args, USER_IGNORED)
    questions = [Question(("*",), _dialect_of(dialect)) for dialect in dialects]
    progress = Progress(shown=False, quiet=args.quiet)
    with Live(args, questions, progress, name) as source:
        file = source.file_for(name)
        assert isinstance(file, FetchedFile), "there are no overrides"
        return file.sites[0]


def fetch_file(
    args: Namespace, url: str, dialects: Sequence[str | Dialect], verb: str
) -> RobotsTxt:
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


class Live:
    """A source that fetches the file of each URL's origin, once however often it is needed.

    All dialects are answered from one access result. URLs are read ahead, so that waits for slow
    servers overlap.

    site:       the only origin whose file is fetched; None for that of each URL.
    overrides:  decisions about origins in place of their files, with the paths of files among them.
    """

    records_fetches = True

    def __init__(
        self,
        args: Namespace,
        questions: Sequence[Question],
        progress: Progress,
        site: str | None,
        overrides: Mapping[str, tuple[str, Override]] | None = None,
    ) -> None:
        self._overrides = overrides or {}
        self._questions, self._progress, self._site = questions, progress, site
        self._dialects = list({each.dialect.name: each.dialect for each in questions}.values())
        self._body_bytes = max(map(bytes_read, self._dialects))
        self._client = client(
            args,
            network_of(args, usable_store(cache_of(args))),
            tokens=questions[0].tokens,
            # One fetch serves all dialects; if there are several, it follows the standard.
            dialect=self._dialects[0] if len(self._dialects) == 1 else RFC9309,
            body_bytes=self._body_bytes,
            on_event=self._note,
            overrides={name: word for name, (_, word) in self._overrides.items()},
        )
        self._thread = LoopThread("verger-check")
        self._begun: dict[str, asyncio.Task[Site]] = {}
        self._kept: LruCache[RobotsFile | FetchedFile] = LruCache(KEPT_BYTES)
        self._problem = ""
        self._has_told_of_user = False
        self._lock = Lock()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_closed = True
        self._thread.run_last(self._close())

    def ahead_of(self, urls: Iterable[str | Unanswered]) -> Iterator[str | Unanswered]:
        """Yield URLs in order, read ahead by a thread that starts to fetch their files."""
        begun = self._begin_each(urls)
        return read_ahead(begun, waiting=AHEAD, name="verger-urls", when_idle=sys.stdout.flush)

    def _begin_each(self, urls: Iterable[str | Unanswered]) -> Iterator[str | Unanswered]:
        """Yield URLs after starting to fetch the files of their origins."""
        for url in urls:
            if isinstance(url, str):
                self._begin(url)
            yield url

    def _begin(self, url: str) -> None:
        """Start to fetch the file of a URL without waiting for it.

        Whoever reads URLs waits for the start: hundreds at once would delay the first answer.
        """
        try:
            name = self._origin_of(url)
        except Unanswered:
            return
        if name in self._overrides:
            return
        with self._lock:
            is_wanted = name not in self._kept and name not in self._begun
            if is_wanted and not self._is_closed:
                self._thread.run(self._start(name))

    def file_for(self, url: str, /) -> RobotsFile | FetchedFile:
        """Return the file of the URL's origin; raise `Unanswered` if the URL has no origin."""
        name = self._origin_of(url)
        file = self._kept.get(name)
        if file is None:
            file = self._file_of(name)
            with self._lock:
                self._kept.put(name, file, cost_of_site(name, file.size))
        if self._problem:
            self._progress.note(problem_lines(self._problem))
            self._problem = ""
        return file

    def _file_of(self, name: str) -> RobotsFile | FetchedFile:
        if name in self._overrides:
            return overriding_file(name, self._overrides[name], self._questions)
        sys.stdout.flush()  # a reader gets all answers so far
        site = self._thread.run(self._wait_for(name))
        assert site.entry is not None, "it is no override"
        return FetchedFile.of(site.entry, self._questions, site.source, time())

    def _origin_of(self, url: str) -> str:
        """Return the origin whose file governs a URL; with a `site`, also a path on it."""
        if has_user(url) and not self._has_told_of_user:
            self._has_told_of_user = True
            self._progress.note(USER_IGNORED)
        if self._site is not None and url.startswith("/"):
            return self._site
        name = _origin_asked(url)
        if self._site not in (None, name):
            why = f"{quoted(url)} is not on `{self._site}`, the site of `--robots`"
            hint = "leave `--robots` out to use the file of each origin"
            raise Unanswered("out-of-scope", why, hint)
        return name

    # on the loop

    async def _start(self, name: str) -> None:
        self._begun[name] = asyncio.create_task(self._find(name))

    async def _wait_for(self, name: str) -> Site:
        task = self._begun.pop(name, None)
        return await (task or self._find(name))

    async def _find(self, name: str) -> Site:
        """Return the site of an origin, fresh and long enough for every dialect."""
        site = await self._client.site(name)
        kept = self._body_bytes + SLACK
        if site.source == "cached" and not suits(site.entry, self._dialects, kept, time()):
            return await self._client.refresh(name)
        return site

    async def _close(self) -> None:
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)
        await self._client.close()

    def _note(self, event: Event) -> None:
        if event.kind == "store-problem":
            self._problem = self._problem or event.detail
        elif event.kind == "waiting":
            self._progress.waiting(event.origin, event.detail)


def _origin_asked(url: str) -> str:
    """Return the origin of a URL, or raise `Unanswered`, with a hint for the name of a file."""
    try:
        return origin_asked(
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


def identification(tokens: Tokens) -> str:
    """Return the default identification string of requests.

    A bare token does not identify the client, so the string also names verger.
    """
    token = tokens[0]
    return (
        f"verger/{__version__}" if token == "*" else f"{token} (checked with verger/{__version__})"
    )


def network_of(args: Namespace, store: Store | str | None, *, public_only: bool = False) -> Network:
    """Return how the options say that files are fetched.

    store:  where they are kept: the store of a client, or its address.
    """
    headers = headers_of(args)
    return Network(
        store=store,
        timeout=args.timeout,
        headers=headers.pop(""),
        origin_headers=headers,
        connections=getattr(args, "connections", None) or CONNECTIONS,
        connections_per_address=getattr(args, "per_address", None),
        connect_to=args.connect_to or (),
        proxy=args.proxy,
        private=args.private or (),
        ca_bundle=args.ca_bundle,
        public_only=public_only,
    )


def client(
    args: Namespace,
    network: Network,
    *,
    tokens: Tokens,
    dialect: AnyDialect,
    on_event: Callable[[Event], None],
    body_bytes: int | None = None,
    memory_bytes: int = 16 << 20,
    overrides: Mapping[str, Override] | None = None,
) -> AsyncClient:
    """Return the client that the options describe; requests carry `--user-agent`, or a token.

    body_bytes:  how much of a file to keep; None for what the dialect reads.
    """
    silence_log()
    return AsyncClient(
        args.user_agent or identification(tokens),
        token=tokens,
        dialect=dialect,
        limits=FetchLimits(body_bytes=body_bytes),
        memory_bytes=memory_bytes,
        overrides=overrides,
        on_event=on_event,
        clock=time,
        **network.options(),
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
