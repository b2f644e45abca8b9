"""The crawlers of one file that are analysed, and the steps that each may take.

In: the crawlers of a file, one for each set of groups. Out: those among them whose rules are
analysed, so that many crawlers that share a large group cost no more than one crawler does, and
what the others need.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from verger._core import Agent

MOST_RULES = 1 << 18
"""The most rules that are analysed in one file, counted for each crawler; in 43,000 real files, it
was never more than 21,000."""


class Share(NamedTuple):
    """A crawler, and the most steps of an analysis of its rules."""

    agent: Agent
    steps: int


class Shares(NamedTuple):
    """The crawlers that are analysed, and what is known of the others.

    analysed:  the crawlers, in the order given; the first is always among them.
    others:    the lines of the rules of all other crawlers. As nobody looks what these rules do for
               them, no such rule may be said to do nothing.
    """

    analysed: tuple[Share, ...]
    others: frozenset[int]


def shares_of(agents: Sequence[Agent], *, steps: int, most: int) -> Shares:
    """Share the steps of an analysis among crawlers, according to the number of their rules.

    steps:  the most steps for all crawlers together.
    most:   the most steps for one crawler.
    """
    sizes = list(_within_limit(agents))
    each = steps // max(1, sum(sizes))
    count = len(sizes)
    analysed = zip(agents[:count], sizes, strict=True)
    return Shares(
        tuple(Share(agent, max(1, min(most, size * each))) for agent, size in analysed),
        _lines_of(agents[count:]),
    )


def _within_limit(agents: Sequence[Agent]) -> Iterable[int]:
    """Yield the number of rules of each crawler, until they are too many."""
    total = 0
    for number, agent in enumerate(agents):
        size = len(agent.rules)
        total += size
        if number and total > MOST_RULES:
            return
        yield size


def _lines_of(agents: Sequence[Agent]) -> frozenset[int]:
    """Return the lines of the rules of crawlers; a group that many follow is read once."""
    groups = {group.start_lines: group for agent in agents for group in agent.groups}
    return frozenset(rule.line for group in groups.values() for rule in group.rules)
