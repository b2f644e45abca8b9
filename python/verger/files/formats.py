"""Formats: what the name of a file says of its format, and how it begins.

In: a path. Out: the name of a format, or None; whether the file is packed with gzip. Which of the
formats can be read or written is for the caller to say.
"""

# ruff: noqa: PTH123

import os
from collections.abc import Sequence

from verger.errors import InvalidOption, UnknownName
from verger.plain import printable

BY_ENDING = {
    "txt": "text",
    "json": "json",
    "jsonl": "jsonl",
    "ndjson": "jsonl",
    "csv": "csv",
    "parquet": "parquet",
    "html": "html",
    "warc": "warc",
}

BEGINNINGS = {b"PAR1": "parquet", b"SQLi": "cache"}
"""How files begin that need no name to be known by."""

PACKED = ".gz"

Path = str | os.PathLike[str]


def format_told(path: Path) -> str | None:
    """Return the format that the ending of a name tells, in any case, before `.gz`."""
    name = os.fspath(path).lower().removesuffix(PACKED)
    _, dot, ending = name.rpartition(".")
    return BY_ENDING.get(ending) if dot else None


def format_begun(path: Path) -> str | None:
    """Return the format that the first bytes of a file tell, whatever its name. Raises OSError.

    Not for a pipe, which would not give these bytes again.
    """
    with open(path, "rb") as file:
        return BEGINNINGS.get(file.read(4))


def output_format(
    path: str, format: str | None, known: Sequence[str], *, option: str = "format"
) -> str:
    """Return the format of an output: the one given, else what its name tells, else text.

    known:   the formats that can be written.
    option:  what the caller gives the format with, for messages.
    Raises UnknownName; InvalidOption where the name tells a format that cannot be written, or
    another than `format`.
    """
    told = format_told(path)
    if told == "parquet" and is_packed(path):
        why = f"cannot write `{printable(path)}`: Parquet packs its own columns"
        raise InvalidOption(why, "leave `.gz` out of the name")
    hint = f"pass `{option}` with one of: {', '.join(f'`{form}`' for form in known)}"
    if format is None:
        if told is not None and told not in known:
            raise InvalidOption(f"cannot write {told} here: `{printable(path)}`", hint)
        return told or "text"
    if format not in known:
        raise UnknownName(f"`{printable(str(format))}` is not a format", hint)
    if told in known and told != format:
        why = f"`{printable(path)}` is the name of {told}, and `{option}` says {format}"
        raise InvalidOption(why, f"leave `{option}` out, or rename the file")
    return format


def expect_format(path: str, format: str, called: str) -> None:
    """Refuse the name of an output that tells another format than the one that is written.

    called:  the format, as messages name it.
    Raises InvalidOption.
    """
    told = format_told(path)
    if told not in (None, format):
        why = f"`{printable(path)}` is the name of {told}, and {called} is written here"
        raise InvalidOption(why, f"pass a name that ends in `.{format}`")


def is_packed(path: Path) -> bool:
    """Whether the name says that the file is packed with gzip."""
    return os.fspath(path).lower().endswith(PACKED)
