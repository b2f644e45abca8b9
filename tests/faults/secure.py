"""Faults of TLS: certificates that do not hold, and handshakes that come to nothing."""

import ssl
from collections.abc import Callable
from datetime import timedelta

import trustme

from .connections import SIZED
from .stage import RULES, Handler, Peer, Scene, Stage, always, redirect, response, staged

serve = always(response())


def certified(
    name: str, settings: Callable[[Stage], ssl.SSLContext], handler: Handler = serve
) -> None:
    """Register a server that speaks TLS with these settings."""

    @staged(name)
    async def setting(stage: Stage) -> Scene:
        return Scene(await stage.listen(handler, tls=settings(stage)))


async def closed_inside_body(peer: Peer) -> None:
    await peer.request()
    await peer.send(SIZED, RULES)


def good(stage: Stage) -> ssl.SSLContext:
    return stage.certified("127.0.0.1")


def expired(stage: Stage) -> ssl.SSLContext:
    return stage.certified("127.0.0.1", begins=timedelta(days=-9), ends=timedelta(days=-2))


def not_yet_valid(stage: Stage) -> ssl.SSLContext:
    return stage.certified("127.0.0.1", begins=timedelta(days=2), ends=timedelta(days=9))


certified("tls-good", good)
certified("tls-expired", expired)
certified("tls-not-yet-valid", not_yet_valid)
certified("tls-wrong-host", lambda stage: stage.certified("other.test"))
certified("tls-self-signed", lambda stage: stage.certified("127.0.0.1", authority=trustme.CA()))
certified("tls-closed-inside-body", good, closed_inside_body)


def unspoken(name: str, handler: Handler) -> None:
    """Register a server that does not speak TLS where it should."""

    @staged(name)
    async def setting(stage: Stage) -> Scene:
        origin = await stage.listen(handler)
        return Scene(origin.replace("http:", "https:"))


async def plain_http(peer: Peer) -> None:
    await peer.reader.read(1)
    await peer.send(response(status="400 Bad Request"))


async def garbage(peer: Peer) -> None:
    await peer.reader.read(1)
    await peer.send(bytes(range(128, 256)) * 8)


async def closed_in_handshake(peer: Peer) -> None:
    await peer.reader.read(65_536)


async def reset_in_handshake(peer: Peer) -> None:
    await peer.reader.read(1)
    peer.reset()


unspoken("tls-plain-http", plain_http)
unspoken("tls-garbage", garbage)
unspoken("tls-closed-in-handshake", closed_in_handshake)
unspoken("tls-reset-in-handshake", reset_in_handshake)
unspoken("tls-silence-in-handshake", Peer.linger)


def leads_from(
    name: str,
    first: Callable[[Stage], ssl.SSLContext | None],
    second: Callable[[Stage], ssl.SSLContext | None],
) -> None:
    """Register a redirect from a server to another, with or without TLS."""

    @staged(name)
    async def setting(stage: Stage) -> Scene:
        target = await stage.listen(serve, tls=second(stage))
        lead = always(redirect(f"{target}/robots.txt"))
        return Scene(await stage.listen(lead, tls=first(stage)))


leads_from("tls-redirect-to-https", lambda _: None, good)
leads_from("tls-redirect-to-http", good, lambda _: None)
leads_from("tls-redirect-to-expired", lambda _: None, expired)
