"""TLS: certificates are verified, against the host that was asked for, always."""

import datetime
import socket
import ssl
from pathlib import Path

import pytest
import trustme

from fetching.exchange import Outcome, outcome, request, run
from fetching.servers import ROBOTS, Peer, keep_answering, serve, sized
from verger.errors import InvalidOption
from verger.fetching.aiohttp_transport import AiohttpTransport

AUTHORITY = trustme.CA()
STRANGER = trustme.CA()
LONG_AGO = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
TABLE = {
    "good.example": "127.0.0.1",
    "other.example": "127.0.0.1",
    "xn--bcher-kva.example": "127.0.0.1",
}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A file with the authority that is trusted in these tests."""
    path = tmp_path / "authority.pem"
    AUTHORITY.cert_pem.write_to_path(str(path))
    return path


def presenting(certificate: trustme.LeafCert, *protocols: str) -> ssl.SSLContext:
    """Return the context of a server with this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    context.set_alpn_protocols(list(protocols or ["http/1.1"]))
    return context


def secured(context: ssl.SSLContext, bundle: Path | None, host: str = "good.example") -> Outcome:
    """Ask a server over TLS for one file."""

    async def work() -> Outcome:
        transport = AiohttpTransport(ca_bundle=bundle, resolver=TABLE)
        async with serve(keep_answering(sized(ROBOTS)), context=context) as server:
            result = await outcome(transport, request(f"https://{host}:{server.port}/robots.txt"))
            await transport.close()
        return result

    return run(work())


@pytest.mark.parametrize(
    "host", ["good.example", "xn--bcher-kva.example", "127.0.0.1", "2130706433"]
)
def test_trusted(bundle: Path, host: str) -> None:
    """A certificate of a trusted authority for this host is accepted."""
    named = "127.0.0.1" if host[0].isdigit() else host
    result = secured(presenting(AUTHORITY.issue_cert(named)), bundle, host)

    assert (ROBOTS, "complete") == result.body


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        (STRANGER.issue_cert("good.example"), "unable to get local issuer certificate"),
        (AUTHORITY.issue_cert("other.example"), "hostname mismatch"),
        (AUTHORITY.issue_cert("good.example", not_after=LONG_AGO), "certificate has expired"),
    ],
    ids=["stranger", "other host", "expired"],
)
def test_not_trusted(bundle: Path, certificate: trustme.LeafCert, reason: str) -> None:
    """Any other certificate fails the hop, and the detail says why."""
    result = secured(presenting(certificate), bundle)

    assert "tls" == result.failure
    assert result.failed
    assert result.failed.detail.startswith(f"certificate: {reason}")


def test_certificate_of_another_address(bundle: Path) -> None:
    """Names in a message keep their capitals."""
    certificate = AUTHORITY.issue_cert("good.example")
    result = secured(presenting(certificate), bundle, "127.0.0.1")

    assert result.failed
    assert result.failed.detail.startswith("certificate: IP address mismatch")


def test_authorities_of_the_system() -> None:
    """Without a bundle the system's authorities count, and they do not know this one."""
    result = secured(presenting(AUTHORITY.issue_cert("good.example")), None)

    assert "tls" == result.failure


def test_no_tls(bundle: Path) -> None:
    """A server that does not speak TLS fails in the handshake."""

    async def plain(peer: Peer) -> None:
        await peer.say(sized(ROBOTS))
        await peer.hang_up()

    async def work() -> str:
        transport = AiohttpTransport(ca_bundle=bundle)
        async with serve(plain) as server:
            result = await outcome(transport, request(f"https://127.0.0.1:{server.port}/"))
            await transport.close()
        return result.failure

    assert "tls" == run(work())


def test_name_of_routed_host(bundle: Path) -> None:
    """Behind `connect_to` the certificate is still that of the host asked for."""

    async def work() -> list[Outcome]:
        context = presenting(AUTHORITY.issue_cert("good.example", "192.0.2.7"))
        async with serve(keep_answering(sized(ROBOTS)), context=context) as server:
            transport = AiohttpTransport(
                ca_bundle=bundle, connect_to=[f"::127.0.0.1:{server.port}"]
            )
            hosts = ["good.example", "192.0.2.7", "other.example"]
            results = [await outcome(transport, request(f"https://{host}/")) for host in hosts]
            await transport.close()
        assert [b"good.example", b"192.0.2.7"] == [
            head.partition(b"ost: ")[2].partition(b"\r\n")[0] for head in server.heads
        ]
        return results

    good, literal, other = run(work())

    assert (ROBOTS, "complete") == good.body
    assert (ROBOTS, "complete") == literal.body
    assert "tls" == other.failure


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "no such file or directory"), (b"text", "holds no certificate")]
)
def test_bundle_that_is_none(tmp_path: Path, content: bytes | None, reason: str) -> None:
    """A bundle that cannot be used is told so when the transport is made."""
    path = tmp_path / "bundle.pem"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(InvalidOption, match=reason) as raised:
        AiohttpTransport(ca_bundle=path)

    assert "pass a file of certificates in PEM form" == raised.value.hint


LENGTHS = {
    "until the end": b"HTTP/1.1 200 OK\r\n\r\n" + ROBOTS,
    "announced": sized(ROBOTS),
    "in chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"%x\r\n%b\r\n0\r\n\r\n" % (len(ROBOTS), ROBOTS),
    "none": b"HTTP/1.1 204 No Content\r\n\r\n",
}


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "cut"])
def test_end_of_a_connection(bundle: Path, length: str, is_closed: bool) -> None:
    """A body without a length is whole only if TLS says that it ends (RFC 9112 section 9.8)."""

    async def script(peer: Peer) -> None:
        await peer.hear()
        await peer.say(LENGTHS[length])
        if not is_closed:  # of TCP alone
            peer.writer.get_extra_info("socket").shutdown(socket.SHUT_WR)
            await peer.hang_up()

    async def work() -> Outcome:
        transport = AiohttpTransport(ca_bundle=bundle, resolver=TABLE)
        context = presenting(AUTHORITY.issue_cert("good.example"))
        async with serve(script, context=context) as server:
            url = f"https://good.example:{server.port}/robots.txt"
            result = await outcome(transport, request(url))
            await transport.close()
        return result

    whole = b"" if length == "none" else ROBOTS
    is_whole = is_closed or length != "until the end"

    assert (whole, "complete" if is_whole else "broken") == run(work()).body
