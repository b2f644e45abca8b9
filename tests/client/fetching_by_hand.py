"""A site on loopback that answers as a test says, and what callers fetch from it. No test is here.

In: raw responses by path. Out: for each HTTP client, the arguments of `verger.site_of`, as the
guide has users write them.
"""

import asyncio
import gzip
import threading
import urllib.error
import urllib.request
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import aiohttp
import httpx
import requests

AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
SENT = {"User-Agent": AGENT}


class Site(ThreadingHTTPServer):
    """Answers each path with raw bytes; with nothing, and for ever, where there are none."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("0.0.0.0", 0), _Handler)
        self.answers: Mapping[str, bytes] = {}
        self.ended = threading.Event()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def handle_error(self, *_: object) -> None:
        """Say nothing: callers go away when they like."""


class _Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        answer = self.server.answers.get(self.path)
        if answer is None:
            self.server.ended.wait(60)
        else:
            self.wfile.write(answer.replace(b"PORT", str(self.server.port).encode()))

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving() -> Iterator[Site]:
    """Run a site in a thread."""
    site = Site()
    thread = threading.Thread(target=site.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.ended.set()
        site.shutdown()
        site.server_close()
        thread.join()


def response(status: int, body: bytes = b"", **headers: str) -> bytes:
    """Return a raw response, which ends with its connection."""
    fields = {"Content-Length": str(len(body)), "Connection": "close"} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def redirect(target: str) -> bytes:
    return response(301, Location=target)


RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\n"
TEXT = {"Content_Type": "text/plain"}
ROBOTS = "/robots.txt"

FAULTS: dict[str, dict[str, bytes]] = {
    "rules": {ROBOTS: response(200, RULES, **TEXT)},
    "404": {ROBOTS: response(404)},
    "403": {ROBOTS: response(403, b"<h1>no</h1>")},
    "401": {ROBOTS: response(401, WWW_Authenticate='Basic realm="a"')},
    "429": {ROBOTS: response(429, Retry_After="1234")},
    "500": {ROBOTS: response(500)},
    "503": {ROBOTS: response(503, Retry_After="4321")},
    "503 with a date": {ROBOTS: response(503, Retry_After="Tue, 14 Nov 2023 23:13:20 GMT")},
    "204": {ROBOTS: response(204)},
    "204 with a length": {ROBOTS: response(204, Content_Length="33")},
    "205 with rules": {ROBOTS: response(205, RULES)},
    "206": {ROBOTS: response(206, RULES)},
    "a hang": {},
    "no HTTP": {ROBOTS: b"SSH-2.0-server\r\n"},
    "nothing": {ROBOTS: b""},
    "a short body": {ROBOTS: response(200, RULES, Content_Length="1000")},
    "freshness": {ROBOTS: response(200, RULES, Cache_Control="max-age=777", Age="7")},
    "a redirect": {ROBOTS: redirect("/else"), "/else": response(200, RULES, **TEXT)},
    "a redirect to 404": {ROBOTS: redirect("/else"), "/else": response(404)},
    "a loop": {ROBOTS: redirect("/else"), "/else": redirect(ROBOTS)},
    "a loop of one": {ROBOTS: redirect(ROBOTS)},
    "a private address": {
        ROBOTS: redirect("http://127.0.0.2:PORT/else"),
        "/else": response(200, b"", **TEXT),
    },
    "a redirect without a target": {ROBOTS: response(302)},
    "a byte order mark": {ROBOTS: response(200, b"\xef\xbb\xbf" + RULES, **TEXT)},
    "Latin-1": {ROBOTS: response(200, b"# \xe9t\xe9\n" + RULES, Content_Type="text/plain")},
    "UTF-16": {ROBOTS: response(200, RULES.decode().encode("utf-16"), **TEXT)},
    "HTML": {ROBOTS: response(200, b"<html><body>no</body></html>", Content_Type="text/html")},
    "gzip": {ROBOTS: response(200, gzip.compress(RULES), Content_Encoding="gzip")},
    "deflate": {ROBOTS: response(200, zlib.compress(RULES), Content_Encoding="deflate")},
    "gzip that breaks": {
        ROBOTS: response(200, gzip.compress(RULES * 99)[:-30], Content_Encoding="gzip")
    },
    "an unknown coding": {ROBOTS: response(200, RULES, Content_Encoding="utf-8")},
}

# Callers


def by_requests(url: str, seconds: float) -> dict[str, Any]:
    try:
        got = requests.get(url, headers=SENT, timeout=seconds)
    except requests.RequestException as error:
        return {"failure": error}
    visited = [each.url for each in (*got.history, got)]
    return {
        "status": got.status_code,
        "headers": got.headers,
        "body": got.content,
        "redirects": visited,
    }


def by_httpx(url: str, seconds: float) -> dict[str, Any]:
    try:
        got = httpx.get(url, headers=SENT, timeout=seconds, follow_redirects=True)
    except httpx.HTTPError as error:
        return {"failure": error}
    visited = [each.url for each in (*got.history, got)]
    return {
        "status": got.status_code,
        "headers": got.headers,
        "body": got.content,
        "redirects": visited,
    }


def by_urllib(url: str, seconds: float) -> dict[str, Any]:
    asked = urllib.request.Request(url, headers=SENT)
    try:
        with urllib.request.urlopen(asked, timeout=seconds) as got:
            return {
                "status": got.status,
                "headers": got.headers,
                "body": got.read(),
                "redirects": [url, got.url] if got.url != url else [],
            }
    except (OSError, EOFError, ValueError) as error:
        return {"failure": error}
    except Exception as error:  # those of http.client have no common base with the others
        return {"failure": error}


def by_aiohttp(url: str, seconds: float) -> dict[str, Any]:
    async def fetch() -> dict[str, Any]:
        limit = aiohttp.ClientTimeout(total=seconds)
        async with aiohttp.ClientSession(headers=SENT, timeout=limit) as session:
            try:
                async with session.get(url) as got:
                    body = await got.read()
            except (aiohttp.ClientError, TimeoutError) as error:
                return {"failure": error}
            visited = [each.url for each in (*got.history, got)]
            return {
                "status": got.status,
                "headers": got.headers,
                "body": body,
                "redirects": visited,
            }

    return asyncio.run(fetch())


CALLERS: dict[str, Callable[[str, float], dict[str, Any]]] = {
    "requests": by_requests,
    "httpx": by_httpx,
    "urllib": by_urllib,
    "aiohttp": by_aiohttp,
}
