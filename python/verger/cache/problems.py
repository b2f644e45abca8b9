"""Damaged entries in a store: logged to `verger.cache`, counted, and treated as absent."""

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
        """How many there have been since the store was created."""
        return self._count

    def tell(self, origin: str, *, where: str, why: object) -> None:
        """Count one damaged entry and log it."""
        with self._lock:
            self._count += 1
        shown = map(printable, (origin, where, str(why)))
        _log.warning("the entry of %s in %s is damaged and is not used: %s", *shown)

    def tell_unrepaired(self, where: str, why: object) -> None:
        """Log that damaged entries could not be removed, and will be found again."""
        _log.warning(
            "damaged entries stay in %s, which cannot be written now: %s",
            *map(printable, (where, str(why))),
        )
