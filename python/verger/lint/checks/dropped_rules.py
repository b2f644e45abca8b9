"""RT216: a group that only allows, and with which the rules for `*` no longer count."""

from collections.abc import Iterator, Sequence

from verger._core import Agent, Rule
from verger.crawlers.registry import find, is_bound
from verger.lint.check import check
from verger.lint.checks.incomplete_copy import plain_path
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.names import tokens_of
from verger.lint.words import quoted
from verger.plain import counted, listed


@check("RT216", "note")
def dropped_rules(file: File) -> Iterator[Found]:
    """A group with `Allow` lines alone, while the group for `*` disallows something.

    A crawler follows its own group or that of `*`, not both (RFC 9309 section 2.2.1): with
    `Allow: /blog/` alone, it may fetch everything. Not reported if `*` may fetch nothing and the
    group allows everything: then the crawler is let in on purpose. A group without rules is RT208,
    one that repeats most rules is RT214.

    Why: a named crawler does not follow the rules for `*`, and an `Allow` does not add to them.

    Use instead: the rules for `*` in this group as well, or an empty `Disallow:` to show that the
    crawler may fetch everything.
    """
    closing = [rule for rule in file.robots.agent("*").rules if not rule.allow and rule.pattern]
    if not closing or not file.is_whole:
        return
    is_shut = any(map(_is_everything, closing))
    found = [
        agent
        for agent, _ in file.shares_in(file.robots).analysed
        if agent.named and _only_allows(agent) and _loses_rules(agent)
        if not (is_shut and any(map(_is_everything, _allows(agent))))
    ]
    if found:
        yield _report(file, found, closing)


def _is_everything(rule: Rule) -> bool:
    return not rule.pattern.strip("/*")


def _allows(agent: Agent) -> list[Rule]:
    return [rule for rule in agent.rules if rule.allow and rule.pattern]


def _only_allows(agent: Agent) -> bool:
    """Whether a crawler has an `Allow`, and no `Disallow`, not even an empty one."""
    return bool(_allows(agent)) and all(rule.allow for rule in agent.rules)


def _loses_rules(agent: Agent) -> bool:
    """Whether the rules for `*` would bind a crawler of its groups if they did not name it."""
    return any(map(_would_be_bound, (token for each in agent.groups for token in tokens_of(each))))


def _would_be_bound(token: str) -> bool:
    crawler = find(token)
    return crawler is None or (crawler.kind == "crawler" and is_bound(crawler, named=False))


def _report(file: File, agents: Sequence[Agent], closing: Sequence[Rule]) -> Found:
    heads = [
        (agent.groups[0].start_lines[0], agent.groups[0].product_tokens[0]) for agent in agents
    ]
    heads.sort()
    names = listed([name for _, name in heads], quoted)
    star = file.robots.agent("*")
    paths = ((rule, plain_path(rule.pattern)) for rule in closing)
    shown = ((rule, path) for rule, path in paths if path and not star.allowed(path))
    rule, path = next(shown, (closing[0], None))
    bind = "does not bind" if len(closing) == 1 else "do not bind"
    whom = "it" if len(heads) == 1 else "them"
    what = f"{names} may fetch everything: {counted(len(closing), 'rule')} for `*` {bind} {whom}"
    related = [Related(rule.line, f"this rule does not apply to {whom}")]
    related += [Related(line, f"the group of {quoted(name)}") for line, name in heads[1:4]]
    return Found(heads[0][0], what, witness=path, related=tuple(related))
