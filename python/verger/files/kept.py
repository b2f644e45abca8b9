"""A least-recently-used cache in memory, by name.

In: things with the approximate size of each in bytes. Out: the same things while they are kept; the
least recently used is dropped first.
"""

from collections import OrderedDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generic, TypeVar

    T = TypeVar("T")
else:  # importing `typing` would take a tenth of the command's start-up time
    T = None

    class Generic:
        """A stand-in for a class that only type checkers need."""

        def __class_getitem__(cls, _kind: object) -> type:
            """Return this class for any type argument."""
            return cls


class Kept(Generic[T]):
    """Things by name, up to a total cost."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sum = 0
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, name: str) -> bool:
        return name in self._kept

    def get(self, name: str) -> "T | None":
        """Return a thing if it is kept, and mark it as the most recently used."""
        kept = self._kept.get(name)
        if kept is None:
            return None
        self._kept.move_to_end(name)
        return kept[0]

    def put(self, name: str, thing: "T", cost: int) -> "T":
        """Keep and return a thing; drop the least recently used if there is no room."""
        _, before = self._kept.pop(name, (None, 0))
        self._sum += cost - before
        self._kept[name] = thing, cost
        while self._sum > self._most:
            _, (_, gone) = self._kept.popitem(last=False)
            self._sum -= gone
        return thing
