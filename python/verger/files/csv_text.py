"""CSV: how every command writes a table of text (RFC 4180).

In: values. Out: records.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, or with white space that it drops
(OWASP, CSV Injection), so text that begins with one of these or with an apostrophe is written after
an extra apostrophe. Other readers of the table remove one leading apostrophe to get the text byte
for byte; numbers, times and booleans never have one.

A spreadsheet that splits records at `;` or tabs cuts text in the middle, where an apostrophe would
change the text: open such a table with the comma as the separator.
"""

from collections.abc import Iterable

Value = str | int | float | bool | None

GUARD = "'"
FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""First characters of a cell that a spreadsheet would run; the last four are full-width forms."""

_GUARDED = FORMULA | {GUARD}


def record(values: Iterable[Value]) -> str:
    """Return a record as a line without its end."""
    return ",".join(map(cell, values))


def cell(value: Value) -> str:
    """Return a value as it is written between two commas; nothing for None."""
    if isinstance(value, str):
        return text_cell(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def text_cell(text: str) -> str:
    """Return text as it is written between two commas.

    The standard library's writer would take as long as everything else in `verger check`.
    """
    if text[:1] in _GUARDED:
        text = GUARD + text
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text
