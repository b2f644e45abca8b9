"""RT306: an Allow and a Disallow of the same."""

from collections.abc import Iterator, Sequence

from verger._core import Agent, Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT306", "warning")
def contradicting_rules(file: File) -> Iterator[Found]:
    """An `Allow` and a `Disallow` with one pattern in the same group.

    Where both match, RFC 9309 section 2.2.2 lets `Allow` win. Older crawlers take the first.

    Why: `Allow` wins (RFC 9309 section 2.2.2), so that what one line closes is open.

    Use instead: the one that is meant.
    """
    for group in file.groups:
        allowed = {rule.pattern_bytes: rule for rule in group.rules if rule.allow and rule.pattern}
        pairs = [
            (rule, allowed[rule.pattern_bytes])
            for rule in group.rules
            if not rule.allow and rule.pattern_bytes in allowed
        ]
        if pairs:
            agents = [each for each in file.agents if group in each.groups]
            yield from (_found(agents, *pair) for pair in pairs)


def _found(agents: Sequence[Agent], rule: Rule, other: Rule) -> Found:
    what = f"{quoted(rule.pattern)} is closed here, and opened in line {other.line}: `Allow` wins"
    path = rule.pattern
    is_path = path.startswith("/") and not {"*", "$"} & set(path) and path.isprintable()
    witness = path if is_path and _is_opened(agents, other) else None
    related = (Related(other.line, "`Allow` wins"),)
    return Found(rule.line, what, rule.span, witness=witness, related=related)


def _is_opened(agents: Sequence[Agent], rule: Rule) -> bool:
    """Whether a rule decides its own pattern as a path, for a crawler of its group."""
    return any(each.decide(rule.pattern).line == rule.line for each in agents)
