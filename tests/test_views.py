"""Lines and findings are made when they are looked at, and behave as the tuple of them would."""

import gc
import pickle
import sys
from collections.abc import Sequence
from typing import Any

import pytest

import verger
from programs import printed

FILE = b'User-agent: *\nDisallow: /a\nnonsense\nUseragent: b\nDisallow: %zz"\n\n# end'
ROBOTS = verger.parse(FILE)
CUT = verger.parse(FILE, dialect=verger.RFC9309.replace(max_lines=3))
VIEWS: dict[str, Any] = {
    "lines": ROBOTS.lines,
    "findings": ROBOTS.findings,
    "lines of a cut file": CUT.lines,
    "findings of a cut file": CUT.findings,
    "no lines": verger.parse(b"").lines,
    "no findings": verger.parse(b"").findings,
}
EACH = pytest.mark.parametrize("view", VIEWS.values(), ids=list(VIEWS))
MOST_BYTES_A_LINE = 16


@EACH
def test_items_by_index(view: Any) -> None:
    """Indices count from either end, as a tuple's do."""
    items = tuple(view)

    assert len(items) == len(view)
    for index in range(-len(items), len(items)):
        assert view[index] == items[index]
    for index in (len(items), -len(items) - 1, 2**100, -(2**100)):
        with pytest.raises(IndexError):
            view[index]
    for wrong in ("0", 0.0, None):
        with pytest.raises(TypeError):
            view[wrong]


@EACH
def test_items_by_slice(view: Any) -> None:
    """A slice is a tuple."""
    items = tuple(view)
    for start in (None, 0, 1, -2, 100, -100):
        for stop in (None, 2, -1, 100):
            for step in (None, 1, 2, -1, -3, 2**100):
                assert view[start:stop:step] == items[start:stop:step]
    with pytest.raises(ValueError, match="zero"):
        view[::0]


@EACH
def test_view_is_a_sequence(view: Any) -> None:
    """It can be walked, searched and matched as a tuple can."""
    items = tuple(view)

    assert isinstance(view, Sequence)
    assert list(reversed(view)) == list(reversed(items))
    assert [view.index(item) for item in items] == [items.index(item) for item in items]
    assert [view.count(item) for item in items] == [items.count(item) for item in items]
    assert all(item in view for item in items)
    assert "stranger" not in view
    with pytest.raises(ValueError, match="not in tuple"):
        view.index("stranger")
    match view:
        case []:
            assert not items
        case [first, *rest]:
            assert (first, *rest) == items


@EACH
def test_view_is_equal_to_its_tuple(view: Any) -> None:
    """Two views, and a view and a tuple, are equal where their items are, and hash alike."""
    items = tuple(view)

    assert view == items
    assert items == view
    assert hash(view) == hash(items)
    assert pickle.loads(pickle.dumps(view)) == view
    assert view != (*items, "more")
    assert view != [*items]
    assert (view == "stranger") is False


def test_views_of_equal_files_are_equal() -> None:
    """Equality is that of the items, whatever file they come from."""
    assert verger.parse(FILE).lines == ROBOTS.lines
    assert verger.parse(FILE).findings == ROBOTS.findings
    assert verger.parse(FILE[:-1]).lines != ROBOTS.lines
    assert ROBOTS.lines != CUT.lines


def test_view_outlives_its_file() -> None:
    """A view keeps what it needs."""
    lines, findings = verger.parse(FILE).lines, verger.parse(FILE).findings
    gc.collect()

    assert lines == ROBOTS.lines
    assert findings == ROBOTS.findings


def test_views_say_how_much_there_is() -> None:
    """What is shown does not grow with the file."""
    assert repr(ROBOTS.lines) == "Lines(7 lines)"
    assert repr(verger.parse(b"x").findings) == "Findings(1 finding)"


@pytest.mark.parametrize(
    ("index", "message"),
    [(9, "Lines object index out of range"), ("a", "Lines indices must be integers or slices")],
)
def test_wrong_index_names_the_view(index: Any, message: str) -> None:
    """An error is about the view, and not about what it is made of."""
    with pytest.raises((IndexError, TypeError), match=message):
        ROBOTS.lines[index]


@pytest.mark.parametrize("error", [TypeError("range of mine"), IndexError("arrange")])
def test_errors_of_an_index_stay_as_they_are(error: Exception) -> None:
    """What the caller's own `__index__` raises is not about the view."""

    class Index:
        def __index__(self) -> int:
            raise error from ZeroDivisionError()

    with pytest.raises(type(error)) as caught:
        ROBOTS.lines[Index()]

    assert caught.value is error
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_iterator_goes_on_where_it_stands() -> None:
    """An iterator is its own, and ends for good."""
    walk = iter(ROBOTS.lines)

    assert iter(walk) is walk
    assert next(walk).number == 1
    assert [line.number for line in walk] == [2, 3, 4, 5, 6, 7]
    assert list(walk) == []


GROWTH = """
import resource, sys, verger

def held():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()

bytes = {line!r} * {lines}
robots = verger.parse(bytes)
assert len(verger.parse(bytes[:1000]).{view}) > 0
before = held()
view = robots.{view}
assert len(view) == {lines}, len(view)
for item in view:
    pass
print(max(held(), 0) - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("view", "line"), [("lines", b"\n"), ("lines", b"a:b\n"), ("findings", b"a\n")]
)
def test_memory_of_a_view(view: str, line: bytes) -> None:
    """A view that was walked holds few bytes an item: 233 times a file of blank lines once."""
    lines = 2_000_000
    dialect_takes_all = GROWTH.format(view=view, line=line, lines=lines).replace(
        "verger.parse(bytes)",
        "verger.parse(bytes, dialect=verger.RFC9309.replace(parse_limit=None))",
    )

    assert int(printed(dialect_takes_all)) <= MOST_BYTES_A_LINE * lines
