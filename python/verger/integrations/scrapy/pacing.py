"""Pacing: `Crawl-delay` and `Request-rate` as the delay of Scrapy's download slots.

In: requests, and the rules that apply to them. Out: slots that wait. A site can make the project's
own delay longer, never shorter. Scrapy drops idle slots and creates new ones, and AutoThrottle
lowers delays: so the delay is set for each request, and AutoThrottle may not change it.
"""

import time

from scrapy import Request
from scrapy.crawler import Crawler

from verger._core import Agent
from verger.client import Pacer


class SlotPacing:
    """Slows down slots as their sites ask.

    most_delay:  the longest delay in seconds that a site can set.
    """

    def __init__(self, crawler: Crawler, *, most_delay: float) -> None:
        self._crawler = crawler
        self._pacer = Pacer(default_delay=0.0, most_delay=most_delay)

    def pace(self, request: Request, agent: Agent | None) -> None:
        """Make the slot of a request wait between two requests as long as the site asks for."""
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
