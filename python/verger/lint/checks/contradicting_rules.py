"""RT306: an Allow and a Disallow with the same pattern."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from verger._core import Agent, Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted

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

    @cache
    def opened(group: int, joined: int) -> str:
        agents = file.agents_of(file.groups[group])[:MOST_AGENTS]
        both = (agent for agent in agents if joined in file.followed[agent])
        token = next((agent.tokens[0] for agent in both if file.posture_of(agent) == "all"), None)
        if token is None:
            return ""
        return ": the site is open" + (f" to {quoted(token)}" if token != "*" else "")

    for rule, other in found.values():
        yield _report(file, rule, other, opened)


def _report(file: File, rule: Rule, other: Rule, opened: Callable[[int, int], str]) -> Found:
    what = f"{quoted(rule.pattern)} is disallowed here and allowed in line {other.line}"
    group, joined = (file.group_of[each.line] for each in (rule, other))
    if group != joined:
        what += ", whose group is joined to this one"
    if not rule.pattern.strip("/*"):
        what += opened(group, joined)
    path = rule.pattern
    is_path = path.startswith("/") and not {"*", "$"} & set(path) and path.isprintable()
    agents = file.agents_of(file.groups[group])[:MOST_AGENTS]
    witness = path if is_path and _is_allowed(agents, other) else None
    related = (Related(other.line, "`Allow` wins"),)
    return Found(rule.line, what, rule.span, witness=witness, related=related)


def _is_allowed(agents: Sequence[Agent], rule: Rule) -> bool:
    """Whether a rule decides the path that equals its pattern, for a crawler of its group."""
    return any(each.decide(rule.pattern).line == rule.line for each in agents)
