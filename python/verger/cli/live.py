"""robots.txt files fetched now: each origin is fetched from once, however often it is needed.

In: URLs, questions, and how to fetch. Out: for each URL the file of its origin, or what its
absence means, in every requested dialect: all from one access result. URLs are read ahead, so that
waits for slow servers overlap.
"""

import asyncio
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from threading import Lock
from time import time
from typing import Self

from verger import DIALECTS, InvalidTarget, RobotsTxt, origin
from verger.access.entry import Entry
from verger.answers.answer import Question, Unanswered
from verger.answers.fetched import Fetched, Source
from verger.answers.fetched_file import FetchedFile, fetched_file
from verger.cli.exit import Failure
from verger.cli.fetching import client, problem_lines
from verger.cli.options import cache_of
from verger.cli.progress import Progress
from verger.cli.urls import Urls, origin_asked
from verger.client.events import Event
from verger.client.site import LEAST_FRESH, fresh_until, is_useful
from verger.fetching.plan import SLACK, UNLIMITED
from verger.files.ahead import read_ahead
from verger.files.kept import KEPT_BYTES, LruCache, cost_of_site
from verger.loop_thread import LoopThread
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cache.store import Store

AHEAD = 256
"""How many URLs are read before the first of them is answered."""

SOURCES: dict[str, Source] = {"fetched": "fetched", "renewed": "renewed", "loaded": "cached"}


class Live:
    """A source that fetches the file of each URL's origin."""

    tells_fetches = True
    last_line: int | None = None  # unknown until all files are fetched

    def __init__(
        self,
        args: Namespace,
        questions: Sequence[Question],
        progress: Progress,
        *,
        site: str | None = None,
    ) -> None:
        """Prepare to fetch; with a `site`, only the file of that origin, and for paths."""
        self._one_site = site
        self._questions = questions
        self._progress = progress
        self._dialects = list(dict.fromkeys(question.dialect for question in questions))
        self._body_bytes = max(DIALECTS[d].parse_limit or UNLIMITED for d in self._dialects)
        self._client = client(
            args,
            tokens=questions[0].tokens,
            # One fetch serves all dialects; if there are several, it follows the standard.
            dialect=self._dialects[0] if len(self._dialects) == 1 else "rfc9309",
            store=opened_store(cache_of(args)),
            on_event=self._note,
            clock=time,
            body_bytes=self._body_bytes,
        )
        self._thread = LoopThread("verger-check")
        self._begun: dict[str, asyncio.Task[Entry]] = {}
        self._sources: dict[str, Source] = {}
        self._kept: LruCache[FetchedFile] = LruCache(KEPT_BYTES)
        self._problem = ""
        self._lock = Lock()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_closed = True
        self._thread.run(self._close())
        self._thread.stop()

    def begin(self, url: str) -> None:
        """Start to fetch the file of a URL without waiting for it; called from another thread."""
        try:
            name = self._one_site or origin(url)
        except InvalidTarget:
            return
        with self._lock:
            is_wanted = name not in self._kept and name not in self._begun
            if is_wanted and not self._is_closed:
                self._thread.run(self._begin(name))

    def file_for(self, url: str, /) -> FetchedFile:
        """Return the file of the URL's origin; raise `Unanswered` if the URL has no origin."""
        name = self._origin_of(url)
        file = self._kept.get(name)
        if file is None:
            sys.stdout.flush()  # it may take a while
            entry = self._thread.run(self._wait_for(name))
            file = fetched_file(entry, self._questions, self._sources.pop(name, "fetched"), time())
            with self._lock:
                self._kept.put(name, file, cost_of_site(name, file.size))
        self._report_problem()
        return file

    def _origin_of(self, url: str) -> str:
        """Return the origin whose file governs a URL."""
        site = self._one_site
        if site is None or not url.startswith("/"):
            name = _origin_of(url)
            if site not in (None, name):
                why = f"`{printable(url)}` is not on `{site}`, whose file is asked"
                raise Unanswered("out-of-scope", why, "leave `--robots` out to ask each origin")
            return name
        return site

    # on the loop

    async def _begin(self, name: str) -> None:
        self._begun[name] = asyncio.create_task(self._find(name))

    async def _wait_for(self, name: str) -> Entry:
        task = self._begun.pop(name, None)
        return await (task or self._find(name))

    async def _find(self, name: str) -> Entry:
        """Return the entry of an origin, fresh and long enough for every dialect."""
        entry = (await self._client.site(name)).entry
        if entry is None or (self._sources.get(name) == "cached" and not self._suits(entry)):
            entry = (await self._client.refresh(name)).entry
        assert entry is not None, "there are no overrides here"
        return entry

    async def _close(self) -> None:
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)
        await self._client.close()

    def _suits(self, entry: Entry) -> bool:
        now = time()
        return all(
            is_useful(entry, DIALECTS[name], self._body_bytes + SLACK)
            and now < fresh_until(entry, DIALECTS[name], LEAST_FRESH)
            for name in self._dialects
        )

    def _note(self, event: Event) -> None:
        if event.kind in SOURCES:
            self._sources[event.origin] = SOURCES[event.kind]
        elif event.kind == "store-problem":
            self._problem = self._problem or event.detail

    # off the loop

    def _report_problem(self) -> None:
        if self._problem:
            self._progress.note(problem_lines(self._problem))
            self._problem = ""


def fetch_site(args: Namespace, url: str, dialects: Sequence[str]) -> Fetched:
    """Return the result of fetching the file of a URL's origin, in the first of some dialects.

    Keeps as much of the file as any of the dialects reads.
    """
    name = origin(url)
    questions = [Question(("*",), dialect) for dialect in dialects]
    with Live(args, questions, Progress(sys.stderr, shown=False, quiet=args.quiet)) as source:
        first, *_ = source.file_for(name).answers(f"{name}/", questions)
    assert first.fetched is not None, "it was fetched"
    return first.fetched


def fetch_file(args: Namespace, url: str, dialects: Sequence[str], what: str) -> RobotsTxt:
    """Return the file of a URL's origin, in the first of some dialects.

    what:  what the caller wants to do with the file, for the message.
    """
    args.cache = None
    fetched = fetch_site(args, url, dialects)
    if fetched.site.robots is None:
        from verger.cli.outcome import happened

        raise Failure(f"there is no file to {what}: {happened(fetched.last)}", "pass a file")
    if fetched.rests_on.truncated:
        raise Failure(f"only the beginning of `{printable(url)}` was read", "pass the file itself")
    return fetched.site.robots


def ahead_of(urls: Urls, live: Live) -> Iterator[str | Unanswered]:
    """Yield URLs in order, read ahead by a thread.

    Stdout is flushed before waiting for a URL, so that a reader gets all answers so far.
    """
    flush = sys.stdout.flush
    return read_ahead(_begin_each(urls, live), waiting=AHEAD, name="verger-urls", when_idle=flush)


def _begin_each(urls: Urls, live: Live) -> Iterator[str | Unanswered]:
    """Yield URLs after starting to fetch the files of their origins."""
    for url in urls:
        if isinstance(url, str):
            live.begin(url)
        yield url


def _origin_of(url: str) -> str:
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


def opened_store(address: str | None) -> "Store | None":
    """Return the store at an address; None without an address. Raises CacheError."""
    if address is None:
        return None
    from verger.cache.address import is_server, store_at
    from verger.cache.existing import probe_and_close

    store = store_at(address)
    if not is_server(address):
        probe_and_close(store, only_newer=True)  # a client works around the rest
    return store
