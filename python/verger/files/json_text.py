"""JSON: reads the objects of JSON Lines, and writes every object that a command prints.

Reading. In: lines. Out: objects, perhaps with numbers as they are written. Writing. In: values.
Out: JSON (RFC 8259) in printable ASCII on one line. Bytes that are not UTF-8 are lone surrogates,
as in Python: `\\udcff` is the byte 0xFF.
"""

from json import JSONDecoder, JSONEncoder, dumps

from verger.files.lines import is_longer
from verger.untrusted_text import uncapitalized

Json = dict[str, object]


class NotAnObject(ValueError):
    """Why a line is not a JSON object."""


class Number(str):
    """A number as it is written: a float would make infinity of `1e400`, and an integer 0 of `-0`.

    Also NaN and infinity, as many programs write them, although JSON has neither.
    """


def _members(pairs: list[tuple[str, object]]) -> Json:
    """Return an object; readers differ in which of two members of one name counts (RFC 8259
    section 4)."""
    if len(found := dict(pairs)) < len(pairs):
        raise NotAnObject("the object has a member twice")
    return found


_decode = JSONDecoder(object_pairs_hook=_members).decode
_decode_exactly = JSONDecoder(
    object_pairs_hook=_members, parse_float=Number, parse_int=Number, parse_constant=Number
).decode
_encode = JSONEncoder(default=str).encode


def read_object(line: str, *, longest: int | None = None, exactly: bool = False) -> Json:
    """Return the object that a line holds. Raises NotAnObject.

    longest:  how many bytes the line may have; None for any number.
    exactly:  whether each number is a `Number`, as it stands in the line.
    """
    if longest is not None and is_longer(line, longest):
        raise NotAnObject(f"the line has more than {longest:,} bytes")
    try:
        value = _decode_exactly(line) if exactly else _decode(line)
    except (ValueError, RecursionError) as error:
        if isinstance(error, NotAnObject):
            raise
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


def exact_json(value: object) -> str:
    """Return a value as JSON, each `Number` as it was read; text that is not `escaped`.

    NaN and infinity are null, but for those that were read: of these a reader would not know what
    they were. Raises NotAnObject.
    """
    match value:
        case "NaN" | "Infinity" | "-Infinity" if isinstance(value, Number):
            raise NotAnObject(f"a column holds `{value}`, which is not JSON")
        case Number():
            return value
        case dict():
            members = (f"{_encode(name)}: {exact_json(each)}" for name, each in value.items())
            return f"{{{', '.join(members)}}}"
        case list():
            return f"[{', '.join(map(exact_json, value))}]"
        case float() if value - value:  # is NaN for infinity and NaN
            return "null"
    return _encode(value)


def escaped(text: str) -> str:
    """Escape DEL, the one control character that JSON in ASCII may contain in strings."""
    return text.replace("\x7f", "\\u007f")
