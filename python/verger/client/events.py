"""Events: what a client did and why, for logs and metrics."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from verger.access.result import AccessResult

EventKind: TypeAlias = Literal["fetched", "renewed", "loaded", "waiting", "store-problem"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an origin.

    kind:    what happened. `fetched`: its file was requested over the network, with `result`;
             `renewed`: the server confirmed that the kept copy is still current; `loaded`: the file
             came from the store, fetched earlier or by another process; `waiting`: this one has
             waited for two seconds, because another process has begun to fetch the file;
             `store-problem`: the store failed, and the client continues
             without it for a while.
    origin:  the origin, as `verger.origin` writes it; empty for a problem with the store.
    detail:  what else is known, in words, such as `connection refused`; may be empty.
    result:  the fetch, for `fetched`, `renewed` and `loaded`; else None.
    """

    kind: EventKind
    origin: str
    detail: str = ""
    result: AccessResult | None = None
