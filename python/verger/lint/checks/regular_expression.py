"""RT316: a regular expression in place of a path pattern."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import listed

SIGN = re.compile(
    rb"\\[.?/dwsb*+\[(]"  # escaped characters and classes
    rb"|\A/?\^"  # an anchor
    rb"|\[\^?[A-Za-z0-9]-[A-Za-z0-9]"  # a range
    rb"|\([^()|]*+\|[^()]*+\)"  # alternatives
    rb"|\[\^[^\]]{1,100}+\]"  # a negated class; the bound keeps the time linear
    rb"|\.\*[^/?&]*\.\*"
    rb"|\(\.\*\)|\.\+"
)


WILDCARD = re.compile(rb"\*|\$\Z")


@check("RT316", "warning")
def regular_expression(file: File) -> Iterator[Found]:
    r"""A path pattern with regular expression syntax, such as `/item/[0-9]+` or `/.*\.pdf`.

    RFC 9309 section 2.2.3 has only `*`, for any bytes, and `$`, for the end. Readers of 1994 and
    1996 (`--target original-1994`) have neither: to them, both are letters of the path.

    Why: only `*` and a final `$` are special to crawlers, which look for the rest in URLs.

    Use instead: `*` in place of `.*`; several rules in place of alternatives.
    """
    targets = listed(file.literal, quoted)
    for rule in file.rules:
        if match := SIGN.search(rule.pattern_bytes):
            what = f"{quoted(match[0])} in {quoted(rule.pattern)} is regular expression syntax"
        elif file.literal and (match := WILDCARD.search(rule.pattern_bytes)):
            what = f"{quoted(match[0])} in {quoted(rule.pattern)} is a letter in {targets}"
        else:
            continue
        start = rule.span[0]
        yield Found(rule.line, what, (start + match.start(), start + match.end()))
