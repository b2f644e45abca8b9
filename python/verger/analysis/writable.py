"""What an edit may write, and into which files.

In: a parsed file, or a value. Out: in words, why an edit would damage the file; an error where it
would, or where the value would not be read back as written.
"""

from verger._core import RobotsTxt, parse
from verger.analysis.templates import template_lines
from verger.errors import InvalidOption
from verger.findings import NOT_ROBOTS_TXT, findings_of
from verger.options import expect_robots
from verger.untrusted_text import glyph

UNWRITABLE = "#\r\n\0"
"""Characters that end a value: the start of a comment, a line end, or for some parsers a NUL."""

BLANKS = " \t\v\f"

OTHER_FILE = "pass a robots.txt file in UTF-8"


def expect_editable(robots: RobotsTxt) -> None:
    """Refuse a file that is not robots.txt, or a template of one: an edit would damage it."""
    expect_robots(robots=robots)
    if (found := why_not_editable(robots)) is not None:
        why, hint = found
        raise InvalidOption(f"the file cannot be edited: {why}", hint)


def why_not_editable(robots: RobotsTxt) -> tuple[str, str] | None:
    """Return why a file is not a robots.txt file that can be edited, and a hint; None if it is."""
    for each in findings_of(robots):
        if each.code in NOT_ROBOTS_TXT:
            return each.message, OTHER_FILE
    if lines := template_lines(robots.body, robots.lines):
        why = f"line {min(lines)} is part of a text that was not rendered"
        return why, "run it on the rendered file"
    return None


def expect_own_bytes(robots: RobotsTxt) -> None:
    """Refuse a file that was converted from UTF-16, so spans are not those of its bytes."""
    if not robots.body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    as_it_is = parse(robots.body, dialect=robots.dialect.replace(decode_utf16=False))
    if as_it_is.lines != robots.lines:
        raise InvalidOption("a file in UTF-16 cannot be edited", "convert it to UTF-8")


def expect_writable(what: str, value: str) -> None:
    """Refuse a value that would not be read back as written."""
    if (found := unwritable(value)) is not None:
        mark = glyph(value[found]) if value[found] != " " else " "
        hint = "write `%23` in a path" if mark == "#" else None
        raise InvalidOption(f"{what} cannot contain `{mark}` at offset {found}", hint)


def unwritable(value: str) -> int | None:
    """Return the offset of the first character that a parser would not read as part of a value."""
    if value != value.strip(BLANKS):
        return 0 if value[0] in BLANKS else len(value) - 1
    return next((at for at, each in enumerate(value) if each in UNWRITABLE or _is_half(each)), None)


def _is_half(character: str) -> bool:
    """Whether a character is a lone surrogate, except those that stand for bytes (PEP 383)."""
    return "\ud800" <= character < "\udc80" or "\udd00" <= character <= "\udfff"
