"""Caches of files in memory, by the URL of the file; the least recently used are removed first.

`verger.Client` keeps files by origin, shares them between processes, and renews them as HTTP says.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from verger.compat.reppy.cache.policy import (
    CachePolicyBase,
    DefaultObjectPolicy,
    ReraiseExceptionPolicy,
)
from verger.compat.reppy.robots import Agent, AllowNone, Robots
from verger.compat.reppy.ttl import TTLPolicyBase
from verger.compat.reppy.util import logger

__all__ = ["AgentCache", "BaseCache", "ExpiringObject", "RobotsCache"]


class ExpiringObject:
    """The object that `factory` returns, until it expires; if it is an exception, it is raised."""

    def __init__(self, factory: Callable[[], tuple[float, Any]]) -> None:
        self.factory = factory
        self.lock = threading.Lock()
        self.obj: Any = None
        self.expires: float = 0

    def get(self) -> Any:
        """Return the object, created again if it has expired."""
        if self.obj is None or time.time() >= self.expires:
            with self.lock:
                self.expires, self.obj = self.factory()
        if isinstance(self.obj, BaseException):
            raise self.obj
        return self.obj


class BaseCache:
    """The base of all caches; derive your own with a `fetch` method.

    capacity:         how many files are kept.
    cache_policy:     what is kept instead of a file whose fetch failed.
    ttl_policy:       how long a file is fresh.
    args and kwargs:  for `Robots.fetch`.
    """

    DEFAULT_CACHE_POLICY: CachePolicyBase = ReraiseExceptionPolicy(ttl=600)
    DEFAULT_TTL_POLICY: TTLPolicyBase = Robots.DEFAULT_TTL_POLICY

    def __init__(
        self,
        capacity: int,
        cache_policy: CachePolicyBase | None = None,
        ttl_policy: TTLPolicyBase | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        self.capacity = capacity
        self.cache_policy = cache_policy or self.DEFAULT_CACHE_POLICY
        self.ttl_policy = ttl_policy or self.DEFAULT_TTL_POLICY
        self.cache: OrderedDict[str, ExpiringObject] = OrderedDict()
        self.args = args
        self.kwargs = kwargs
        self._lock = threading.Lock()

    def get(self, url: str) -> Any:
        """Return the object kept for the file of a URL, fetching it if needed."""
        robots_url = Robots.robots_url(url)
        with self._lock:
            new = ExpiringObject(partial(self.factory, robots_url))
            found = self.cache.setdefault(robots_url, new)
            self.cache.move_to_end(robots_url)
            while len(self.cache) > self.capacity:
                self.cache.popitem(last=False)
        return found.get()

    def factory(self, url: str) -> tuple[float, Any]:
        """Return the time until which an object is kept for a file, and the object.

        If the fetch raises an exception, `cache_policy` provides them.
        """
        try:
            return self.fetch(url)
        except Exception as error:
            logger.exception("Reppy cache fetch error on %s" % url)  # noqa: UP031 (reppy's own)
            return self.cache_policy.exception(url, error)

    def fetch(self, url: str) -> tuple[float, Any]:
        """Fetch a file; return the time until which it is fresh, and the object to keep."""
        raise NotImplementedError("BaseCache does not implement fetch.")


class RobotsCache(BaseCache):
    """A cache of files."""

    DEFAULT_CACHE_POLICY = DefaultObjectPolicy(ttl=600, factory=AllowNone)

    def allowed(self, url: str, agent: str | bytes) -> bool:
        """Return whether a crawler may fetch a URL."""
        return bool(self.get(url).allowed(url, agent))

    def fetch(self, url: str) -> tuple[float, Any]:
        """Fetch a file; return the time until which it is fresh, and the file."""
        robots = Robots.fetch(url, self.ttl_policy, *self.args, **self.kwargs)
        return robots.expires, robots


class AgentCache(BaseCache):
    """A cache of the rules of one crawler."""

    DEFAULT_CACHE_POLICY = DefaultObjectPolicy(ttl=600, factory=lambda _url: Agent().disallow("/"))

    def __init__(self, agent: str | bytes, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.agent = agent

    def allowed(self, url: str) -> bool:
        """Return whether the crawler may fetch a URL."""
        return bool(self.get(url).allowed(url))

    def fetch(self, url: str) -> tuple[float, Any]:
        """Fetch a file; return the time until which it is fresh, and the crawler's rules."""
        robots = Robots.fetch(url, self.ttl_policy, *self.args, **self.kwargs)
        return robots.expires, robots.agent(self.agent)
