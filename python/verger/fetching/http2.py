"""The statuses of an HTTP/2 connection, as the server wrote them.

In: the bytes of a connection as they arrive. Out: nothing, or `HopFailed` for a response with a
missing or invalid status. httpcore2 treats a missing `:status` as 200 and parses others like Python
numbers; RFC 9113 section 8.3.2 calls both malformed. All other errors in frames are left to h2,
which reads the same bytes next.
"""

from collections.abc import Iterator

from hpack import Decoder
from hpack.exceptions import HPACKError

from verger.access.result import STATUSES
from verger.fetching.transport import not_a_status

FRAME_HEAD = 9
"""Bytes before the payload of a frame: length, type, flags, stream (RFC 9113 section 4.1)."""
LONGEST_FRAME = 16_384
"""Bytes of a payload, unless a client allows more."""
LONGEST_BLOCK = 64 * LONGEST_FRAME
"""Bytes of a header section in frames; h2 refuses as many."""

HEADERS, CONTINUATION = 1, 9
END_STREAM, END_HEADERS, PADDED, PRIORITY = 1, 4, 8, 32


class Statuses:
    """Reads the header sections that a server sends on one connection."""

    def __init__(self) -> None:
        self._decoder = Decoder()
        self._bytes = bytearray()
        self._block = bytearray()
        self._responded: set[int] = set()
        """The streams whose next header section is trailers."""
        self._is_lost = False
        """Whether the bytes cannot be read, which h2 will report."""

    def read(self, data: bytes) -> None:
        """Read the next bytes; raise `HopFailed` for a response without a valid status."""
        if self._is_lost:
            return
        self._bytes += data
        try:
            for kind, flags, stream, payload in self._frames():
                self._read_frame(kind, flags, stream, payload)
        except (HPACKError, Lost):
            self._is_lost = True
            self._bytes.clear()
            self._block.clear()

    def _frames(self) -> Iterator[tuple[int, int, int, bytes]]:
        while len(self._bytes) >= FRAME_HEAD:
            end = FRAME_HEAD + int.from_bytes(self._bytes[:3])
            if end > FRAME_HEAD + LONGEST_FRAME:
                raise Lost
            if len(self._bytes) < end:
                return
            kind, flags = self._bytes[3:5]
            stream = int.from_bytes(self._bytes[5:FRAME_HEAD]) & 0x7FFF_FFFF
            payload = bytes(self._bytes[FRAME_HEAD:end])
            del self._bytes[:end]
            yield kind, flags, stream, payload

    def _read_frame(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == HEADERS:
            self._block[:] = fragment_of(payload, flags)
        elif kind == CONTINUATION:
            self._block += payload
        if kind in (HEADERS, CONTINUATION):
            if len(self._block) > LONGEST_BLOCK:
                raise Lost
            if flags & END_HEADERS:
                self._read_section(stream)
        if flags & END_STREAM and kind != CONTINUATION:
            self._responded.discard(stream)

    def _read_section(self, stream: int) -> None:
        fields = self._decoder.decode(bytes(self._block), raw=True)
        self._block.clear()
        if stream in self._responded:
            return
        written = [value for name, value in fields if name == b":status"]
        status = expect_one(written)
        if status >= 200:
            self._responded.add(stream)


class Lost(Exception):
    """The bytes are not HTTP/2."""


def fragment_of(payload: bytes, flags: int) -> bytes:
    """Return the field block fragment in a HEADERS payload (RFC 9113 section 6.2)."""
    padding = payload[:1] if flags & PADDED else b""
    start = len(padding) + (5 if flags & PRIORITY else 0)
    end = len(payload) - int.from_bytes(padding)
    if start > end:
        raise Lost
    return payload[start:end]


def expect_one(written: list[bytes]) -> int:
    """Return the status of a response; raise `HopFailed` unless there is one, and it is valid."""
    value = written[0] if len(written) == 1 else b""
    if len(value) == 3 and value.isdigit() and int(value) in STATUSES:
        return int(value)
    raise not_a_status(", ".join(one[:20].decode("ascii", "replace") for one in written[:3]))
