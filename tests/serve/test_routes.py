"""Each route gives the object of the command of the same name, and follows its schema."""

import asyncio
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from cli.conftest import validator
from cli.web import Web
from support import CHECKOUT
from verger.cli.app import main
from verger.serve import page as served_page
from verger.serve.page import MARK, POLICY, _marked

from .conftest import ROBOTS, Serving, fetching

A, S = "https://a.example", "https://signals.example"
TIMES = ("age", "fetched_at", "fresh_until", "source", "unreachable_since", "failures")


@pytest.fixture(scope="module")
def command(sites: Web) -> Any:
    """Return what runs a command that fetches from the sites, and gives its objects."""

    def run(*words: str) -> list[dict[str, Any]]:
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")) as out:
            main([*words, "--quiet", *fetching(sites)])
            out.flush()
            said = out.buffer.getvalue().decode()
        lines = said.splitlines() if words[0] == "check" else [said]
        return list(map(json.loads, lines))

    return run


def timeless(told: Any) -> Any:
    """Return an object without what depends on the time, and on who fetched."""
    if isinstance(told, dict):
        return {name: timeless(each) for name, each in told.items() if name not in TIMES}
    return list(map(timeless, told)) if isinstance(told, list) else told


CASES: tuple[tuple[str, dict[str, Any], str], ...] = (
    (
        "check",
        {"url": f"{A}/private/x", "agent": "ExampleBot"},
        f"check --agent ExampleBot {A}/private/x --format jsonl",
    ),
    (
        "check",
        {"url": "https://gone.example/", "agent": "a,b", "dialect": "google"},
        "check --agent a,b https://gone.example/ --dialect google --format jsonl",
    ),
    (
        "check",
        {"url": "https://down.example/", "agent": "ExampleBot"},
        "check --agent ExampleBot https://down.example/ --format jsonl",
    ),
    (
        "check",
        {"url": f"{S}/x", "agent": "GPTBot", "use": "ai-train", "dialect": "own"},
        f"check --agent GPTBot {S}/x --use ai-train --dialect own --format jsonl",
    ),
    (
        "check",
        {"url": f"{A}/x", "agent": "AdsBot-Google", "bindings": "file"},
        f"check --agent AdsBot-Google {A}/x --bindings file --format jsonl",
    ),
    (
        "check",
        {"url": f"{A}/private", "agent": "ExampleBot", "dialect": "rfc9309+tie=disallow"},
        f"check --agent ExampleBot {A}/private --dialect rfc9309+tie=disallow --format jsonl",
    ),
    (
        "explain",
        {"url": f"{A}/private/x", "agent": "ExampleBot"},
        f"check --verbose --agent ExampleBot {A}/private/x --format jsonl",
    ),
    (
        "agents",
        {"url": A, "agent": ["GPTBot", "CCBot"], "use": "ai-train"},
        f"agents {A} --agent GPTBot --agent CCBot --use ai-train --format json",
    ),
    (
        "agents",
        {"url": "https://down.example", "purpose": "training", "all": "true"},
        "agents https://down.example --purpose training --all --format json",
    ),
    ("lint", {"url": A}, f"lint {A} --format json"),
    ("diff", {"old": A, "new": S}, f"diff {A} {S} --format json"),
    (
        "compare",
        {"url": A, "with": ["google", "yandex"], "agent": "ExampleBot"},
        f"compare {A} --with google --with yandex --agent ExampleBot --format json",
    ),
)


@pytest.mark.parametrize(("route", "query", "words"), CASES)
def test_as_the_command(
    service: Serving, command: Any, route: str, query: dict[str, Any], words: str
) -> None:
    """The same question has the same object, whoever is asked."""
    said = service.get(f"/v1/{route}", **query)
    [told] = command(*words.split())

    assert said.status_code == 200, said.text
    assert timeless(told) == timeless(said.json())
    validator(told["schema"].partition("/")[0].removeprefix("verger.")).validate(said.json())


def test_several(service: Serving, command: Any) -> None:
    """Several URLs and dialects are lines, in the order of the command."""
    urls = [f"{A}/private", "https://gone.example/x"]
    query = {"url": urls, "agent": ["A", "SlowBot"], "dialect": ["rfc9309", "google"]}
    said = service.get("/v1/check", **query)
    words = ["--agent", "A", "--agent", "SlowBot", "--dialect", "rfc9309", "--dialect", "google"]
    told = command("check", *words, *urls, "--format", "jsonl")

    assert said.headers["content-type"] == "application/x-ndjson"
    assert timeless(told) == timeless(list(map(json.loads, said.text.splitlines())))


