"""Escapes in patterns, and characters that should be escaped.

RT310 to RT313.
"""

import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from verger.lint.check import check
from verger.lint.checks.lines import has_field
from verger.lint.checks.patterns import patterns_in
from verger.lint.checks.wildcards import SIGN
from verger.lint.diagnostic import Found, quoted
from verger.lint.file import File

UNSAFE = re.compile(rb'[ "<>\\^`{|}\t]')
COMMENTS = (b" //", b" /*", b" --", b" ;")
APART = re.compile(
    rb"[,;][ \t]++[\w-]++(?:[,;]|\Z)|\|/|[ \t](?:[ \t]|[,;*?/|&+]|and[ \t]++/)|/[ \t]|<br ?/?>\Z"
    rb"|\{\{|\}\}|\{[%#$]|[%#]\}|<%|%>|\$\{"
)
"""Blanks, signs and breaks of HTML that are rather no part of a path; and tags of templates."""


@check("RT310", "note", fix="unsafe")
def unescaped_character(file: File) -> Iterator[Found]:
    r"""A blank, a quote, a backslash or a similar character in a path pattern.

    URLs contain such characters as escapes (RFC 3986 section 2). A regular expression is RT316. If
    another rule has the escape, both spellings are meant, and nothing is reported.

    Why: URLs contain it as an escape, and not every crawler treats the two as equal.

    Use instead: the escape, such as `%20` for a blank.

    Fix: the escape is written, except for what is rather no part of the path. For crawlers
    that do not treat the two as equal, the rule then matches different URLs, so the fix is unsafe.
    """
    rows = list(file.rules_with(UNSAFE))
    others = {pattern.lower().rstrip(b"/*") for _, pattern in file.patterns if rows}
    for rule, match, span in rows:
        value = rule.pattern_bytes
        new = UNSAFE.sub(lambda match: b"%%%02X" % ord(match[0]), value)
        is_told = patterns_in(value) or has_field(value) or SIGN.search(value)
        if is_told or new.lower().rstrip(b"/*") in others or not value.startswith((b"/", b"*")):
            continue
        mark = quoted(match[0]) if match[0].strip() else "a blank"
        what = f"{mark} in {quoted(value)} is `%{ord(match[0]):02X}` in URLs"
        if is_comment := any(sign in value for sign in COMMENTS):
            what = f"all of {quoted(value)} is the pattern: comments begin with `#`"
        is_plain = not is_comment and APART.search(value) is None
        yield Found(rule.line, what, span, fix=file.write(rule.span, new) if is_plain else None)


TWICE = re.compile(rb"%25([0-9A-Fa-f]{2})")

NESTED = re.compile(rb"%(?:25)*3A%(?:25)*2F|https?(?::|%(?:25)*3A)", re.IGNORECASE)
"""A URL within the pattern, whose own escapes must be escaped."""


@check("RT311", "note", fix="unsafe")
def double_escape(file: File) -> Iterator[Found]:
    """A path pattern with an escaped escape, such as `%2520` for a blank.

    `%25` is a percent sign, so `%2520` means the characters `%20`, not a blank.

    Why: it matches only URLs whose escapes were also escaped again.

    Use instead: `%20`.

    Fix: the inner escape is written, unless it is one of a delimiter. The rule then matches
    different URLs, so the fix is unsafe.
    """
    for rule, match, span in file.rules_with(TWICE):
        if not NESTED.search(rule.pattern_bytes):
            new = TWICE.sub(rb"%\1", rule.pattern_bytes)
            is_plain = not DELIMITER.search(new)  # or RT313
            where = f"{quoted(match[0])} in {quoted(rule.pattern)}"
            yield Found(
                rule.line,
                f"{where} is an escape that was escaped again",
                span,
                fix=file.write(rule.span, new) if is_plain else None,
            )


BROKEN = re.compile(rb"%(?![0-9A-Fa-f]{2})")


@check("RT312", "warning")
def invalid_escape(file: File) -> Iterator[Found]:
    """A `%` in a path pattern without two hexadecimal digits after it.

    Why: crawlers compare it as written, while browsers send `%25` for a percent sign.

    Use instead: `%25` for a percent sign, or the whole escape.
    """
    for rule, _, span in file.rules_with(BROKEN):
        what = f"`%` in {quoted(rule.pattern)} does not begin an escape such as `%20`"
        yield Found(rule.line, what, span)


DELIMITER = re.compile(rb"%(?:2F|3F|3D|26)", re.IGNORECASE)
ANY_DELIMITER = re.compile(rb"%(?:2f|3f|3d|26)|[/?=&]")


@check("RT313", "note")
def escaped_delimiter(file: File) -> Iterator[Found]:
    """A path pattern with `%2F`, `%3F`, `%3D` or `%26` in place of `/`, `?`, `=` or `&`.

    Reserved characters differ from their escapes (RFC 3986 section 2.2), and Google compares them
    as written. Not reported if another rule differs from this one in nothing but its delimiters:
    then both spellings are meant.

    Why: a URL with the escape and a URL with the character differ, and the rule matches only one.

    Use instead: the character itself, unless URLs of the site have the escape.
    """
    rows = list(file.rules_with(DELIMITER))
    twins = Counter(_alike(pattern) for _, pattern in file.patterns if rows)
    for rule, match, span in rows:
        before = rule.pattern_bytes[: match.start()]
        # A query escapes the delimiters in it, and some dialects read its `%3F` as `?`.
        is_in_value = b"?" in before or (b"=" in before and b"?" in rule.pattern_bytes)
        if not is_in_value and twins[_alike(rule.pattern_bytes)] == 1:
            plain = unquote_to_bytes(match[0]).decode()
            what = f"{quoted(match[0])} in {quoted(rule.pattern)} does not match `{plain}`"
            yield Found(rule.line, what, span)


def _alike(pattern: bytes) -> bytes:
    """Return what patterns share that have other delimiters at the same places, escaped or not."""
    return ANY_DELIMITER.sub(b"=", pattern.lower())
