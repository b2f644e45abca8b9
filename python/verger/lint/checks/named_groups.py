"""Groups for single crawlers, beside the group for `*` and beside each other.

RT208, RT214, RT216 and RT503.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeAlias

from verger._core import Agent, Group, Rule
from verger.crawlers.binding import agent_of
from verger.crawlers.registry import find, is_bound
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related, quoted
from verger.lint.file import File, tokens_of
from verger.untrusted_text import counted, listed


@check("RT208", "warning")
def group_without_rules(file: File) -> Iterator[Found]:
    """A group without rules for some crawlers, while the group for `*` disallows something.

    Such a group often only sets a `Crawl-delay`. The crawler may then fetch everything, because it
    follows its own group and not that of `*` as well (RFC 9309 section 2.2.1).

    Readers of 1994 and 1996 read no group there (RT218).

    Why: a crawler that a group names does not follow the rules for `*`.

    Use instead: a copy of the rules for `*` in this group, or an empty `Disallow:` to show that the
    crawler may fetch everything.
    """
    star = file.robots.agent("*")
    closing = next((rule for rule in star.rules if not rule.allow and rule.pattern), None)
    if closing is None or not file.is_whole:
        return
    with_rules = {group.start_lines for group in file.robots.groups if group.rules}
    for group in file.robots.groups:
        is_other = group.rules or any(token.startswith("*") for token in group.product_tokens)
        if is_other or not group.start_lines:
            continue  # a limit for lines may drop the head of a group
        followed = (other for agent in file.agents_of(group) for other in agent.groups)
        if any(other.start_lines in with_rules for other in followed):
            continue  # another group for the same crawler has rules
        name = quoted(group.product_tokens[0]) if group.product_tokens else "no crawler"
        yield Found(
            group.start_lines[0],
            f"the group for {name} has no rules: it may fetch everything",
            witness=_closed(star, closing),
            related=(Related(closing.line, f"this rule does not apply to {name}"),),
        )


def _closed(star: Agent, rule: Rule) -> str | None:
    """Return a path that a rule disallows for `*`, if one is easy to derive."""
    path = plain_path(rule.pattern)
    return path if path and not star.allowed(path) else None


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
    analysed = file.analysed.analysed if len(closing) > FEWEST_COPIED else ()
    for agent, _ in analysed:
        if agent.named and [group.start_lines for group in agent.groups] != followed:
            found = _lacking(agent, star, closing, count)
            if found and not _is_meant(file, agent.groups[0], found[0][0]):
                yield _copied(agent, closing, found)


def _lacking(
    agent: Agent, star: Agent, closing: list[Rule], count: Counter[str]
) -> list[tuple[Rule, str]]:
    """Return the rules of `*` that a crawler's own group lacks, each with a path that it allows.

    count:  how many of the rules have a pattern. Most crawlers repeat none, which is seen without
            a look at each rule of `*`.
    """
    own = {rule.pattern for rule in agent.rules if not rule.allow}
    present = own | {rule.pattern for rule in agent.rules if rule.allow}
    copied = sum(count[pattern] for pattern in own)
    lacks = len(closing) - sum(count[pattern] for pattern in present)
    if copied < FEWEST_COPIED or lacks >= copied or copied * 2 <= len(closing):
        return []
    lacking = [rule for rule in closing if rule.pattern not in present]
    said = ((rule, path, agent.decide(path)) for rule in lacking if (path := _closed(star, rule)))
    # `Allow: /` says nothing about the rule in particular.
    return [
        (rule, path)
        for rule, path, by in said
        if by.allowed and not (by.rule and by.rule.pattern.strip("/*"))
    ]


def _is_meant(file: File, group: Group, rule: Rule) -> bool:
    """Whether a comment on the start-group lines of a group names the pattern of a rule."""
    comments = (file.line(number).comment or "" for number in group.start_lines)
    return any(rule.pattern.rstrip("/*") in comment for comment in comments)


def _copied(agent: Agent, closing: list[Rule], found: list[tuple[Rule, str]]) -> Found:
    group = agent.groups[0]
    name = quoted(group.product_tokens[0])
    own = {rule.pattern for rule in agent.rules if not rule.allow}
    copied = sum(rule.pattern in own for rule in closing)
    (rule, path), *_ = found
    what = (
        f"the group for {name} repeats {copied} of the {len(closing)} rules for `*`"
        f": {quoted(rule.pattern)} is allowed"
    )
    return Found(
        group.start_lines[0],
        what,
        witness=path,
        related=tuple(
            Related(each.line, f"{quoted(str(each))} does not apply to {name}")
            for each, _ in found[:3]
        ),
    )


def plain_path(pattern: str) -> str | None:
    """Return a path that a pattern matches, if one is easy to derive."""
    path = pattern.replace("*", "").removesuffix("$") or "/"
    return path if path.startswith("/") and path.isascii() and path.isprintable() else None


@check("RT216", "note")
def dropped_rules(file: File) -> Iterator[Found]:
    """A group with `Allow` lines alone, while the group for `*` disallows something else.

    A crawler follows its own group or that of `*`, not both (RFC 9309 section 2.2.1): with
    `Allow: /blog/` alone, it may fetch everything. Not reported if the group allows just what the
    rules disallow, or everything, as with `Allow: /`: then the crawler is let in on purpose. A
    group without rules is RT208, one that repeats most rules is RT214.

    Why: a named crawler does not follow the rules for `*`, and an `Allow` does not add to them.

    Use instead: the rules for `*` in this group as well, or `Allow: /` to show that the crawler may
    fetch everything.
    """
    star = file.robots.agent("*")
    closing = [rule for rule in star.rules if not rule.allow and rule.pattern]
    agents = [
        agent
        for agent, _ in (file.analysed.analysed if closing and file.is_whole else ())
        if agent.named and _only_allows(agent)
        if any(would_be_bound(token) for group in agent.groups for token in tokens_of(group))
    ]
    paths = [(rule, path) for rule in closing * bool(agents) if (path := _closed(star, rule))]
    dropped = [(agent, each) for agent in agents if (each := _unspoken(agent, paths))]
    if dropped:
        dropped.sort(key=lambda each: each[0].groups[0].start_lines)
        yield _dropped(dropped, len(closing))


def _only_allows(agent: Agent) -> bool:
    """Whether a crawler has an `Allow`, and no `Disallow`, not even an empty one."""
    patterns = [rule.allow and rule.pattern for rule in agent.rules]
    return any(patterns) and False not in patterns


def would_be_bound(token: str) -> bool:
    """Whether the rules for `*` bind a crawler that no group names."""
    crawler = find(token)
    return crawler is None or (crawler.kind == "crawler" and is_bound(crawler, named=False))


Closed: TypeAlias = tuple[Rule, str]
"""A rule for `*`, and a path that it disallows."""


def _unspoken(agent: Agent, paths: Sequence[Closed]) -> Closed | None:
    """Return the first of some paths about which a crawler's own rules say nothing."""
    return next((each for each in paths if agent.decide(each[1]).rule is None), None)


