"""The messages of a stream of Arrow, of which none is compressed.

In: octets (Apache Arrow Columnar Format, "IPC Streaming Format"). Out: the same octets, as pyarrow
asks for them, or a `Problem`. A compressed message of some kilobytes may unpack to gigabytes, and
pyarrow has no limit; most programs write none. Of a message's metadata, a flatbuffer, only this is
read: how long its body is, and whether it says that it is compressed.
"""

import struct
from typing import Protocol

from verger.serve.problems import Problem, expect

CONTINUES, PREFIX = b"\xff\xff\xff\xff", 8
HEADER_TYPE, HEADER, BODY_LENGTH = 1, 2, 3
"""Fields of `Message`, by their places in Message.fbs."""
DICTIONARY, ROWS = 2, 3
"""Types of its header: a `DictionaryBatch`, whose field 1 is a `RecordBatch`, or this itself."""
DATA, COMPRESSION = 1, 3


class FrameSource(Protocol):
    """What octets are read from."""

    def read(self, size: int = -1) -> bytes:
        """Return so many octets, fewer at the end."""
        ...


class ArrowFrames:
    """A stream as a file. Reading raises Problem 400 or 415."""

    def __init__(self, source: FrameSource) -> None:
        self._source, self._head, self._left = source, b"", 0
        self.closed = False

    def read(self, size: int = -1) -> bytes:
        """Return at most so many octets of one message."""
        if not self._head and not self._left:
            self._begin()
        if self._head:
            found, self._head = self._head[:size], self._head[size:]
            return found
        found = self._source.read(min(size, self._left))
        self._left = self._left - len(found) if found else 0
        return found

    def _begin(self) -> None:
        prefix = self._source.read(PREFIX)
        is_framed = prefix.startswith(CONTINUES) and len(prefix) == PREFIX
        expect(is_framed or not prefix, 400, "the body is not a stream of Arrow", "body")
        length = int.from_bytes(prefix[4:], "little")
        metadata = self._source.read(length) if length else b""
        self._head = prefix + metadata
        if metadata:
            try:
                self._left = _body_of(metadata)
            except struct.error:
                why = "the body is not a stream of Arrow: the metadata of a message is damaged"
                raise Problem(400, why, field="body") from None


def _body_of(metadata: bytes) -> int:
    """Return the length of a message's body. Raises Problem 415 if it is compressed."""
    message = _follow(metadata, 0)
    type_, header, length = (_field(metadata, message, i) for i in range(HEADER_TYPE, 4))
    kind = metadata[type_] if 0 < type_ < len(metadata) else 0
    batch = _follow(metadata, header) if header else 0
    if kind == DICTIONARY and batch:
        data = _field(metadata, batch, DATA)
        batch = _follow(metadata, data) if data else 0
    is_packed = kind in (DICTIONARY, ROWS) and batch and _field(metadata, batch, COMPRESSION)
    why = "compressed Arrow is not read: write it without compression"
    expect(not is_packed, 415, why, "body")
    found = struct.unpack_from("<q", metadata, length)[0] if length else 0
    return max(0, int(found))


def _follow(data: bytes, at: int) -> int:
    """Return the place that an offset leads to."""
    return at + int(struct.unpack_from("<I", data, at)[0])


def _field(data: bytes, table: int, index: int) -> int:
    """Return where a field of a table stands; 0 if it has none."""
    names = table - int(struct.unpack_from("<i", data, table)[0])
    at = 4 + 2 * index
    if names < 0 or at >= int(struct.unpack_from("<H", data, names)[0]):
        return 0
    offset = int(struct.unpack_from("<H", data, names + at)[0])
    return table + offset if offset else 0
