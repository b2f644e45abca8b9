"""Events: what a client did and why, for logs and metrics."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from verger.access.result import AccessResult

EventKind: TypeAlias = Literal["fetched", "renewed", "loaded", "waiting", "store-problem"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an origin.

    fetched:        its file was asked for over the network, with `result`.
    renewed:        the kept copy was found to be still the file.
    loaded:         the store held it, fetched earlier or by another process.
    waiting:        another process is fetching it.
    store-problem:  the store failed; the client goes on without it for a while.
    """

    kind: EventKind
    origin: str
    detail: str = ""
    result: AccessResult | None = None
