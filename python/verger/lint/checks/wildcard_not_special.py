"""RT322: a wildcard, for dialects that have none."""

from collections.abc import Iterator

from verger.analysis.rules import has_wildcards
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import listed


@check("RT322", "error")
def wildcard_not_special(file: File) -> Iterator[Found]:
    """A path pattern with `*`, or with `$` at its end, with a target of 1994 or 1996.

    There, a path is compared with the beginning of the URL's (A Standard for Robot Exclusion, 30
    June 1994; Koster, A Method for Robots Exclusion, draft 1, November 1996, section 3.2.2).

    Why: crawlers that read files as in those years look for the character itself in URLs.

    Use instead: the beginnings of the paths, in a group for such crawlers.
    """
    found: dict[int, list[str]] = {}
    rules = {}
    for name, reading in file.readings.items():
        if has_wildcards(reading.dialect):
            continue
        for rule in (rule for group in reading.groups for rule in group.rules):
            if "*" in rule.pattern or rule.pattern.endswith("$"):
                rules[rule.line] = rule
                found.setdefault(rule.line, []).append(name)
    for line, names in sorted(found.items()):
        have = "has" if len(names) == 1 else "have"
        what = f"{listed(names, quoted)} {have} no wildcards"
        pattern = quoted(rules[line].pattern)
        yield Found(line, f"{what}: {pattern} is compared as it is written", rules[line].span)
