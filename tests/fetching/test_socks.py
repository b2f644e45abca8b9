"""Through a SOCKS proxy (RFC 1928), and through the proxies that the environment names.

In: a SOCKS server on loopback that leads everything to one port. Out: replies; what the server was
asked for; redirects refused by address or by name.
"""

import sys
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from fetching.exchange import Outcome, outcome, request, run
from fetching.servers import ROBOTS, Peer, keep_answering, serve, sized
from fetching.test_proxy import Proxy
from fetching.test_secure import AUTHORITY, presenting
from verger.errors import InvalidOption, MissingExtra
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.ftp import FtpTransport

ANSWER = keep_answering(sized(ROBOTS))


@dataclass
class Socks(Proxy):
    """A SOCKS server; `asked` is where each client wanted to go, `logins` what it sent."""

    port: int
    reply: int = 0
    wants_login: bool = False
    asked: list[str] = field(default_factory=list)
    logins: list[tuple[bytes, bytes]] = field(default_factory=list)

    async def __call__(self, peer: Peer) -> None:
        _, number = await peer.reader.readexactly(2)
        await peer.reader.readexactly(number)
        await peer.say(bytes([5, 2 if self.wants_login else 0]))
        if self.wants_login:
            await peer.reader.readexactly(1)
            self.logins.append((await self._counted(peer), await self._counted(peer)))
            await peer.say(b"\1\0")
        _, _, _, kind = await peer.reader.readexactly(4)
        if kind == 3:
            host = (await self._counted(peer)).decode()
        else:
            host = str(ip_address(await peer.reader.readexactly(4 if kind == 1 else 16)))
        port = int.from_bytes(await peer.reader.readexactly(2), "big")
        self.asked.append(f"{host} {port}")
        await peer.say(bytes([5, self.reply, 0, 1, 0, 0, 0, 0, 0, 0]))
        if not self.reply:
            await self.lead(peer, self.port)

    async def _counted(self, peer: Peer) -> bytes:
        return await peer.reader.readexactly((await peer.reader.readexactly(1))[0])


async def through(socks: Socks, url: str, *, named: bool = True, **options: Any) -> Outcome:
    """Return what comes of a request through the server; `{}` in `proxy` is its port."""
    async with serve(socks) as server:
        options["proxy"] = options["proxy"].format(server.port)
        transport = AiohttpTransport(**options)
        result = await outcome(transport, request(url, named=named))
        await transport.close()
    return result


def test_the_proxy_looks_up(tmp_path: Path) -> None:
    """With `socks5h` the proxy gets the name, and the certificate is that of the host."""
    bundle = tmp_path / "authority.pem"
    AUTHORITY.cert_pem.write_to_path(str(bundle))
    context = presenting(AUTHORITY.issue_cert("good.example"))

    async def work() -> tuple[Outcome, Outcome, list[str]]:
        async with serve(ANSWER, context=context) as site:
            socks = Socks(site.port)
            how = {"proxy": "socks5h://127.0.0.1:{}", "ca_bundle": bundle}
            good = await through(socks, "https://good.example/robots.txt", **how)
            other = await through(socks, "https://other.example:8443/robots.txt", **how)
        return good, other, socks.asked

    good, other, asked = run(work())

    assert (ROBOTS, "complete") == good.body
    assert "tls" == other.failure
    assert ["good.example 443", "other.example 8443"] == asked


def test_we_look_up(tmp_path: Path) -> None:
    """With `socks5` it gets an address, and the certificate is still that of the host."""
    bundle = tmp_path / "authority.pem"
    AUTHORITY.cert_pem.write_to_path(str(bundle))
    context = presenting(AUTHORITY.issue_cert("good.example"))
    known = {"good.example": "192.0.2.7", "other.example": "2001:db8::7"}

    async def work() -> tuple[Outcome, Outcome, list[str]]:
        async with serve(ANSWER, context=context) as site:
            socks = Socks(site.port)
            how = {"proxy": "SOCKS5://127.0.0.1:{}", "ca_bundle": bundle, "resolver": known}
            good = await through(socks, "https://good.example/robots.txt", **how)
            other = await through(
                socks, "https://other.example/robots.txt", connections_per_address=1, **how
            )
        return good, other, socks.asked

    good, other, asked = run(work())

    assert (ROBOTS, "complete") == good.body
    assert "tls" == other.failure
    assert ["192.0.2.7 443", "2001:db8::7 443"] == asked


def test_login() -> None:
    """The server gets user name and password as the URL spells them (RFC 1929)."""

    async def work() -> tuple[Outcome, list[tuple[bytes, bytes]]]:
        async with serve(ANSWER) as site:
            socks = Socks(site.port, wants_login=True)
            result = await through(
                socks, "http://example.invalid/", proxy="socks5h://us%40er:p%2Fw@127.0.0.1:{}"
            )
        return result, socks.logins

    result, logins = run(work())

    assert (ROBOTS, "complete") == result.body
    assert [(b"us@er", b"p/w")] == logins


