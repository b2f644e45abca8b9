"""Pages that a proxy makes itself: it says nothing about the site, and opens nothing.

In: what proxies answer in place of a site, recorded, and by the programs themselves where they are
installed (`apt-get install squid tinyproxy privoxy`). Out: a failure of the proxy; and what they
pass on, untouched, with the fields that they add to it.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
import requests

import verger
from fetching.exchange import outcome, request, run
from fetching.servers import keep_answering, serve
from patience import LONG, until
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.requests_session import SessionTransport
from verger.fetching.transport import Reply, Transport, is_of_proxy

OWN = {
    # Recorded: Squid 5.7, tinyproxy 1.11.1, Privoxy 3.0.34.
    "squid denies": """403 Forbidden
Server: squid/5.7
X-Squid-Error: ERR_ACCESS_DENIED 0
X-Cache: MISS from proxy
X-Cache-Lookup: NONE from proxy:3128
Via: 1.1 proxy (squid/5.7)""",
    "squid redirects to a page of its own": """302 Found
Server: squid/5.7
Location: http://www.example.com/denied
X-Squid-Error: 403 Access Denied
Via: 1.1 proxy (squid/5.7)""",
    "squid without its own field": """403 Forbidden
Server: squid/5.7
Via: 1.1 other.example (Apache/2.4), 1.1 proxy (squid/5.7)""",
    "squid without a version": "404 Not Found\nServer: squid\nVia: 1.1 proxy (squid)",
    "squid without Via": "403 Forbidden\nServer: squid/6.13",
    "tinyproxy filters": "403 Filtered\nServer: tinyproxy/1.11.1\nContent-Type: text/html",
    "privoxy finds no name": """404 No such domain
Content-Type: text/html
Cache-Control: no-cache
Last-Modified: Wed, 08 Jun 1955 12:00:00 GMT
Expires: Sat, 17 Jun 2000 12:00:00 GMT
Pragma: no-cache""",
    "privoxy blocks": """403 Request blocked by Privoxy
Last-Modified: Wed, 08 Jun 1955 12:00:00 GMT""",
    # RFC 9209 sections 2.1.1 and 2.3.
    "denied": "403 Forbidden\nProxy-Status: proxy.example; error=http_request_denied",
    "no such name": """404 Not Found
Proxy-Status: proxy.example;error=dns_error;rcode="NXDOMAIN";info-code=25""",
    "the last of two": """403 Forbidden
Proxy-Status: "gate, way"; received-status=200
Proxy-Status: proxy.example; details="a; b, c"; error=http_request_denied""",
    "the last in a line": """404 Not Found
Proxy-Status: cdn.example, proxy.example;  error=connection_refused; next-hop="a.example:80" """,
    "a redirect": """302 Found
Location: http://login.example/
Proxy-Status: portal.example; error=proxy_internal_response""",
    # RFC 9110 section 7.6.3: the comment names the software, as `Server` does.
    "the program of the last Via": """403 Forbidden
Server: ExampleProxy/2.1 (Debian)
Via: HTTP/1.1 one.example (Other/1), 1.1 two.example (exampleproxy/2.1)""",
}

PASSED_ON = {
    "squid": """404 Not Found
Server: nginx
X-Cache: MISS from proxy
X-Cache-Lookup: MISS from proxy:3128
Via: 1.1 proxy (squid/5.7)""",
    "tinyproxy": "404 Not Found\nVia: 1.1 proxy (tinyproxy/1.11.1)\nServer: nginx",
    "apache": "403 Forbidden\nServer: nginx\nVia: 1.1 proxy:80 (Apache/2.4.71)",
    "privoxy": """404 Not Found
Server: nginx
Last-Modified: Wed, 08 Jun 2005 12:00:00 GMT
Proxy-Connection: keep-alive""",
    "Via of a gateway": "404 Not Found\nServer: cloudflare\nVia: 1.1 varnish, 1.1 proxy",
    "Via with nothing": "404 Not Found\nServer: \nVia: 1.1 proxy ()",
    "an earlier Via": "404 Not Found\nServer: apache/2\nVia: 1.1 a (apache/2), 1.1 b (squid/5.7)",
    "no error": """404 Not Found
Proxy-Status: proxy.example; received-status=404; next-hop=a.example""",
    "an error before the last": """404 Not Found
Proxy-Status: cdn.example; error=connection_timeout, proxy.example; received-status=404""",
    "words of an error": '404 Not Found\nProxy-Status: proxy.example; details="x; error=dns_error"',
    "another parameter": "404 Not Found\nProxy-Status: proxy.example; x-error=1; errors=2",
    "nothing": "404 Not Found",
    "a redirect of the same program": """301 Moved
