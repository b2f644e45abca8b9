"""Arrow's C structures made by hand: arrays and streams that no library would make.

In: Python values. Out: objects with the Arrow PyCapsule interface, whose capsules hold exactly the
numbers and pointers that a test wrote into them. No test lives here.
"""

import ctypes
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

EIO = 5


class CSchema(ctypes.Structure):
    """`struct ArrowSchema`."""


class CArray(ctypes.Structure):
    """`struct ArrowArray`."""


class CStream(ctypes.Structure):
    """`struct ArrowArrayStream`."""


RELEASE_SCHEMA = ctypes.CFUNCTYPE(None, ctypes.POINTER(CSchema))
RELEASE_ARRAY = ctypes.CFUNCTYPE(None, ctypes.POINTER(CArray))
RELEASE_STREAM = ctypes.CFUNCTYPE(None, ctypes.POINTER(CStream))
GET_SCHEMA = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CStream), ctypes.POINTER(CSchema))
GET_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(CStream), ctypes.POINTER(CArray))
# A `c_char_p` that a callback returns would be freed before it is read.
GET_LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(CStream))

CSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(CSchema))),
    ("dictionary", ctypes.POINTER(CSchema)),
    ("release", RELEASE_SCHEMA),
    ("private_data", ctypes.c_void_p),
]
CArray._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset")),
    *((name, ctypes.c_int64) for name in ("n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(CArray))),
    ("dictionary", ctypes.POINTER(CArray)),
    ("release", RELEASE_ARRAY),
    ("private_data", ctypes.c_void_p),
]
CStream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", GET_LAST_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", ctypes.c_void_p),
]

_KEPT: list[Any] = []
"""All that C may still point to: a test's few bytes are never freed."""

_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype = ctypes.py_object
_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def kept(value: Any) -> Any:
    """Keep a value for C."""
    _KEPT.append(value)
    return value


def capsule(value: ctypes.Structure, name: bytes) -> Any:
    """Make a capsule of a structure."""
    return _capsule(ctypes.addressof(kept(value)), kept(name), None)


def _pointers(kind: Any, values: Sequence[Any]) -> Any:
    pointers = [ctypes.pointer(kept(value)) if value else kind() for value in values]
    return kept((kind * max(len(pointers), 1))(*pointers))


def release(structure: Any) -> None:
    """Release as the interface wants it: by forgetting the callback."""
    structure.contents.release = type(structure.contents.release)()


_release_schema = RELEASE_SCHEMA(release)
_release_array = RELEASE_ARRAY(release)
_release_stream = RELEASE_STREAM(release)


def schema(
    form: bytes | None,
    name: bytes | None = b"",
    children: Sequence[CSchema | None] = (),
    *,
    dictionary: CSchema | None = None,
    **numbers: Any,
) -> CSchema:
    """Make a schema; `numbers` are fields that say something else than the truth."""
    made = CSchema(
        format=form,
        name=name,
        flags=2,
        n_children=len(children),
        children=_pointers(ctypes.POINTER(CSchema), children),
        release=_release_schema,
    )
    return _told(made, dictionary, numbers)


def array(
    length: int,
    buffers: Sequence[bytes | None] = (),
    children: Sequence[CArray | None] = (),
    /,
    *,
    dictionary: CArray | None = None,
    **numbers: Any,
) -> CArray:
    """Make an array; `numbers` are fields that say something else than the truth."""
    pointers = [_address(buffer) for buffer in buffers]
    made = CArray(
        length=length,
        null_count=-1,
        n_buffers=len(buffers),
        n_children=len(children),
        buffers=kept((ctypes.c_void_p * max(len(pointers), 1))(*pointers)),
        children=_pointers(ctypes.POINTER(CArray), children),
        release=_release_array,
    )
    return _told(made, dictionary, numbers)


def _told(made: Any, dictionary: Any, numbers: Mapping[str, Any]) -> Any:
    """Give a schema or an array its dictionary, and the fields that lie."""
    if dictionary:
        made.dictionary = ctypes.pointer(kept(dictionary))
    for key, value in numbers.items():
        setattr(made, key, value)
    return made


def _address(data: bytes | None) -> int | None:
    # Room behind the end: what is read too far is still memory of the test.
    room = None if data is None else kept(ctypes.create_string_buffer(data, len(data) + 64))
    return ctypes.addressof(room) if room is not None else None


def packed(code: str, *numbers: int) -> bytes:
    """Numbers as a buffer holds them: `i` for 32 bits, `q` for 64, `b` for 8."""
    return struct.pack(f"={len(numbers)}{code}", *numbers)


def view(length: int, prefix: bytes, buffer: int = 0, offset: int = 0) -> bytes:
    """A view of a string: what fits in stands there, else where it stands."""
    if length <= 12:
        return struct.pack("=i12s", length, prefix)
    return struct.pack("=i4sii", length, prefix[:4], buffer, offset)


@dataclass
class Column:
    """What gives one array, as `pyarrow.Array` does."""

    schema: CSchema
    array: CArray

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[Any, Any]:
        return capsule(self.schema, b"arrow_schema"), capsule(self.array, b"arrow_array")


@dataclass
class Stream:
    """What gives a stream. After its pieces it ends, or fails with what `fails` says."""

    schema: CSchema
    pieces: list[CArray]
    fails: bytes | None = None
    schema_code: int = 0
    has_last_error: bool = True
    given: int = field(default=0, init=False)

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        stream = CStream(
            get_schema=GET_SCHEMA(kept(self._get_schema)),
            get_next=GET_NEXT(kept(self._get_next)),
            release=_release_stream,
        )
        if self.has_last_error:
            stream.get_last_error = GET_LAST_ERROR(kept(self._get_last_error))
        return capsule(stream, b"arrow_array_stream")

    def _get_schema(self, _: Any, out: Any) -> int:
        if not self.schema_code:
            ctypes.memmove(out, ctypes.pointer(self.schema), ctypes.sizeof(CSchema))
        return self.schema_code

    def _get_next(self, _: Any, out: Any) -> int:
        if self.given < len(self.pieces):
            ctypes.memmove(out, ctypes.pointer(self.pieces[self.given]), ctypes.sizeof(CArray))
            self.given += 1
            return 0
        if self.fails is None:
            ctypes.memset(out, 0, ctypes.sizeof(CArray))
            return 0
        return EIO

    def _get_last_error(self, _: Any) -> int | None:
        return _address(self.fails + b"\0") if self.fails else None


@dataclass
class Gives:
    """What gives whatever a test wants given."""

    stream: Callable[[], Any]

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.stream()


def table(columns: dict[str, tuple[CSchema, CArray]], length: int, **numbers: Any) -> Column:
    """Make a table of columns."""
    fields = []
    for name, (kind, _) in columns.items():
        kind.name = name.encode()
        fields.append(kind)
    children = [column for _, column in columns.values()]
    return Column(schema(b"+s", b"", fields), array(length, [None], children, **numbers))


def texts(*values: str | None, **numbers: Any) -> CArray:
    """A column of text, as it should be."""
    data = [(value or "").encode() for value in values]
    ends = [sum(len(each) for each in data[:n]) for n in range(len(data) + 1)]
    bits = sum((value is not None) << n for n, value in enumerate(values))
    validity = bits.to_bytes(max(1, (len(values) + 7) // 8), "little")
    return array(len(values), [validity, packed("i", *ends), b"".join(data)], **numbers)
