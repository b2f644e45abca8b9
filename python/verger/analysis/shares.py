"""Analysed crawlers: those of one file whose rules are analysed, and the steps that each may take.

In: the crawlers of a file, one for each set of groups. Out: those among them whose rules are
analysed, so that many crawlers that share a large group cost little more than one crawler does, and
the rules that the others may need.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from verger._core import Agent

MOST_RULES = 1 << 16
"""The most rules that are analysed in one file, counted for each crawler; in 43,000 real files, it
was never more than 21,000."""

MOST_AGENTS = 2_000
"""The most crawlers that are analysed in one file."""


class Analysed(NamedTuple):
    """A crawler, and the most steps of an analysis of its rules."""

    agent: Agent
    steps: int


class AnalysedCrawlers(NamedTuple):
    """The crawlers that are analysed, and what is known of the others.

    analysed:  the crawlers, in the order given; the first is always among them.
    others:    the lines of rules that other crawlers may need. As nobody looks what rules do for
               them, these are the lines of all rules, or none if all crawlers are analysed.
    """

    analysed: tuple[Analysed, ...]
    others: frozenset[int]


def analysed_crawlers(agents: Sequence[Agent], *, steps: int, most: int) -> AnalysedCrawlers:
    """Share the steps of an analysis among crawlers, according to the number of their rules.

    agents:  of one file; those after the first `MOST_AGENTS` only show that there are more.
    steps:   the most steps for all crawlers together.
    most:    the most steps for one crawler.
    """
    sizes = list(_within_limits(agents))
    each = steps // max(1, sum(sizes))
    count = len(sizes)
    analysed = zip(agents[:count], sizes, strict=True)
    others = agents[0].robots.groups if count < len(agents) else ()
    return AnalysedCrawlers(
        tuple(Analysed(agent, max(1, min(most, size * each))) for agent, size in analysed),
        frozenset(rule.line for group in others for rule in group.rules),
    )


def _within_limits(agents: Sequence[Agent]) -> Iterator[int]:
    """Yield the number of rules of each crawler, until they are too many."""
    total = 0
    for number, agent in enumerate(agents[:MOST_AGENTS]):
        size = len(agent.rules)
        total += size
        if number and total > MOST_RULES:
            return
        yield size
