"""Rules that change no answer, or that contradict each other.

RT303 to RT306.
"""

from collections.abc import Iterable, Iterator

from verger._core import Agent, Rule, _rule_lines
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related, quoted
from verger.lint.file import File, Reading
from verger.untrusted_text import lines_of

CASELESS = ": the case of digits in escapes does not matter"

JOINED = ", whose group is joined to this one"


@check("RT303", "note", fix="safe")
def repeated_rule(file: File) -> Iterator[Found]:
    """A rule that occurs twice in its group, or in two groups that are joined.

    RFC 9309 section 2.2.1 joins the groups of one crawler, such as two for `*`. A group that only
    repeats another is RT209.

    Why: the line is redundant.

    Use instead: one of the lines.

    Fix: the second line is removed, if it is proved that no decision changes. If escapes in it have
    digits of another case, the fix is unsafe: readers of 1994 compare these as they are.
    """
    rules = {rule.line: rule for rule in file.rules}
    kept = {file.group_of[line] for line in rules.keys() - file.repeated.keys()}
    for line, above in file.duplicates.items():
        group, joined = (file.group_of[each] for each in (line, above.line))
        if group != joined and group not in kept:
            continue  # RT209
        is_same = rules[line].pattern_bytes == above.pattern_bytes
        what = f"{quoted(str(rules[line]))} duplicates line {above.line}"
        what += (JOINED if group != joined else "") + ("" if is_same else CASELESS)
        yield Found(
            line,
            what,
            fix=file.without_line(
                line,
                "Remove the line",
                "safe" if is_same else "unsafe",
            ),
            related=(Related(above.line, "the same rule"),),
        )


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
        is_told = rule and any(rule.pattern == other.pattern for other in by)
        if rule is None or is_told or all(rule.allow is other.allow for other in by):
            continue  # RT303, RT305, RT306
        outrank = f"{lines_of([each.line for each in by])} outrank{'s' * (len(by) == 1)}"
        what = f"{quoted(str(rule))} never decides: {outrank} it everywhere"
        is_spare = line not in file.anchors
        yield Found(
            line,
            what,
            rule.span,
            fix=file.without_line(line, "Remove the rule", "unsafe") if is_spare else None,
            related=tuple(
                Related(other.line, f"{quoted(str(other))} decides instead") for other in by[:3]
            ),
        )


@check("RT305", "note", fix="safe")
def redundant_rule(file: File) -> Iterator[Found]:
    """A rule without which every URL gets the same answer, in every target dialect.

    That is proved for all URLs, with all other lines as they are. Rules that never decide are
    RT304. An `Allow` that no `Disallow` makes necessary has no effect either, but is not reported,
    nor is a group that would have no rule left (RT209).

    Why: without the rule, the file means the same and is easier to read.

    Use instead: the file without it. `verger minimise` does so for a whole file.

    Fix: the rule is removed, if it is proved that no decision changes.
    """
    found: dict[int, tuple[Rule, Agent]] = {}
    covers: dict[int, tuple[dict[str, list[Rule]], list[int]]] = {}
    analysed, others = file.analysed
    needed = set(others)
    for crawler in analysed:
        agent = crawler.agent
        alone = file.redundant_alone(crawler)
        needed.update(line for line in _rule_lines(agent) if line not in alone)
        if alone:
            for rule in agent.rules:
                if rule.line in alone:
                    found.setdefault(rule.line, (rule, agent))
            plain = _plain(agent)
            covers[id(agent)] = plain, sorted(set(map(len, plain)))
    needed |= file.anchors if found else set()
    for reading in file.all_readings if found else ():
        needed |= set(_needed(file, reading, found.keys() - needed))
    told: dict[int, tuple[Rule, Rule]] = {}
    for line, (rule, agent) in sorted(found.items(), key=lambda item: item[0]):
        by = file.shadows.get(line, ())
        is_shadowed = any(other.allow is not rule.allow for other in by)
        is_other = line in needed or is_shadowed or line in file.duplicates
        if is_other or rule.allow or not rule.pattern.startswith(("/", "*")):
            continue  # RT301, if it is a pattern at all
        if cover := _cover(rule, *covers[id(agent)]):
            told[line] = rule, cover
    stay = file.group_of.keys() - told.keys() - file.duplicates.keys()
    kept = {file.group_of[line] for line in stay} if told else ()
    for line, (rule, cover) in told.items():
        if file.group_of[line] in kept:
            yield Found(
                line,
                f"{quoted(str(rule))} is redundant: line {cover.line} already covers it",
                rule.span,
                fix=file.without_line(line, "Remove the rule", "safe"),
                related=(Related(cover.line, f"{quoted(str(cover))} already covers it"),),
            )


def _needed(file: File, reading: Reading, lines: set[int]) -> Iterator[int]:
    """Yield the lines, out of some, whose rules a crawler of another reading needs."""
    analysed, others = reading.analysed
    yield from others & lines
    for crawler in analysed:
        asked = lines.intersection(_rule_lines(crawler.agent))
        if asked:
            yield from asked - file.redundant_alone(crawler)


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


MOST_AGENTS = 16
"""The most crawlers of a group that are asked for a witness."""


@check("RT306", "warning")
def contradicting_rules(file: File) -> Iterator[Found]:
    """An `Allow` and a `Disallow` with the same pattern in one group, or in groups that are joined.

    In RFC 9309 section 2.2.2, `Allow` wins. Older crawlers follow the first of the two. Section
    2.2.1 joins the groups of one crawler, such as two for `*`, of which a program wrote one.

    Why: `Allow` wins (RFC 9309 section 2.2.2), so the `Disallow` has no effect.

    Use instead: the rule that is meant.
    """
    found: dict[int, tuple[Rule, Rule]] = {}
    for rules in file.together:
        allowed = {rule.pattern_bytes: rule for rule in rules if rule.allow and rule.pattern}
        for rule in rules:
            if not rule.allow and rule.pattern_bytes in allowed:
                found.setdefault(rule.line, (rule, allowed[rule.pattern_bytes]))
    for rule, other in found.values():
        yield _report(file, rule, other)


def _report(file: File, rule: Rule, other: Rule) -> Found:
    what = f"{quoted(rule.pattern)} is disallowed here and allowed in line {other.line}"
    group, joined = (file.group_of[each.line] for each in (rule, other))
    agents = file.agents_of(file.robots.groups[group])[:MOST_AGENTS]
    what += JOINED if group != joined else ""
    if not rule.pattern.strip("/*"):
        what += _opened(file, (agent for agent in agents if joined in file.followed[agent]))
    path = rule.pattern
    is_path = path.startswith("/") and not {"*", "$"} & set(path) and path.isprintable()
    is_allowed = is_path and any(each.decide(path).line == other.line for each in agents)
    wins = (Related(other.line, "`Allow` wins"),)
    return Found(rule.line, what, rule.span, witness=path if is_allowed else None, related=wins)


def _opened(file: File, agents: Iterable[Agent]) -> str:
    """Return to which of some crawlers the site is open, for a message."""
    token = next((each.tokens[0] for each in agents if file.posture_of(each) == "all"), None)
    if token is None:
        return ""
    return ": the site is open" + (f" to {quoted(token)}" if token != "*" else "")
