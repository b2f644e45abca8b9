"""Safe by default: who may ask, what is asked, and that nobody is cut off at the end."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

import verger
from cli.web import Page, Web, web
from faults.resolvers import Changing
from patience import LONG, PATIENT, until
from verger.fetching import address_guard
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.serve.asking import ARROW, LINES

from . import inside
from .conftest import AGENT, ROBOTS, Serving, fetching, serving

GOOD = {"url": "https://a.example/", "agent": "ExampleBot"}
TOKEN, OTHER = "a-token-of-many-letters", "another-token-of-letters"


def started(*words: str) -> subprocess.CompletedProcess[str]:
    """Return what became of a service that does not start."""
    command = [sys.executable, "-m", "verger", "serve", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=LONG, check=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.0.2.1"])
def test_no_credentials_no_strangers(host: str) -> None:
    """Nobody listens to other machines without credentials."""
    ended = started("--user-agent", AGENT, "--cache", "none", "--listen", f"{host}:0")

    assert ended.returncode == 2
    assert "can be reached from other machines" in ended.stderr
    assert "--token-file" in ended.stderr


def test_tokens(tmp_path: Path) -> None:
    """With tokens, only who sends one is answered; whether the process lives, everybody is told."""
    (tmp_path / "tokens").write_text(f"# for tests\n{TOKEN}\n{OTHER}\n")
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "a.example").write_bytes(ROBOTS)
    words = ("--listen", "0.0.0.0:0", "--token-file", str(tmp_path / "tokens"))
    with serving(tmp_path / "log", *words, "--snapshot", str(tmp_path / "sites")) as service:
        said = {
            sent: service.get("/v1/check", {"Authorization": sent} if sent else {}, **GOOD)
            for sent in (
                *("", "Bearer", "Bearer ?", f"Bearer {TOKEN}", f"bearer {TOKEN}"),
                *(f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", f"Bearer {OTHER}"),
            )
        }
        everybody = [service.get(path).status_code for path in ("/livez", "/readyz")]
        metrics = service.get("/metrics").status_code

    ok = {sent for sent, each in said.items() if each.status_code == 200}
    assert ok == {f"Bearer {TOKEN}", f"bearer {TOKEN}", f"Bearer {OTHER}"}
    refused = [each for sent, each in said.items() if sent not in ok]
    assert {401} == {each.status_code for each in refused}
    assert {"Authorization"} == {each.json()["field"] for each in refused}
    assert all("WWW-Authenticate" in each.headers for each in refused)
    assert [200, 200, 401] == [*everybody, metrics]
    private = said[f"Bearer {TOKEN}"].headers["Cache-Control"]
    assert private.startswith("private, ")


def test_no_paths_of_the_machine(tmp_path: Path) -> None:
    """Answers from a folder name its files, and not where it stands."""
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "a.example").write_bytes(ROBOTS)
    (tmp_path / "sites" / "odd.example").symlink_to("odd.example")
    with serving(tmp_path / "log", "--snapshot", str(tmp_path / "sites")) as service:
        for host in ("a.example", "b.example", "odd.example"):
            asked = {"url": f"https://{host}/", "agent": "A"}
            asked_of = (
                (name, asked if name != "robots" else {"url": asked["url"]})
                for name in ("check", "explain", "agents", "compare", "robots")
            )
            said = [service.get(f"/v1/{name}", **each).text for name, each in asked_of]
            said.append(service.get("/v1/lint", url=asked["url"]).text)
            head = {"Content-Type": LINES}
            said.append(
                service.client.post("/v1/check", content=json.dumps(asked), headers=head).text
            )

            assert all(said)
            assert not [each for each in said if str(tmp_path) in each]
        assert service.get("/v1/check", **GOOD).json()["file"] == "sites/a.example"


def test_who_calls_behind_a_proxy() -> None:
    """It is who the proxy says in the last word of `X-Forwarded-For`, whatever a caller wrote
    before it, in the same line or in another."""
    service = inside.service_of(AGENT, {}, behind_proxy=True)
    callers = []
    for said in (
        ["6.6.6.6, 203.0.113.5"],
        ["6.6.6.6", "203.0.113.5"],
        ["6.6.6.6", "7, 203.0.113.5"],
    ):
        headers = CIMultiDict(("X-Forwarded-For", each) for each in said)
        request = make_mocked_request("GET", "/v1/check", headers=headers)
        callers.append(service._caller(request, "/v1/check"))

    assert ["203.0.113.5"] * 3 == callers


@pytest.mark.parametrize("content", ["", "# none\n", "short\n"])
def test_bad_tokens(content: str, tmp_path: Path) -> None:
    """A file without a token, or with one that can be guessed, starts nothing."""
    (tmp_path / "tokens").write_text(content)
    ended = started("--snapshot", str(tmp_path), "--token-file", str(tmp_path / "tokens"))

    assert (2, True) == (ended.returncode, "has no token, or one of fewer than" in ended.stderr)


def test_pages_of_other_sites(service: Serving) -> None:
    """A web page cannot use the service on its reader's machine: neither by name nor across."""
    rebound = service.get("/v1/check", {"Host": "evil.example"}, **GOOD)
    across = service.get("/v1/check", {"Sec-Fetch-Site": "cross-site"}, **GOOD)
    own = service.get(
        "/v1/check", {"Host": "localhost:80", "Sec-Fetch-Site": "same-origin"}, **GOOD
    )

    assert [421, 403, 200] == [each.status_code for each in (rebound, across, own)]


