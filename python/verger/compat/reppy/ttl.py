"""How long a fetched file is fresh, as reppy's users configure it."""

import time
from collections.abc import Mapping
from typing import Protocol

from verger.compat.reppy.util import logger, parse_date


class HasHeaders(Protocol):
    """The part of a response that a policy reads."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The header fields, by name in lower case."""


class TTLPolicyBase:
    """A policy; derive your own."""

    def ttl(self, response: HasHeaders) -> float:
        """Return for how many seconds a response is fresh."""
        raise NotImplementedError("TTLPolicyBase does not implement ttl.")

    def expires(self, response: HasHeaders) -> float:
        """Return the time until which a response is fresh, in seconds since the epoch."""
        return time.time() + self.ttl(response)


class HeaderWithDefaultPolicy(TTLPolicyBase):
    """The lifetime of `Cache-Control` or `Expires`, at least `minimum`; without one, `default`."""

    def __init__(self, default: float, minimum: float) -> None:
        self.default = default
        self.minimum = minimum

    def ttl(self, response: HasHeaders) -> float:
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
    try:
        return parse_date(text)
    except ValueError:
        logger.warning("Could not parse date string %s", text, exc_info=True)
        return None
