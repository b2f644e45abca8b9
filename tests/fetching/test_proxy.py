"""Through a proxy: it connects, and the name of a host is all that can be judged.

In: a proxy on loopback that tunnels and forwards. Out: replies, and redirects refused by name.
"""

import asyncio
import base64
import re
import traceback
from pathlib import Path

import pytest
import requests

from fetching.exchange import Outcome, outcome, request, run
from fetching.servers import OK, ROBOTS, Peer, keep_answering, serve, sized
from fetching.test_secure import AUTHORITY, presenting
from verger._core import Origin
from verger.errors import InvalidOption
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.proxies import read_proxy
from verger.fetching.requests_session import SessionTransport

LOGIN = base64.b64encode(b"user:secret")


class Proxy:
    """Tunnels all that is asked for to one port on loopback."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __call__(self, peer: Peer) -> None:
        await peer.hear()
        await peer.say(OK + b"\r\n")
        await self.lead(peer, self._port)

    async def lead(self, peer: Peer, port: int) -> None:
        """Copy what either side says, until both have ended."""
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        back = asyncio.create_task(self._copy(reader, peer.writer))
        await self._copy(peer.reader, writer)
        await back

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
        finally:
            writer.close()


def test_forwarding() -> None:
    """Without TLS the proxy gets the whole URL, and its password; the host gets neither."""

    async def work() -> tuple[Outcome, bytes]:
        async with serve(keep_answering(sized(ROBOTS))) as proxy:
            transport = AiohttpTransport(proxy=f"http://user:secret@127.0.0.1:{proxy.port}")
            result = await outcome(transport, request("http://example.invalid/robots.txt"))
            await transport.close()
        return result, proxy.heads[0]

    result, head = run(work())

    assert (ROBOTS, "complete") == result.body
    assert result.reply
    assert "" == result.reply.address
    assert head.startswith(b"GET http://example.invalid/robots.txt HTTP/1.1\r\n")
    assert b"proxy-authorization: basic " + LOGIN.lower() in head.lower()


def test_tunnel(tmp_path: Path) -> None:
    """With TLS the proxy tunnels, and the certificate is that of the host."""
    bundle = tmp_path / "authority.pem"
    AUTHORITY.cert_pem.write_to_path(str(bundle))
    context = presenting(AUTHORITY.issue_cert("good.example"))

    async def work() -> tuple[Outcome, Outcome, bytes]:
        async with (
            serve(keep_answering(sized(ROBOTS)), context=context) as server,
            serve(Proxy(server.port)) as proxy,
        ):
            transport = AiohttpTransport(proxy=f"http://127.0.0.1:{proxy.port}", ca_bundle=bundle)
            good = await outcome(transport, request("https://good.example/robots.txt"))
            other = await outcome(transport, request("https://other.example/robots.txt"))
            await transport.close()
        return good, other, proxy.heads[0]

    good, other, head = run(work())

    assert (ROBOTS, "complete") == good.body
    assert "tls" == other.failure
    assert head.startswith(b"CONNECT good.example:443 HTTP/1.1\r\n")


@pytest.mark.parametrize("address", ["2001:db8::1", "::ffff:192.0.2.1"])
def test_tunnel_to_an_address(address: str, tmp_path: Path) -> None:
    """A proxy reads an IPv6 address in brackets, the certificate names it without them."""
    bundle = tmp_path / "authority.pem"
    AUTHORITY.cert_pem.write_to_path(str(bundle))
    context = presenting(AUTHORITY.issue_cert(address))

    async def work() -> tuple[Outcome, bytes]:
        async with (
            serve(keep_answering(sized(ROBOTS)), context=context) as server,
            serve(Proxy(server.port)) as proxy,
        ):
            transport = AiohttpTransport(proxy=f"http://127.0.0.1:{proxy.port}", ca_bundle=bundle)
            result = await outcome(transport, request(f"https://[{address}]:8443/robots.txt"))
            await transport.close()
        return result, proxy.heads[0]

    result, head = run(work())
    written = Origin(f"https://[{address}]:8443").host.encode()

    assert (ROBOTS, "complete") == result.body
    assert head.startswith(b"CONNECT %s:8443 HTTP/1.1\r\n" % written)
    assert b"host: %s" % written in head.lower()


@pytest.mark.parametrize(
    ("written", "login"),
    [
        ("user:p%40ss%3A%2F", b"user:p@ss:/"),
        ("us%2fer:", b"us/er:"),
        ("user", b"user:"),
        (":secret", b":secret"),
        ("a@b:c:d@e", b"a@b:c:d@e"),
        ("\u00fcser:\u20ac", "\u00fcser:\u20ac".encode()),
        ("%fc:%00", b"\xfc:\0"),
    ],
)
def test_login(written: str, login: bytes) -> None:
    """The proxy gets the bytes that the login in its URL stands for."""

    async def work() -> bytes:
        async with serve(keep_answering(sized(ROBOTS))) as proxy:
            transport = AiohttpTransport(proxy=f"http://{written}@127.0.0.1:{proxy.port}")
            await outcome(transport, request("http://example.invalid/robots.txt"))
            await transport.close()
        return proxy.heads[0]

    sent = re.search(rb"(?i)proxy-authorization: basic (\S+)", run(work()))

    assert sent
    assert login == base64.b64decode(sent[1])


@pytest.mark.parametrize("name", ["aiohttp", "requests"])
def test_login_that_is_wanted(name: str) -> None:
    """A 407 is the proxy's: it says nothing about the site, which would be open by a 4xx."""
    wanted = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"

    async def work() -> Outcome:
        async with serve(keep_answering(wanted)) as proxy:
            with requests.Session() as session:
                session.proxies["http"] = f"http://127.0.0.1:{proxy.port}"
                by_requests = SessionTransport(session)
                by_aiohttp = AiohttpTransport(proxy=f"http://127.0.0.1:{proxy.port}")
                transport = by_aiohttp if name == "aiohttp" else by_requests
                result = await outcome(transport, request("http://example.invalid/robots.txt"))
                await transport.close()
        return result

    result = run(work())

    assert result.failed
    assert ("refused", "proxy: status 407") == (result.failure, result.failed.detail)


