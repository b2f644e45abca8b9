"""Through a proxy: it connects, and the name of a host is all that can be judged.

In: a proxy on loopback that tunnels and forwards. Out: replies, and redirects refused by name.
"""

import asyncio
import base64
from pathlib import Path

import pytest

from fetch.exchange import Outcome, outcome, request, run
from fetch.servers import OK, ROBOTS, Peer, keep_answering, serve, sized
from fetch.test_secure import AUTHORITY, presenting
from verger.fetch.settings import InvalidOption
from verger.fetch.transport import Transport

LOGIN = base64.b64encode(b"user:secret")


class Proxy:
    """Tunnels all that is asked for to one port on loopback."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def __call__(self, peer: Peer) -> None:
        await peer.hear()
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        await peer.say(OK + b"\r\n")
        back = asyncio.create_task(self._copy(reader, peer.writer))
        await self._copy(peer.reader, writer)
        await back

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while octets := await reader.read(65_536):
                writer.write(octets)
        finally:
            writer.close()


def test_forwarding(kind: type[Transport]) -> None:
    """Without TLS the proxy gets the whole URL, and its password; the host gets neither."""

    async def work() -> tuple[Outcome, bytes]:
        async with serve(keep_answering(sized(ROBOTS))) as proxy:
            transport = kind(proxy=f"http://user:secret@127.0.0.1:{proxy.port}")
            result = await outcome(transport, request("http://example.invalid/robots.txt"))
            await transport.close()
        return result, proxy.heads[0]

    result, head = run(work())

    assert (ROBOTS, "complete") == result.body
    assert result.reply
    assert "" == result.reply.address
    assert head.startswith(b"GET http://example.invalid/robots.txt HTTP/1.1\r\n")
    assert b"proxy-authorization: basic " + LOGIN.lower() in head.lower()


def test_tunnel(kind: type[Transport], tmp_path: Path) -> None:
    """With TLS the proxy tunnels, and the certificate is that of the host."""
    bundle = tmp_path / "authority.pem"
    AUTHORITY.cert_pem.write_to_path(str(bundle))
    context = presenting(AUTHORITY.issue_cert("good.example"))

    async def work() -> tuple[Outcome, Outcome, bytes]:
        async with (
            serve(keep_answering(sized(ROBOTS)), context=context) as server,
            serve(Proxy(server.port)) as proxy,
        ):
            transport = kind(proxy=f"http://127.0.0.1:{proxy.port}", ca_bundle=bundle)
            good = await outcome(transport, request("https://good.example/robots.txt"))
            other = await outcome(transport, request("https://other.example/robots.txt"))
            await transport.close()
        return good, other, proxy.heads[0]

    good, other, head = run(work())

    assert (ROBOTS, "complete") == good.body
    assert "tls" == other.failure
    assert head.startswith(b"CONNECT good.example:443 HTTP/1.1\r\n")


def test_refusal(kind: type[Transport]) -> None:
    """A proxy that does not connect is told from a host that refuses."""

    async def work() -> Outcome:
        async with serve(keep_answering(sized(b"", status=b"403 Forbidden"))) as proxy:
            transport = kind(proxy=f"http://127.0.0.1:{proxy.port}")
            result = await outcome(transport, request("https://good.example/robots.txt"))
            await transport.close()
        return result

    result = run(work())

    assert "refused" == result.failure
    assert result.failed
    assert "proxy" in result.failed.detail
    assert "403" in result.failed.detail


@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "[::1]", "localhost", "nas.local"])
def test_redirect(kind: type[Transport], host: str) -> None:
    """A redirect to a local address or name is refused before the proxy hears of it."""

    async def work() -> tuple[str, str, int]:
        async with serve(keep_answering(sized(ROBOTS))) as proxy:
            transport = kind(proxy=f"http://127.0.0.1:{proxy.port}")
            refused = await outcome(transport, request(f"http://{host}/", named=False))
            public = await outcome(transport, request("http://example.com/", named=False))
            await transport.close()
        assert public.reply
        return refused.failure, public.reply.body.decode(), len(proxy.heads)

    assert ("redirect-refused", ROBOTS.decode(), 1) == run(work())


@pytest.mark.parametrize("url", ["", "proxy:3128", "socks5://h:1", "http://", "http://h:x/"])
def test_proxy_that_is_none(kind: type[Transport], url: str) -> None:
    """What is no URL of an HTTP proxy is told so, without repeating a password in it."""
    with pytest.raises(InvalidOption, match="not the URL of an HTTP proxy"):
        kind(proxy=url or "x")


def test_proxy_and_routes(kind: type[Transport]) -> None:
    """Only one can decide where to connect."""
    with pytest.raises(InvalidOption, match="exclude each other"):
        kind(proxy="http://127.0.0.1:3128", connect_to=["::127.0.0.1:80"])
