"""Near spellings: words that are one typing slip away from a known word.

In: words. Out: the known word from which a word differs by one letter added, left out or replaced,
or by two swapped. Case, and marks between letters, do not count.
"""

from collections.abc import Iterable, Iterator

MOST_MARKS = 4
"""A word more than this many times as long as the longest known word is not a spelling of it."""

SHORTEST = 4
"""In a shorter word, one letter makes too much of a difference."""


class Spellings:
    """Known words, indexed by what a slip may leave of them.

    >>> fields = Spellings(["Allow", "Disallow", "User-agent"])
    >>> [fields.nearest(word) for word in ("disalow", "Dsiallow", "user agent", "allowed")]
    ['Disallow', 'Disallow', 'User-agent', None]
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._by_rest: dict[str, list[str]] = {}
        self._longest = 0
        for word in words:
            self._longest = max(self._longest, len(_letters(word)))
            for rest in _rests(_letters(word)):
                self._by_rest.setdefault(rest, []).append(word)

    def nearest(self, word: str) -> str | None:
        """Return the known word that is probably meant, the first if several are as near."""
        if len(word) > MOST_MARKS * self._longest:
            return None
        letters = _letters(word)
        near = (known for rest in _rests(letters) for known in self._by_rest.get(rest, ()))
        return next((known for known in near if _is_one_slip(letters, _letters(known))), None)


def _rests(letters: str) -> Iterator[str]:
    """Yield a word, then the word without each of its letters in turn: two words that are one slip
    apart have one of these in common."""
    yield letters
    for at in range(len(letters)):
        yield letters[:at] + letters[at + 1 :]


def _is_one_slip(word: str, known: str) -> bool:
    if word == known:
        return True
    if len(known) < SHORTEST or abs(len(word) - len(known)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(word, known, strict=False)) if a != b), None)
    if at is None:
        return True  # one is the other with a letter added at its end
    in_turn = word[at : at + 2] == known[at : at + 2][::-1] and word[at + 2 :] == known[at + 2 :]
    return in_turn or any(
        word[at + more :] == known[at + less :] for more, less in ((1, 1), (1, 0), (0, 1))
    )


def is_same_word(word: str, known: str) -> bool:
    """Whether two words differ only in case and in marks between their letters."""
    return _letters(word) == _letters(known)


def _letters(word: str) -> str:
    return "".join(filter(str.isalnum, word.lower()))
