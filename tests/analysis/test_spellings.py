"""Differences of rules whose patterns have more spellings than are looked at."""

import pytest

import verger
from verger.analysis import difference

MANY_SPELLINGS = "/list?ids=" + ",".join("abcdefghijklmnopq")
"""A pattern with a query whose commas may be escaped, each for itself."""


@pytest.mark.parametrize(
    ("old", "new", "is_exact"),
    [
        ([("Disallow", MANY_SPELLINGS)], [], True),
        ([("Disallow", MANY_SPELLINGS), ("Disallow", "/*d")], [("Allow", "/*e")], True),
        ([("Allow", MANY_SPELLINGS)], [("Disallow", "/other")], True),
        ([("Disallow", MANY_SPELLINGS), ("Allow", "/*%2Cd")], [], False),
        ([("Disallow", MANY_SPELLINGS)], [("Disallow", "/*%2Cd")], False),
    ],
)
def test_a_pattern_of_too_many_spellings(
    old: list[tuple[str, str]], new: list[tuple[str, str]], is_exact: bool
) -> None:
    """Where nothing else tells its spellings apart, one of them tells of all."""
    before, after = (
        verger.parse("User-agent: *\n" + "".join(f"{key}: {path}\n" for key, path in rules)).agent(
            "A"
        )
        for rules in (old, new)
    )
    for one, other in ((before, after), (after, before)):
        found = difference(one, other)

        assert is_exact == found.is_exact
        assert bool(found.changes) == (one.allowed(MANY_SPELLINGS) != other.allowed(MANY_SPELLINGS))
