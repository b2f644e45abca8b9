"""RT305: a rule without which every answer is the same."""

from collections.abc import Iterator, Sequence

from verger._core import Rule
from verger.analysis import redundant
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import STEPS, File
from verger.lint.words import quoted
from verger.plain import rule_text

MOST_COMPARED = 400
"""Rules that are looked through for the one that says it already."""


@check(
    "RT305",
    "redundant-rule",
    "note",
    why="the file says the same without it, and is easier to read",
    fix="safe",
)
def redundant_rule(file: File) -> Iterator[Found]:
    """A rule without which every URL gets the same answer, for every crawler that it binds.

    That is proved for all URLs, in each of the targets. Rules that never decide are RT304; an
    `Allow` below nothing that is closed has no effect either, and is left to its author.

    Use instead: the file without it. `verger minimise` does so for a whole file.

    Fix: the rule is removed, where it is proved that no decision changes.
    """
    found: dict[int, Rule] = {}
    needed: set[int] = set()
    for agent in file.agents:
        idle = {rule.line: rule for rule in redundant(agent, steps=STEPS).rules}
        found |= idle
        needed |= {rule.line for rule in agent.rules} - idle.keys()
    twice = _repeated(file)
    closers = _closers(file) if found else {}
    for line, rule in sorted(found.items()):
        is_told = line in needed or line in file.shadows or line in twice
        if is_told or rule.allow or not rule.pattern:
            continue
        cover = _cover(rule, closers.get(line, ()))
        if cover is None:
            continue
        text, whole = (quoted(rule_text(each.allow, each.pattern)) for each in (rule, cover))
        fix = file.without_line(line, "Remove the rule", "safe")
        related = (Related(cover.line, f"{whole} closes it already"),)
        what = f"{text} changes nothing: line {cover.line} closes it already"
        yield Found(line, what, rule.span, fix=fix, related=related)


def _repeated(file: File) -> set[int]:
    lines: set[int] = set()
    for group in file.groups:
        known: set[tuple[bool, bytes]] = set()
        for rule in group.rules:
            key = (rule.allow, rule.pattern_bytes)
            if key in known:
                lines.add(rule.line)
            known.add(key)
    return lines


def _closers(file: File) -> dict[int, list[tuple[str, Rule]]]:
    """Return by the line of a rule what may close the same for one of its crawlers: the rules that
    close something, each with the text that all that it closes begins with."""
    found: dict[int, list[tuple[str, Rule]]] = {}
    for agent in file.agents:
        rules = agent.rules
        closers = [
            (prefix, other)
            for other in rules[:MOST_COMPARED]
            if not other.allow
            and other.pattern
            and not (prefix := other.pattern.rstrip("*")).endswith("$")
        ]
        for rule in rules:
            found.setdefault(rule.line, closers)
    return found


def _cover(rule: Rule, closers: Sequence[tuple[str, Rule]]) -> Rule | None:
    """Return a rule that plainly closes what another closes: one that its pattern begins with."""
    for prefix, other in closers:
        if rule.pattern.startswith(prefix) and other.line != rule.line:
            return other
    return None
