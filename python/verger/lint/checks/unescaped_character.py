"""RT310: a character in a pattern that URLs contain only as an escape."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.checks.several_fields_on_a_line import has_field
from verger.lint.checks.several_patterns_on_a_line import patterns_in
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

UNSAFE = frozenset(b' "<>\\^`{|}\t')
COMMENTS = (b" //", b" /*", b" --", b" ;")


@check("RT310", "note", fix="unsafe")
def unescaped_character(file: File) -> Iterator[Found]:
    r"""A blank, a quote, a backslash or a similar character in a path pattern.

    URLs contain such characters as escapes (RFC 3986 section 2). Google treats both as equal.

    Why: URLs contain it as an escape, and not every crawler treats the two as equal.

    Use instead: the escape, such as `%20` for a blank.

    Fix: the escape is written. For crawlers that do not treat the two as equal, the rule then
    matches different URLs, so the fix is unsafe.
    """
    for rule in file.rules:
        value = rule.pattern_bytes
        if UNSAFE.isdisjoint(value) or not value.startswith((b"/", b"*")):
            continue
        if patterns_in(value) or has_field(value):
            continue
        at = next(place for place, byte in enumerate(value) if byte in UNSAFE)
        mark = quoted(value[at : at + 1]) if value[at : at + 1].strip() else "a blank"
        span = (rule.span[0] + at, rule.span[0] + at + 1)
        if any(sign in value for sign in COMMENTS):
            what = f"all of {quoted(value)} is the pattern: comments begin with `#`"
            yield Found(rule.line, what, span)
            continue
        new = b"".join(b"%%%02X" % each if each in UNSAFE else bytes((each,)) for each in value)
        fix = file.rewrite(rule.span, new, f"Write {quoted(new)}", "unsafe")
        what = f"{mark} in {quoted(value)} is `%{value[at]:02X}` in URLs"
        yield Found(rule.line, what, span, fix=fix)
