"""The origins of a column of URLs.

In: an Arrow column of text or binary. Out: a column of canonical origins, null for what has none.
RFC 9309 section 2.3. Most rows share the spelling of their origin with many others, so that each
spelling is looked at once.
"""

import pyarrow as pa

from verger._core import origin
from verger.errors import InvalidTarget

MOST_SPELLINGS = 200_000
LONGEST_SPELLING = 300
"""Octets; what is longer has no host name, which ends after 253, and is not remembered."""


class Origins:
    """Finds origins, and remembers the spellings that it met."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[bytes, str | None] = {}

    def column(self, urls: pa.Array) -> pa.Array:
        """Return the origin of each URL."""
        if len(self._known) > MOST_SPELLINGS:
            self._known.clear()
        found = [
            None if url is None else self._of(url) for url in urls.cast(pa.binary()).to_pylist()
        ]
        return pa.array(found, pa.string())

    def _of(self, url: bytes) -> str | None:
        # No more of a URL than its scheme and authority says what its origin is; a path may hold
        # anything, and need not be UTF-8.
        end = url.find(b"/", url.find(b"://") + 3)
        spelling = url if end < 0 else url[:end]
        try:
            return self._known[spelling]
        except KeyError:
            pass
        known = _origin_of(spelling)
        if len(spelling) <= LONGEST_SPELLING:
            self._known[spelling] = known
        return known


def _origin_of(spelling: bytes) -> str | None:
    try:
        return origin(spelling.decode("utf-8", "replace"))
    except InvalidTarget:
        return None
