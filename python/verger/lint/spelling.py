"""Near spellings: words that are one typing slip away from a known word.

In: words. Out: the known word from which a word differs by one letter added, left out or replaced,
or by two swapped. Case, and marks between letters, do not count.
"""

from collections.abc import Iterable, Mapping

from verger.analysis.layout import spelled

FIELDS = {
    field: spelled(field).encode()
    for field in (
        *("user-agent", "allow", "disallow", "sitemap", "crawl-delay", "request-rate"),
        *("visit-time", "host", "clean-param", "content-signal", "content-usage", "license"),
        "noindex",
    )
}
"""The fields with a usual spelling, and that; others stay as they are."""

MOST_MARKS = 4
"""A word more than this many times as long as the longest known word is not a spelling of it."""

SHORTEST = 4
"""In a shorter word, one letter makes too much of a difference."""


def letters(word: str) -> str:
    """Return what counts of a word: its letters and digits, in lower case."""
    return "".join(filter(str.isalnum, word.lower()))


def by_letters(words: Iterable[str]) -> dict[str, str]:
    """Return known words by what counts of them."""
    return {letters(word): word for word in words}


SPELLINGS = by_letters(FIELDS)
"""The fields with a usual spelling, by what counts of them."""


def nearest(word: str, known: Mapping[str, str]) -> str | None:
    """Return the known word that is probably meant, the first if several are one slip away.

    known:  the known words, as `by_letters` gives them.

    >>> fields = by_letters(["Allow", "Disallow", "User-agent"])
    >>> [nearest(word, fields) for word in ("disalow", "Dsiallow", "user agent", "allowed")]
    ['Disallow', 'Disallow', 'User-agent', None]
    """
    if len(word) > MOST_MARKS * max(map(len, known)):
        return None
    spelt = letters(word)
    alike = (each for each in known if abs(len(each) - len(spelt)) <= 1)
    return next((known[each] for each in alike if _is_one_slip(spelt, each)), None)


def _is_one_slip(word: str, known: str) -> bool:
    """Whether a word is another or one slip away from it; their lengths differ by one at most."""
    if len(known) < SHORTEST:
        return word == known
    at = 0  # where they differ first
    while at < len(word) and word[at] == known[at : at + 1]:
        at += 1
    more, less = word[at + 1 :], known[at + 1 :]
    in_turn = word[at : at + 2] == known[at : at + 2][::-1] and more[1:] == less[1:]
    return in_turn or more == less or word[at:] == less or more == known[at:]
