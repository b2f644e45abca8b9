"""RT303: a duplicate rule in a group."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import rule_text


@check("RT303", "note", fix="safe")
def repeated_rule(file: File) -> Iterator[Found]:
    """A rule that occurs twice in its group.

    Why: the line is redundant.

    Use instead: one of the lines.

    Fix: the second line is removed.
    """
    for group in file.groups:
        first: dict[tuple[bool, bytes], int] = {}
        for rule in group.rules:
            above = first.setdefault((rule.allow, rule.pattern_bytes), rule.line)
            if above != rule.line:
                what = f"{quoted(rule_text(rule.allow, rule.pattern))} duplicates line {above}"
                fix = file.without_line(rule.line, "Remove the line", "safe")
                related = (Related(above, "the same rule"),)
                yield Found(rule.line, what, fix=fix, related=related)
