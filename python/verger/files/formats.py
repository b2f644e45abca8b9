"""Formats: the format that a file name implies, and how files begin.

In: a path. Out: the name of a format, or None; whether the file is compressed with gzip. The caller
decides which formats it can read or write.
"""

import os
from collections.abc import Sequence

from verger.errors import InvalidOption, InvalidTable, UnknownName
from verger.files.addresses import open_input
from verger.files.paths import is_address
from verger.options import AnyPath
from verger.untrusted_text import printable, quoted

BY_ENDING = {
    "txt": "text",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "csv": "csv",
    "parquet": "parquet",
    "html": "html",
    "warc": "warc",
    "wacz": "warc",
}

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    TableFormat: TypeAlias = Literal["parquet", "csv", "jsonl"]
    CapturedFormat: TypeAlias = Literal["warc", TableFormat]
    UrlsFormat: TypeAlias = Literal["text", TableFormat]
else:  # `verger check` starts without `typing`
    TableFormat = CapturedFormat = UrlsFormat = str
"""The formats that Python functions take, for type checkers."""

TABLES: tuple[TableFormat, ...] = ("parquet", "csv", "jsonl")
"""The formats of tables that are read and written."""

CAPTURED: tuple[CapturedFormat, ...] = ("warc", *TABLES)
"""The formats of what holds the files of many sites."""

SNAPSHOTS = ("cache", *CAPTURED)
"""The formats of a file that is a snapshot of many sites."""

EXPECTED = (
    *("toml", "yaml", "pdf", "docx", "xls", "xlsx", "ods"),
    *("sqlite", "arrow", "feather", "orc", "avro"),
)
"""Formats that a name promises as well, although most of them are never written."""

OUTPUTS = BY_ENDING | {
    **{each: each for each in EXPECTED},
    "sarif": "sarif",
    "md": "markdown",
    "xml": "junit",
    "tsv": "tsv",
    "yml": "yaml",
    "htm": "html",
}
"""The same for outputs, with formats that nothing reads."""

OTHER_PACKINGS = {
    "bz2": "bzip2",
    "xz": "xz",
    "lzma": "lzma",
    "zst": "zstd",
    "lz4": "lz4",
    "br": "brotli",
    "zip": "zip",
    "7z": "7z",
    "tar": "tar",
    "tgz": "tar",
    "rar": "rar",
}
"""The endings of what is packed in a way that nothing writes."""

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"
ZIP = b"PK\x03\x04"
DATABASE = b"SQLite format 3\0"
"""How files begin, whoever looks."""

PACKERS = {
    b"BZh": ("bzip2", "bzip2 -dc"),
    b"\xfd7zXZ\0": ("xz", "xz -dc"),
    ZSTD: ("zstd", "zstd -dc"),
    ZIP: ("zip", "unzip -p"),
}
"""How files begin that are compressed, but not with gzip; with what, and what unpacks them."""

BEGINNINGS = {b"PAR1": "parquet", DATABASE[:4]: "cache"}
"""How files begin that need no name to be known by."""

PACKED = ".gz"


def format_by_name(path: AnyPath) -> str | None:
    """Return the format that a file name's ending implies; ignores case and a final `.gz`."""
    name = _name(path)
    return "warc" if name.endswith(".warc.zst") else BY_ENDING.get(_ending(name))


def _name(path: AnyPath) -> str:
    """Return a name as its ending tells a format: an address without its query."""
    name = os.fspath(path).lower()
    return name.partition("?")[0] if is_address(name) else name


def _ending(path: AnyPath) -> str:
    name = _name(path).removesuffix(PACKED)
    _, dot, ending = name.rpartition(".")
    return ending if dot else ""


BEGUN = 4
"""The bytes that tell a format."""


def format_begun(path: AnyPath) -> str | None:
    """Return the format that the first bytes of a file tell, whatever its name. Raises OSError.

    Not for a pipe, which would not give these bytes again.
    """
    with open_input(path, BEGUN) as file:
        return BEGINNINGS.get(file.read(BEGUN))