def test_several_uses(service: Serving) -> None:
    """Each answer is given for each use, as the command gives it for one."""
    query, uses = {"url": f"{S}/x", "agent": ["GPTBot", "CCBot"]}, ["search", "ai-train"]
    said = service.get("/v1/check", **query, use=uses).text.splitlines()
    each = [service.get("/v1/check", **query, use=use).text.splitlines() for use in uses]

    expected = [one for pair in zip(*each, strict=True) for one in pair]
    assert timeless(list(map(json.loads, said))) == timeless(list(map(json.loads, expected)))


def test_file_in_the_request(service: Serving) -> None:
    """A file is read where it stands: as a body of text, or as a member."""
    query = {"url": f"{A}/private", "agent": "ExampleBot"}
    as_text = service.client.post(
        "/v1/check", params=query, content=ROBOTS, headers={"Content-Type": "text/plain"}
    )
    as_json = service.client.post("/v1/check", json={**query, "robots": ROBOTS.decode()})

    assert (200, 2) == (as_text.status_code, as_text.json()["line"])
    assert as_text.json() == as_json.json()
    for name in ("agents", "lint", "compare"):
        said = service.client.post(f"/v1/{name}", json={"robots": ROBOTS.decode()})
        assert (200, "request") == (said.status_code, str(said.json()).partition("request")[1])
    said = service.client.post("/v1/diff", json={"old": ROBOTS.decode(), "new": A})
    assert (200, "none") == (said.status_code, said.json()["severity"])


def test_site_of_another_url(service: Serving) -> None:
    """A URL in place of a file is that of a site, also between spaces: its file answers."""
    query = {"url": f"{A}/private", "agent": "ExampleBot"}
    said = service.get("/v1/check", **query, robots=f" {A}\n")

    assert (f"{A}/robots.txt", False) == (said.json()["file"], said.json()["allowed"])


def test_bytes_that_are_not_utf_8(service: Serving) -> None:
    """They arrive as they are in a body of text."""
    body = b"User-agent: *\nDisallow: /\xff\n"
    said = service.client.post(
        "/v1/check",
        params={"url": f"{A}/%FF", "agent": "ExampleBot"},
        content=body,
        headers={"Content-Type": "text/plain"},
    )

    assert (False, "/\udcff") == (said.json()["allowed"], said.json()["rule"]["pattern"])


def test_stored_file(service: Serving) -> None:
    """The route of files gives what is stored, or its text."""
    facts = service.get("/v1/robots", url=A)
    text = service.get("/v1/robots", {"Accept": "text/plain"}, url=A)
    none = service.get("/v1/robots", {"Accept": "text/plain"}, url="https://gone.example")

    validator("cache").validate(facts.json())
    assert (200, ROBOTS) == (text.status_code, text.content)
    assert "Age" in text.headers
    assert (404, "application/problem+json") == (none.status_code, none.headers["content-type"])


def test_the_page_that_is_served_may_ask_this_service(tmp_path: Path) -> None:
    """Its policy allows it, and its script finds out by a mark; the page as a file has neither."""
    policy = "default-src 'none'; script-src 'sha256-x' 'wasm-unsafe-eval'"
    file = tmp_path / "index.html"
    page = (CHECKOUT / "web" / "src" / "index.html").read_text()
    file.write_text(page.replace("{{policy}}", policy))
    served = _marked(file)

    allowed = policy.replace("'none';", "'none'; connect-src 'self';")
    assert f'content="{allowed}"' in served
    assert served.count(MARK) == 1
    (tmp_path / "other.html").write_text("<title>x</title>")
    assert MARK not in _marked(tmp_path / "other.html")  # its policy would refuse what it offers
    assert "\n    \"default-src 'none'\",\n" in (CHECKOUT / "web" / "build.js").read_text()


def test_a_page_that_has_no_token_is_not_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where callers need one, the page is as it is in its file."""
    file = tmp_path / "index.html"
    file.write_text(f"{POLICY}<title>x</title>")
    monkeypatch.setattr("verger.serve.page.BUILT", file)
    monkeypatch.setattr("verger.serve.page.NAME", "not packed")
    request = make_mocked_request("GET", "/")
    without, marked = (
        asyncio.run(served_page.tester(request, may_ask=each)) for each in (False, True)
    )

    assert isinstance(without, web.FileResponse)
    assert isinstance(marked, web.Response)
    assert marked.text
    assert MARK in marked.text
