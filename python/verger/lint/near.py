"""Spellings that are near: one slip of the hand away from a known word.

In: words. Out: whether one letter more, one less, another, or two in turn make them the same.
"""


def is_near(word: str, known: str) -> bool:
    """Whether a word is a known one with one slip, or with other marks between its letters.

    >>> [is_near(word, "disallow") for word in ("disalow", "Dsiallow", "dis-allow", "allow")]
    [True, True, True, False]
    """
    word, known = _letters(word), _letters(known)
    if word == known:
        return True
    if len(known) < 4 or abs(len(word) - len(known)) > 1:
        return False
    at = next((i for i, (a, b) in enumerate(zip(word, known, strict=False)) if a != b), None)
    if at is None:
        return True  # one is the other with a letter behind it
    rests = [
        (word[at + 1 :], known[at + 1 :]),
        (word[at + 1 :], known[at:]),
        (word[at:], known[at + 1 :]),
        (
            word[at + 2 :],
            known[at + 2 :] if word[at : at + 2] == known[at : at + 2][::-1] else None,
        ),
    ]
    return any(one == other for one, other in rests)


def _letters(word: str) -> str:
    return "".join(filter(str.isalnum, word.lower()))