REFUSED = ("refused", "redirect-refused")

SPELLINGS = (
    "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "localhost",
    "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "0.0.0.0", "0",
    "10.0.0.1", "192.168.1.1", "169.254.169.254", "[fe80::1]", "[fc00::1]", "[2002:7f00:1::]",
    "100.64.0.1", "172.16.0.1", "private.example", "１２７.0.0.1", "127。0。0。1", "0X7f.1",  # noqa: RUF001
    "%31%32%37.0.0.1", "a:b@127.0.0.1", "[::]", "[::127.0.0.1]", "[64:ff9b:1::7f00:1]",
    "[2001:0:7f00:1::]", "[ff02::1]", "224.0.0.1", "255.255.255.255", "192.0.2.1",
)  # fmt: skip
"""Addresses that are not public, and a name that leads to one."""

PLACES = [
    *((scheme, host) for scheme in ("http", "https", "ftp") for host in SPELLINGS),
    ("http", "inside.example"),  # which may be asked, and redirects
]


def everywhere(url: str) -> dict[str, tuple[str, bytes, str]]:
    """Return for every route how it is asked about a URL: the path, and the body of a POST with its
    type."""

    def asked(path: str, **query: str) -> tuple[str, bytes, str]:
        return f"/v1/{path}?{urlencode(query)}", b"", ""

    def posted(path: str, **members: str) -> tuple[str, bytes, str]:
        return f"/v1/{path}", json.dumps(members).encode(), "application/json"

    line = json.dumps({"url": url}).encode() + b"\n"
    return {
        "check": asked("check", url=url, agent="A"),
        "explain": asked("explain", url=url, agent="A"),
        "by site": asked("check", robots=url, url=url, agent="A"),
        "agents": asked("agents", url=url),
        "agents by file": asked("agents", robots=url),
        "lint": asked("lint", url=url),
        "diff": asked("diff", old=url, new=url),
        "compare": asked("compare", url=url, agent="A"),
        "robots": asked("robots", url=url),
        "check in a body": posted("check", url=url, agent="A"),
        "by site in a body": posted("explain", url=url, robots=url, agent="A"),
        "agents in a body": posted("agents", url=url),
        "lint in a body": posted("lint", robots=url),
        "diff in a body": posted("diff", old="User-agent: *", new=url),
        "diff with a text": ("/v1/diff?" + urlencode({"old": url}), b"User-agent: *", "text/plain"),
        "compare in a body": posted("compare", robots=url, agent="A"),
        "slots": posted("slots", url=url, agent="A"),
        "a line": ("/v1/check?agent=A", line, LINES),
        "a row": ("/v1/check?agent=A", inside.rows_of(url=[url]), ARROW),
    }


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Serving, Web]]:
    """A service that may reach one host on loopback, which redirects to others there."""
    folder = tmp_path_factory.mktemp("strict")
    with web({"inside.example": 404}, folder) as sites:
        port = sites.ports["http"]
        sites.sites["inside.example"] = Page(302, headers={"Location": f"http://0x7f.2:{port}/x"})
        leads = f"--connect-to=private.example:{port}:127.0.0.1:{port}"
        other = f"--connect-to=inside.example:{port}:127.0.0.1:{port}"
        options = ("--cache", str(folder / "cache"), "--user-agent", AGENT, leads, other)
        with serving(folder / "log", *options, "--private", "inside.example") as service:
            yield service, sites


