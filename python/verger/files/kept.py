"""What is kept in memory as long as there is room, by name.

In: things with what each costs, in bytes or so. Out: the same while they are kept; what was asked
for longest ago goes first. It is read from any thread and written from one.
"""

from collections import OrderedDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generic, TypeVar

    T = TypeVar("T")
else:  # `typing` would cost the command a tenth of its start
    T = None

    class Generic:
        """Takes the place of a class that only type checkers need."""

        def __class_getitem__(cls, _kind: object) -> type:
            """Return this class, whatever it holds."""
            return cls


KEPT_BYTES = 64 << 20
"""How much a command keeps of files, parsed or as they came."""

BYTES_A_SITE = 4_096
"""What a site costs beyond the bytes of its file, roughly."""


def cost_of_site(origin: str, size: int) -> int:
    """Return what a site with a file of `size` bytes costs."""
    return BYTES_A_SITE + len(origin) + size


class Kept(Generic[T]):
    """Things by name, up to a sum of costs."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sum = 0
        self._kept: OrderedDict[str, tuple[T, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, name: str) -> bool:
        return name in self._kept

    def get(self, name: str) -> "T | None":
        """Return a thing if it is kept; it is now the newest."""
        kept = self._kept.get(name)
        if kept is None:
            return None
        try:
            self._kept.move_to_end(name)
        except KeyError:  # the writing thread has just let go of it
            return kept[0]
        return kept[0]

    def put(self, name: str, thing: "T", cost: int) -> "T":
        """Keep a thing, and let go of what was asked for longest ago. Return it.

        One that costs more than all may cost is not kept, and pushes nothing out.
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
