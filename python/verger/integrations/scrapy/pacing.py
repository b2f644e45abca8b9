"""Pacing: `Crawl-delay` and `Request-rate` as the delay of Scrapy's download slots.

In: requests, and the rules that bind there. Out: slots that wait. A site can ask for more than the
project's own delay, never for less. Scrapy forgets idle slots and makes new ones, and AutoThrottle
lowers delays: so the delay is set for each request, and AutoThrottle is told to leave it.
"""

import time

from scrapy import Request
from scrapy.crawler import Crawler

from verger._core import Agent
from verger.client import Pacer


class SlotPacing:
    """Slows slots down as their sites ask.

    most_delay:  seconds beyond which no site can ask for more.
    """

    def __init__(self, crawler: Crawler, *, most_delay: float) -> None:
        self._crawler = crawler
        self._pacer = Pacer(default_delay=0.0, most_delay=most_delay)

    def pace(self, request: Request, agent: Agent | None) -> None:
        """Let the slot of a request wait between two of them as long as the site asks for."""
        delay = self._pacer.delay(agent, now=time.time()) if agent else 0.0
        if not delay:
            return
        downloader = self._crawler.engine.downloader
        key = downloader.get_slot_key(request)
        settings = downloader.per_slot_settings.setdefault(key, {})
        settings["delay"] = max(delay, settings.get("delay", 0.0))
        settings["jitter"] = 0.0  # half the delay would be less than the site asks for
        request.meta["autothrottle_dont_adjust_delay"] = True
        slot = downloader.slots.get(key)
        if slot is not None:
            slot.delay = max(delay, slot.delay)
            slot.jitter = 0.0
