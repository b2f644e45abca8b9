"""What has no answer is a problem document that names what is wrong (RFC 9457)."""

import gzip
import http.client
import json
import socket
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from patience import LONG

from .conftest import Serving, serving

JSON, TEXT = "application/json", "text/plain"
GOOD = {"url": "https://a.example/", "agent": "ExampleBot"}


def expect_problem(said: httpx.Response, status: int, field: str | None) -> None:
    told = said.json()

    assert (status, "application/problem+json") == (said.status_code, said.headers["content-type"])
    assert (status, field) == (told["status"], told.get("field"))
    assert told["request_id"] == said.headers["X-Request-Id"]
    assert told["detail"]


@pytest.mark.parametrize(
    ("path", "query", "status", "field"),
    [
        ("check", {"agent": "A"}, 400, "url"),
        ("check", {"url": "https://a.example/"}, 400, "agent"),
        ("check", {**GOOD, "agnet": "A"}, 400, "agnet"),
        ("agents", {"url": "https://a.example", "use": ["search", "ai-train"]}, 400, "use"),
        ("check", {**GOOD, "url": "nix"}, 422, "url"),
        ("check", {**GOOD, "url": "/path"}, 422, "url"),
        ("check", {**GOOD, "url": ""}, 422, "url"),
        ("check", {**GOOD, "url": "https://exa mple.com/"}, 422, "url"),
        ("check", {**GOOD, "agent": "Example Bot/1.0"}, 422, "agent"),
        ("check", {**GOOD, "agent": "a,"}, 422, "agent"),
        ("check", {**GOOD, "dialect": "goggle"}, 422, "dialect"),
        ("check", {**GOOD, "dialect": "rfc9309+tie=maybe"}, 422, "dialect"),
        ("check", {**GOOD, "use": "fun"}, 422, "use"),
        ("check", {**GOOD, "bindings": "none"}, 422, "bindings"),
        ("check", {**GOOD, "url": [f"https://a.example/{n}" for n in range(1_001)]}, 413, "url"),
        ("agents", {}, 400, "url"),
        ("compare", {"agent": "A"}, 400, "url"),
        ("agents", {"url": "https://a.example", "agent": "b ad"}, 422, "agent"),
        ("agents", {"url": "https://a.example", "purpose": "fun"}, 422, "purpose"),
        ("lint", {"url": "https://a.example", "select": "RT9"}, 422, "select"),
        ("lint", {"url": "https://a.example", "ignore": "RT9"}, 422, "ignore"),
        ("lint", {"url": "https://a.example", "target": "RT9"}, 422, "target"),
        ("lint", {"robots": "https://gone.example"}, 404, "robots"),
        ("check", {**GOOD, "agent": ",".join("abc" * 11)}, 413, "agent"),
        ("check", {**GOOD, "agent": "a" * 1_025}, 413, "agent"),
        ("lint", {"url": "https://gone.example"}, 404, "url"),
        ("diff", {"old": "https://a.example"}, 400, "new"),
        ("diff", {"old": "https://a.example", "new": "https://down.example"}, 404, "new"),
        ("compare", {"url": "https://a.example", "with": "x"}, 422, "with"),
        ("robots", {"url": "nix"}, 422, "url"),
        ("agents", {"url": "a.example"}, 422, "url"),
        ("lint", {"url": "a.example"}, 422, "url"),
        ("compare", {"url": "a.example", "agent": "A"}, 422, "url"),
        ("diff", {"old": "a.example", "new": "https://a.example"}, 422, "old"),
        ("diff", {"old": "https://a.example", "new": "a.example"}, 422, "new"),
        ("check", {**GOOD, "robots": "a.example"}, 422, "robots"),
        ("explain", {**GOOD, "robots": "a.example/robots.txt"}, 422, "robots"),
        ("agents", {"url": "https://a.example", "robots": "User-agent: *"}, 400, "robots"),
        ("lint", {"url": "https://a.example", "robots": "https://gone.example"}, 400, "robots"),
        ("compare", {**GOOD, "robots": "User-agent: *"}, 400, "robots"),
    ],
)
def test_queries(
    service: Serving, path: str, query: dict[str, Any], status: int, field: str
) -> None:
    """A parameter that is missing, unknown, repeated or makes no sense is named."""
    expect_problem(service.get(f"/v1/{path}", **query), status, field)


