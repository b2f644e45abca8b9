"""Damage met in a store: told to the log `verger.cache`, counted, and otherwise as if absent."""

import logging
import threading

from verger.plain import printable

_log = logging.getLogger("verger.cache")


class Problems:
    """How many entries of one store were damaged; shared by its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0

    @property
    def count(self) -> int:
        """How many there were since the store was made."""
        return self._count

    def tell(self, origin: str, *, where: str, why: object) -> None:
        """Count one damaged entry and write it to the log."""
        with self._lock:
            self._count += 1
        shown = map(printable, (origin, where, str(why)))
        _log.warning("the entry of %s in %s is damaged and is not used: %s", *shown)

    def tell_unrepaired(self, where: str, why: object) -> None:
        """Write to the log that damage stays where it is, and will be met again."""
        _log.warning(
            "damaged entries stay in %s, which cannot be written to now: %s",
            *map(printable, (where, str(why))),
        )
