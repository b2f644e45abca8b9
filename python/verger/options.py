"""Options: what a caller passes, refused at once if it makes no sense.

In: a name and a value of any kind. Out: nothing, or an `InvalidOption` that says what is expected;
a TypeError for a value of a different type altogether. Paths, files and times come out in one form.
Also checks whether a text can be a product token.
"""

import os
from collections.abc import Collection, Iterable

from verger._core import Dialect, RobotsTxt, check_product_token, origin, parse, product_token
from verger.errors import InvalidOption, InvalidProductToken, InvalidTarget, RobotsError
from verger.untrusted_text import quoted

AnyPath = str | os.PathLike[str]
Paths = AnyPath | Iterable[AnyPath]
"""Files of a command: several, or one by itself."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import TypeAlias, TypeVar

    from verger._core import DialectName as DialectName, UseName as UseName

    AnyDialect: TypeAlias = DialectName | Dialect
    T = TypeVar("T")
else:  # `verger check` starts without `typing`
    DialectName = UseName = str
    AnyDialect = str | Dialect
"""A dialect by its name, or also as a `Dialect`; type checkers know the names, and those of uses.
"""

MOST_COUNTED = (1 << 31) - 1
"""The largest number of seconds, or of anything countable, which Spark and Arrow hold in 32 bits;
bytes have their own bound."""
MOST_BYTES = 1 << 48


def time_of(text: str) -> "datetime":
    """Return the time that a text means, such as `2026-01-05` or `2026-01-05T10:30:00Z`; UTC if it
    has no zone.

    Raises ValueError.
    """
    from datetime import UTC, datetime

    # RFC 3339 section 5.6 allows `t` and `z`; Python's reader takes any separator, but no `z`.
    moment = datetime.fromisoformat(f"{text[:-1]}Z" if text.endswith("z") else text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def expect_whole(
    name: str,
    value: object,
    *,
    least: int = 1,
    most: int = MOST_COUNTED,
    optional: bool = False,
    error: type[RobotsError] = InvalidOption,
) -> None:
    """Raise `error` unless an option is a whole number within these bounds.

    optional:  whether None, for an option that is not given, is valid.
    """
    is_whole = isinstance(value, int) and _is_between(least, value, most)
    if not is_whole and not (optional and value is None):
        raise error(
            f"`{name}` is `{_repr(value)}`", f"pass a whole number from {least:,} to {most:,}"
        )


def expect_seconds(
    name: str,
    value: object,
    *,
    above_zero: bool = True,
    for_ever: bool = False,
    error: type[RobotsError] = InvalidOption,
) -> None:
    """Raise `error` unless an option is a number of seconds.

    for_ever:  whether infinity is valid.
    """
    most = float("inf") if for_ever else MOST_COUNTED
    if not _is_between(0, value, most) or (above_zero and not value):
        wanted = "a positive number of seconds" if above_zero else "seconds, 0 or more"
        bound = "" if for_ever else f", at most {most:,}"
        raise error(f"`{name}` is `{_repr(value)}`", f"pass {wanted}{bound}")


def expect_text(name: str, value: object) -> None:
    """Raise TypeError, in the words of the core, for anything but text."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` must be str, not {type(value).__name__}")


def expect_tokens(name: str, value: object) -> None:
    """Raise TypeError unless a value is a collection of texts."""
    expect_texts(name, value, "product tokens")


def expect_texts(name: str, value: object, what: str) -> None:
    """Raise TypeError unless a value is a collection of texts, such as a tuple."""
    expect_several(name, value, what)
    if not isinstance(value, Collection):
        raise TypeError(f"`{name}` must be a sequence of {what}, not {type(value).__name__}")
    for each in value:
        if not isinstance(each, str):
            raise TypeError(f"`{name}` must hold {what}, not {type(each).__name__}")


def is_token(text: str, dialects: Iterable[AnyDialect] = ("rfc9309",)) -> bool:
    """Whether a text can be the product token of a crawler in all of some dialects."""
    try:
        for dialect in dialects:
            check_product_token(text, dialect=dialect)
    except InvalidProductToken:
        return False
    return True


