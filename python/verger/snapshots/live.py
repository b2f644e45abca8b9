"""robots.txt files fetched now: each origin is fetched from once, however often it is needed.

In: URLs, questions, and a client. Out: for each URL the file of its origin, or what its absence
means, in every requested dialect: all from one access result. URLs are read ahead, so that waits
for slow servers overlap.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import Self

from verger.access.answer import Question, Unanswered
from verger.access.entry import Entry
from verger.client.aio import AsyncClient
from verger.client.events import Event
from verger.client.site import LEAST_FRESH, Site, fresh_until, is_useful
from verger.dialects import RFC9309
from verger.fetching.plan import SLACK, UNLIMITED
from verger.files.lru_cache import KEPT_BYTES, LruCache, cost_of_site
from verger.files.workers import read_ahead
from verger.loop_thread import LoopThread
from verger.snapshots.files import FetchedFile, fetched_file

AHEAD = 256
"""How many URLs are read before the first of them is answered."""


class Live:
    """A source that fetches the file of each URL's origin.

    connect:     returns the client for `dialect`, `body_bytes` (how much of a file to keep),
                 `on_event` and `clock`.
    origin_of:   returns the origin whose file governs a URL, or raises `Unanswered`.
    clock:       returns the time.
    on_problem:  called when the store has failed, with the details.
    on_wait:     called before waiting for a file or a URL, which may take a while.
    """

    records_fetches = True
    last_line: int | None = None  # unknown until all files are fetched

    def __init__(
        self,
        connect: Callable[..., AsyncClient],
        questions: Sequence[Question],
        *,
        origin_of: Callable[[str], str],
        clock: Callable[[], float],
        on_problem: Callable[[str], object] = lambda _: None,
        on_wait: Callable[[], object] = lambda: None,
    ) -> None:
        self._questions = questions
        self._origin_of, self._clock = origin_of, clock
        self._on_problem, self.on_wait = on_problem, on_wait
        self._dialects = list({each.dialect.name: each.dialect for each in questions}.values())
        self._body_bytes = max(each.parse_limit or UNLIMITED for each in self._dialects)
        self._client = connect(
            # One fetch serves all dialects; if there are several, it follows the standard.
            dialect=self._dialects[0] if len(self._dialects) == 1 else RFC9309,
            body_bytes=self._body_bytes,
            on_event=self._note,
            clock=clock,
        )
        self._thread = LoopThread("verger-check")
        self._begun: dict[str, asyncio.Task[Site]] = {}
        self._kept: LruCache[FetchedFile] = LruCache(KEPT_BYTES)
        self._problem = ""
        self._lock = Lock()
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_closed = True
        self._thread.run_last(self._close())

    def begin(self, url: str) -> None:
        """Start to fetch the file of a URL without waiting for it; called from another thread."""
        try:
            name = self._origin_of(url)
        except Unanswered:
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
            self.on_wait()
            site = self._thread.run(self._wait_for(name))
            assert site.entry is not None, "there are no overrides here"
            file = fetched_file(site.entry, self._questions, site.source, self._clock())
            with self._lock:
                self._kept.put(name, file, cost_of_site(name, file.size))
        self._report_problem()
        return file

    # on the loop

    async def _begin(self, name: str) -> None:
        self._begun[name] = asyncio.create_task(self._find(name))

    async def _wait_for(self, name: str) -> Site:
        task = self._begun.pop(name, None)
        return await (task or self._find(name))

    async def _find(self, name: str) -> Site:
        """Return the site of an origin, fresh and long enough for every dialect."""
        site = await self._client.site(name)
        if site.source == "cached" and site.entry and not self._suits(site.entry):
            return await self._client.refresh(name)
        return site

    async def _close(self) -> None:
        for task in self._begun.values():
            task.cancel()
        await asyncio.gather(*self._begun.values(), return_exceptions=True)
        await self._client.close()

    def _suits(self, entry: Entry) -> bool:
        now = self._clock()
        return all(
            is_useful(entry, dialect, self._body_bytes + SLACK)
            and now < fresh_until(entry, dialect, LEAST_FRESH)
            for dialect in self._dialects
        )

    def _note(self, event: Event) -> None:
        if event.kind == "store-problem":
            self._problem = self._problem or event.detail

    # off the loop

    def _report_problem(self) -> None:
        if self._problem:
            self._on_problem(self._problem)
            self._problem = ""


def ahead_of(urls: Iterable[str | Unanswered], live: Live) -> Iterator[str | Unanswered]:
    """Yield URLs in order, read ahead by a thread that starts to fetch their files."""
    begun = _begin_each(urls, live)
    return read_ahead(begun, waiting=AHEAD, name="verger-urls", when_idle=live.on_wait)


def _begin_each(urls: Iterable[str | Unanswered], live: Live) -> Iterator[str | Unanswered]:
    """Yield URLs after starting to fetch the files of their origins."""
    for url in urls:
        if isinstance(url, str):
            live.begin(url)
        yield url