SOME = [f"A{n:x}".translate(str.maketrans("0123456789", "ghijklmnop")) for n in range(10_001)]
"""More crawlers than one may name."""


@pytest.mark.parametrize(
    ("body", "kind", "status", "field"),
    [
        (b"{", "application/json", 400, "body"),
        (b"[]", "application/json", 400, "body"),
        (b"\xff", "application/json", 400, "body"),
        (b'{"url": 1, "agent": "A"}', "application/json", 422, "url"),
        (b'{"url": {}, "agent": "A"}', "application/json", 422, "url"),
        (b'{"x": 1}', "application/json", 400, "x"),
        (rb'{"\ud800": 1}', "application/json", 400, "\\ud800"),
        (b"", "application/json", 400, "body"),
        (b"a", "application/xml", 415, "Content-Type"),
        (b"a" * (5 << 20), "text/plain", 413, "body"),
        (json.dumps({"agent": SOME}).encode(), "application/json", 413, "agent"),
        (
            json.dumps({**GOOD, "agent": SOME[:999], "dialect": ["own", "bing"]}).encode(),
            JSON,
            413,
            "url",
        ),
        (b"not arrow", "application/vnd.apache.arrow.stream", 400, "body"),
    ],
)
def test_bodies(service: Serving, body: bytes, kind: str, status: int, field: str) -> None:
    """A body that cannot be read is told, with its member."""
    said = service.client.post("/v1/check", content=body, headers={"Content-Type": kind})

    expect_problem(said, status, field)


@pytest.mark.parametrize(
    ("path", "body", "kind", "field"),
    [
        ("check?url=https://a.example/x&agent=A", b'{"url": "https://a.example/y"}', JSON, "url"),
        ("check?url=https://a.example/x&agent=A&robots=A:", b"User-agent: *", TEXT, "robots"),
        ("diff?old=A:&new=A:", b"User-agent: *", TEXT, "new"),
        ("lint?url=https://a.example", b"User-agent: *", TEXT, "robots"),
        (
            "slots?url=https://a.example/x",
            b'{"agent": "A", "url": "https://b.example"}',
            JSON,
            "url",
        ),
    ],
)
def test_given_twice(service: Serving, path: str, body: bytes, kind: str, field: str) -> None:
    """Of what stands in the query and in the body nobody knows which is meant; nor whether a file
    or the site is."""
    said = service.client.post(f"/v1/{path}", content=body, headers={"Content-Type": kind})

    expect_problem(said, 400, field)


@pytest.mark.parametrize("first", ["https://gone.example/", "https://gone.example", "a.example/"])
def test_a_file_may_begin_with_a_url(service: Serving, first: str) -> None:
    """It is no site then, from whose answer the file would be open."""
    file = f"{first}\nUser-agent: *\nDisallow: /\n"
    said = service.client.post("/v1/check", json={**GOOD, "robots": file}).json()
    sides = service.client.post("/v1/diff", json={"old": "User-agent: *\n", "new": file}).json()

    assert said["allowed"] is False
    assert "gone" not in str(sides["new"])


def test_types_that_are_read(service: Serving) -> None:
    """Whoever sends another type is told all that the route reads."""
    many = {"application/x-ndjson", "application/vnd.apache.arrow.stream"}
    for path, kinds in (("check", {JSON, TEXT, *many}), ("lint", {JSON, TEXT}), ("slots", {JSON})):
        said = service.client.post(f"/v1/{path}", content=b"{}", headers={"Content-Type": "a/b"})
        expect_problem(said, 415, "Content-Type")
        assert kinds == set(said.headers["Accept"].split(", "))
        assert all(kind in said.json()["hint"] for kind in kinds)