def expect_several(name: str, value: object, what: str) -> None:
    """Raise TypeError for one value instead of several: a text would be read letter by letter."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        kind = "one str" if isinstance(value, str) else type(value).__name__
        raise TypeError(f"`{name}` must be a sequence of {what}, not {kind}")


def one_or_several(
    name: str, value: "AnyPath | Iterable[T]", what: str = "path"
) -> "list[AnyPath | T]":
    """Return one path, or several values, as a list. Raises TypeError for anything else.

    what:  what one value is called in the error.
    """
    if isinstance(value, str | os.PathLike):
        return [value]
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return list(value)
    raise TypeError(
        f"`{name}` must be a {what} or a sequence of {what}s, not {type(value).__name__}"
    )


def texts_of(name: str, value: str | Iterable[str], what: str) -> list[str]:
    """Return one text, or several, as a list. Raises TypeError for anything else."""
    texts = []
    for each in one_or_several(name, value, what):
        if not isinstance(each, str):
            raise TypeError(f"`{name}` must hold {what}s, not {type(each).__name__}")
        texts.append(each)
    return texts


def paths_of(name: str, value: Paths) -> list[str]:
    """Return one path, or several, as texts. Raises TypeError for what is not a path."""
    return [path_of(name, each) for each in one_or_several(name, value)]


def path_of(name: str, value: AnyPath) -> str:
    """Return a path as text. Raises TypeError, with the argument's name, for anything else."""
    if isinstance(value, str | os.PathLike):
        return os.fsdecode(value)
    raise TypeError(f"`{name}` must be a path, or hold paths, not {type(value).__name__}")


def body_of(name: str, value: bytes | str) -> bytes:
    """Return the bytes of a file that is given as bytes or text, as `verger.parse` reads it."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str | bytearray | memoryview):
        return parse(value).body
    raise TypeError(f"`{name}` must be the bytes or the text of a file, not {type(value).__name__}")


def origin_named(name: str, key: str) -> str:
    """Return the origin that a key of a mapping names, as an origin or any URL of it.

    Raises InvalidTarget, whose hint writes a host as an origin.
    """
    try:
        return origin(key)
    except InvalidTarget:
        guess = f"https://{key}"
        try:
            origin(guess)
        except InvalidTarget:
            guess = "https://example.com"
        raise InvalidTarget(
            f"{quoted(key, 60)} in `{name}` is not an origin", f"pass `{guess}`, with its scheme"
        ) from None


def tokens_in(word: str) -> tuple[str, ...]:
    """Return the product tokens of `a,b`, which is one crawler with both (see the knob `tokens`).

    An identification string is not split at its commas: the core refuses it as a whole, and can
    then name the token in it.
    """
    return (word,) if "(" in word else tuple(word.split(","))


def own_token(identification: str) -> str | None:
    """Return the product token of an identification string; None if it names none.

    Words without a version or a comment are a description, not a name: `My Bot` is refused.
    """
    found = product_token(identification)
    is_whole = "/" in identification or "(" in identification
    return found if is_whole or found == identification else None


def expect_robots(**files: object) -> None:
    """Raise TypeError, with the argument's name, for anything but a parsed file."""
    for name, value in files.items():
        if not isinstance(value, RobotsTxt):
            kind = type(value).__name__
            raise TypeError(f"`{name}` must be a RobotsTxt (`verger.parse` makes one), not {kind}")


def _is_between(least: float, value: object, most: float) -> bool:
    """Whether a value is a number in a range; booleans and NaN are not."""
    return not isinstance(value, bool) and isinstance(value, int | float) and least <= value <= most


def _repr(value: object) -> str:
    try:
        return f"{value!r:.40}"
    except ValueError:  # a number with more digits than Python prints
        return "a number of thousands of digits"


def is_sendable(value: str) -> bool:
    """Whether a header field may have this value: visible text (RFC 9110 section 5.5)."""
    return all(" " <= character <= "\xff" and character != "\x7f" for character in value)
