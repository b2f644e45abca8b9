"""Sites in memory, up to a number of bytes; the least recently used are removed first.

Read from any thread, written from one. Knows no clock: stale sites are replaced, not removed,
since they cost no more than fresh ones.
"""

from collections import OrderedDict

from verger.access.result import AccessResult
from verger.client.site import Site

# Approximate bytes of a site in addition to its file; the parsed form is smaller than the file.
OVERHEAD = 1_500


class SiteMemory:
    """Sites by origin, up to a number of bytes."""

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
            except KeyError:  # another thread has just removed it
                return site
        return site

    def put(self, site: Site) -> None:
        """Keep a site, removing others to make room. A site larger than the limit is not kept."""
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
    """Count what the server controls: redirects may be as long as all header fields."""
    data = len(result.body) + len(result.detail)
    for text in (*result.redirects, *result.headers.values()):
        data += len(text)
    return data
