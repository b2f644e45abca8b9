"""Caches: a `verger.Client`, which fetches files, keeps them, and says how long they are fresh.

A site that cannot be reached is closed until the client has fetched its file.
"""

from functools import lru_cache
from typing import Any

import verger
from verger.compat.reppy.gone import refuse as __getattr__  # noqa: F401 (PEP 562)
from verger.compat.reppy.robots import Robots, file_of


class RobotsCache:
    """The files of sites.

    capacity:  how many files are kept as they were read; the least recently used is dropped first.
    client:    what fetches them: by default that of `Robots`, or else one with these `options`.
    """

    def __init__(
        self, capacity: int, *, client: "verger.Client | None" = None, **options: Any
    ) -> None:
        self.client = (
            client
            or Robots.client
            or verger.Client(Robots.user_agent, **{"dialect": Robots.dialect, **options})
        )
        self._read = lru_cache(capacity)(Robots.parse)

    def get(self, url: str) -> Robots:
        """Return the file of a URL's site, fetching it if needed. Raises ValueError."""
        return self._read(*file_of(self.client.site(url)))

    def allowed(self, url: str, agent: str) -> bool:
        """Return whether a crawler may fetch a URL. Raises ValueError."""
        return self.get(url).allowed(url, agent)


class AgentCache(RobotsCache):
    """A `RobotsCache` for one crawler."""

    def __init__(self, agent: str, capacity: int, **options: Any) -> None:
        super().__init__(capacity, **options)
        self.agent = agent

    def allowed(self, url: str) -> bool:  # type: ignore[override]  # as in reppy
        """Return whether the crawler may fetch a URL. Raises ValueError."""
        return super().allowed(url, self.agent)
