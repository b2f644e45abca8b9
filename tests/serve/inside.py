"""A service in this process, for questions that need no socket of their own. No test is here."""

import asyncio
import json
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa
from aiohttp.test_utils import TestClient, TestServer

import verger
from memory_store import MemoryStore
from verger.serve.asking import ARROW, LINES
from verger.serve.server import ServerSettings, Service
from verger.serve.sites import NewClient
from verger.serve.slots import Slots
from verger.snapshots.stored import Stored
from verger.testing import MemoryTransport


def service_of(
    who: str,
    files: dict[str, bytes],
    *,
    new_client: NewClient | None = None,
    snapshot: Stored | None = None,
    **settings: Any,
) -> Service:
    """Return a service that fetches from sites in memory, or as its clients do, or not at all."""

    def in_memory(dialect: verger.Dialect, _: int | None) -> verger.AsyncClient:
        return verger.AsyncClient(who, dialect=dialect, transport=MemoryTransport(files))

    return Service(
        ServerSettings("127.0.0.1", 0, quiet=True, **settings),
        lambda _: new_client or in_memory,
        snapshot=snapshot,
        slots=lambda sites: Slots(sites, MemoryStore()),
    )


def asked(service: Service, path: str, body: bytes | None = None, kind: str = "") -> Any:
    """Return the object that a request is answered with; of lines the first."""
    return first_of(answered(service, path, body, kind))


def first_of(answer: bytes) -> Any:
    """Return the first object of an answer: of JSON, of lines or of Arrow."""
    if answer.startswith(b"{"):
        return json.loads(answer.splitlines()[0])
    return pa.ipc.open_stream(answer).read_all().to_pylist()[0]


def rows_of(**columns: list[str]) -> bytes:
    """Return columns as a stream of Arrow."""
    table, body = pa.table(columns), pa.BufferOutputStream()
    with pa.ipc.new_stream(body, table.schema) as writer:
        writer.write_table(table)
    rows: bytes = body.getvalue().to_pybytes()
    return rows


def answered(
    service: Service, path: str, body: bytes | None = None, kind: str = "", **headers: str
) -> bytes:
    """Return the body of the answer to a request."""

    async def ask() -> bytes:
        async with TestClient(TestServer(service.application())) as client:
            if body is None:
                said = await client.get(path, headers=headers)
            else:
                said = await client.post(path, data=body, headers={"Content-Type": kind})
            text = await said.read()
            await service.sites.close()
            return text

    return asyncio.run(ask())


def check(q: Any, route: str = "check", **more: str) -> Any:
    """Return the answer of a service to a question of `test_surfaces`, asked by GET."""
    return asked(of(q), f"/v1/{route}?{urlencode({'url': q.url, 'agent': q.token, **more})}")


def check_object(q: Any, route: str = "check", **more: str) -> Any:
    """Return the answer to the same question, asked by an object of JSON."""
    given = {"url": q.url, "agent": q.token, **more}
    return asked(of(q), f"/v1/{route}", json.dumps(given).encode(), "application/json")


def check_file(q: Any, **more: str) -> Any:
    """Return the answer to the same question about a file in the request."""
    query = urlencode({"url": q.url, "agent": q.token, **more})
    return asked(service_of(q.who, {}), f"/v1/check?{query}", q.body, "text/plain")


def check_line(q: Any, **more: str) -> Any:
    """Return the answer to the same question, asked in a line."""
    line = json.dumps({"url": q.url, "agent": q.token}).encode() + b"\n"
    return asked(of(q), f"/v1/check?{urlencode(more)}", line, LINES)


def check_row(q: Any, **more: str) -> Any:
    """Return the answer to the same question, asked in a row of Arrow."""
    rows = rows_of(url=[q.url], agent=[q.token])
    return asked(of(q), f"/v1/check?{urlencode(more)}", rows, ARROW)


def stored(q: Any) -> bytes:
    """Return the file that a service has of the site of a question."""
    return answered(of(q), f"/v1/robots?{urlencode({'url': q.url})}", Accept="text/plain")


def of(q: Any) -> Service:
    """Return a service for a web that has only the site of a question."""
    return service_of(q.who, {q.origin: q.body})