@pytest.mark.parametrize(("scheme", "host"), PLACES)
def test_private_addresses(strict: tuple[Serving, Web], scheme: str, host: str) -> None:
    """No route connects to an address that is not public, however it is written."""
    service, sites = strict
    url = f"{scheme}://{host}:{sites.ports['http']}/"
    for route, (path, body, kind) in everywhere(url).items():
        headers = {"Content-Type": kind} if body else {}
        said = service.client.request(
            "POST" if body else "GET", path, content=body, headers=headers
        )
        assert said.status_code in (200, 404, 422), route
        told = inside.first_of(said.content)
        if said.status_code == 200 and "allowed" in told:
            assert told["allowed"] is False, route
            access = told.get("access") or {"failure": told.get("failure", "refused")}
            assert access["failure"] in REFUSED, route
    seen = {(each.host, each.path) for each in sites.requests}
    assert seen <= {("inside.example", "/robots.txt")}
    assert seen or host != "inside.example"


def test_names_that_change_their_mind(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was resolved and judged is what is connected to, through every route."""
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.connection.getsockname()[0])
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    # of two addresses of this machine, let one be public
    monkeypatch.setattr(address_guard, "NOT_PUBLIC_4", [IPv4Network("127.0.0.2/32")])
    names = Changing(lambda _, times: ["127.0.0.1" if times % 2 else "127.0.0.2"])

    def new_client(dialect: verger.Dialect, _: int | None) -> verger.AsyncClient:
        transport = AiohttpTransport(resolver=names, limits=PATIENT)
        return verger.AsyncClient(AGENT, dialect=dialect, transport=transport, public_only=True)

    with ThreadingHTTPServer(("0.0.0.0", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for number, route in enumerate(everywhere("")):
            for _ in range(2):
                service = inside.service_of(AGENT, {}, new_client=new_client)
                url = f"http://n{number}.example:{server.server_port}/"
                path, body, kind = everywhere(url)[route]
                inside.answered(service, path, body or None, kind)
        server.shutdown()

    assert {"127.0.0.1"} == set(seen)
    assert len(seen) == len(everywhere(""))
    assert max(names.asked.values()) > 1


def test_the_end(tmp_path: Path) -> None:
    """What was accepted is answered; what comes later is refused, and may come again elsewhere."""
    release = threading.Event()

    class Slow(dict[str, Any]):
        def get(self, *_: object) -> Page:
            release.wait(LONG)
            return Page(200, ROBOTS)

    with web({"a.example": 404}, tmp_path) as sites:
        sites.sites = Slow()
        with serving(tmp_path / "log", "--cache", "none", *fetching(sites)) as service:
            found: list[httpx.Response] = []
            asking = threading.Thread(target=lambda: found.append(service.get("/v1/check", **GOOD)))
            asking.start()
            until(lambda: sites.requests)
            service.process.terminate()
            until(lambda: '"draining"' in service.log.read_text())
            late = httpx.get(f"{service.client.base_url}/v1/check", params=GOOD)
            live = httpx.get(f"{service.client.base_url}/livez")
            release.set()
            asking.join()
            code = service.process.wait(LONG)

    assert [200] == [each.status_code for each in found]
    assert (503, "1") == (late.status_code, late.headers["Retry-After"])
    assert (200, 0) == (live.status_code, code)


def test_the_end_of_a_stream(sites: Web, tmp_path: Path) -> None:
    """A stream that was accepted goes on to its end, while others are refused."""
    line = json.dumps({"url": "http://a.example/private"}).encode() + b"\n"
    with serving(tmp_path / "log", "--cache", "none", *fetching(sites)) as ending:

        def lines() -> Iterator[bytes]:
            yield line
            until(lambda: "http_server_active_requests 2" in ending.get("/metrics").text)
            ending.process.terminate()
            until(lambda: '"draining"' in ending.log.read_text())
            late = httpx.get(f"{ending.client.base_url}/v1/check", params=GOOD)
            assert (503, "1") == (late.status_code, late.headers["Retry-After"])
            yield line

        kind = {"Content-Type": "application/x-ndjson"}
        address = f"{ending.client.base_url}/v1/check?agent=A"
        said = httpx.post(address, content=lines(), headers=kind, timeout=LONG)
        code = ending.process.wait(LONG)

    assert [False, False] == [json.loads(row)["allowed"] for row in said.text.splitlines()]
    assert code == 0


def test_callers_that_go(service: Serving) -> None:
    """Whoever leaves in the middle disturbs nobody."""
    port = service.client.base_url.port
    assert port is not None
    for sent in (b"GET /v1/ch", b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\n"
                 b"Content-Type: application/x-ndjson\r\nContent-Length: 99\r\n\r\n{\"url\"",
                 b"\x00\xff\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):  # fmt: skip
        with socket.create_connection(("127.0.0.1", port)) as caller:
            caller.sendall(sent)
            time.sleep(0.05)

    assert service.get("/v1/check", **GOOD).status_code == 200
    assert not [line for line in service.logged() if line["event"] == "error"]
