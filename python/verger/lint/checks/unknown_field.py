"""RT114: an unknown field."""

from collections.abc import Iterator
from functools import lru_cache

from verger._core import Dialect, Line, parse
from verger.analysis import Edit
from verger.analysis.layout import key_start
from verger.lint.check import check
from verger.lint.diagnostic import Fix, Found
from verger.lint.file import File
from verger.lint.format import FIELDS
from verger.lint.near import Spellings
from verger.lint.words import quoted

SPELLINGS = Spellings(FIELDS)

URL_SCHEMES = ("http", "https", "ftp")


@check("RT114", "warning", fix="unsafe")
def unknown_field(file: File) -> Iterator[Found]:
    """A line whose field is unknown, such as `Disallows`, a spelling that no crawler accepts.

    Why: crawlers skip the line, so it has no effect.

    Use instead: a field of RFC 9309 section 2.2, or one that crawlers document.

    Fix: if a known field has nearly the same spelling, its name is written. The line then takes
    effect, so the fix is unsafe.
    """
    known = {each.line for each in file.by_code.get("field-not-read", [])}  # RT415
    for line in file.lines:
        if (
            line.number in known
            or line.kind != "unknown"
            or line.key is None
            or line.value is None
            or is_prose(line)
        ):
            continue
        start = key_start(file.robots, line)
        span = (start, start + len(line.key.encode("utf-8", "surrogateescape")))
        meant = SPELLINGS.nearest(line.key)
        if meant is None or not _is_read(meant, file.robots.dialect):
            yield Found(line.number, f"{quoted(line.key)} is not a field that crawlers read", span)
            continue
        near = FIELDS[meant]
        fix = Fix(f"Write `{near.decode()}`", (Edit(span, near),), "unsafe")
        what = f"{quoted(line.key)} is not a field that crawlers read: `{near.decode()}` is"
        yield Found(line.number, what, span, fix=fix)


@lru_cache(maxsize=64)
def _is_read(field: str, dialect: Dialect) -> bool:
    """Whether a dialect reads a field: that of 1994 does not read `Allow`."""
    return parse(f"{field}: x", dialect=dialect).lines[0].kind != "unknown"


def is_prose(line: Line) -> bool:
    """Whether a line is text, such as a URL or a sentence, rather than a field and its value."""
    key = (line.key or "").strip()
    is_url = key.lower().endswith(URL_SCHEMES)
    return is_url or key.startswith("<") or len(key.split()) > 2 or not key.isascii()
