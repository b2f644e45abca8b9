"""What arrives on a connection, seen before aiohttp reads it.

In: the data of a connection, since asyncio's `set_protocol` puts a `Wire` before aiohttp's own
protocol. Out: the same data to that protocol; and how a response ended. aiohttp limits each header
field, but neither all of them together nor what surrounds the chunks of a body; it refuses heads
that others read, which `head_repair` mends. Its parser returns nothing from a piece of data that is
malformed at its end, and waits for more of a body that broke. Knows neither requests nor addresses
that are permitted.
"""

import asyncio
import ssl
from typing import Any, cast

from verger.fetching import head_repair


class Wire(asyncio.Protocol):
    """A connection, and the response that it is receiving, whose head has at most `limit` bytes."""

    def __init__(self, transport: asyncio.Transport, limit: int) -> None:
        self._transport = transport
        self._protocol = cast(asyncio.Protocol, transport.get_protocol())
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        self.tls: ssl.SSLObject | None = transport.get_extra_info("ssl_object")
        self._limit = limit
        self._received = 0
        self._head: bytes | None = b""
        """What came of the head; none after its end."""
        self._content: Any = None
        """The `aiohttp.StreamReader` of the body."""
        self._is_refused = False
        self.is_too_long = False
        self.was_cut = False
        """Whether the body ended before its end."""
        transport.set_protocol(self)

    def expect_body(self, content: Any, limit: int) -> None:
        """Receive at most so many bytes more, for the body."""
        self._content = content
        self._limit += limit
        if self._is_refused:
            self._break_off()

    def data_received(self, data: bytes) -> None:
        """Pass on data, unless there was too much before; a head and what follows it separately."""
        if self._received > self._limit:
            self.is_too_long = True
            self._transport.abort()
            self._break_off()
            return
        self._received += len(data)
        while self._head is not None and data:
            before = max(0, len(self._head) - len(b"\n\r"))
            self._head = (self._head + data).lstrip(b"\r\n")
            if (end := head_repair.END.search(self._head, before)) is None:
                return
            whole, data = self._head[: end.end()], self._head[end.end() :]
            self._head = b"" if head_repair.is_interim(whole) else None
            self._pass_on(head_repair.mended(whole[: end.start()]))
        self._pass_on(data)

    def _pass_on(self, data: bytes) -> None:
        if data and not self._transport.is_closing():
            self._protocol.data_received(data)
        if self._transport.is_closing():
            self._break_off()

    def connection_lost(self, exc: Exception | None) -> None:
        """End a body whose length only the end of the connection tells, as cut if that broke."""
        if exc is not None:
            self._break_off()
        self._protocol.connection_lost(exc)

    def eof_received(self) -> bool | None:
        """Pass it on, after a head that has no end."""
        self._pass_on(self._head or b"")
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        """Pass it on."""
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on."""
        self._protocol.resume_writing()

    def _break_off(self) -> None:
        """Let the reader have what came before."""
        self._is_refused = True
        if self._content is not None and not self._content.is_eof():
            self.was_cut = True
            self._content.feed_eof()
