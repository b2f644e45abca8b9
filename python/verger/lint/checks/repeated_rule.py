"""RT303: a duplicate rule in a group."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import rule_text


@check("RT303", "note", fix="safe")
def repeated_rule(file: File) -> Iterator[Found]:
    """A rule that occurs twice in its group, or in two groups that are joined.

    RFC 9309 section 2.2.1 joins the groups of one crawler, such as two for `*`.

    Why: the line is redundant.

    Use instead: one of the lines.

    Fix: the second line is removed, if it is proved that no decision changes.
    """
    rules = {rule.line: rule for rule in file.rules}
    for line, above in file.repeated.items():
        text = quoted(rule_text(above.allow, rules[line].pattern))
        is_apart = file.group_of[line] != file.group_of[above.line]
        where = f"line {above.line}" + (", whose group is joined to this one" if is_apart else "")
        fix = file.without_line(line, "Remove the line", "safe")
        related = (Related(above.line, "the same rule"),)
        yield Found(line, f"{text} duplicates {where}", fix=fix, related=related)
