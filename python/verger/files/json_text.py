"""JSON in which no character acts: every object that a command writes.

In: values. Out: JSON (RFC 8259) in printable ASCII, on one line. Bytes that are no UTF-8 are lone
surrogates, as in Python: `\\udcff` is the byte 0xFF.
"""

from json import JSONEncoder

_encode = JSONEncoder().encode


def json_text(value: object) -> str:
    """Return a value as JSON."""
    return escaped(_encode(value))


def escaped(text: str) -> str:
    """Return JSON in ASCII without the one control character that may stand there, in strings."""
    return text.replace("\x7f", "\\u007f")