def output_format(
    path: str,
    format: str | None,
    known: Sequence[str],
    *,
    option: str = "format",
    packs: bool = False,
) -> str:
    """Return the format of an output: the one given, else the one its name implies, else text.

    known:   the formats that can be written.
    option:  the name of the option for the format, for messages.
    packs:   whether the caller compresses an output whose name ends in `.gz`.
    Raises UnknownName; InvalidOption if the name implies a format that cannot be written, or a
    different one than `format`.
    """
    implied = _promised(path)
    if not packs or implied == "parquet":
        _expect_unpacked(path, implied)
    offered = ", ".join(f"`{form}`" for form in known)
    is_offered = implied is None or implied in known
    rename = f"rename the file; formats here: {offered}"
    if format is None:
        if not is_offered:
            raise InvalidOption(f"cannot write {implied} here: {quoted(path)}", rename)
        return implied or "text"
    if format not in known:
        raise UnknownName(
            f"{quoted(str(format))} is not a format", f"pass `{option}` with one of: {offered}"
        )
    if implied is not None and (implied, format) != ("json", "jsonl"):
        _expect_same(path, implied, format, option, None if is_offered else rename)
    return format


def input_format(
    path: AnyPath, format: str | None, known: Sequence[str], *, option: str = "format"
) -> str | None:
    """Return the format of an input: the one given, else the one its name implies, if any.

    known:   the formats that are read here; a name that implies another one implies nothing.
    option:  the name of the option for the format, for messages.
    Raises InvalidOption if the name implies a different format than `format`.
    """
    implied = format_by_name(path)
    if implied not in known:
        return format
    if format is not None:
        _expect_same(path, implied, format, option)
    return implied


def _promised(path: str) -> str | None:
    """Return the format that the name of an output implies.

    Raises InvalidOption for one that is compressed in another way than with gzip.
    """
    ending = _ending(path)
    if ending in OTHER_PACKINGS:
        raise InvalidOption(
            f"cannot write {quoted(path)}: verger does not write {OTHER_PACKINGS[ending]}",
            f"leave `.{ending}` out of the name",
        )
    return OUTPUTS.get(ending)


def _expect_same(
    path: AnyPath, implied: str | None, format: str, option: str, hint: str | None = None
) -> None:
    if implied != format:
        name = printable(os.fspath(path))
        raise InvalidOption(
            f"`{name}` is named as {implied}, but `{option}` says {format}",
            hint or f"leave `{option}` out, or rename the file",
        )


def expect_format(path: str, format: str, called: str) -> None:
    """Refuse an output whose name implies a different format than the one written.

    called:  the format, as messages name it.
    Raises InvalidOption.
    """
    implied = _promised(path)
    if implied not in (None, format):
        why = f"{quoted(path)} is named as {implied}, but {called} is written here"
        ending = "txt" if format == "text" else format
        raise InvalidOption(why, f"pass a name that ends in `.{ending}`")
    _expect_unpacked(path, implied)


def _expect_unpacked(path: str, implied: str | None) -> None:
    """Refuse a name that promises an output compressed with gzip."""
    if is_packed(path):
        is_parquet = implied == "parquet"
        what = "Parquet compresses its own columns" if is_parquet else "it is not compressed here"
        raise InvalidOption(f"cannot write {quoted(path)}: {what}", "leave `.gz` out of the name")


def is_packed(path: AnyPath) -> bool:
    """Whether the name implies that the file is compressed with gzip."""
    return _name(path).endswith(PACKED)


def expect_unpacked(name: str, beginning: bytes) -> None:
    """Refuse a file that is compressed, but not with gzip. Raises InvalidTable."""
    for magic, (packer, command) in PACKERS.items():
        if beginning.startswith(magic):
            raise InvalidTable(
                f"{quoted(name)} is compressed with {packer}", f"unpack it first: `{command}`"
            )


MARKS = (
    *(b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"BZh"),  # Zstandard, xz, bzip2
    *(b"version https://git-lfs", b"HTTP/"),  # a pointer of Git LFS, a message with its head
)
"""How files begin that hold another in some form."""


def is_doubtful(body: bytes | bytearray | memoryview) -> bool:
    """Whether octets that somebody has kept may be other than a file, by how they begin."""
    return bytes(body[:32]).startswith((GZIP, b"\0", *MARKS))


def is_of_other_form(body: bytes) -> bool:
    """Whether octets are a file in some other form, such as packed, or nothing but zeros."""
    return body.startswith((GZIP, *MARKS)) or bool(body and not body.strip(b"\0"))
