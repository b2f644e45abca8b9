"""JSON: reads the objects of JSON Lines, and writes every object that a command prints.

Reading. In: lines. Out: objects. Writing. In: values. Out: JSON (RFC 8259) in printable ASCII on
one line. Bytes that are not UTF-8 are lone surrogates, as in Python: `\\udcff` is the byte 0xFF.
"""

from json import JSONDecoder, dumps

from verger.plain import uncapitalized

_decode = JSONDecoder().decode

Json = dict[str, object]


class NotAnObject(ValueError):
    """Why a line is not a JSON object."""


def read_object(line: str) -> Json:
    """Return the object that a line holds. Raises NotAnObject."""
    try:
        value = _decode(line)
    except (ValueError, RecursionError) as error:
        raise NotAnObject(f"the line is not JSON: {_why_not_json(error)}") from None
    if not isinstance(value, dict):
        raise NotAnObject("the line is not a JSON object")
    return value


def _why_not_json(error: ValueError | RecursionError) -> str:
    """Return what is wrong with a line, and where."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    # Python reads no integer of more than 4,300 digits.
    what = getattr(error, "msg", "a number has too many digits")
    column = getattr(error, "colno", None)
    at = f" at column {column}" if column else ""
    return f"{uncapitalized(what)}{at}"


def json_text(value: object) -> str:
    """Return a value as JSON."""
    return escaped(dumps(value))


def escaped(text: str) -> str:
    """Escape DEL, the one control character that JSON in ASCII may contain in strings."""
    return text.replace("\x7f", "\\u007f")
