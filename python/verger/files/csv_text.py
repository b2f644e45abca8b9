"""CSV: how every command writes a table of text (RFC 4180).

In: values. Out: records. A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, or with
white space that it drops (OWASP, CSV Injection): text that begins so, or with an apostrophe, gets
an apostrophe in front. Who reads the table otherwise takes one leading apostrophe away, and has the
text byte for byte; numbers, times and truth values never have one.
"""

from collections.abc import Iterable

Value = str | int | float | bool | None

GUARD = "'"
FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""How a cell begins that a spreadsheet would run; the last four are the wide forms of the first."""

_GUARDED = FORMULA | {GUARD}


def record(values: Iterable[Value]) -> str:
    """Return a line without its end."""
    return ",".join(map(cell, values))


def cell(value: Value) -> str:
    """Return a value as it stands between two commas; nothing for None."""
    if isinstance(value, str):
        return text_cell(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def text_cell(text: str) -> str:
    """Return text as it stands between two commas.

    The writer of the standard library takes as long as all else that `verger check` does.
    """
    if text[:1] in _GUARDED:
        text = GUARD + text
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text
