"""RT306: an Allow and a Disallow with the same pattern."""

from collections.abc import Iterator, Sequence

from verger._core import Agent, Group, Rule
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
    for rule, other in found.values():
        yield _report(file, rule, other)


def _report(file: File, rule: Rule, other: Rule) -> Found:
    what = f"{quoted(rule.pattern)} is disallowed here and allowed in line {other.line}"
    group, joined = (file.groups[file.group_of[each.line]] for each in (rule, other))
    if group.start_lines != joined.start_lines:
        what += ", whose group is joined to this one"
    agents = file.agents_of(group)[:MOST_AGENTS]
    if not rule.pattern.strip("/*"):
        what += next((_opened(each) for each in agents if _is_opened(each, joined)), "")
    path = rule.pattern
    is_path = path.startswith("/") and not {"*", "$"} & set(path) and path.isprintable()
    witness = path if is_path and _is_allowed(agents, other) else None
    related = (Related(other.line, "`Allow` wins"),)
    return Found(rule.line, what, rule.span, witness=witness, related=related)


def _opened(agent: Agent) -> str:
    (token,) = agent.tokens
    return ": the site is open" + (f" to {quoted(token)}" if token != "*" else "")


def _is_opened(agent: Agent, group: Group) -> bool:
    """Whether a crawler follows a group, and may fetch everything."""
    is_bound = group.start_lines in (each.start_lines for each in agent.groups)
    return is_bound and agent.posture == "all"


def _is_allowed(agents: Sequence[Agent], rule: Rule) -> bool:
    """Whether a rule decides the path that equals its pattern, for a crawler of its group."""
    return any(each.decide(rule.pattern).line == rule.line for each in agents)
