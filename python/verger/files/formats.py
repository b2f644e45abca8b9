"""Formats: what the name of a file says of its format.

In: a path. Out: the name of a format, or none; whether the file is packed with gzip. Which of the
formats can be read or written is for the caller to say.
"""

import os

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

PACKED = ".gz"

Path = str | os.PathLike[str]


def format_told(path: Path) -> str | None:
    """Return the format that the ending of a name tells, in any case, before `.gz`."""
    name = os.fspath(path).lower().removesuffix(PACKED)
    _, dot, ending = name.rpartition(".")
    return BY_ENDING.get(ending) if dot else None


def is_packed(path: Path) -> bool:
    """Whether the name says that the file is packed with gzip."""
    return os.fspath(path).lower().endswith(PACKED)
