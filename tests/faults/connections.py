"""Faults of connections, of time and of names: nothing is said, or too little, or too slowly."""

import asyncio

from aiohttp.abc import AbstractResolver

from .resolvers import Silent, Table
from .stage import (
    RULES,
    Peer,
    Scene,
    Stage,
    always,
    chunk,
    closed_port,
    for_ever,
    full_port,
    head,
    redirect,
    response,
    says,
    served,
    single,
    staged,
)

BEGUN = b"User-agent: *\n"
SIZED = head("Content-Type: text/plain", "Content-Length: 1000")
UNSIZED = head("Content-Type: text/plain", "Connection: close")
CHUNKED = head("Content-Type: text/plain", "Transfer-Encoding: chunked")

# --- connections

says("reset-before-headers", then="reset")
says("closed-before-headers")
says("reset-inside-status-line", b"HTTP/1.1 2", then="reset")
says("closed-inside-status-line", b"HTTP/1.1 2")
says("reset-inside-headers", b"HTTP/1.1 200 OK\r\nContent-Ty", then="reset")
says("closed-inside-headers", b"HTTP/1.1 200 OK\r\nContent-Ty")
says("reset-after-headers", SIZED, then="reset")
says("closed-after-headers", SIZED)
says("reset-inside-body", SIZED, BEGUN, then="reset")
says("closed-inside-body", SIZED, BEGUN)
says("reset-after-body", response(), then="reset")
says("kept-open-after-body", head(f"Content-Length: {len(RULES)}"), RULES, then="linger")


@staged("refused")
async def refused(stage: Stage) -> Scene:
    return Scene(f"http://127.0.0.1:{stage.keep(closed_port())}")


@staged("connect-timeout")
async def connect_timeout(stage: Stage) -> Scene:
    return Scene(f"http://127.0.0.1:{stage.keep(full_port())}")


@served("reset-on-accept")
async def reset_on_accept(peer: Peer) -> None:
    peer.reset()


@served("idle-close-at-reuse")
async def idle_close_at_reuse(peer: Peer) -> None:
    if await peer.request() == "/robots.txt":
        await peer.send(head("Location: /rules.txt", "Content-Length: 0", status="302 Found"))
        await peer.request()  # on the same connection: it is closed instead of answered
    else:
        await peer.send(response())


@staged("several-addresses")
async def several_addresses(stage: Stage) -> Scene:
    port = (await stage.listen(always(response()))).rpartition(":")[2]
    names = Table({"several.test": ["127.0.0.3", "127.0.0.1"]})
    return Scene(f"http://several.test:{port}", names)


# --- time

says("silence", then="linger")
says("silence-inside-headers", b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n", then="linger")
says("silence-inside-body", SIZED, BEGUN, then="linger")
says("silence-after-unannounced-body", UNSIZED, RULES, then="linger")
says("silence-inside-chunk", CHUNKED, b"20\r\n", BEGUN, then="linger")


@served("one-byte-a-second")
async def one_byte_a_second(peer: Peer) -> None:
    await peer.request()
    await peer.drip(single(response()), seconds=1.0)


@served("one-byte-a-second-body")
async def one_byte_a_second_body(peer: Peer) -> None:
    await peer.request()
    await peer.send(head(f"Content-Length: {len(RULES)}"))
    await peer.drip(single(RULES), seconds=1.0)


def drips(name: str, part: bytes, first: bytes = b"") -> None:
    """Register a server that sends the same ten times a second, and never stops."""

    @served(name)
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(first)
        await peer.drip(for_ever(part), seconds=0.1)


drips("dripping-headers", b"a", b"HTTP/1.1 200 OK\r\nx: ")
drips("dripping-body", b"#", UNSIZED + RULES)
drips("dripping-chunks", chunk(b"#"), CHUNKED + chunk(RULES))
drips("dripping-interim-responses", head(status="102 Processing"))


@served("dripping-redirects")
async def dripping_redirects(peer: Peer) -> None:
    path = await peer.request()
    hops = len(path) if path.startswith("/x") else 1
    await asyncio.sleep(0.5)
    await peer.send(response() if hops > 5 else redirect("/" + "x" * hops))


@served("slow-but-complete")
async def slow_but_complete(peer: Peer) -> None:
    await peer.request()
    whole = response()
    size = len(whole) // 7
    parts = (whole[start : start + size] for start in range(0, len(whole), size))
    await peer.drip(parts, seconds=0.02)


# --- names


@staged("dns-no-such-name")
async def dns_no_such_name(_: Stage) -> Scene:
    return Scene("http://does-not-exist.invalid")


def unanswered(name: str, resolver: AbstractResolver) -> None:
    @staged(name)
    async def setting(_: Stage) -> Scene:
        return Scene("http://name.test", resolver)


unanswered("dns-failure", Table({}))
unanswered("dns-no-addresses", Table({"name.test": []}))
unanswered("dns-silence", Silent())


def leads_to_name(name: str, target: str, addresses: list[str]) -> None:
    """Register a redirect from a name that the caller knows to another one."""

    @staged(name)
    async def setting(stage: Stage) -> Scene:
        port = stage.trap.port("127.0.0.2")
        lead = always(redirect(f"http://{target}:{port}/robots.txt"))
        own = (await stage.listen(lead)).rpartition(":")[2]
        names = {"asked.test": ["127.0.0.1"]} | ({target: addresses} if addresses else {})
        return Scene(f"http://asked.test:{own}", Table(names))


leads_to_name("dns-redirect-to-no-such-name", "does-not-exist.invalid", [])
leads_to_name("dns-redirect-to-private-name", "inner.test", ["127.0.0.2"])
leads_to_name("dns-redirect-to-half-private-name", "half.test", ["192.0.2.1", "127.0.0.2"])
