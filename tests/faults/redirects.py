"""Faults of redirects: forms of Location, chains, loops, and where no redirect may lead."""

import re

from .resolvers import Table
from .stage import (
    Peer,
    Scene,
    Stage,
    always,
    closed_port,
    encoded,
    head,
    leads,
    redirect,
    response,
    served,
    staged,
)


def port_of(origin: str) -> str:
    return origin.rpartition(":")[2]


# --- forms of Location

leads("redirect-301", lambda _: "/rules.txt", "301 Moved Permanently")
leads("redirect-302", lambda origin: f"{origin}/rules.txt")
leads("redirect-303", lambda origin: f"{origin}/rules.txt", "303 See Other")
leads("redirect-307", lambda origin: f"{origin}/rules.txt", "307 Temporary Redirect")
leads("redirect-308", lambda origin: f"{origin}/rules.txt", "308 Permanent Redirect")
leads("redirect-relative", lambda _: "rules.txt")
leads("redirect-without-scheme", lambda origin: f"{origin.removeprefix('http:')}/rules.txt")
leads("redirect-empty-location", lambda _: "")
leads("redirect-no-host", lambda _: "http:///robots.txt")
leads("redirect-bad-port", lambda _: "http://127.0.0.1:99999/rules.txt")
leads("redirect-bad-host", lambda _: "http://not a host/rules.txt")
leads("redirect-bad-bracket", lambda _: "http://[::1/rules.txt")
leads("redirect-fullwidth-slash", lambda origin: f"http://127.0.0.1\uff0fx:{port_of(origin)}/a")
leads(
    "redirect-fullwidth-colon", lambda origin: f"http://127.0.0.1\uff1a{port_of(origin)}/rules.txt"
)
leads("redirect-fullwidth-at", lambda origin: f"http://user\uff20{origin[7:]}/rules.txt")
leads("redirect-invisible-host", lambda _: "http://\u200b/rules.txt")
leads("redirect-escaped-slash", lambda _: "http://127.0.0.1%2f/rules.txt")
leads("redirect-escaped-line-end", lambda _: "http://127.0.0.1%0d%0aX-Header:1/rules.txt")
leads("redirect-backslash", lambda origin: f"http://other.test\\@{origin[7:]}/rules.txt")
leads("redirect-file", lambda _: "file:///etc/passwd")
leads("redirect-javascript", lambda _: "javascript:alert(1)")
leads("redirect-data", lambda _: "data:text/plain,User-agent:%20*%0ADisallow:%20/closed")
leads("redirect-gopher", lambda origin: f"gopher://127.0.0.1:{port_of(origin)}/0rules")


def arrives(name: str, location: str | bytes, path: str) -> None:
    """Register a redirect within a server that serves rules at one path, and 500 elsewhere."""

    @served(name)
    async def handler(peer: Peer) -> None:
        asked = await peer.request()
        if asked == "/robots.txt":
            await peer.send(redirect(encoded(location).replace(b"ORIGIN", peer.origin.encode())))
        else:
            await peer.send(response() if asked == path else response(status="500 Wrong Path"))


arrives("redirect-dot-segments", "ORIGIN/a/b/../rules.txt", "/a/rules.txt")
arrives("redirect-escaped-dot-segments", "ORIGIN/a/b/%2E%2e/rules.txt", "/a/rules.txt")
arrives("redirect-utf-8", "/rules-ツ.txt", "/rules-%E3%83%84.txt")
arrives("redirect-spaces", "/the rules.txt", "/the%20rules.txt")
arrives("redirect-fragment", "/rules.txt#here", "/rules.txt")
arrives("redirect-query", "/rules?a=1&b=%zz", "/rules?a=1&b=%zz")
arrives("redirect-long", "/" + "a" * 7_999, "/" + "a" * 7_999)


@served("redirect-without-location")
async def without_location(peer: Peer) -> None:
    await peer.request()
    await peer.send(response(b"moved\n", status="302 Found"))


@served("redirect-userinfo")
async def userinfo(peer: Peer) -> None:
    if await peer.request() == "/robots.txt":
        await peer.send(redirect(f"http://user:secret@{peer.origin[7:]}/rules.txt"))
    else:
        await peer.send(response())


