"""RT319: an Allow without a pattern."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File


@check("RT319", "warning", fix="safe")
def empty_allow(file: File) -> Iterator[Found]:
    """An `Allow:` without a path pattern: it matches nothing (RFC 9309 section 2.2.2).

    It does not mean "allow nothing" either: that is `Disallow: /`. As the only rule of a group, it
    separates the group from the next, and is not reported.

    Why: it matches no URL, so it has no effect.

    Use instead: `Allow: /`, or no line at all, since everything is allowed unless a rule disallows
    it.

    Fix: the line is removed, if it is proved that no decision changes.
    """
    for group in file.groups:
        for rule in group.rules if len(group.rules) > 1 else ():
            if rule.allow and not rule.pattern_bytes:
                fix = file.without_line(rule.line, "Remove the line", "safe")
                yield Found(rule.line, "`Allow:` without a path has no effect", fix=fix)
