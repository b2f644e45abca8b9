"""A smaller file on which two parsers still disagree, for a message that fits the screen.

In: bytes and a test whether the disagreement is still there. Out: bytes that pass it, from
which no line can be left out; of what is still long, no byte. Work is bounded, not exhaustive.
Short lines stay whole: a key cut to another one that is accepted would only puzzle the reader.
"""

from collections.abc import Callable, Sequence

_MOST_TRIES = 2_000
_READABLE = 400

Fails = Callable[[bytes], bool]


def shrunk(data: bytes, fails: Fails) -> bytes:
    """Return a shorter version of the bytes for which `fails` still holds."""
    data = _without_pieces(data.splitlines(keepends=True), fails)
    if len(data) > _READABLE:
        data = _without_pieces([data[i : i + 1] for i in range(len(data))], fails)
    return data


def _without_pieces(pieces: Sequence[bytes], fails: Fails) -> bytes:
    """Leave out ever shorter runs of pieces, as long as the test still holds."""
    kept, tries = list(pieces), _MOST_TRIES
    length = len(kept)
    while length and tries:
        start = 0
        while start < len(kept) and tries:
            fewer = kept[:start] + kept[start + length :]
            tries -= 1
            if fails(b"".join(fewer)):
                kept = fewer
            else:
                start += length
        length //= 2
    return b"".join(kept)
