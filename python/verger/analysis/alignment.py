"""Alignments: which elements two versions of a sequence have in common.

In: two sequences of hashable elements, such as the lines of a file before and after an edit. Out: a
`SequenceMatcher`. Short sequences are aligned as `difflib` does, in time quadratic in their length.
Long ones are read once: where they differ, the nearest element that both have comes next.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from difflib import Match, SequenceMatcher
from typing import TypeVar

from verger.grouping import by_key

T = TypeVar("T")

MOST_PAIRS = 1 << 16
"""The most pairs of elements of which `difflib` chooses."""

FARTHEST = 100
"""How far the next common element may be, unless each sequence has it once."""

NOWHERE = 1 << 62


class Alignment(SequenceMatcher[T]):
    """Aligns two sequences, long ones in linear time."""

    def __init__(self, old: Sequence[T], new: Sequence[T]) -> None:
        super().__init__(None, old, new)
        self._old, self._new = old, new

    def get_matching_blocks(self) -> list[Match]:
        """Return the runs of common elements; the last one is empty."""
        old, new = self._old, self._new
        if len(old) * len(new) <= MOST_PAIRS:
            return super().get_matching_blocks()
        return [*_runs(old, new), Match(len(old), len(new), 0)]


def _runs(old: Sequence[T], new: Sequence[T]) -> Iterator[Match]:
    of_old, of_new = _places(old), _places(new)
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            size = _common(old, new, i, j)
            yield Match(i, j, size)
            i, j = i + size, j + size
            continue
        removed = _distance(of_old.get(new[j], ()), i, of_new[new[j]])
        added = _distance(of_new.get(old[i], ()), j, of_old[old[i]])
        if removed == added == NOWHERE:
            i, j = i + 1, j + 1
        elif removed <= added:
            i += removed
        else:
            j += added


def _places(elements: Sequence[T]) -> dict[T, list[int]]:
    return by_key((element, at) for at, element in enumerate(elements))


def _common(old: Sequence[T], new: Sequence[T], i: int, j: int) -> int:
    """Return how many elements are the same from two places on."""
    size = 0
    while i + size < len(old) and j + size < len(new) and old[i + size] == new[j + size]:
        size += 1
    return size


def _distance(places: Sequence[int], at: int, others: Sequence[int]) -> int:
    """Return how far an element is, by its places in one sequence and in the other."""
    found = bisect_left(places, at)
    distance = places[found] - at if found < len(places) else NOWHERE
    is_certain = len(places) == len(others) == 1
    return distance if is_certain or distance <= FARTHEST else NOWHERE
