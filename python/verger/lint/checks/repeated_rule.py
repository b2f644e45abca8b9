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

    RFC 9309 section 2.2.1 joins the groups of one crawler, such as two for `*`. A group that only
    repeats another is RT209.

    Why: the line is redundant.

    Use instead: one of the lines.

    Fix: the second line is removed, if it is proved that no decision changes.
    """
    rules = {rule.line: rule for rule in file.rules}
    kept = {file.group_of[line] for line in rules.keys() - file.repeated.keys()}
    for line, above in file.repeated.items():
        group, joined = (file.group_of[each] for each in (line, above.line))
        if group != joined and group not in kept:
            continue  # RT209
        text = quoted(rule_text(above.allow, rules[line].pattern))
        where = f"line {above.line}"
        if group != joined:
            where += ", whose group is joined to this one"
        fix = file.without_line(line, "Remove the line", "safe")
        related = (Related(above.line, "the same rule"),)
        yield Found(line, f"{text} duplicates {where}", fix=fix, related=related)
