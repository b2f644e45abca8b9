"""Reading ahead: items in order, errors where they belong, and threads that end."""

import os
import threading
from collections.abc import Iterator
from itertools import count

import pytest

from patience import LONG, until
from verger import RobotsError
from verger.files import workers
from verger.files.workers import each_of, read_ahead


def failing() -> Iterator[int]:
    yield 1
    raise LookupError("gone")


def reads_on() -> bool:
    """Whether the thread of a test is still there."""
    return any(thread.name == "test" for thread in threading.enumerate())


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
    items = read_ahead(count(), waiting=2, name="test", joins=joins)
    next(items)
    items.close()

    assert not (joins and reads_on())
    until(lambda: not reads_on())


def test_who_waits_is_told() -> None:
    """It may show what there is so far."""
    told = threading.Event()
    late = (told.wait(LONG) for _ in range(2))

    assert [True, True] == list(read_ahead(late, waiting=2, name="test", when_idle=told.set))


def end_at_seven(number: int) -> int:
    """Return a number; at seven, end as a process does that was killed."""
    if number == 7:
        os._exit(9)
    return number


def test_process_that_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The results before its part come in order, then what happened; nothing waits for it."""
    monkeypatch.setattr(workers, "MANY", 1)
    monkeypatch.setattr(workers, "CHUNK", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    done: list[int] = []
    results = each_of(end_at_seven, range(100))
    with pytest.raises(RobotsError, match="was ended from outside"):
        done.extend(iter(results.__next__, None))

    assert done == list(range(len(done)))
