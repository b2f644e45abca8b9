"""Asking about a fault: one client for each dialect, one open and one closed URL.

In: scenes. Out: what was `Seen`. A fetch that outlived its limit would not be seen to time out.
"""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TypeAlias

import verger
from patience import PATIENT
from verger.client import AsyncClient, Client
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.limits import FetchLimits

from .stage import Scene, Stage
from .table import CLOSED, OPEN, Fault, Seen, seen

CRAWLER = "FaultBot/1.0 (+https://example.com/bot)"
LIMITS = PATIENT
"""Where no time-out is expected, none may come of a busy machine."""
SHORT = FetchLimits(total=2.0, idle=0.6)

Said: TypeAlias = Seen | Exception
"""What was seen; an exception stands for itself."""
Observed: TypeAlias = dict[str, Said]
"""By dialect."""


def limits_of(fault: Fault) -> FetchLimits:
    return SHORT if fault.short else LIMITS


def observe(
    faults: Iterable[Fault], stage: Stage, *, dialects: Sequence[str] = verger.DIALECTS
) -> dict[str, Observed]:
    """Ask about faults as most callers do, over aiohttp and ftplib."""
    return asyncio.run(_observe(list(faults), AsyncClients(stage), stage, dialects))


def observe_blocking(
    faults: Iterable[Fault], stage: Stage, *, dialects: Sequence[str]
) -> dict[str, Observed]:
    """Ask about faults by the synchronous client, one after another."""
    return {fault.name: _blocking(fault, stage, dialects) for fault in faults}


# Many at once


async def _observe(
    faults: list[Fault], clients: "AsyncClients", stage: Stage, dialects: Sequence[str]
) -> dict[str, Observed]:
    """Ask about the faults that need time all at once, about the others one by one."""
    slow = [fault for fault in faults if fault.short]
    quick = [fault for fault in faults if not fault.short]
    scenes = {fault.name: stage.scene(fault.name) for fault in faults}
    async with clients.living:
        said = await asyncio.gather(
            *(_by_dialect(fault, scenes[fault.name], clients, dialects) for fault in slow)
        )
        observed = {fault.name: one for fault, one in zip(slow, said, strict=True)}
        for fault in quick:
            observed[fault.name] = await _by_dialect(fault, scenes[fault.name], clients, dialects)
    return observed


async def _by_dialect(
    fault: Fault, scene: Scene, clients: "AsyncClients", dialects: Sequence[str]
) -> Observed:
    said = await asyncio.gather(*(_said(fault, scene, clients, dialect) for dialect in dialects))
    return dict(zip(dialects, said, strict=True))


async def _said(fault: Fault, scene: Scene, clients: "AsyncClients", dialect: str) -> Said:
    client = clients.client(dialect, limits_of(fault), scene)
    if scene.known:
        await client.decide(scene.known + OPEN)
    try:
        answers = [await client.decide(scene.origin + path) for path in (OPEN, CLOSED)]
    except Exception as error:
        return error
    return seen(fault, answers)


@dataclass
class AsyncClients:
    """Clients over aiohttp, shared by all scenes that need no resolver of their own."""

    stage: Stage

    def __post_init__(self) -> None:
        self.living = AsyncExitStack()
        self._shared: dict[tuple[str, FetchLimits], AsyncClient] = {}

    def client(self, dialect: str, limits: FetchLimits, scene: Scene) -> AsyncClient:
        if scene.resolver is not None:
            return self._kept(self.made(dialect, limits, scene))
        if (dialect, limits) not in self._shared:
            self._shared[dialect, limits] = self._kept(self.made(dialect, limits, scene))
        return self._shared[dialect, limits]

    def made(self, dialect: str, limits: FetchLimits, scene: Scene) -> AsyncClient:
        if scene.resolver is None:
            bundle = self.stage.bundle
            return AsyncClient(CRAWLER, dialect=dialect, limits=limits, ca_bundle=bundle)
        transport = AiohttpTransport(limits=limits, resolver=scene.resolver)
        return AsyncClient(CRAWLER, dialect=dialect, limits=limits, transport=transport)

    def _kept(self, client: AsyncClient) -> AsyncClient:
        self.living.push_async_callback(client.close)
        return client


# One after another


def _blocking(fault: Fault, stage: Stage, dialects: Sequence[str]) -> Observed:
    scene = stage.scene(fault.name)
    observed: Observed = {}
    for dialect in dialects:
        with Client(CRAWLER, dialect=dialect, limits=limits_of(fault)) as client:
            try:
                answers = [client.decide(scene.origin + path) for path in (OPEN, CLOSED)]
            except Exception as error:
                observed[dialect] = error
            else:
                observed[dialect] = seen(fault, answers)
    return observed
