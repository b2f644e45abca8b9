"""RT306: an Allow and a Disallow with the same pattern."""

from collections.abc import Iterator, Sequence

from verger._core import Agent, Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted

MOST_AGENTS = 16
"""The most crawlers of a group that are asked for a witness."""


@check("RT306", "warning")
def contradicting_rules(file: File) -> Iterator[Found]:
    """An `Allow` and a `Disallow` with the same pattern in one group.

    In RFC 9309 section 2.2.2, `Allow` wins. Older crawlers follow the first of the two.

    Why: `Allow` wins (RFC 9309 section 2.2.2), so the `Disallow` has no effect.

    Use instead: the rule that is meant.
    """
    for group in file.groups:
        allowed = {rule.pattern_bytes: rule for rule in group.rules if rule.allow and rule.pattern}
        pairs = [
            (rule, allowed[rule.pattern_bytes])
            for rule in group.rules
            if not rule.allow and rule.pattern_bytes in allowed
        ]
        if pairs:
            agents = file.agents_of(group)[:MOST_AGENTS]
            yield from (_report(agents, *pair) for pair in pairs)


def _report(agents: Sequence[Agent], rule: Rule, other: Rule) -> Found:
    what = f"{quoted(rule.pattern)} is disallowed here and allowed in line {other.line}"
    path = rule.pattern
    is_path = path.startswith("/") and not {"*", "$"} & set(path) and path.isprintable()
    witness = path if is_path and _is_allowed(agents, other) else None
    related = (Related(other.line, "`Allow` wins"),)
    return Found(rule.line, what, rule.span, witness=witness, related=related)


def _is_allowed(agents: Sequence[Agent], rule: Rule) -> bool:
    """Whether a rule decides the path that equals its pattern, for a crawler of its group."""
    return any(each.decide(rule.pattern).line == rule.line for each in agents)
