"""How long a fetched file is fresh, as reppy's users configure it."""

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from verger.access.freshness import cache_directives, http_date
from verger.compat.reppy.util import logger

NEVER_FRESH = ("no-store", "must-revalidate", "no-cache")


class TTLPolicyBase:
    """A policy; derive your own."""

    def ttl(self, response: Any) -> float:
        """Return for how many seconds a response is fresh."""
        raise NotImplementedError("TTLPolicyBase does not implement ttl.")

    def expires(self, response: Any) -> float:
        """Return the time until which a response is fresh, in seconds since the epoch."""
        return time.time() + self.ttl(response)


class HeaderWithDefaultPolicy(TTLPolicyBase):
    """The lifetime of `Cache-Control` or `Expires`, at least `minimum`; without one, `default`."""

    def __init__(self, default: float, minimum: float) -> None:
        self.default = default
        self.minimum = minimum

    def ttl(self, response: Any) -> float:
        """Return for how many seconds a response is fresh."""
        stated = _stated(response.headers)
        return self.default if stated is None else max(self.minimum, stated)


def _stated(headers: Mapping[str, str]) -> float | None:
    """Return the lifetime that a response states; what cannot be read is logged."""
    said = cache_directives(headers.get("cache-control", ""))
    if not said.keys().isdisjoint(NEVER_FRESH):
        return 0
    ages = [said[name] for name in ("s-maxage", "max-age") if name in said]
    for age in ages:
        with suppress(ValueError):
            return int(age)
    expires, since = (http_date(headers.get(name, "")) for name in ("expires", "date"))
    if ages or (None in (expires, since) and "expires" in headers):
        logger.warning("Could not parse the lifetime in %s", dict(headers))
    if expires is None:
        return None
    return expires - (time.time() if since is None else since)
