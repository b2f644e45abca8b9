"""RT316: a regular expression in place of a path pattern."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

SIGN = re.compile(
    rb"\\[.?/dwsb*+\[(]"  # escaped characters and classes
    rb"|\A/?\^"  # an anchor
    rb"|\[\^?[A-Za-z0-9]-[A-Za-z0-9]"  # a range
    rb"|\([^()|]*+\|[^()]*+\)"  # alternatives
    rb"|\[\^[^\]]{1,100}+\]"  # a negated class; the bound keeps the time linear
    rb"|\.\*[^/?&]*\.\*"
    rb"|\(\.\*\)|\.\+"
)


@check("RT316", "warning")
def regular_expression(file: File) -> Iterator[Found]:
    r"""A path pattern with regular expression syntax, such as `/item/[0-9]+` or `/.*\.pdf`.

    RFC 9309 section 2.2.3 has only `*`, for any bytes, and `$`, for the end.

    Why: only `*` and a final `$` are special to crawlers, which look for the rest in URLs.

    Use instead: `*` in place of `.*`; several rules in place of alternatives.
    """
    for rule in file.rules:
        match = SIGN.search(rule.pattern_bytes)
        if match:
            start = rule.span[0]
            what = f"{quoted(match[0])} in {quoted(rule.pattern)} is regular expression syntax"
            yield Found(rule.line, what, (start + match.start(), start + match.end()))
