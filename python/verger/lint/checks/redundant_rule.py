"""RT305: a rule without which every answer is the same."""

from collections.abc import Iterator, Set

from verger._core import Agent, RobotsTxt, Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import rule_text


@check("RT305", "note", fix="safe")
def redundant_rule(file: File) -> Iterator[Found]:
    """A rule without which every URL gets the same answer, in every target dialect.

    That is proved for all URLs. Rules that never decide are RT304. An `Allow` that no `Disallow`
    makes necessary has no effect either, but is not reported.

    Why: without the rule, the file means the same and is easier to read.

    Use instead: the file without it. `verger minimise` does so for a whole file.

    Fix: the rule is removed, if it is proved that no decision changes.
    """
    found: dict[int, tuple[Rule, Agent]] = {}
    covers: dict[int, tuple[dict[str, list[Rule]], list[int]]] = {}
    analysed, others = file.shares_in(file.robots)
    needed = set(others)
    for share in analysed:
        agent = share.agent
        idle = {rule.line: (rule, agent) for rule in file.redundant(share).rules}
        for line, pair in idle.items():
            found.setdefault(line, pair)
        needed |= {rule.line for rule in agent.rules} - idle.keys()
        if idle:
            plain = _plain(agent)
            covers[id(agent)] = plain, sorted(set(map(len, plain)))
    for reading in list(file.readings.values())[1:]:
        needed |= set(_needed(file, reading, found.keys() - needed))
    for line, (rule, agent) in sorted(found.items(), key=lambda item: item[0]):
        by = file.shadows.get(line, ())
        is_shadowed = any(other.allow is not rule.allow for other in by)
        is_other = line in needed or is_shadowed or line in file.repeated
        if is_other or rule.allow or not rule.pattern.startswith(("/", "*")):
            continue  # RT301, if it is a pattern at all
        cover = _cover(rule, *covers[id(agent)])
        if cover is None:
            continue
        text, whole = (quoted(rule_text(each.allow, each.pattern)) for each in (rule, cover))
        fix = file.without_line(line, "Remove the rule", "safe")
        related = (Related(cover.line, f"{whole} already covers it"),)
        what = f"{text} is redundant: line {cover.line} already covers it"
        yield Found(line, what, rule.span, fix=fix, related=related)


def _needed(file: File, reading: RobotsTxt, lines: Set[int]) -> Iterator[int]:
    """Yield the lines, out of some, whose rules a crawler of another target needs."""
    analysed, others = file.shares_in(reading)
    yield from others & lines
    for share in analysed:
        asked = {rule.line for rule in share.agent.rules} & lines
        if asked:
            yield from asked - {rule.line for rule in file.redundant(share).rules}


def _plain(agent: Agent) -> dict[str, list[Rule]]:
    """Return the `Disallow` rules of a crawler that are plain prefixes, by prefix."""
    plain: dict[str, list[Rule]] = {}
    for rule in agent.rules:
        start = rule.pattern.rstrip("*")
        if not rule.allow and rule.pattern and not start.endswith("$"):
            plain.setdefault(start, []).append(rule)
    return plain


def _cover(rule: Rule, plain: dict[str, list[Rule]], lengths: list[int]) -> Rule | None:
    """Return the first rule whose pattern is a prefix of that of a given rule."""
    starts = (rule.pattern[:length] for length in lengths if length <= len(rule.pattern))
    others = (other for start in starts for other in plain.get(start, [])[:2])
    covers = (other for other in others if other.line != rule.line)
    return min(covers, key=lambda other: other.line, default=None)