# --- chains


def chain(name: str, hops: int) -> None:
    """Register a chain of so many redirects, with rules at its end."""

    @served(name)
    async def handler(peer: Peer) -> None:
        found = re.fullmatch(r"/hop-(\d+)", await peer.request())
        done = int(found[1]) if found else 0
        await peer.send(response() if done == hops else redirect(f"/hop-{done + 1}"))


chain("redirect-five", 5)
chain("redirect-six", 6)
chain("redirect-endless", 10**9)
leads("redirect-to-itself", lambda origin: f"{origin}/robots.txt")


@served("redirect-loop")
async def loop(peer: Peer) -> None:
    here = await peer.request()
    await peer.send(redirect("/b" if here == "/robots.txt" else "/robots.txt"))


@staged("redirect-cross-authority")
async def cross_authority(stage: Stage) -> Scene:
    target = await stage.listen(always(response()))
    there = redirect(f"http://other.test:{port_of(target)}/robots.txt")
    names = Table({"asked.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]})
    return Scene(f"http://asked.test:{port_of(await stage.listen(always(there)))}", names)


@staged("redirect-disallowed")
async def disallowed(stage: Stage) -> Scene:
    known = await stage.listen(always(response()))
    return Scene(await stage.listen(always(redirect(f"{known}/closed/robots.txt"))), known=known)


# --- ends


def ends(name: str, end: bytes) -> None:
    """Register a redirect, and what stands at its end."""

    @served(name)
    async def handler(peer: Peer) -> None:
        here = await peer.request()
        await peer.send(redirect("/end") if here == "/robots.txt" else end)


ends("redirect-to-404", response(b"", status="404 Not Found"))
ends("redirect-to-403", response(b"", status="403 Forbidden"))
ends("redirect-to-500", response(b"", status="500 Internal Server Error"))


@staged("redirect-to-refused")
async def to_refused(stage: Stage) -> Scene:
    port = stage.keep(closed_port())
    return Scene(await stage.listen(always(redirect(f"http://127.0.0.1:{port}/robots.txt"))))


FOUND = head("Location: /rules.txt", "Content-Length: 1000", status="302 Found")


@served("redirect-broken-body")
async def broken_body(peer: Peer) -> None:
    here = await peer.request()
    await peer.send(FOUND + b"moved" if here == "/robots.txt" else response())


@served("redirect-silent-body")
async def silent_body(peer: Peer) -> None:
    if await peer.request() == "/robots.txt":
        await peer.send(FOUND)
        await peer.linger()
    await peer.send(response())


@served("redirect-endless-body")
async def endless_body(peer: Peer) -> None:
    if await peer.request() == "/robots.txt":
        await peer.send(head("Location: /rules.txt", "Connection: close", status="302 Found"))
        await peer.flood(b"moved\n")
    await peer.send(response())


# --- where no redirect may lead


def lured(name: str, host: str, trap: str = "127.0.0.2") -> None:
    """Register a redirect to the trap, its host spelled in some way."""

    @staged(name)
    async def setting(stage: Stage) -> Scene:
        location = f"http://{host}:{stage.trap.port(trap)}/robots.txt"

        async def lure(peer: Peer) -> None:
            await peer.request()
            await peer.send(redirect(location))

        return Scene(await stage.listen(lure))


lured("redirect-private", "127.0.0.2")
lured("redirect-private-10", "10.0.0.1")
lured("redirect-private-172", "172.16.0.1")
lured("redirect-private-192", "192.168.0.1")
lured("redirect-link-local", "169.254.169.254")
lured("redirect-shared-address-space", "100.64.0.1")
lured("redirect-unspecified", "0.0.0.0", "127.0.0.1")
lured("redirect-ipv6-loopback", "[::1]", "::1")
lured("redirect-ipv6-mapped", "[::ffff:127.0.0.2]")
lured("redirect-ipv6-unique-local", "[fd00::1]")
lured("redirect-decimal-address", "2130706434")
lured("redirect-octal-address", "0177.0.0.2")
lured("redirect-hex-address", "0x7f.0.0.2")
lured("redirect-short-address", "127.2")
