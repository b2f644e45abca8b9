"""TOML documents that users write: parsed, or refused with the line of the error.

In: the path or the bytes of a document, and its name for messages. Out: its text and its table.
TOML 1.0.0.
"""

import os
import tomllib
from codecs import BOM_UTF8
from typing import Any

from verger.errors import RobotsError, UnusableInput
from verger.files.input_errors import unreadable
from verger.untrusted_text import printable, quoted, uncapitalized

LARGEST = 16 << 20
"""The most bytes in a document; nobody writes more by hand."""


def read_document(path: str | os.PathLike[str], kind: type[UnusableInput] = UnusableInput) -> bytes:
    """Return the bytes of a document, one more than `read_toml` takes if there are more. Raises
    `kind`."""
    name = os.fsdecode(path)
    try:
        with open(name, "rb") as file:  # noqa: PTH123 -- `pathlib` would slow `lint` down
            return file.read(LARGEST + 1)
    except (OSError, ValueError) as error:  # a name with a NUL
        cause = error if isinstance(error, OSError) else OSError(str(error))
        raise unreadable(name, cause, kind=kind) from None


def read_toml(
    document: bytes | str, name: str, kind: type[RobotsError]
) -> tuple[str, dict[str, Any]]:
    """Return the text of a document and its table. Raises `kind`, with a hint."""
    text = _decoded(document, name, kind)
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        last = text.rstrip("\n").count("\n") + 1
        raise kind(*_syntax(name, str(error), last)) from None
    except (RecursionError, ValueError) as error:  # 5,000 digits in a number, 5,000 brackets
        why = "values are nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise kind(f"{quoted(name)} cannot be read: {why}", "write a shorter value") from None


def _decoded(document: bytes | str, name: str, kind: type[RobotsError]) -> str:
    if isinstance(document, str):
        return document.removeprefix(BOM_UTF8.decode())
    if len(document) > LARGEST:
        raise kind(f"{quoted(name)} has more than {LARGEST:,} bytes", "split it into several files")
    try:
        return document.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = document.count(b"\n", 0, error.start) + 1
        byte = document[error.start]
        raise kind(
            f"line {line} of {quoted(name)}: byte 0x{byte:02x} is not UTF-8",
            "TOML is UTF-8: save the file in that encoding",
        ) from None


def _syntax(name: str, said: str, last: int) -> tuple[str, str]:
    """Return the message and hint for an error of `tomllib`: `Invalid value (at line 3, …)`.

    last:  the last line of the document.
    """
    what, _, where = said.rstrip(")").rpartition(" (at ")
    place, _, column = where.partition(", ")
    if where == "end of document":
        place, column = f"line {last}", "the end"
    about = f"{place} of {quoted(name)}" if what else quoted(name)
    words = uncapitalized(printable(what or said))
    tail = f" ({column})" if column else ""
    return f"{about}: {words}{tail}", "the file is not valid TOML"