Server: Apache/2.4
Location: /b
Via: 1.1 proxy (Apache/2.4)""",
    "a file of the same program": "200 OK\nServer: squid/5.7\nVia: 1.1 proxy (squid/5.7)",
}


def reply_of(head: str) -> Reply:
    line, *fields = head.split("\n")
    parts = (field.partition(":") for field in fields)
    return Reply(int(line[:3]), [(name, value.strip()) for name, _, value in parts])


@pytest.mark.parametrize("head", OWN.values(), ids=OWN)
def test_own_pages(head: str) -> None:
    """What tells a page of the proxy from one of the site."""
    assert is_of_proxy(reply_of(head))


@pytest.mark.parametrize("head", PASSED_ON.values(), ids=PASSED_ON)
def test_what_is_passed_on(head: str) -> None:
    """What a proxy adds to an answer of the site makes it none of its own."""
    assert not is_of_proxy(reply_of(head))


def transports(proxy: str) -> Iterator[Transport]:
    yield AiohttpTransport(proxy=proxy)
    session = requests.Session()
    session.trust_env = False
    session.proxies = {"http": proxy}
    yield SessionTransport(session)


def test_through_a_proxy() -> None:
    """Both transports tell a page of the proxy, and what it passes on keeps its status."""

    async def told(head: str) -> list[object]:
        response = f"HTTP/1.1 {head}\nContent-Length: 0\n\n".replace("\n", "\r\n").encode()
        said: list[object] = []
        async with serve(keep_answering(response)) as proxy:
            for transport in transports(f"http://127.0.0.1:{proxy.port}"):
                result = await outcome(transport, request("http://site.example/robots.txt"))
                said.append(result.reply.status if result.reply else result.failure)
                await transport.close()
        return said

    assert ["refused"] * 2 == run(told(OWN["squid denies"]))
    assert ["refused"] * 2 == run(told(OWN["privoxy finds no name"]))
    assert [404] * 2 == run(told(PASSED_ON["squid"]))


def test_without_a_proxy() -> None:
    """What the site's own gateway says is the site's answer."""

    async def told() -> object:
        head = OWN["squid denies"].replace("\n", "\r\n").encode()
        response = b"HTTP/1.1 " + head + b"\r\nContent-Length: 0\r\n\r\n"
        async with serve(keep_answering(response)) as site:
            transport = AiohttpTransport()
            result = await outcome(transport, request(f"http://127.0.0.1:{site.port}/robots.txt"))
            await transport.close()
        return result.reply and result.reply.status

    assert 403 == run(told())


# The programs themselves


class Program(NamedTuple):
    """A program, its configuration, and the words that start it in the foreground."""

    config: str
    words: tuple[str, ...]


PROGRAMS = {
    "squid": Program(
        """http_port 127.0.0.1:{port}
acl closed dstdomain denied.example
acl moved dstdomain moved.example
deny_info http://127.0.0.1:{site}/blocked moved
http_access deny closed
http_access deny moved
http_access allow all
pid_filename none
cache_log /dev/null
access_log none
cache deny all
shutdown_lifetime 1 seconds
""",
        ("-N", "-f", "{config}"),
    ),
    "tinyproxy": Program(
        'Port {port}\nListen 127.0.0.1\nFilter "{folder}/closed"\nLogFile "{folder}/log"\n',
        ("-d", "-c", "{config}"),
    ),
    "privoxy": Program(
        "listen-address 127.0.0.1:{port}\nactionsfile {folder}/user.action\n"
        "confdir /etc/privoxy\nlogdir {folder}\n",
        ("--no-daemon", "{config}"),
    ),
}


@contextmanager
def running(name: str, folder: Path, site: int) -> Iterator[str]:
    """Run a proxy that refuses `denied.example`, and yield its URL."""
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    known = {"port": port, "site": site, "folder": folder, "config": folder / "config"}
    (folder / "closed").write_text("denied.example\n")
    (folder / "user.action").write_text("{ +block{closed} }\ndenied.example\n")
    (folder / "config").write_text(PROGRAMS[name].config.format(**known))
    words = [word.format(**known) for word in PROGRAMS[name].words]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([found, *words], cwd=folder, **quiet) as program:  # type: ignore[call-overload]
        try:
            until(lambda: program.poll() is not None or listens(port))
            assert program.poll() is None, f"{name} does not start"
            yield f"http://127.0.0.1:{port}"
        finally:
            program.terminate()


def listens(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=LONG):
        return True
    return False


class Absent(BaseHTTPRequestHandler):
    """A site without robots.txt, and with a page that says that another site is blocked."""

    def do_GET(self) -> None:
        is_there = self.path.endswith("/blocked")
        self.send_response(200 if is_there else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def absent() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Absent) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:  # also when a program is not there, and its test is skipped
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, tmp_path: Path) -> None:
    """What the site says opens it; what the proxy says of a site that it refuses, or does not find,
    opens nothing: Privoxy answers 404 for a name without an address."""
    with absent() as site, running(name, tmp_path, site) as proxy:
        for transport in transports(proxy):
            with verger.Client("ExampleBot/1.0", transport=transport) as client:
                sites = {
                    host: client.site(f"http://{host}/")
                    for host in (f"127.0.0.1:{site}", "denied.example", "no-such-name.invalid")
                }
                if name == "squid":
                    sites["moved.example"] = client.site("http://moved.example/")
            there, *others = sites.values()

            assert ("allow_all", 404) == (there.access.effect, there.last.status)
            assert {"disallow_all"} == {other.access.effect for other in others}
            assert {"refused"} == {other.last.failure for other in others[:1]}
            assert all(other.last.status is None for other in others), sites
