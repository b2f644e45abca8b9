"""Watching: fetch the files of many sites again and again, store what comes, and tell what is news.

In: origins, a client that fetches, an archive, and where news go. Out: what was observed and what
it means, in one transaction for each check; then the news, wherever they are still missing.
"""

import asyncio
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import time
from typing import Any

from verger.access.entry import is_failure
from verger.client import AsyncClient, Site
from verger.files.json_text import json_text
from verger.loop_thread import in_thread
from verger.watch.archive import Archive, Seen, Vantage
from verger.watch.feeds import name_of, write_feeds
from verger.watch.news import Comparisons, Interest, told_of
from verger.watch.news_file import append
from verger.watch.states import State

AT_ONCE = 100
"""How many files are fetched at a time."""

JITTER = 0.1
"""By how much of itself an interval differs, so that sites are not all asked at once."""

LONGEST = 86_400.0 + 60
"""Seconds for which a site may ask for patience, see `verger.access.retry`, and some more."""


@dataclass(frozen=True, slots=True)
class Targets:
    """Where news go.

    output:    a file of JSON Lines, which grows.
    feed:      a folder of feeds.
    webhooks:  the URLs of receivers.
    say:       called with each piece of news of this run.
    """

    output: str | None = None
    feed: str | None = None
    webhooks: Sequence[str] = ()
    say: Callable[[dict[str, Any]], None] = lambda _: None

    def tell(self, archive: Archive, origins: Iterable[str] = ()) -> None:
        """Give files and feeds the news that they lack, whatever ended the process before.

        origins:  those that get a feed although there is no news, if they have none.
        """
        if self.output is not None:
            name = f"file {Path(self.output).absolute()}"
            with archive.transaction():  # others that watch with this archive wait
                if news := archive.news(after=archive.told(name)):
                    append(self.output, [record for *_, record in news])
                    archive.tell(name, news[-1][0])
        if self.feed is not None:
            name = f"feed {Path(self.feed).absolute()}"
            with archive.transaction():
                news = archive.news(after=archive.told(name))
                lacking = (of for of in origins if not (Path(self.feed) / name_of(of)).exists())
                if some := dict.fromkeys([*lacking, *(origin for _, origin, _ in news)]):
                    write_feeds(archive, self.feed, list(some), is_news=bool(news))
                if news:
                    archive.tell(name, news[-1][0])


class Watcher:
    """Checks sites.

    client:   what fetches; it needs no store.
    looked:   from where it looks at sites.
    on_news:  called after news are stored.
    """

    def __init__(
        self,
        archive: Archive,
        client: AsyncClient,
        looked: Vantage,
        interest: Interest,
        targets: Targets,
        on_news: Callable[[], None] = lambda: None,
    ) -> None:
        self._archive, self._client, self._interest = archive, client, interest
        self._targets, self._on_news = targets, on_news
        self._slots = asyncio.Semaphore(AT_ONCE)
        self.told = 0
        """How many pieces of news there were."""
        with archive.transaction():
            self._vantage = archive.vantage(looked)

    async def watch(self, origins: Sequence[str], *, every: float | None = None) -> None:
        """Check each site when it is due, for ever; with None, once and now."""
        known = (each for each in origins if self._archive.state(each, self._vantage))
        self._targets.tell(self._archive, known)
        await asyncio.gather(*(self._keep(origin, every) for origin in origins))

    async def _keep(self, origin: str, every: float | None) -> None:
        while True:
            if every is not None:
                wait = self._archive.due(origin, self._vantage) - time()
                is_wrong = wait > max(every * (1 + JITTER), LONGEST)  # a clock was, or is
                await asyncio.sleep(0.0 if is_wrong else max(0.0, wait))
            async with self._slots:
                site = await self._client.refresh(origin)
            self._record(site, every or 0.0, await self._compared(site))
            if every is None:
                return

    async def _compared(self, site: Site) -> Comparisons:
        """Return what takes long of a check, done in a thread, so that other sites do not wait, nor
        others who write to the archive."""
        archive, entry, compared = self._archive, site.entry, Comparisons(self._interest)
        assert entry is not None, "it is no override"
        before = State.of(archive.state(site.origin, self._vantage))
        at = entry.last.fetched_at
        seen = Seen(0, site.origin, at, at, 1, entry.last)
        asked = before, archive.known(before.named), seen, entry, compared
        await in_thread(partial(told_of, *asked), "verger-news")
        return compared

    def _record(self, site: Site, every: float, compared: Comparisons) -> None:
        """Store what a check found, and tell the news."""
        archive, entry, now = self._archive, site.entry, time()
        assert entry is not None, "it is no override"
        due = now + every * random.uniform(1 - JITTER, 1 + JITTER)
        if is_failure(entry.last):  # its `Retry-After`
            due = max(due, site.fresh_until)
        with archive.transaction():
            seen = archive.add(site.origin, self._vantage, entry.last)
            before = State.of(archive.state(site.origin, self._vantage))
            after, news = told_of(before, archive.known(before.named), seen, entry, compared)
            archive.put_state(site.origin, self._vantage, asdict(after), due)
            if news is not None:
                record = json_text(news)
                archive.add_news(site.origin, record, self._targets.webhooks, now)
        if news is not None:
            self.told += 1
            self._targets.say(json.loads(record))
            self._on_news()
        if news is not None or before.name == "unknown":
            self._targets.tell(archive, [site.origin])
