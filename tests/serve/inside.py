"""A service in this process, for questions that need no socket of their own. No test is here."""

import asyncio
import json
from typing import Any
from urllib.parse import quote

from aiohttp.test_utils import TestClient, TestServer

import verger
from memory_store import MemoryStore
from verger.serve.server import ServerSettings, Service
from verger.serve.sites import NewClient
from verger.serve.slots import Slots
from verger.testing import MemoryTransport


def service_of(
    who: str, files: dict[str, bytes], *, new_client: NewClient | None = None, **settings: Any
) -> Service:
    """Return a service that fetches from sites in memory, or as its clients do."""

    def in_memory(dialect: verger.Dialect, _: int | None) -> verger.AsyncClient:
        return verger.AsyncClient(who, dialect=dialect, transport=MemoryTransport(files))

    return Service(
        ServerSettings("127.0.0.1", 0, quiet=True, **settings),
        lambda _: new_client or in_memory,
        slots=lambda sites: Slots(sites, MemoryStore()),
    )


def asked(service: Service, path: str, body: bytes | None = None, kind: str = "") -> Any:
    """Return the object that a request is answered with; of lines the first."""

    async def ask() -> Any:
        async with TestClient(TestServer(service.application())) as client:
            if body is None:
                said = await client.get(path)
            else:
                said = await client.post(path, data=body, headers={"Content-Type": kind})
            text = await said.text()
            await service.sites.close()
            return json.loads(text.splitlines()[0])

    return asyncio.run(ask())


def check(q: Any, **more: str) -> Any:
    """Return the answer of a service to a question of `test_surfaces`, asked by GET."""
    given = {"url": q.url, "agent": q.token, **more}
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in given.items())
    return asked(service_of(q.who, {q.origin: q.body}), f"/v1/check?{query}")


def check_line(q: Any, **more: str) -> Any:
    """Return the answer of a service to the same question, asked in a line."""
    query = "&".join(f"{name}={value}" for name, value in more.items())
    line = json.dumps({"url": q.url, "agent": q.token}).encode() + b"\n"
    found = service_of(q.who, {q.origin: q.body})
    return asked(found, f"/v1/check?{query}", line, "application/x-ndjson")
