"""What is incomplete opens nothing, and has the same reason at every door.

In: `conformance/incomplete/doors.toml`. Out: each case at each of its doors; Spark's are asked in
`tests/bulk/spark/test_incomplete.py`, those of npm in `npm/test`.
"""

from itertools import product
from pathlib import Path

import pytest

from incomplete import CASES, DOORS, KINDS, RUN, TABLE, Case


@pytest.mark.parametrize(
    ("case", "door"),
    [
        pytest.param(case, door, id=f"{case.id}-{door}")
        for case in CASES
        for door in case.doors
        if door in RUN
    ],
)
def test_the_reason_is_the_same_at_every_door(case: Case, door: str, tmp_path: Path) -> None:
    """And nowhere is the file, or the site, open."""
    assert case.expected(door) == RUN[door](case, tmp_path)


def test_every_kind_comes_through_every_door() -> None:
    """Or it is said why it cannot; and nothing is said of a door that has a case."""
    told = {(door, case.kind) for case in CASES for door in case.doors}
    absent = {tuple(each.split("/")) for each in TABLE["absent"]}

    assert set(product(DOORS, KINDS)) == told | absent
    assert not told & absent
    assert {door for case in CASES for door in case.doors} <= set(DOORS)
    assert len(CASES) == len({case.id for case in CASES})


def test_a_kind_has_one_reason() -> None:
    """Where a door differs, it is since the row or the record that holds the body is what broke."""
    for case in CASES:
        assert set(case.differs) <= set(case.doors), case.id
        assert case.expect not in case.differs.values(), case.id
        assert case.opens is (case.expect == "UNREACHABLE_FOR_LONG"), case.id
