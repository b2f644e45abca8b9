"""A web on loopback: sites by host name, http and https alike, on two real ports.

In: what each host answers to `/robots.txt` and other paths. Out: the options that lead `verger`
there, and the requests that came. Knows no robots.txt rule.
"""

import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

import trustme


@dataclass(frozen=True, slots=True)
class Page:
    """A response."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/plain"})


Site: TypeAlias = bytes | int | Page | Mapping[str, "Site"]
"""The bytes of its robots.txt, the status of every page, a response, or these by path."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A request that came."""

    host: str
    path: str
    headers: Mapping[str, str]


class Web:
    """Servers that answer as long as the context of `web` is open; `sites` may change."""

    def __init__(self, sites: Mapping[str, Site], folder: Path) -> None:
        self.sites = dict(sites)
        self.requests: list[Seen] = []
        self.bundle = folder / "authority.pem"
        self.ports: dict[str, int] = {}

    @property
    def options(self) -> tuple[str, ...]:
        """The words that lead a command here, whatever host it asks for."""
        leads = [
            f"--connect-to=:{port}:127.0.0.1:{self.ports[scheme]}"
            for scheme, port in (("http", 80), ("https", 443))
        ]
        return (*leads, f"--ca-bundle={self.bundle}")

    def page(self, host: str, path: str) -> Page:
        """Return what a host answers."""
        site = self.sites.get(host, 404)
        if isinstance(site, Mapping):
            site = site.get(path, 404)
        match site:
            case bytes():
                return Page(200, site)
            case int():
                return Page(site)
            case Page():
                return site
        raise TypeError(site)


@contextmanager
def web(sites: Mapping[str, Site], folder: Path) -> Iterator[Web]:
    """Serve sites until the end of the context."""
    stage = Web(sites, folder)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(stage.bundle))
    certificate = authority.issue_cert(*sites)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    servers = [_server(stage, None), _server(stage, context)]
    stage.ports = dict(zip(("http", "https"), (s.server_port for s in servers), strict=True))
    threads = [threading.Thread(target=server.serve_forever, args=(0.05,)) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield stage
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()


def _server(stage: Web, tls: ssl.SSLContext | None) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def setup(self) -> None:
            if tls is not None:
                self.request = tls.wrap_socket(self.request, server_side=True)
            super().setup()

        def do_GET(self) -> None:
            host = self.headers.get("Host", "").partition(":")[0]
            stage.requests.append(Seen(host, self.path, dict(self.headers)))
            page = stage.page(host, self.path)
            etag = page.headers.get("ETag")
            if etag is not None and self.headers.get("If-None-Match") == etag:
                page = Page(304, headers={"ETag": etag})
            self.send_response(page.status)
            for name, value in page.headers.items():
                self.send_header(name, value)
            if page.status != 304:
                self.send_header("Content-Length", str(len(page.body)))
            self.end_headers()
            self.wfile.write(page.body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def version_string(self) -> str:
            """Return the same name whatever Python runs it."""
            return "web"

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, *_: object) -> None:
            """Say nothing of clients that go away."""

    return Server(("127.0.0.1", 0), Handler)