@pytest.mark.parametrize(("reply", "words"), [(2, "not allowed"), (4, "host unreachable")])
def test_refusal(reply: int, words: str) -> None:
    """A server that does not connect is told from a host that refuses."""
    proxy = {"proxy": "socks5h://127.0.0.1:{}"}
    result = run(through(Socks(0, reply=reply), "http://example.invalid/", **proxy))

    assert "refused" == result.failure
    assert result.failed
    assert result.failed.detail.startswith("proxy: ")
    assert words in result.failed.detail


def test_no_socks_server() -> None:
    """Where nothing listens, or something else does, the proxy is blamed and not the site."""

    async def work() -> tuple[Outcome, Outcome]:
        async with serve(lambda peer: peer.say(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as other:
            transport = AiohttpTransport(proxy=f"socks5h://127.0.0.1:{other.port}")
            mistaken = await outcome(transport, request("http://example.invalid/"))
        absent = await outcome(transport, request("http://example.invalid/"))
        await transport.close()
        return mistaken, absent

    for result in run(work()):
        assert "refused" == result.failure
        assert result.failed
        assert result.failed.detail.startswith("proxy: ")


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize("host", ["127.0.0.1", "2130706433", "[::1]", "localhost"])
def test_redirect(scheme: str, host: str) -> None:
    """A redirect to a local address or name is refused before the proxy hears of it."""

    async def work() -> tuple[str, list[str]]:
        socks = Socks(0)
        proxy = f"{scheme}://127.0.0.1:{{}}"
        result = await through(socks, f"http://{host}/", named=False, proxy=proxy)
        return result.failure, socks.asked

    assert ("redirect-refused", []) == run(work())


def test_redirect_to_a_name_with_a_local_address() -> None:
    """With `socks5` a public name with a private address is noticed; `socks5h` cannot."""

    async def work() -> tuple[str, tuple[bytes, str], list[str]]:
        async with serve(ANSWER) as site:
            socks = Socks(site.port)
            asked = "http://inside.example/"
            how = {"resolver": {"inside.example": "10.0.0.1"}, "named": False}
            noticed = await through(socks, asked, proxy="socks5://127.0.0.1:{}", **how)
            passed = await through(socks, asked, proxy="socks5h://127.0.0.1:{}", **how)
        return noticed.failure, passed.body, socks.asked

    found = run(work())

    assert ("redirect-refused", (ROBOTS, "complete"), ["inside.example 80"]) == found


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
def test_the_address_of_a_proxy_is_no_sites(scheme: str) -> None:
    """Redirects may return to the address of a named site; that of the proxy is none of these."""

    async def work() -> Outcome:
        async with serve(ANSWER) as site:
            return await through(
                Socks(site.port), "http://192.0.2.7/", proxy=f"{scheme}://127.0.0.1:{{}}"
            )

    result = run(work())

    assert result.reply
    assert "" == result.reply.address


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    """SOCKS needs an extra, which is told before anything is sent; other proxies do not."""
    monkeypatch.setitem(sys.modules, "python_socks", None)
    AiohttpTransport(proxy="http://127.0.0.1:3128")

    with pytest.raises(MissingExtra, match="a SOCKS proxy") as caught:
        AiohttpTransport(proxy="socks5h://127.0.0.1:9050")

    assert MissingExtra.remedy("socks") == caught.value.hint


# The environment


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment without proxies."""
    for name in ("http", "https", "ftp", "all", "no"):
        monkeypatch.delenv(f"{name}_proxy", raising=False)
        monkeypatch.delenv(f"{name}_proxy".upper(), raising=False)
    monkeypatch.delenv("REQUEST_METHOD", raising=False)
    return monkeypatch


@pytest.mark.parametrize(
    ("variables", "url", "is_proxied"),
    [
        ({"HTTP_PROXY": "http://{}"}, "http://site.invalid/", True),
        ({"http_proxy": "http://{}"}, "http://site.invalid/", True),
        ({"http_proxy": "http://{}", "HTTP_PROXY": "http://h:1"}, "http://site.invalid/", True),
        ({"HTTP_PROXY": "{}"}, "http://site.invalid/", True),
        ({"ALL_PROXY": "http://{}/"}, "http://site.invalid/", True),
        ({"HTTPS_PROXY": "http://{}"}, "http://site.invalid/", False),
        ({"HTTP_PROXY": "http://{}", "http_proxy": ""}, "http://site.invalid/", False),
        ({"HTTP_PROXY": "http://{}", "NO_PROXY": "site.invalid"}, "http://site.invalid/", False),
        ({"HTTP_PROXY": "http://{}", "no_proxy": ".invalid"}, "http://site.invalid/", False),
        ({"HTTP_PROXY": "http://{}", "NO_PROXY": "a, *"}, "http://site.invalid/", True),
        ({"HTTP_PROXY": "http://{}", "NO_PROXY": "*"}, "http://site.invalid/", False),
        ({"HTTP_PROXY": "http://{}", "NO_PROXY": " * "}, "http://site.invalid/", False),
        ({"HTTP_PROXY": "http://{}", "REQUEST_METHOD": "GET"}, "http://site.invalid/", False),
        ({"HTTP_PROXY": "http://{}", "NO_PROXY": "site.invalid:8"}, "http://site.invalid/", True),
        ({"HTTP_PROXY": "http://{}", "NO_PROXY": "e.invalid:80"}, "http://e.invalid/", False),
        ({"HTTP_PROXY": "http://{}", "NO_PROXY": "::1"}, "http://[::1]:9/", False),
        ({"HTTP_PROXY": "http://{}", "NO_PROXY": "[::1]"}, "http://[::1]:9/", False),
        ({}, "http://site.invalid/", False),
    ],
)
def test_environment(
    variables: dict[str, str], url: str, is_proxied: bool, environment: pytest.MonkeyPatch
) -> None:
    """The variables say which requests go through which proxy, as for other programs."""

    async def work() -> int:
        async with serve(ANSWER) as proxy:
            for name, value in variables.items():
                environment.setenv(name, value.format(f"127.0.0.1:{proxy.port}"))
            transport = AiohttpTransport(proxy="env", resolver={})
            await outcome(transport, request(url))
            await transport.close()
            return proxy.connections

    assert is_proxied == bool(run(work()))


def test_socks_of_the_environment(environment: pytest.MonkeyPatch) -> None:
    """Requests may go through different proxies, and some through none."""

    async def work() -> tuple[list[Outcome], list[str], list[bytes]]:
        async with serve(ANSWER) as site, serve(socks := Socks(site.port)) as server:
            environment.setenv("ALL_PROXY", f"socks5h://127.0.0.1:{server.port}")
            environment.setenv("NO_PROXY", "127.0.0.1")
            transport = AiohttpTransport(proxy="env")
            urls = ["http://site.invalid/a", f"http://127.0.0.1:{site.port}/b"]
            found = [await outcome(transport, request(url)) for url in urls]
            ftp = FtpTransport(proxy="env")
            found.append(await outcome(ftp, request("ftp://site.invalid/robots.txt")))
            await transport.close()
        return found, socks.asked, site.heads

    (by_proxy, direct, ftp), asked, heads = run(work())

    assert (ROBOTS, "complete") == by_proxy.body == direct.body
    assert direct.reply
    assert "127.0.0.1" == direct.reply.address
    assert ["site.invalid 80"] == asked
    assert [b"GET /a ", b"GET /b "] == [head[:7] for head in heads]
    assert "ftp" == ftp.failure


def test_the_guard_of_a_direct_connection(environment: pytest.MonkeyPatch) -> None:
    """What goes around the proxy is judged by its address."""
    environment.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    environment.setenv("NO_PROXY", "inside.example")
    transport = AiohttpTransport(proxy="env", resolver={"inside.example": "10.0.0.1"})

    result = run(outcome(transport, request("http://inside.example/", named=False)))

    assert "redirect-refused" == result.failure


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("HTTP_PROXY", "nonsense"),
        ("https_proxy", "ftp://h:1"),
        ("All_Proxy", "http://"),
        ("FTP_PROXY", "http://u:hush@h:0"),
        ("ALL_PROXY", "socks4://h:1"),
        ("ALL_PROXY", "h:99999"),
    ],
)
def test_variable_that_is_wrong(name: str, value: str, environment: pytest.MonkeyPatch) -> None:
    """It is named as it is spelled, and its value, which may hold a password, is not repeated."""
    environment.setenv(name, value)

    with pytest.raises(InvalidOption, match=f"environment variable `{name}` is not") as caught:
        AiohttpTransport(proxy="env")

    assert "hush" not in f"{caught.value}"


def test_no_proxy_at_first(environment: pytest.MonkeyPatch) -> None:
    """The environment decides nothing unless it is asked."""

    async def work() -> Outcome:
        async with serve(ANSWER) as site:
            environment.setenv("HTTP_PROXY", "http://127.0.0.1:9")
            transport = AiohttpTransport()
            result = await outcome(transport, request(f"http://127.0.0.1:{site.port}/"))
            await transport.close()
            return result

    assert (ROBOTS, "complete") == run(work()).body
