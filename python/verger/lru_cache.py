"""A least-recently-used cache in memory, by name.

In: things with the approximate size of each in bytes. Out: the same things while they are kept; the
least recently used is dropped first. It is read from any thread and written from one.
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


KEPT_BYTES = 64 << 20
"""How much a command keeps of files, parsed or as they came."""

BYTES_A_SITE = 4_096
"""What a site costs beyond the bytes of its file, roughly."""


def cost_of_site(origin: str, size: int) -> int:
    """Return what a site with a file of `size` bytes costs."""
    return BYTES_A_SITE + len(origin) + size


class LruCache(Generic[T]):
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
        if (kept := self._kept.get(name)) is None:
            return None
        try:
            self._kept.move_to_end(name)
        except KeyError:  # the writing thread has just let go of it
            return kept[0]
        return kept[0]

    def put(self, name: str, thing: "T", cost: int) -> "T":
        """Keep and return a thing; drop the least recently used if there is no room.

        A thing that costs more than the bound is not kept, and nothing is dropped for it.
        """
        self.discard(name)
        if cost > self._most:
            return thing
        self._sum += cost
        self._kept[name] = thing, cost
        while self._sum > self._most:
            _, (_, gone) = self._kept.popitem(last=False)
            self._sum -= gone
        return thing

    def discard(self, name: str) -> None:
        """Let go of a thing, if it is kept."""
        _, cost = self._kept.pop(name, (None, 0))
        self._sum -= cost