def _dropped(dropped: Sequence[tuple[Agent, Closed]], number: int) -> Found:
    """Return what to say of crawlers, each with one of a number of rules for `*`."""
    groups = [agent.groups[0] for agent, _ in dropped]
    heads = [(group.start_lines[0], quoted(group.product_tokens[0])) for group in groups]
    rule, path = dropped[0][1]
    bind = "does not bind" if number == 1 else "do not bind"
    whom = "it" if len(heads) == 1 else "them"
    who = listed([name for _, name in heads])
    what = f"{who} may fetch everything: {counted(number, 'rule')} for `*` {bind} {whom}"
    related = [Related(rule.line, f"this rule does not apply to {whom}")]
    related += [Related(line, f"the group of {name}") for line, name in heads[1:4]]
    return Found(heads[0][0], what, witness=path, related=tuple(related))


TRAINING = (
    "GPTBot",
    "ClaudeBot",
    "Google-Extended",
    "Applebot-Extended",
    "Meta-ExternalAgent",
    "CCBot",
    "Bytespider",
    "Amazonbot",
)
"""The crawlers and policy tokens through which most operators collect training data."""

FETCHED_BY = {"Google-Extended": ("Googlebot",), "Applebot-Extended": ("Applebot",)}
"""Policy tokens, and the crawlers that fetch for them: what these may not fetch is unused."""

MANY = 3


@check("RT503", "note")
def purpose_in_part(file: File) -> Iterator[Found]:
    """A file that disallows everything for several AI training crawlers, but not for others.

    Reported if at least three of the well-known ones are disallowed by name, and at least one that
    the file does not name may fetch the home page. What a policy token stands for, another crawler
    fetches.

    Why: pages may still be collected for training where nothing disallows it.

    Use instead: `verger block --purpose training`, which names all known ones.
    """
    agent = partial(agent_of, file.robots)
    named = [token for token in TRAINING if token.lower() in file.named]
    closed = [token for token in named if len(named) >= MANY and agent(token).posture == "none"]
    open_ = [
        token
        for token in TRAINING
        if len(closed) >= MANY and token not in named
        if all(agent(each).allowed("/") for each in (token, *FETCHED_BY.get(token, ())))
    ]
    if open_:
        line = file.named[closed[0].lower()][0]
        sent = ", ".join(token for token in open_ if token not in FETCHED_BY)
        policies = ", ".join(token for token in open_ if token in FETCHED_BY)
        rest = [f"{sent} may"] * bool(sent) + [f"nothing disallows {policies}"] * bool(policies)
        what = f"{', '.join(closed)} may fetch nothing, but {', and '.join(rest)}"
        yield Found(line, what, file.line(line).value_span)
