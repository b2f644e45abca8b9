"""Reading ahead: items in order, errors where they belong, and threads that end."""

import threading
import time
from collections.abc import Iterator
from itertools import count

import pytest

from verger.files.workers import read_ahead


def failing() -> Iterator[int]:
    yield 1
    raise LookupError("gone")


def ends(before: int) -> bool:
    """Whether there are as many threads as before, within a while."""
    deadline = time.monotonic() + 30
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    return before == threading.active_count()


def test_items_keep_their_order() -> None:
    """However few may wait."""
    assert list(range(999)) == list(read_ahead(range(999), waiting=1, name="test"))


def test_error_is_raised_behind_the_items_before_it() -> None:
    """What was made before it comes first."""
    items = read_ahead(failing(), waiting=2, name="test")

    assert 1 == next(items)
    with pytest.raises(LookupError, match="gone"):
        next(items)


@pytest.mark.parametrize("joins", [False, True])
def test_reader_stops_when_nobody_asks(joins: bool) -> None:
    """A thread that read ahead ends soon after whoever asked has gone."""
    before = threading.active_count()
    items = read_ahead(count(), waiting=2, name="test", joins=joins)
    next(items)
    items.close()

    assert before == threading.active_count() if joins else ends(before)


def test_who_waits_is_told() -> None:
    """It may show what there is so far."""
    told = []
    slow = (time.sleep(0.05) for _ in range(2))
    items = list(read_ahead(slow, waiting=2, name="test", when_idle=lambda: told.append(1)))

    assert 2 == len(items)
    assert told
