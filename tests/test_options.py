"""Options: numbers out of bounds are refused, with the bounds."""

from collections.abc import Callable

import pytest

from verger.errors import InvalidOption
from verger.options import expect_seconds, expect_whole


@pytest.mark.parametrize(
    ("check", "hint"),
    [
        (lambda: expect_whole("n", 1 << 40), "pass a whole number from 1 to 2,147,483,647"),
        (lambda: expect_whole("n", 0), "pass a whole number from 1 to 2,147,483,647"),
        (lambda: expect_whole("n", 9, least=0, most=8), "pass a whole number from 0 to 8"),
        (
            lambda: expect_seconds("n", 1e12),
            "pass a positive number of seconds, at most 2,147,483,647",
        ),
        (
            lambda: expect_seconds("n", -1, above_zero=False),
            "pass seconds, 0 or more, at most 2,147,483,647",
        ),
        (lambda: expect_seconds("n", 0, for_ever=True), "pass a positive number of seconds"),
    ],
)
def test_hints_name_both_bounds(check: Callable[[], None], hint: str) -> None:
    """A number that is too large is not told to be larger."""
    with pytest.raises(InvalidOption) as caught:
        check()

    assert hint == caught.value.hint
