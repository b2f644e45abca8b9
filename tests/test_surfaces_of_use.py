"""One question about use, one answer: the same URL, crawler and file, asked of every surface.

In: `conformance/surfaces/uses.toml`. Out: from each surface the answer of the table; none differs.
Spark and Scrapy, which need processes of their own, are asked in their own tests.
"""

import asyncio
import io
import json
import tomllib
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import verger
from serve import inside
from support import CHECKOUT
from test_surfaces import Answer, Question
from verger import crawlers
from verger.bulk import Snapshot, decide_table
from verger.bulk.filter import filter_urls
from verger.cli.app import main
from verger.testing import MemoryTransport

CASES = tomllib.loads((CHECKOUT / "conformance/surfaces/uses.toml").read_text("utf-8"))
ROBOTS: bytes = CASES["robots"].lstrip("\n").encode()
HOME = "https://example.com"


def by_file(q: Question, use: Any) -> Answer:
    robots = verger.parse(q.body, url=f"{q.origin}/robots.txt")
    return told(crawlers.may_use(robots, q.url, q.token, use))


def told(found: Any) -> Answer:
    return found.allowed, found.line


def by_agent(q: Question, use: Any) -> Answer:
    """The rules that a crawler follows, which hear what the registry knows."""
    return told(crawlers.agent_of(verger.parse(q.body), q.token).may_use(q.url, use))


def by_site(q: Question, use: Any) -> Answer:
    site = verger.site_of(q.origin, status=200, body=q.body, user_agent=q.who, token=q.token)
    assert site.agent is not None
    return told(site.agent.may_use(q.url, use))


def by_client(q: Question, use: Any) -> Answer:
    with q.client() as client:
        return told(client.decide(q.url).may_use(use))


def by_async_client(q: Question, use: Any) -> Answer:
    async def ask() -> verger.Answer:
        transport = MemoryTransport({q.origin: q.body})
        async with verger.AsyncClient(q.who, transport=transport) as client:
            return await client.decide(q.url)

    return told(asyncio.run(ask()).may_use(use))


def by_dict(q: Question, use: Any) -> Answer:
    """The object that JSON has: of a client, and of commands."""
    with q.client() as client:
        found = client.decide(q.url).may_use(use).as_dict()
    return found["allowed"], found["line"]


def by_table_of_one(q: Question, use: Any) -> Answer:
    return in_table(q, use, verger.parse(q.body))


def by_snapshot(q: Question, use: Any) -> Answer:
    return in_table(q, use, Snapshot({q.origin: q.body}))


def in_table(q: Question, use: Any, robots: Any) -> Answer:
    """A table has no column for the line."""
    table = decide_table(pa.table({"url": [q.url]}), robots, q.token, use=use)
    (row,) = pa.table(table).to_pylist()
    return row[f"use_{use.replace('-', '_')}"], by_file(q, use)[1]


def by_filter(q: Question, use: Any) -> Answer:
    output = q.folder / "out.jsonl"
    urls = q.folder / "urls.jsonl"
    urls.write_text(json.dumps({"url": q.url}) + "\n")
    filter_urls(urls, tokens=q.token, snapshot=sites_of(q), output=output, use=use)
    row = json.loads(output.read_text())
    return row[f"use_{use.replace('-', '_')}"], by_file(q, use)[1]


@pytest.mark.parametrize("silent", [True, False])
@pytest.mark.parametrize("case", CASES["case"], ids=lambda case: str(case["id"]))
def test_lists_of_a_filter(case: dict[str, Any], silent: bool, tmp_path: Path) -> None:
    """A list holds what may be fetched and used, and silence is what it is told to be."""
    q, ask = question(case, tmp_path), case["ask"]
    (tmp_path / "urls.txt").write_text(f"{q.url}\n")
    words = ["--snapshot", str(sites_of(q)), "--agent", q.token, "--use", ask["use"], "--quiet"]
    said = printed(
        "filter", *words, "--silent", "allow" if silent else "disallow", str(tmp_path / "urls.txt")
    )
    robots = verger.parse(q.body)
    may_be_fetched = crawlers.agent_of(robots, q.token).allowed(q.url)

    assert bool(said) == (may_be_fetched and case["expect"].get("allowed", silent))


def by_command(q: Question, use: Any) -> Answer:
    file = q.folder / "robots.txt"
    file.write_bytes(q.body)
    return checked(q, use, "--robots", str(file), "--robots-url", f"{q.origin}/robots.txt")


def by_command_on_a_snapshot(q: Question, use: Any) -> Answer:
    return checked(q, use, "--snapshot", str(sites_of(q)))


def checked(q: Question, use: Any, *files: str) -> Answer:
    said = printed("check", *files, "--agent", q.token, "--use", use, "--format", "jsonl", q.url)
    found = json.loads(said)["use"]
    return found["allowed"], found["line"]


def by_mcp(q: Question, use: Any) -> Answer:
    mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    from verger.service.mcp import server

    async def ask() -> Any:
        client = verger.AsyncClient(q.who, transport=MemoryTransport({q.origin: q.body}))
        async with mcp.Client(server(client)) as asking:
            given = {"url": q.url, "use": use, "agent": q.token}
            return (await asking.call_tool("may_use", given)).structured_content

    found = asyncio.run(ask())
    return found["allowed"], found["line"]


def by_service(q: Question, use: Any) -> Answer:
    found = inside.check(q, use=use)["use"]
    return found["allowed"], found["line"]


def by_service_explained(q: Question, use: Any) -> Answer:
    found = inside.check_object(q, "explain", use=use)["use"]
    return found["allowed"], found["line"]


def by_service_of_a_file(q: Question, use: Any) -> Answer:
    found = inside.check_file(q, use=use)["use"]
    return found["allowed"], found["line"]


def by_service_in_lines(q: Question, use: Any) -> Answer:
    """A line has no line of the file that says so."""
    said = inside.check_line(q, use=use)
    return said[f"use_{use.replace('-', '_')}"], by_file(q, use)[1]


def by_service_in_arrow(q: Question, use: Any) -> Answer:
    """Nor has a row of Arrow."""
    said = inside.check_row(q, use=use)
    return said[f"use_{use.replace('-', '_')}"], by_file(q, use)[1]


def sites_of(q: Question) -> Path:
    snapshot = q.folder / "s.jsonl"
    snapshot.write_text(json.dumps({"origin": q.origin, "body": q.body.decode()}) + "\n")
    return snapshot


def printed(*words: str) -> bytes:
    with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
        main([*words])
        out.flush()
        return out.buffer.getvalue()


SURFACES = {
    each.__name__: each
    for each in (
        *(
            by_file,
            by_agent,
            by_site,
            by_client,
            by_async_client,
            by_dict,
            by_table_of_one,
            by_snapshot,
        ),
        *(by_filter, by_command, by_command_on_a_snapshot, by_mcp),
        *(by_service, by_service_explained, by_service_of_a_file),
        *(by_service_in_lines, by_service_in_arrow),
    )
}


def question(case: dict[str, Any], folder: Path) -> Question:
    return Question(ROBOTS, HOME, case["ask"]["url"], case["ask"]["token"], folder)


@pytest.mark.parametrize("name", SURFACES)
@pytest.mark.parametrize("case", CASES["case"], ids=lambda case: str(case["id"]))
def test_uses(case: dict[str, Any], name: str, tmp_path: Path) -> None:
    """Every surface gives the same answer, and none makes an answer of silence."""
    expect = case["expect"]

    said = SURFACES[name](question(case, tmp_path), case["ask"]["use"])

    assert said == (expect.get("allowed"), expect.get("line"))
