"""RT304: a rule that never decides."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import lines_of, rule_text


@check("RT304", "warning", fix="unsafe")
def shadowed_rule(file: File) -> Iterator[Found]:
    """A rule that decides no URL for any crawler: others outrank it wherever it matches.

    That is proved for all URLs, in each target dialect. An `Allow` and a `Disallow` with the same
    pattern are RT306, duplicate rules are RT303, rules that others of the same kind outrank are
    RT305.

    Why: the rule has no effect, because others decide every URL that it matches.

    Use instead: the file without the rule, or a longer pattern if the rule was meant to decide.

    Fix: the rule is removed. No decision changes, but the rule probably had a purpose, so the fix
    is unsafe.
    """
    rules = {rule.line: rule for rule in file.rules}
    for line, by in file.shadows.items():
        rule = rules.get(line)
        if rule is None or not by or any(rule.pattern == other.pattern for other in by):
            continue
        if all(rule.allow is other.allow for other in by):
            continue  # RT305
        text = quoted(rule_text(rule.allow, rule.pattern))
        outrank = "outranks" if len(by) == 1 else "outrank"
        what = f"{text} never decides: {lines_of([o.line for o in by])} {outrank} it everywhere"
        related = tuple(
            Related(other.line, f"{quoted(rule_text(other.allow, other.pattern))} decides instead")
            for other in by[:3]
        )
        fix = file.without_line(line, "Remove the rule", "unsafe")
        yield Found(line, what, rule.span, fix=fix, related=related)
