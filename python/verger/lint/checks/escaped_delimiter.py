"""RT313: an escaped delimiter in a pattern, which does not match the delimiter itself."""

import re
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from verger._core import Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

DELIMITER = re.compile(rb"%(?:2F|3F|3D|26)", re.IGNORECASE)


@check("RT313", "note")
def escaped_delimiter(file: File) -> Iterator[Found]:
    """A path pattern with `%2F`, `%3F`, `%3D` or `%26` in place of `/`, `?`, `=` or `&`.

    Reserved characters differ from their escapes (RFC 3986 section 2.2), and Google compares them
    as written.

    Why: a URL with the escape and a URL with the character differ, and the rule matches only one.

    Use instead: the character itself, unless URLs of the site have the escape.
    """
    others = {rule.pattern_bytes.lower() for rule in file.rules}
    for rule in file.rules:
        match = DELIMITER.search(rule.pattern_bytes)
        if match is None or _has_own(rule, match) or _plain(rule.pattern_bytes) in others:
            continue
        start = rule.span[0]
        plain = unquote_to_bytes(match[0]).decode()
        what = f"{quoted(match[0])} in {quoted(rule.pattern)} does not match `{plain}`"
        yield Found(rule.line, what, (start + match.start(), start + match.end()))


def _plain(pattern: bytes) -> bytes:
    """Return a pattern with its delimiters unescaped, in lower case: another rule may have it."""
    return DELIMITER.sub(lambda match: unquote_to_bytes(match[0]), pattern).lower()


def _has_own(rule: Rule, match: re.Match[bytes]) -> bool:
    """Whether the delimiter is inside a value of the query, where it must be escaped."""
    return b"=" in rule.pattern_bytes[: match.start()] and b"?" in rule.pattern_bytes
