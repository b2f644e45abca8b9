"""Events: what a client did and why, for logs and metrics."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from verger.access.result import AccessResult

EventKind: TypeAlias = Literal["fetched", "renewed", "loaded", "waiting", "store-problem"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an origin.

    fetched:        its file was requested over the network, with `result`.
    renewed:        the server confirmed that the kept copy is still current.
    loaded:         the file came from the store, fetched earlier or by another process.
    waiting:        another process is fetching the file.
    store-problem:  the store failed; the client continues without it for a while.
    """

    kind: EventKind
    origin: str
    detail: str = ""
    result: AccessResult | None = None
