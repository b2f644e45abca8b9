"""RT314: a folder that other rules write in different case."""

from collections import Counter
from collections.abc import Iterator

from verger._core import Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

OTHERS = 2
"""How many rules must spell a folder one way before another spelling looks like a mistake."""


@check("RT314", "warning", fix="unsafe")
def case_mismatch(file: File) -> Iterator[Found]:
    """A rule whose folder differs in case from the same folder in the rules around it.

    If a file has both spellings of one whole pattern, both are meant, and nothing is reported.

    Why: paths are case-sensitive, so the rule does not match the folder of the other rules.

    Use instead: the spelling of the URLs.

    Fix: the folder is written as in the other rules. The rule then matches different URLs, so the
    fix is unsafe.
    """
    for group in file.groups:
        yield from _odd_ones(file, group.rules)


def _odd_ones(file: File, rules: tuple[Rule, ...]) -> Iterator[Found]:
    folders = [(rule, folder) for rule in rules if (folder := _folder(rule))]
    counts = Counter(folder for _, folder in folders)
    if len({folder.lower() for folder in counts}) == len(counts):
        return
    usual_of: dict[str, str] = {}
    for folder, _ in counts.most_common():
        usual_of.setdefault(folder.lower(), folder)
    spellings = Counter(pattern.lower() for pattern in {rule.pattern for rule in rules})
    for rule, folder in folders:
        usual = usual_of[folder.lower()]
        rest = rule.pattern[len(folder) :]
        is_odd = counts[folder] == 1 and counts[usual] >= OTHERS
        is_deliberate = spellings[rule.pattern.lower()] > 1
        if is_odd and not is_deliberate and rest:
            start = rule.span[0]
            span = (start, start + len(folder))
            fix = file.rewrite(span, usual.encode(), f"Write {quoted(usual)}", "unsafe")
            what = f"{quoted(folder)} is {quoted(usual)} in {counts[usual]} other rules"
            yield Found(rule.line, what, span, fix=fix)


def _folder(rule: Rule) -> str | None:
    """Return the first folder of a pattern, with the slashes around it."""
    pattern = rule.pattern
    end = pattern.find("/", 1)
    folder = pattern[: end + 1]
    is_plain = folder.isascii() and not {"*", "$", "?"} & set(folder)
    return folder if pattern.startswith("/") and end > 1 and is_plain else None