def test_refusal() -> None:
    """A proxy that does not connect is told from a host that refuses."""

    async def work() -> Outcome:
        async with serve(keep_answering(sized(b"", status=b"403 Forbidden"))) as proxy:
            transport = AiohttpTransport(proxy=f"http://127.0.0.1:{proxy.port}")
            result = await outcome(transport, request("https://good.example/robots.txt"))
            await transport.close()
        return result

    result = run(work())

    assert "refused" == result.failure
    assert result.failed
    assert "proxy" in result.failed.detail
    assert "403" in result.failed.detail


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "2130706433", "[::1]", "[::]", "[fd00::]", "[2002:7f00:1::]"),
        *("169.254.169.254.", "localhost", "localhost.", "nas.local"),
    ],
)
def test_redirect(host: str) -> None:
    """A redirect to a local address or name is refused before the proxy hears of it."""

    async def work() -> tuple[str, str, int]:
        async with serve(keep_answering(sized(ROBOTS))) as proxy:
            transport = AiohttpTransport(proxy=f"http://127.0.0.1:{proxy.port}")
            refused = await outcome(transport, request(f"http://{host}/", named=False))
            public = await outcome(transport, request("http://example.com/", named=False))
            await transport.close()
        assert public.reply
        return refused.failure, public.reply.body.decode(), len(proxy.heads)

    assert ("redirect-refused", ROBOTS.decode(), 1) == run(work())


@pytest.mark.parametrize(
    "url",
    [
        *("", "x", "env:", "proxy:3128", "socks4://h:1", "socks://h:1", "socks5://u:@h:1"),
        *("ftp://h:1", "http://", "http://h:x/", "http:///h", "socks5://\u00fc:p@h:1"),
        *("http://h:0", "http://h:65536", "http://a%00b:1", "http://a b:1", "http://h\n:1"),
        *("http://a..b:1", "http://[::1:1", "http://[fe80::1%25eth0]:1", "http://1.2.3.999:1"),
        *("http://h\\@b:1", " http://h:1", "http://\udcff@h:1", "http://a%3ab:c@h:1"),
    ],
)
def test_proxy_that_is_none(url: str) -> None:
    """What is not the URL of an HTTP or SOCKS proxy is refused, by the one rule for hosts."""
    with pytest.raises(InvalidOption, match="not the URL of an HTTP or SOCKS proxy"):
        AiohttpTransport(proxy=url)


@pytest.mark.parametrize("url", ["http://u:hush/x@h:1", "http://u:hush@h:0", "hush@h:1"])
def test_password_of_a_proxy_that_is_none(url: str) -> None:
    """No message repeats what may be a password, nor does that of a cause."""
    with pytest.raises(InvalidOption) as caught:
        AiohttpTransport(proxy=url)

    assert "hush" not in "".join(traceback.format_exception(caught.value))


def test_password_in_a_repr() -> None:
    """Tools that show the variables of a traceback do not show it either."""
    assert "secret" not in repr(read_proxy("http://user:secret@proxy.example"))


def test_proxy_and_routes() -> None:
    """Only one can decide where to connect."""
    with pytest.raises(InvalidOption, match="exclude each other"):
        AiohttpTransport(proxy="http://127.0.0.1:3128", connect_to=["::127.0.0.1:80"])
