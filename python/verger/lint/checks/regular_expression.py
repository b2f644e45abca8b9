"""RT316: a regular expression in place of a path pattern."""

import re
from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

SIGN = re.compile(
    rb"\\[.?/dwsb*+\[(]"  # escaped signs and classes
    rb"|\A/?\^"  # an anchor
    rb"|\[\^?[A-Za-z0-9]-[A-Za-z0-9]"  # a range
    rb"|\([^()]*\|[^()]*\)"  # alternatives
    rb"|\[\^[^\]]+\]"  # a negated class
    rb"|\.\*[^/?&]*\.\*"
    rb"|\(\.\*\)|\.\+"
)


@check("RT316", "warning")
def regular_expression(file: File) -> Iterator[Found]:
    r"""A path pattern with signs of regular expressions, such as `/item/[0-9]+` or `/.*\.pdf`.

    RFC 9309 section 2.2.3 knows `*`, for any bytes, and `$`, for the end.

    Why: of its signs crawlers know `*` and a final `$` alone, and look for the others in URLs.

    Use instead: `*` where a regular expression has `.*`; several rules for alternatives.
    """
    for rule in file.rules:
        match = SIGN.search(rule.pattern_bytes)
        if match:
            start = rule.span[0]
            what = f"{quoted(match[0])} in {quoted(rule.pattern)} is a sign of regular expressions"
            yield Found(rule.line, what, (start + match.start(), start + match.end()))
