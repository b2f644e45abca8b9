"""What a file says to crawlers, and whether it binds them: all who are asked agree.

A file says something to Google-Agent, which does not go by it, and nothing to AdsBot-Google if no
group names it. Commands, scans, the AI server and the registry give these answers with one mark.
"""

import asyncio
import io
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import verger
from cli.conftest import Run, folder, run
from verger import crawlers
from verger.bulk.audit import Version, audit_logs
from verger.bulk.scan import Scanner
from verger.captures.batches import SCHEMA
from verger.crawlers.binding import binds
from verger.testing import MemoryTransport

__all__ = ["folder", "run"]

FILES = {
    "star": "User-agent: *\nDisallow: /\n",
    "googlebot": "User-agent: Googlebot\nDisallow: /\n\nUser-agent: *\nDisallow:\n",
    "image": "User-agent: Googlebot-Image\nDisallow:\n\nUser-agent: Googlebot\nDisallow: /\n",
    "named": "User-agent: AdsBot-Google\nUser-agent: Google-Agent\nUser-agent: GPTBot\n"
    "User-agent: Google-Extended\nDisallow: /\n",
}

CASES = [
    # file, crawler, what the file says to it, whether a group names it, whether the file binds it
    ("star", "Googlebot-Image", "none", False, True),
    ("star", "Applebot", "none", False, True),
    ("star", "AdsBot-Google", "all", False, False),
    ("star", "Google-Extended", "none", False, True),
    ("star", "Google-Agent", "none", False, False),
    ("star", "Google-GeminiNotebook", "none", False, False),
    ("star", "Perplexity-User", "none", False, False),
    ("star", "ChatGPT-User", "none", False, False),
    ("star", "Feedly", "none", False, False),
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


Case = tuple[str, str, str, bool, bool]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request: pytest.FixtureRequest) -> Case:
    """One crawler and one file."""
    found: Case = request.param
    return found


def test_registry(case: Case) -> None:
    """`agent_of` tells the rules, and `is_bound` whether they bind."""
    name, token, extent, named, bound = case
    agent = crawlers.agent_of(verger.parse(FILES[name]), token)

    assert (agent.posture, agent.named) == (extent, named)
    assert bound == crawlers.is_bound(crawlers.find(token), named=agent.named)
    assert bound == binds(token, named=agent.named)


def test_survey(case: Case) -> None:
    """`survey_of` tells the same, and how many it counts instead of telling of them."""
    name, token, extent, named, bound = case
    robots = verger.parse(FILES[name])
    (told,) = crawlers.survey_of(robots, crawlers=[token]).standings
    whole = crawlers.survey_of(robots)

    assert (told.extent, told.named, told.bound) == (extent, named, bound)
    assert (told.posture == "default") == (not named and not is_told_nothing(token, named=named))
    assert sum(whole.unbound.values()) == sum(
        not crawlers.is_bound(crawler, named=False)
        for crawler in crawlers.CRAWLERS
        if not crawlers.agent_of(robots, crawler.token).named
    )


def is_told_nothing(token: str, *, named: bool) -> bool:
    """Whether `*` is not meant for a crawler that no group names."""
    crawler = crawlers.find(token)
    return crawler is not None and crawler.bound_by == "named-groups" and not named


def test_agents(case: Case, run: Run, folder: Path) -> None:
    """`verger agents` tells the same."""
    name, token, extent, _, bound = case
    (folder / "robots.txt").write_text(FILES[name])
    done = run("agents", "robots.txt", "--agent", token, "--format", "json")
    (told,) = json.loads(done.out)["crawlers"]

    assert (told["extent"], told["bound"]) == (extent, bound)


def test_check(case: Case, run: Run, folder: Path) -> None:
    """`verger check` decides by these rules; a note and `bound` say where they do not bind."""
    name, token, extent, _, bound = case
    (folder / "robots.txt").write_text(FILES[name])
    asked = ("check", "--robots", "robots.txt", "--agent", token)
    done = run(*asked, "--", "/page")
    told = json.loads(run(*asked, "--format", "jsonl", "--", "/page").out)
    header, row = (
        line.split(",") for line in run(*asked, "--format", "csv", "--", "/page").out.splitlines()
    )
    crawler = crawlers.find(token)
    is_noted = crawler is not None and (crawler.kind, crawler.bound_by) != ("crawler", "groups")

    assert done.code == (1 if extent == "none" else 0)
    assert is_noted == (f"`{token}`" in done.err)
    assert (told["allowed"], told["bound"]) == (extent != "none", bound)
    assert dict(zip(header, row, strict=True))["bound"] == str(bound).lower()


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

    name, token, extent, _, bound = case
    web = MemoryTransport({"https://example.com": FILES[name].encode()})
    who = {"agent": token} if asked == "named" else {}
    url = {"url": "https://example.com/page"}

    async def ask() -> Any:
        made = server(verger.AsyncClient(f"{token}/1.0", transport=web))
        async with mcp.Client(made) as client:
            may_fetch = await client.call_tool("may_fetch", url | who)
            site_rules = await client.call_tool("site_rules", url | who)
            file = {"text": FILES[name], "agent": token}
            explained = await client.call_tool("explain_file", file)
            return [each.structured_content for each in (may_fetch, site_rules, explained)]

    answers = asyncio.run(ask())
    assert answers[0]["allowed"] == (extent != "none")
    assert [(bound, crawlers.remark_on(token))] * 3 == [
        (each["bound"], each["remark"]) for each in answers
    ]


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

    is_told = named or is_told_nothing(token, named=named)
    assert posture == (extent if is_told else "default")
    assert extent == (told["posture"] if posture == "default" else posture)


def test_audit(case: Case) -> None:
    """What was closed to a crawler is held against it where the rules bind it, else told apart.

    So is what `*` closes to others than AdsBot-Google, for which it is not meant.
    """
    name, token, extent, named, bound = case
    result = audited(token, Version("robots.txt", FILES[name].encode()))
    (crawler,) = result.crawlers
    closed_by_star = is_told_nothing(token, named=named) and name == "star"
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
