"""Minimise: a file with fewer rules and groups that says the same to every crawler.

In: a parsed file. Out: an `Outcome` whose proof is empty: no URL changed for anybody. What cannot
be proved to change nothing stays. Comments stay as well.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from verger._core import Group, RobotsTxt, parse
from verger.analysis.edit import Editor, NewRule
from verger.analysis.goals import Rulebook, rules_of
from verger.analysis.places import EVERY_FIELD
from verger.analysis.proof import Outcome, Proof, crawlers_of, prove
from verger.analysis.rules import difference, redundant
from verger.crawlers import agent_of
from verger.errors import RobotsError

Step: TypeAlias = Callable[[Editor], None]
"""A change that may be made: of an editor whose file has the groups that it was made for."""

MOST_COMPARED = 200
"""Groups that are compared with one another; the others are merged only where they read alike."""


def minimise(robots: RobotsTxt) -> Outcome:
    r"""Return an equivalent file with fewer rules and groups.

    Rules without which no answer changes are left out, groups that say the same become one, and
    groups without which nobody is told anything else are removed.

    >>> from verger import parse
    >>> minimise(parse("User-agent: *\nDisallow: /a\nDisallow: /a/b\n")).body
    b'User-agent: *\nDisallow: /a\n'
    """
    smaller = _Smaller(robots)
    smaller.drop_rules()
    smaller.drop_groups()
    smaller.merge_groups()
    return smaller.outcome()


class _Smaller:
    """A file while it becomes smaller; each step is proved, or not taken."""

    def __init__(self, robots: RobotsTxt) -> None:
        self._robots = robots
        self._book = Rulebook(robots.dialect)
        # What other readers find in a group stays with its crawlers.
        dialect = robots.dialect.replace(extensions=EVERY_FIELD)
        self._editor = Editor(parse(robots.body, dialect=dialect, url=robots.url))

    def outcome(self) -> Outcome:
        """Return what was reached."""
        robots, proof = self._proof(self._editor)
        assert proof.is_empty, "each step was proved"
        return Outcome(robots, self._editor.edits, proof)

    # rules

    def drop_rules(self) -> None:
        """Leave out rules that are redundant for all crawlers that their group binds."""
        robots = self._editor.robots
        needed: set[int] = set()
        found: set[int] = set()
        for agent in {_lines(a.groups): a for a in self._agents(robots)}.values():
            lines = {rule.line for rule in redundant(agent).rules}
            found |= lines
            needed |= {rule.line for rule in agent.rules} - lines
        dropped = found - needed
        steps = [
            _rewriting(place, kept)
            for place, group in enumerate(robots.groups)
            if (kept := _kept(group, dropped)) is not None
        ]
        self._take(steps)

    # groups

    def drop_groups(self) -> None:
        """Remove groups without which their crawlers are told the same."""
        robots = self._editor.robots
        star = robots.agent("*")
        bound: dict[int, list[object]] = {}
        places = {group.start_lines: place for place, group in enumerate(robots.groups)}
        for agent in self._agents(robots):
            is_like_star = difference(agent, star).is_empty
            for group in agent.groups if agent.named else star.groups:
                may_go = agent.named and (is_like_star or len(agent.groups) > 1)
                bound.setdefault(places[group.start_lines], []).append(may_go)
        alike = [
            place
            for place, group in enumerate(robots.groups)
            if all(bound.get(place, ())) and self._records_of(group) in ([], self._star_records())
        ]
        self._take([_removing(place) for place in reversed(alike)])

    def merge_groups(self) -> None:
        """Let groups that say the same be one, and those of the same crawlers, too."""
        groups = self._editor.robots.groups
        alike: dict[object, list[int]] = {}
        for place, group in enumerate(groups):
            key = self._like(group, [groups[others[0]] for others in alike.values()])
            alike.setdefault(key, []).append(place)
        steps = [_merging(into, place) for into, *rest in alike.values() for place in rest]
        self._take(sorted(steps, key=lambda step: -step[0]))
        self._merge_namesakes()

    def _like(self, group: Group, others: Sequence[Group]) -> object:
        """Return what a group shares with the first of those that say the same."""
        own = rules_of(group)
        agent = self._book.agent(own)
        records = self._records_of(group)
        for other in others[:MOST_COMPARED]:
            if self._records_of(other) == records:
                found = difference(agent, self._book.agent(rules_of(other)))
                if found.is_empty and found.is_exact:
                    return other.start_lines
        return group.start_lines

    def _merge_namesakes(self) -> None:
        groups = self._editor.robots.groups
        first: dict[frozenset[str], int] = {}
        steps = []
        for place, group in enumerate(groups):
            into = first.setdefault(frozenset(map(str.lower, group.product_tokens)), place)
            if into != place and not self._records_of(group):
                steps.append(_joining(into, place))
        self._take(sorted(steps, key=lambda step: -step[0]))

    # proof

    def _take(self, steps: "Sequence[tuple[int, Step]]") -> None:
        """Make changes, the last group's first: all together, else each that changes nothing."""
        if not steps or self._try([step for _, step in steps]):
            return
        if len(steps) > 1:
            for _, step in steps:
                self._try([step])

    def _try(self, steps: Iterable[Step]) -> bool:
        """Make changes if they can be made, and it is proved that they change nothing."""
        editor = self._editor.copy()
        try:
            for step in steps:
                step(editor)
        except RobotsError:  # the dialect would read the file otherwise
            return False
        _, proof = self._proof(editor)
        if proof.is_empty:
            self._editor = editor
        return proof.is_empty

    def _proof(self, editor: Editor) -> tuple[RobotsTxt, Proof]:
        robots = parse(editor.body, dialect=self._robots.dialect, url=self._robots.url)
        return robots, prove(self._robots, robots)
