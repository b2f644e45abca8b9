"""Alignments: they lead from one sequence to the other, in linear time for long ones."""

from collections.abc import Iterable

import pytest
from hypothesis import given, strategies as st

from verger.analysis import alignment
from verger.analysis.alignment import Alignment

sequences = st.lists(st.sampled_from(["", "a", "b", *(f"c{n}" for n in range(9))]), max_size=40)


@given(sequences, sequences)
@pytest.mark.parametrize("most_pairs", [0, alignment.MOST_PAIRS])
def test_one_becomes_the_other(most_pairs: int, old: list[str], new: list[str]) -> None:
    """What is not equal is replaced, and nothing is left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "MOST_PAIRS", most_pairs)
        codes = Alignment(old, new).get_opcodes()
    parts = [(kind, old[i:j], new[k:end]) for kind, i, j, k, end in codes]

    assert [each for _, gone, _ in parts for each in gone] == old
    assert [each for _, _, came in parts for each in came] == new
    assert all(gone == came for kind, gone, came in parts if kind == "equal")


class Counted(str):
    """A line whose comparisons are counted."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return str.__eq__(self, str(other))

    __hash__ = str.__hash__


FILES = {
    "a blank line between groups": lambda n: (
        [line for i in range(n) for line in (f"u: {i}", "d: /")],
        [line for i in range(n) for line in (f"u: {i}", "d: /", "")],
    ),
    "a rule of two is removed": lambda n: (
        [f"d: /{i}" for i in range(2 * n)],
        [f"d: /{2 * i}" for i in range(n)],
    ),
    "equal rules become one": lambda n: (["d: /a"] * n, ["d: /a"]),
    "nothing in common": lambda n: ([f"a{i}" for i in range(n)], [f"b{i}" for i in range(n)]),
}


def comparisons(old: Iterable[str], new: Iterable[str]) -> int:
    Counted.compared = 0
    Alignment(list(map(Counted, old)), list(map(Counted, new))).get_opcodes()
    return Counted.compared


@pytest.mark.parametrize("name", FILES)
def test_comparisons_grow_with_the_length(name: str) -> None:
    """Twice the lines take about twice the comparisons."""
    once, twice = (comparisons(*FILES[name](n)) for n in (2_000, 4_000))

    assert twice <= 2.2 * once + 100