ASKED = b"GET /v1/check?url=https://a.example/&agent=A HTTP/1.1\r\nHost: localhost\r\n"
POSTED = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
LINES = POSTED.replace(b"json", b"x-ndjson")


CODED = "Content-Encoding"


@pytest.mark.parametrize(
    ("sent", "status", "field"),
    [
        (b"\x00\xff\r\n\r\n", 400, None),
        (b"GET / HTTP/9.9\r\n\r\n", 400, None),
        (b"GET /?" + b"x" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414, None),
        (ASKED + b"X: " + b"x" * 70_000 + b"\r\n\r\n", 431, None),
        (ASKED + b"X: x\r\n" * 5_000 + b"\r\n", 400, None),
        (POSTED + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n", 400, None),
        (POSTED + b"Expect: much\r\nContent-Length: 2\r\n\r\n{}", 417, "Expect"),
        (POSTED + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde", 415, CODED),
        (LINES + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde", 415, CODED),
    ],
)
def test_what_is_not_http(service: Serving, sent: bytes, status: int, field: str | None) -> None:
    """What cannot be read as a request is a problem, too."""
    port = service.client.base_url.port
    with socket.create_connection(("127.0.0.1", port), LONG) as caller:
        caller.sendall(sent)
        said = http.client.HTTPResponse(caller)
        said.begin()
        told = json.loads(said.read())

    assert (status, "application/problem+json") == (said.status, said.headers["Content-Type"])
    assert (status, field) == (told["status"], told.get("field"))
    assert told["detail"]
    assert not [line for line in service.logged() if line["event"] == "error"]


@pytest.mark.parametrize(
    "head", [b"GET /livez HTTP/1.1\r\nHost: localhost\r\n", POSTED, LINES, ASKED]
)
def test_packed_bodies_that_nobody_reads(service: Serving, head: bytes) -> None:
    """Some kilobytes may be gigabytes: they are not unpacked to their end, for which everybody
    else would wait; the connection is closed instead."""
    packed = gzip.compress(b" " * (200 << 20))
    size = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
    with socket.create_connection(("127.0.0.1", service.client.base_url.port), LONG) as caller:
        caller.sendall(head + size + packed)
        said = http.client.HTTPResponse(caller)
        said.begin()
        said.read()
        with suppress(ConnectionError):
            caller.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            rest = caller.recv(1)
            assert rest == b""

    assert said.status in (413, 415)


def test_routes(service: Serving) -> None:
    """Other paths and methods have no answer."""
    expect_problem(service.client.get("/v2/check"), 404, None)
    put = service.client.put("/v1/check")
    expect_problem(put, 405, None)
    assert set(put.headers["Allow"].split(",")) == {"GET", "HEAD", "POST"}


def test_names_of_requests(service: Serving) -> None:
    """A request keeps its name if that can stand in a log; otherwise it gets one."""
    for given, kept in (("abc-1", True), ("x y", False), ("x" * 65, False), ('"', False)):
        said = service.get("/livez", {"X-Request-Id": given})
        assert kept == (said.headers["X-Request-Id"] == given)


def test_not_in_the_snapshot(tmp_path: Path) -> None:
    """What a snapshot does not have is not found; nothing is fetched."""
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "a.example").write_bytes(b"User-agent: *\nDisallow: /\n")
    with serving(tmp_path / "log", "--snapshot", str(tmp_path / "sites")) as service:
        known = service.get("/v1/check", **GOOD)
        unknown = service.get("/v1/check", url="https://b.example/", agent="A")
        text = service.get("/v1/robots", {"Accept": "text/plain"}, url="https://a.example")
        slot = service.client.post("/v1/slots", json=GOOD)

    assert (200, False) == (known.status_code, known.json()["allowed"])
    expect_problem(unknown, 404, "url")
    assert text.content == b"User-agent: *\nDisallow: /\n"
    expect_problem(slot, 503, None)
