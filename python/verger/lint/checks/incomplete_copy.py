"""RT214: a group that repeats most rules for `*`, but not all."""

from collections import Counter
from collections.abc import Iterator

from verger._core import Agent, Rule
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import rule_text

FEWEST_COPIED = 2
"""How many rules of `*` must be repeated before the others look forgotten."""


@check("RT214", "warning")
def incomplete_copy(file: File) -> Iterator[Found]:
    """A group that repeats most of the `Disallow` rules for `*`, but not all.

    A crawler follows its own group or that of `*`, not both (RFC 9309 section 2.2.1). Reported if
    at least two rules, and most of them, are repeated, and the group has no `Allow` for the others.

    Why: a named crawler does not follow the rules for `*`, only those that its own group repeats.

    Use instead: all rules in this group, or no group of its own.
    """
    star = file.robots.agent("*")
    closing = [rule for rule in star.rules if not rule.allow and rule.pattern]
    followed = [group.start_lines for group in star.groups]
    count = Counter(rule.pattern for rule in closing)
    if any(not rule.pattern.strip("/*") for rule in closing):
        return  # the named crawlers are allowed on purpose
    analysed = file.shares_in(file.robots).analysed if len(closing) > FEWEST_COPIED else ()
    for agent, _ in analysed:
        if agent.named and [group.start_lines for group in agent.groups] != followed:
            found = _forgotten(agent, closing, count)
            if found:
                yield _report(agent, closing, found)


def _forgotten(agent: Agent, closing: list[Rule], count: Counter[str]) -> list[tuple[Rule, str]]:
    """Return the rules of `*` that a crawler's own group lacks, each with an allowed path.

    count:  how many of the rules have a pattern. Most crawlers repeat none, which is seen without
            a look at each rule of `*`.
    """
    own = {rule.pattern for rule in agent.rules if not rule.allow}
    present = own | {rule.pattern for rule in agent.rules if rule.allow}
    copied = sum(count[pattern] for pattern in own)
    lacks = len(closing) - sum(count[pattern] for pattern in present)
    if copied < FEWEST_COPIED or lacks >= copied:
        return []
    lacking = [rule for rule in closing if rule.pattern not in present]
    paths = ((rule, plain_path(rule.pattern)) for rule in lacking)
    return [(rule, path) for rule, path in paths if path and agent.allowed(path)]


def _report(agent: Agent, closing: list[Rule], found: list[tuple[Rule, str]]) -> Found:
    group = agent.groups[0]
    name = quoted(group.product_tokens[0])
    own = {rule.pattern for rule in agent.rules if not rule.allow}
    copied = sum(rule.pattern in own for rule in closing)
    (rule, path), *_ = found
    what = f"the group for {name} repeats {copied} of the {len(closing)} rules for `*`"
    related = tuple(
        Related(
            each.line, f"{quoted(rule_text(each.allow, each.pattern))} does not apply to {name}"
        )
        for each, _ in found[:3]
    )
    return Found(
        group.start_lines[0],
        f"{what}: {quoted(rule.pattern)} is allowed",
        witness=path,
        related=related,
    )


def plain_path(pattern: str) -> str | None:
    """Return a path that a pattern matches, if one is easy to derive."""
    path = pattern.replace("*", "").removesuffix("$") or "/"
    return path if path.startswith("/") and path.isascii() and path.isprintable() else None
