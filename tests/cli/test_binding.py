"""Which groups crawlers follow: commands, scans, the AI server and the registry agree."""

import asyncio
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import verger
from verger import crawlers
from verger.bulk.audit import Version, audit_logs
from verger.bulk.captures import SCHEMA
from verger.bulk.scan import Scanner
from verger.testing import MemoryTransport

from .conftest import Run

FILES = {
    "star": "User-agent: *\nDisallow: /\n",
    "googlebot": "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow:\n",
    "image": "User-agent: Googlebot-Image\nDisallow:\n\nUser-agent: Googlebot\nDisallow: /\n",
    "named": "User-agent: AdsBot-Google\nUser-agent: Google-Agent\nUser-agent: GPTBot\n"
    "User-agent: Google-Extended\nDisallow: /\n",
}

CASES = [
    # file, crawler, what the file says to it, whether a group names it, whether that binds it
    ("star", "Googlebot-Image", "none", False, True),
    ("star", "Applebot", "none", False, True),
    ("star", "AdsBot-Google", "all", False, False),
    ("star", "Google-Extended", "none", False, True),
    ("star", "Google-Agent", "none", False, False),
    ("star", "Google-GeminiNotebook", "none", False, False),
    ("star", "GPTBot", "none", False, True),
    ("star", "Unheard-Of", "none", False, True),
    ("googlebot", "Googlebot-Image", "none", True, True),
    ("googlebot", "Applebot", "none", True, True),
    ("googlebot", "AdsBot-Google", "all", False, False),
    ("googlebot", "Google-Extended", "all", False, True),
    ("googlebot", "Google-Agent", "all", False, False),
    ("googlebot", "GPTBot", "all", False, True),
    ("image", "Googlebot-Image", "all", True, True),
    ("image", "Applebot", "none", True, True),
    ("image", "GPTBot", "all", False, True),
    ("named", "AdsBot-Google", "none", True, True),
    ("named", "Google-Agent", "none", True, False),
    ("named", "Google-Extended", "none", True, True),
    ("named", "GPTBot", "none", True, True),
    ("named", "Googlebot-Image", "all", False, True),
]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request: pytest.FixtureRequest) -> tuple[str, str, str, bool, bool]:
    """One crawler and one file."""
    found: tuple[str, str, str, bool, bool] = request.param
    return found


Case = tuple[str, str, str, bool, bool]


def test_registry(case: Case) -> None:
    """`agent_of` tells the rules, and `is_bound` whether they bind."""
    name, token, extent, named, bound = case
    agent = crawlers.agent_of(verger.parse(FILES[name]), token)

    assert (agent.posture, agent.named) == (extent, named)
    assert bound == crawlers.is_bound(crawlers.find(token), named=agent.named)


def test_agents(case: Case, run: Run, folder: Path) -> None:
    """`verger agents` tells the same."""
    name, token, extent, _, bound = case
    (folder / "robots.txt").write_text(FILES[name])
    done = run("agents", "robots.txt", "--agent", token, "--format", "json")
    (told,) = json.loads(done.out)["crawlers"]

    assert (told["extent"], told["bound"]) == (extent, bound)


def test_check(case: Case, run: Run, folder: Path) -> None:
    """`verger check` decides by these rules, and notes on stderr where they do not bind."""
    name, token, extent, _, _ = case
    (folder / "robots.txt").write_text(FILES[name])
    done = run("check", "--robots", "robots.txt", "--agent", token, "--", "/page")
    crawler = crawlers.find(token)
    is_noted = crawler is not None and (crawler.kind, crawler.bound_by) != ("crawler", "groups")

    assert done.code == (1 if extent == "none" else 0)
    assert is_noted == (f"`{token}`" in done.err)


def test_filter(case: Case, run: Run, folder: Path) -> None:
    """`verger filter` decides by these rules, too, from a snapshot."""
    name, token, extent, _, _ = case
    (folder / "sites").mkdir()
    (folder / "sites" / "example.com").write_text(FILES[name])
    (folder / "urls.txt").write_text("https://example.com/page\n")
    done = run("filter", "--snapshot", "sites", "--agent", token, "urls.txt")

    assert done.out == ("" if extent == "none" else "https://example.com/page\n")


def test_filter_over_the_network(case: Case, run: Run, folder: Path) -> None:
    """So it does with what was fetched: the cache holds the file, and it is fresh."""
    name, token, extent, _, _ = case
    keep(folder / "kept.sqlite", FILES[name])
    (folder / "urls.txt").write_text("https://example.com/page\n")
    done = run(
        *("filter", "--user-agent", f"{token}/1.0", "--cache", "kept.sqlite", "urls.txt"),
    )

    assert done.out == ("" if extent == "none" else "https://example.com/page\n"), done.err


def keep(path: Path, file: str) -> None:
    """Fetch a file into a cache."""
    web = MemoryTransport({"https://example.com": file.encode()})
    with verger.Client("ExampleBot/1.0", transport=web, store=path) as client:
        client.allowed("https://example.com/")


@pytest.mark.parametrize("asked", ["own", "named"])
def test_server_for_ai_agents(case: Case, asked: str) -> None:
    """Its tools answer for the crawler that it is as for one that is named."""
    mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    from verger.service.mcp import server

    name, token, extent, _, _ = case
    web = MemoryTransport({"https://example.com": FILES[name].encode()})
    question = {"url": "https://example.com/page"} | ({"agent": token} if asked == "named" else {})

    async def ask() -> Any:
        made = server(verger.AsyncClient(f"{token}/1.0", transport=web))
        async with mcp.Client(made) as client:
            return await client.call_tool("may_fetch", question)

    assert asyncio.run(ask()).structured_content["allowed"] == (extent != "none")


def test_scan(case: Case) -> None:
    """A scan has what the file says to the crawler, or that nobody names it."""
    name, token, extent, named, _ = case
    row = dict.fromkeys(SCHEMA.names) | {
        "url": "https://example.com/robots.txt",
        "time": datetime(2026, 1, 5, tzinfo=UTC),
        "status": 200,
        "body": FILES[name].encode(),
    }
    captures = pa.Table.from_pylist([row], schema=SCHEMA)
    (rows,) = Scanner(crawlers=[token], threads=1).scan(captures).rows
    (told,) = rows.to_pylist()
    posture = told["crawlers"][token]["posture"]

    assert posture == (extent if named else "all" if token == "AdsBot-Google" else "default")
    assert extent == (told["posture"] if posture == "default" else posture)


def test_audit(case: Case) -> None:
    """What was closed to a crawler is held against it where the rules bind it, else told apart."""
    name, token, extent, _, bound = case
    result = audited(token, Version("robots.txt", FILES[name].encode()))
    (crawler,) = result.crawlers
    closed_by_star = token == "AdsBot-Google" and name == "star"
    is_closed = extent == "none" or closed_by_star

    assert crawler.closed.count == int(is_closed and bound)
    assert crawler.unbound.count == int(is_closed and not bound)
    assert (result.closed, result.unbound) == (crawler.closed.count, crawler.unbound.count)


def audited(token: str, version: Version) -> Any:
    """Return the audit of one request."""
    line = (
        f'192.0.2.1 - - [05/Jan/2026:09:12:44 +0000] "GET /page HTTP/1.1" 200 5 "-" "{token}/1.0"'
    )
    return audit_logs([io.BytesIO(f"{line}\n".encode())], [version])
