"""The cases of the suite, read from its files.

In: a folder with one folder for each specification, as `make suite` packs it; by default the one
that is installed with verger. Out: `Case` values, or `UnusableInput`, which names the file, the
case and the field that is wrong. Nothing is guessed: an unknown field is an error.
"""

import base64
import binascii
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from verger.errors import UnknownName, UnusableInput
from verger.untrusted_text import printable

Level: TypeAlias = Literal["normative", "decision"]
"""Whether the source states the answer, or leaves it open and verger chose one."""

INSTALLED = Path(__file__).parent / "specifications"
LARGEST_FILE = 1 << 26
"""Bytes that a case may make a parser read."""

_FILE_FIELDS = {"format": int, "specification": str, "source": str, "cases": list}
_NEEDED = {"id": str, "about": str, "section": str, "level": str, "agent": str, "url": str}
_OPTIONAL = {
    "strength": str,
    "robots": str,
    "robots_base64": str,
    "robots_parts": list,
    "allowed": bool,
    "line": int,
    "differs": dict,
}
_FILLED = ("cases", "id", "about", "section")
"""Fields that hold something."""
_WAYS = ("robots", "robots_base64", "robots_parts")
_LEVELS = ("normative", "decision")


@dataclass(frozen=True, slots=True)
class Case:
    """One question about a robots.txt file, and its answer in one specification."""

    id: str
    specification: str
    """The name of a dialect of verger."""
    source: str
    """The document: title and date."""
    section: str
    about: str
    level: Level
    strength: str
    """`SHOULD` where the source recommends the answer, and leaves a parser free; else empty."""
    robots: bytes
    """The file."""
    agent: str
    """The product token of the crawler."""
    url: str
    allowed: bool | None
    """None where the question has no answer: the agent cannot be a product token."""
    line: int | None
    """The number of the line that decides, from 1, if one does."""


def cases(
    specification: str | None = None, *, folder: str | os.PathLike[str] | None = None
) -> list[Case]:
    """Return the cases of one specification, or of all.

    folder:  an unpacked archive of the suite; by default the suite of this version of verger.
    Raises UnknownName for a specification without cases, UnusableInput for a file that is not
    what the schema says.
    """
    root = INSTALLED if folder is None else Path(folder)
    known = specifications(folder=root)
    if specification is not None and specification not in known:
        raise UnknownName(
            f"the suite has no specification `{specification}`", f"it has: {', '.join(known)}"
        )
    wanted = known if specification is None else [specification]
    return [case for name in wanted for case in _cases_in(root / name)]


def specifications(*, folder: str | os.PathLike[str] | None = None) -> list[str]:
    """Return the names of the specifications, sorted. Raises UnusableInput."""
    root = INSTALLED if folder is None else Path(folder)
    try:
        found = sorted(path.name for path in root.iterdir() if path.is_dir())
    except OSError as error:
        raise UnusableInput(f"cannot read `{root}`: {error.strerror}", _UNPACK) from error
    if not found:
        raise UnusableInput(f"`{root}` has no folder of cases", _UNPACK)
    return found


_UNPACK = "name the folder of an unpacked suite, with a folder for each specification"


def _cases_in(folder: Path) -> Iterator[Case]:
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise UnusableInput(f"`{folder}` has no file of cases", _UNPACK)
    for path in paths:
        yield from _read(path)


def _read(path: Path) -> Iterator[Case]:
    try:
        held = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise UnusableInput(f"cannot read `{path}`: {error}", _UNPACK) from error
    _expect_fields(held, _FILE_FIELDS, {}, f"`{path}`")
    if held["format"] != 1:
        raise UnusableInput(
            f"`{path}`: format {held['format']} is not known", "this version of verger reads 1"
        )
    for number, row in enumerate(held["cases"], 1):
        named = row.get("id", number) if isinstance(row, dict) else number
        yield _case(row, held, f"`{path}`, case `{printable(str(named))}`")


def _case(row: Any, held: Mapping[str, Any], where: str) -> Case:
    _expect_fields(row, _NEEDED, _OPTIONAL, where)
    if row["level"] not in _LEVELS:
        raise UnusableInput(f"{where}: `level` is `{row['level']}`", "write normative or decision")
    return Case(
        id=row["id"],
        specification=held["specification"],
        source=held["source"],
        section=row["section"],
        about=row["about"],
        level=row["level"],
        strength=row.get("strength", ""),
        robots=_robots(row, where),
        agent=row["agent"],
        url=row["url"],
        allowed=row.get("allowed"),
        line=row.get("line"),
    )


def _expect_fields(
    row: Any, needed: Mapping[str, type], optional: Mapping[str, type], where: str
) -> None:
    if not isinstance(row, dict):
        raise UnusableInput(f"{where} is not an object", _SCHEMA)
    for name, value in row.items():
        kind = needed.get(name) or optional.get(name)
        if kind is None:
            raise UnusableInput(f"{where}: unknown field `{name}`", _SCHEMA)
        if type(value) is not kind:
            raise UnusableInput(f"{where}: `{name}` is not of type {_TYPES[kind]}", _SCHEMA)
        if not value and name in _FILLED:
            raise UnusableInput(f"{where}: `{name}` is empty", _SCHEMA)
    for name in needed:
        if name not in row:
            raise UnusableInput(f"{where}: no field `{name}`", _SCHEMA)


_SCHEMA = "`suite.schema.json` says what a file of cases holds"
_TYPES = {
    int: "integer",
    str: "string",
    list: "array",
    dict: "object",
    bool: "boolean",
}


def _robots(row: Mapping[str, Any], where: str) -> bytes:
    """Return the file of a case, whichever way it is written down."""
    if sum(way in row for way in _WAYS) != 1:
        raise UnusableInput(f"{where}: the file is not written in exactly one way", _SCHEMA)
    try:
        if "robots_base64" in row:
            return base64.b64decode(row["robots_base64"], validate=True)
        parts = row["robots_parts"] if "robots_parts" in row else [[row["robots"], 1]]
        if any(
            type(text) is not str or type(times) is not int or times < 1 for text, times in parts
        ):
            raise ValueError("a part is not a text and how often it is repeated")
        if sum(len(text) * times for text, times in parts) > LARGEST_FILE:
            raise ValueError(f"more than {LARGEST_FILE >> 20} MiB")
        return "".join(text * times for text, times in parts).encode()
    except (binascii.Error, TypeError, ValueError) as error:
        raise UnusableInput(f"{where}: no file can be made of it: {error}", _SCHEMA) from error
