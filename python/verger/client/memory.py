"""The sites at hand: a bound on bytes, the longest unused leave first.

Read from any thread, written from one. Knows no clock: what is no longer fresh is replaced, not
removed, for it costs no more than what is.
"""

from collections import OrderedDict

from verger.access.result import AccessResult
from verger.client.site import Site

# A site costs about so much besides its file; the parsed form weighs less than the file again.
OVERHEAD = 1_500


class SiteMemory:
    """Sites by origin, within a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._sites: OrderedDict[str, Site] = OrderedDict()
        self._costs: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._sites)

    def get(self, origin: str) -> Site | None:
        """Return the site of an origin and count it as used now."""
        site = self._sites.get(origin)
        if site is not None:
            try:
                self._sites.move_to_end(origin)
            except KeyError:  # another thread has just let go of it
                return site
        return site

    def put(self, site: Site) -> None:
        """Keep a site; others leave where there is no room. One that fits nowhere is not kept."""
        self.discard(site.origin)
        cost = _cost(site)
        if cost > self._most:
            return
        self._sites[site.origin] = site
        self._costs[site.origin] = cost
        self._bytes += cost
        while self._bytes > self._most:
            oldest, _ = self._sites.popitem(last=False)
            self._bytes -= self._costs.pop(oldest)

    def discard(self, origin: str) -> None:
        """Forget an origin."""
        if self._sites.pop(origin, None) is not None:
            self._bytes -= self._costs.pop(origin)

    def clear(self) -> None:
        """Forget everything."""
        self._sites.clear()
        self._costs.clear()
        self._bytes = 0


def _cost(site: Site) -> int:
    size = len(site.origin) + OVERHEAD
    if site.entry is not None:
        size += _cost_of_result(site.entry.last)
        if site.entry.copy is not None:
            size += _cost_of_result(site.entry.copy)
    return size + (len(site.robots.body) if site.robots is not None else 0)


def _cost_of_result(result: AccessResult) -> int:
    """Count what a server has a say in: redirects may be as long as all header fields."""
    data = len(result.body) + len(result.detail)
    for text in (*result.redirects, *result.headers.values()):
        data += len(text)
    return data
