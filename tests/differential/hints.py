"""A deliberately crude reading of robots.txt, good for guessing worthwhile questions.

In: bytes. Out: `Hint`s, each a path pattern with the agent values above it.
It follows no specification on purpose: it misreads some lines, which costs a question its
point but never makes an answer wrong, because both parsers read the bytes themselves.
"""

import re
from typing import NamedTuple

_LINE_END = re.compile(rb"\r\n|\r|\n")
_SEPARATOR = re.compile(rb"[ \t]*:[ \t]*|[ \t]+")


class Hint(NamedTuple):
    """A path pattern as written, and the agent values of its group."""

    agents: tuple[str, ...]
    pattern: bytes


def hints(data: bytes) -> list[Hint]:
    """Return what seems to be the non-empty rules of a file, in file order."""
    found: list[Hint] = []
    agents: tuple[str, ...] = ()
    in_rules = False
    for line in lines(data):
        key, value = key_and_value(line)
        if b"agent" in key:
            name = value.decode("utf-8", "surrogateescape")
            agents, in_rules = ((name,) if in_rules else (*agents, name)), False
        elif key[:1] in (b"a", b"d") and agents:
            in_rules = True
            if value:
                found.append(Hint(agents, value))
    return found


def lines(data: bytes) -> list[bytes]:
    """Return the lines without their ends; line number 1 is at index 0."""
    return _LINE_END.split(data)


def key_and_value(line: bytes) -> tuple[bytes, bytes]:
    """Split a line at its colon or, without one, at its first blank; the key in lower case."""
    content = line.partition(b"#")[0].partition(b"\0")[0].strip()
    key, separator, value = content.partition(b":")
    if not separator:
        key, _, value = _SEPARATOR.sub(b":", content, count=1).partition(b":")
    return key.strip().lower(), value.strip()
