"""Faults of HTTP/2, over TLS: numbers that a server may write, and frames that hold them.

A client that offers HTTP/1.1 alone is told the same in its own words.
"""

import ssl
from collections.abc import Awaitable, Callable, Sequence

from hpack import Encoder, HeaderTuple

from .stage import RULES, Peer, Scene, Stage, head, response, staged

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, GOAWAY, WINDOW_UPDATE = 0, 1, 4, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
MAX_CONCURRENT_STREAMS = 3

Respond = Callable[[Peer, int], Awaitable[None]]
"""Say something in answer to the request on a stream."""


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3) + bytes((kind, flags)) + stream.to_bytes(4) + payload


def fields(stream: int, *written: tuple[str | bytes, str | bytes], end: bool = False) -> bytes:
    """Return a header section; no table is used, so that any name and value can be said."""
    block = Encoder().encode([HeaderTuple(*pair) for pair in written])
    return frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, block)


def number(value: int) -> bytes:
    return value.to_bytes(4)


def setting(name: int, value: int) -> bytes:
    return frame(SETTINGS, 0, 0, name.to_bytes(2) + number(value))


async def serve_http2(peer: Peer, respond: Respond, settings: bytes) -> None:
    await peer.reader.readexactly(len(PREFACE))
    await peer.send(settings)
    while True:
        start = await peer.reader.readexactly(9)
        kind, flags, stream = start[3], start[4], int.from_bytes(start[5:])
        await peer.reader.readexactly(int.from_bytes(start[:3]))
        if kind == SETTINGS and not flags & ACK:
            await peer.send(frame(SETTINGS, ACK, 0))
        elif kind == HEADERS:
            await respond(peer, stream)
        elif kind == GOAWAY:
            return


def speaks(
    name: str, respond: Respond, http1: bytes, *, settings: bytes = frame(SETTINGS, 0, 0)
) -> None:
    """Register a server that speaks HTTP/2 with whoever can."""

    async def handler(peer: Peer) -> None:
        tls: ssl.SSLObject = peer.writer.get_extra_info("ssl_object")
        if tls.selected_alpn_protocol() == "h2":
            await serve_http2(peer, respond, settings)
        else:
            await peer.request()
            await peer.send(http1)

    @staged(name)
    async def setting_of(stage: Stage) -> Scene:
        context = stage.certified("127.0.0.1")
        context.set_alpn_protocols(["h2", "http/1.1"])
        return Scene(await stage.listen(handler, tls=context))


def responds(name: str, *written: tuple[str | bytes, str | bytes], http1: bytes) -> None:
    """Register a server that sends these fields, and the rules behind them."""

    async def respond(peer: Peer, stream: int) -> None:
        await peer.send(fields(stream, *written), frame(DATA, END_STREAM, stream, RULES))

    speaks(name, respond, http1)


def status(*written: str | bytes) -> Sequence[tuple[str, str | bytes]]:
    return [*((":status", value) for value in written), ("content-type", "text/plain")]


responds("http2", *status("200"), http1=response())
responds("http2-status-99999", *status("99999"), http1=response(status="99999 No"))
responds("http2-status-099", *status("099"), http1=response(status="099 Early"))
responds("http2-status-missing", *status(), http1=b"HTTP/1.1\r\n\r\n" + RULES)
responds("http2-status-empty", *status(""), http1=head(status="") + RULES)
responds("http2-status-twice", *status("404", "200"), http1=head(status="404200 No") + RULES)
responds("http2-status-no-number", *status("many"), http1=head(status="many") + RULES)
responds("http2-status-negative", *status("-200"), http1=head(status="-200 OK") + RULES)
responds("http2-status-signed", *status("+200"), http1=head(status="+200 OK") + RULES)
responds("http2-status-spaces", *status(" 200 "), http1=head(status="2 00 OK") + RULES)
responds("http2-status-underscore", *status("2_00"), http1=head(status="2_00 OK") + RULES)
responds(
    "http2-status-other-digits",
    *status("20\u0660".encode()),
    http1=head(status="20\u0660 OK".encode()) + RULES,
)
responds(
    "http2-status-stray-byte",
    *status(b"\xff200"),
    http1=head(status=b"\xff200 OK") + RULES,
)
responds(
    "http2-length-no-number",
    *(*status("200"), ("content-length", "many")),
    http1=head("Content-Length: many") + RULES,
)
responds(
    "http2-length-negative",
    *(*status("200"), ("content-length", "-5")),
    http1=head("Content-Length: -5") + RULES,
)
responds(
    "http2-length-too-long",
    *(*status("200"), ("content-length", "9" * 30)),
    http1=head(f"Content-Length: {len(RULES) + 1}", "Connection: close") + RULES,
)


async def trailers(peer: Peer, stream: int) -> None:
    await peer.send(
        fields(stream, *status("103")),
        fields(stream, *status("200")),
        frame(DATA, 0, stream, RULES),
        fields(stream, ("x-trailer", "value"), end=True),
    )


async def window(peer: Peer, stream: int) -> None:
    await peer.send(
        frame(WINDOW_UPDATE, 0, 0, number(2**31 - 1)),
        fields(stream, *status("200")),
        frame(DATA, END_STREAM, stream, RULES),
    )


async def giant_frame(peer: Peer, stream: int) -> None:
    await peer.send(b"\xff\xff\xff" + frame(HEADERS, END_HEADERS, stream)[3:])
    await peer.flood(b"a")


async def padding(peer: Peer, stream: int) -> None:
    await peer.send(frame(HEADERS, END_HEADERS | 8, stream, b"\xffabc"))


speaks("http2-trailers", trailers, response())
speaks("http2-window-overflow", window, response(status="2147483647 OK"))
speaks("http2-frame-giant", giant_frame, response(status="16777215 OK"))
speaks("http2-padding-longer-than-frame", padding, response(status="255255 OK"))
speaks(
    "http2-no-streams",
    trailers,
    response(),
    settings=setting(MAX_CONCURRENT_STREAMS, 0),
)
speaks(
    "http2-streams-without-number",
    trailers,
    response(),
    settings=setting(MAX_CONCURRENT_STREAMS, 2**32 - 1),
)
