"""`*` and `$` in patterns.

RT307 to RT309, RT316 and RT322.
"""

import re
from collections.abc import Iterator

from verger.analysis import Edit
from verger.grouping import by_key
from verger.lint.check import check
from verger.lint.checks.patterns import patterns_in
from verger.lint.diagnostic import Fix, Found, quoted
from verger.lint.file import File
from verger.untrusted_text import counted, listed

DOLLAR = re.compile(rb"\$(?=[^\n])")


@check("RT307", "warning")
def dollar_inside(file: File) -> Iterator[Found]:
    """A path pattern with a `$` before its end, such as `/*.php$?`.

    Crawlers then look for a `$` in the URL (RFC 9309 section 2.2.3).

    Why: `$` marks the end of a path only as the last character; elsewhere it is a dollar sign.

    Use instead: the pattern up to `$`, or `%24` if the URL has a dollar sign.
    """
    for rule, match, span in file.rules_with(DOLLAR):
        behind = rule.pattern_bytes[match.end() :][:1]
        # Elsewhere it is rather a part of a name such as `?$filter=`.
        is_told = patterns_in(rule.pattern_bytes)  # RT317
        if not is_told and (behind in b"*?/$ &|" or b".*" in rule.pattern_bytes):
            what = f"`$` within {quoted(rule.pattern)} is a dollar sign, not the end of the path"
            yield Found(rule.line, what, span)


STARS = re.compile(rb"\*\*+")


@check("RT308", "note", fix="unsafe")
def repeated_star(file: File) -> Iterator[Found]:
    """A path pattern with `**`, which has no meaning of its own in robots.txt.

    `*` also matches slashes (RFC 9309 section 2.2.3).

    Why: `**` matches what `*` matches, but is longer, so the rule may outrank others.

    Use instead: `*`.

    Fix: one star is kept. Other rules may then outrank the shorter pattern, and readers of 1994 and
    1996 take a star for a letter, so the fix is unsafe.
    """
    for rule, match, span in () if file.literal else file.rules_with(STARS):
        what = f"`{match[0].decode()}` in {quoted(rule.pattern)} matches what `*` matches"
        yield Found(rule.line, what, span, fix=file.rewrite(span, b"*", "Write one `*`", "unsafe"))


LAST_STARS = re.compile(rb"(?<=[^*$ \t])\*+\$?\Z")


@check("RT309", "note", fix="unsafe")
def trailing_star(file: File) -> Iterator[Found]:
    """Path patterns that end in `*` or `*$`, such as `/private/*`; a file has one such finding.

    A pattern is compared with the beginning of a path (RFC 9309 section 2.2.2): `/private/` matches
    the same paths. The star counts as a byte when the longest pattern decides.

    Why: a pattern matches everything that begins with it, with or without the star.

    Use instead: the pattern without the star.

    Fix: the stars are removed. Other rules may then outrank the shorter patterns, and readers of
    1994 and 1996 take a star for a letter, so the fix is unsafe.
    """
    rules = () if file.literal else file.rules_with(LAST_STARS)
    found = [
        each
        for each in rules
        if each[0].pattern.startswith(("/", "*"))  # or RT301
        if not patterns_in(each[0].pattern_bytes)  # RT317
    ]
    for rule, match, span in found[:1]:
        bare = quoted(rule.pattern_bytes[: match.start()])
        more = f"; likewise {counted(len(found) - 1, 'more rule')}" if found[1:] else ""
        fix = Fix("Remove the stars", tuple(Edit(each, b"") for _, _, each in found), "unsafe")
        what = f"{quoted(rule.pattern)} matches what {bare} matches{more}"
        yield Found(rule.line, what, span, fix=fix)


SIGN = re.compile(
    rb"\\[.?/dwsb*+\[(]"  # escaped characters and classes
    rb"|\A/?\^"  # an anchor
    rb"|\[\^?[A-Za-z0-9]-[A-Za-z0-9]\]?"  # a range
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
    for rule, match, span in file.rules_with(SIGN):
        what = f"{quoted(match[0])} in {quoted(rule.pattern)} is regular expression syntax"
        yield Found(rule.line, what, span)


@check("RT322", "error")
def wildcard_not_special(file: File) -> Iterator[Found]:
    """A path pattern with `*`, or with `$` at its end, with a target of 1994 or 1996.

    There, a path is compared with the beginning of the URL's (A Standard for Robot Exclusion, 30
    June 1994; Koster, A Method for Robots Exclusion, draft 1, November 1996, section 3.2.2).

    Why: crawlers that read files as in those years look for the character itself in URLs.

    Use instead: the beginnings of the paths, in a group for such crawlers.
    """
    found = by_key(
        ((rule.line, rule.span, rule.pattern), name)
        for name in file.literal
        for group in file.readings[name].groups
        for rule in group.rules
        if "*" in rule.pattern or rule.pattern.endswith("$")
    )
    for (line, span, pattern), names in sorted(found.items()):
        have = "has" if len(names) == 1 else "have"
        what = f"{listed(names, quoted)} {have} no wildcards"
        yield Found(line, f"{what}: {quoted(pattern)} is compared as it is written", span)
