"""A smaller file on which two parsers still disagree, for a message that fits the screen.

In: octets and a test whether the disagreement is still there. Out: octets that pass it, from
which no line can be left out; of what is still long, no octet. Work is bounded, not exhaustive.
Short lines stay whole: a key cut to another one that is accepted would only puzzle the reader.
"""

from collections.abc import Callable, Sequence

_MOST_TRIES = 2_000
_READABLE = 400

Fails = Callable[[bytes], bool]


def shrunk(octets: bytes, fails: Fails) -> bytes:
    """Return a shorter version of the octets for which `fails` still holds."""
    octets = _without_pieces(octets.splitlines(keepends=True), fails)
    if len(octets) > _READABLE:
        octets = _without_pieces([octets[i : i + 1] for i in range(len(octets))], fails)
    return octets


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
