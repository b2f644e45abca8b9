"""RT206: a product token with something after it that crawlers do not read."""

import re
from collections.abc import Iterator

from verger._core import _leading_name
from verger.crawlers.registry import find
from verger.lint.check import check
from verger.lint.checks.several_fields_on_a_line import has_field
from verger.lint.checks.several_tokens_on_a_line import tokens_in
from verger.lint.diagnostic import Applicability, Found
from verger.lint.file import File
from verger.lint.names import NO_CRAWLER
from verger.lint.words import quoted

STRAY = tuple('@=?:"<>[]{}\\')
VERSION = re.compile(r"[v(]?\d|\(", re.IGNORECASE)


@check("RT206", "note", fix="safe")
def token_with_rest(file: File) -> Iterator[Found]:
    """A product token with a version or other words after it, such as `Googlebot/2.1`.

    Crawlers compare the letters, `_` and `-` at the beginning (RFC 9309 section 2.2.1): a group for
    `Googlebot/2.1` applies to every version, and one for `Google bot` to `Google`.

    Why: crawlers ignore everything after the product token, such as a version.

    Other characters that no name of a product contains end it as well, as in `Net::Fetch`.

    Use instead: only the product token.

    Fix: a version or a comment in parentheses is removed, if it is proved that no decision of any
    crawler changes. A star is removed only by an unsafe fix: readers of 1996 take it for a part of
    the name. Words are kept: they may be part of a name.
    """
    for line in file.start_lines:
        value = line.value
        if not value or line.value_span is None or tokens_in(line):
            continue
        if has_field(file.text(line.value_span)):
            continue
        name = _leading_name(value)
        rest = value[len(name) :]
        if name in ("", "*") or not is_idle(name, rest) or name.lower() == NO_CRAWLER:
            continue
        fix = None
        if not _is_name(rest):
            new = name.encode("utf-8", "surrogateescape")
            applicability: Applicability = "unsafe" if rest == "*" else "safe"
            fix = file.rewrite(line.value_span, new, f"Write {quoted(name)}", applicability)
        what = f"crawlers read only {quoted(name)} from {quoted(value)}"
        yield Found(line.number, what, line.value_span, fix=fix)


def _is_name(rest: str) -> bool:
    """Whether the text after a name may be part of it, such as `Spider` in `Big Spider`."""
    return _is_stray(rest) or (rest[:1].isspace() and not VERSION.match(rest.strip()))


def _is_stray(rest: str) -> bool:
    """Whether a text begins with what no name of a product contains (RFC 9110 section 5.6.2).

    Names may have digits, dots and signs such as `!`.
    """
    return rest[:1] in STRAY or not rest[:1].isascii()


def is_idle(name: str, rest: str) -> bool:
    """Whether the text after a name is merely ignored; a star may be meant as a pattern."""
    is_star = rest == "*" and find(name) is not None
    is_apart = rest[:1] in ("/", " ", "\t", "(", ";", ",") or _is_stray(rest)
    return is_star or (is_apart and "*" not in rest)
