"""How long a fetched file is fresh, as reppy's users configure it."""

import time
from collections.abc import Mapping
from typing import Any

from verger.access.freshness import http_date
from verger.compat.reppy.util import logger


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
        said = self._by_cache_control(response.headers.get("cache-control", ""))
        if said is None:
            said = self._by_expires(response.headers)
        return self.default if said is None else max(self.minimum, said)

    def _by_cache_control(self, text: str) -> float | None:
        for directive in text.lower().split(","):
            name, _, value = directive.partition("=")
            if name.strip() in ("no-store", "must-revalidate", "no-cache"):
                return 0
            if name.strip() in ("s-maxage", "max-age"):
                try:
                    return int(value)
                except ValueError:
                    logger.warning("Could not parse %s=%s", name, value, exc_info=True)
        return None

    def _by_expires(self, headers: Mapping[str, str]) -> float | None:
        if "expires" not in headers:
            return None
        date = _date(headers["date"]) if "date" in headers else None
        expires = _date(headers["expires"])
        if expires is None:
            return None
        return expires - (time.time() if date is None else date)


def _date(text: str) -> float | None:
    found = http_date(text)
    if found is None:
        logger.warning("Could not parse date string %s", text)
    return found
