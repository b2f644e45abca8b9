"""Minimise: a file with fewer rules and groups that says the same to every crawler.

In: a parsed file. Out: an `Outcome` whose proof is empty: no URL changed for anybody. What cannot
be proved to change nothing stays. Comments stay as well.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias, TypeVar

from verger._core import Agent, Group, RobotsTxt, parse
from verger.analysis.edit import Editor, NewGroup, NewRule, expect_editable, rules_of
from verger.analysis.goals import Rulebook
from verger.analysis.places import EVERY_FIELD
from verger.analysis.proof import Outcome, Proof, alike, crawlers_of, prove
from verger.analysis.rules import difference, redundant
from verger.crawlers import agent_of
from verger.errors import RobotsError

MOST_COMPARED = 50
"""Groups that another is compared with; the rest are merged only where they are written alike."""

MOST_READ = 100_000
"""Lines that are read again while the steps of one kind are tried; after that, what was not taken
stays. Each try reads the whole file, and hundreds of groups can hang together."""

LEAST_TRIES = 8
"""Tries that every file gets, however long it is."""

MOST_PATHS = 64
"""Paths about which groups are asked before they are compared."""


Groups: TypeAlias = list[NewGroup | None]
"""The groups of a file by their places; None for those that are removed."""

Change: TypeAlias = Callable[[Groups], None]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """A change of one group, and perhaps of one before it."""

    place: int
    """Where the group stands."""
    make: Change


def minimise(robots: RobotsTxt) -> Outcome:
    r"""Return an equivalent file with fewer rules and groups.

    Rules without which no answer changes are left out, groups without which their crawlers are told
    the same are removed, and groups that say the same become one. In files of thousands of lines,
    `untried` counts the changes that would have taken too long to try.

    >>> from verger import parse
    >>> minimise(parse("User-agent: *\nDisallow: /a\nDisallow: /a/b\n")).body
    b'User-agent: *\nDisallow: /a\n'

    Raises InvalidOption for what is not a robots.txt file.
    """
    expect_editable(robots)
    smaller = _Smaller(robots)
    before = None
    while before != smaller.body:  # what one step leaves may be another's work
        before = smaller.body
        smaller.untried = 0
        smaller.drop_rules()
        if not smaller.names_are_parts:
            smaller.drop_groups()
            smaller.merge_namesakes()
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
        self._start = self._editor
        self._taken: list[Step] = []
        self._tries = 0
        self.untried = 0

    @property
    def names_are_parts(self) -> bool:
        """Whether a group binds whoever has a part of its value for a name: then nobody can say
        whom it binds, and it stays."""
        example = parse("User-agent: abc\nDisallow: /\n", dialect=self._robots.dialect)
        return example.agent("b").named

    @property
    def body(self) -> bytes:
        """The file as it is now."""
        return self._editor.body

    def outcome(self) -> Outcome:
        """Return what was reached."""
        robots, proof = self._proof(self._editor)
        return Outcome(robots, self._editor.edits, proof, untried=self.untried)

    def drop_rules(self) -> None:
        """Leave out rules that are redundant for all crawlers that their group binds."""
        found: set[int] = set()
        needed: set[int] = set()
        for agent in self._agents():
            lines = {rule.line for rule in redundant(agent).rules}
            found |= lines
            needed |= {rule.line for rule in agent.rules} - lines
        steps = []
        for place, group in enumerate(self._editor.robots.groups):
            rules = zip(group.rules, rules_of(group), strict=True)
            kept = [text for rule, text in rules if rule.line not in found - needed]
            if len(kept) < len(group.rules) and (kept or group.rules[0].pattern):
                steps.append(Step(place, _rewriting(place, kept)))
        self._take(steps)

    def drop_groups(self) -> None:
        """Remove groups without which their crawlers are told the same."""
        robots = self._editor.robots
        star = robots.agent("*")
        places = {group.start_lines: place for place, group in enumerate(robots.groups)}
        needed = {places[group.start_lines] for group in star.groups}
        for agent in self._agents():
            if len(agent.groups) == 1 and not difference(agent, star).is_empty:
                needed.add(places[agent.groups[0].start_lines])
        of_star = [each for group in star.groups for each in self._records_of(group)]
        self._take(
            [
                Step(place, _removing(place))
                for place, group in enumerate(robots.groups)
                if place not in needed and self._records_of(group) == of_star
            ]
        )

    def merge_groups(self) -> None:
        """Let groups that say the same be one."""
        by_text: dict[object, int] = {}
        by_answers: dict[object, list[int]] = {}
        paths = self._paths()
        steps = []
        for place, group in enumerate(self._editor.robots.groups):
            records = tuple(self._records_of(group))
            text = tuple(rules_of(group)), records
            into = by_text.get(text)
            if into is None:
                agent = self._book.agent(rules_of(group))
                # What answers some paths otherwise need not be compared.
                alike = by_answers.setdefault((records, *agent.allowed_many(paths)), [])
                into = by_text[text] = self._like(agent, alike[:MOST_COMPARED], place)
                alike += [place] if into == place else []
            if into != place:
                steps.append(Step(place, _merging(into, place)))
        self._take(steps)

    def merge_namesakes(self) -> None:
        """Let groups of the same crawlers be one."""
        first: dict[frozenset[str], int] = {}
        steps = []
        for place, group in enumerate(self._editor.robots.groups):
            into = first.setdefault(frozenset(map(str.lower, group.product_tokens)), place)
            if into != place and not self._records_of(group):
                steps.append(Step(place, _joining(into, place)))
        self._take(steps)

    def _paths(self) -> list[str]:
        """Return paths that rules of the file were written for."""
        patterns = {p: None for group in self._editor.robots.groups for _, p in rules_of(group)}
        plain = (pattern.removesuffix("$").replace("*", "") for pattern in patterns)
        return list(islice((path for path in plain if path.startswith("/")), MOST_PATHS))

    def _like(self, agent: Agent, others: Iterable[int], place: int) -> int:
        """Return the first of some groups that says the same as one; itself, if there is none."""
        groups = self._editor.robots.groups
        for other in others:
            found = difference(agent, self._book.agent(rules_of(groups[other])))
            if found.is_empty and found.is_exact:
                return other
        return place

    def _agents(self) -> list[Agent]:
        """Return a crawler for each way in which groups bind some."""
        robots = self._editor.robots
        return [agent_of(robots, token) for token, *_ in alike([robots], crawlers_of([robots]))]

    def _records_of(self, group: Group) -> list[tuple[str, str]]:
        """Return the records for the crawlers of a group."""
        return [
            (record.field, record.raw)
            for record in self._editor.robots.records
            if record.group is not None and record.group.start_lines == group.start_lines
        ]

    # proof

    def _take(self, steps: Sequence[Step]) -> None:
        """Make changes that are proved to change no answer, as many as can be found."""
        self._start, self._taken = self._editor, []
        self._tries = max(LEAST_TRIES, MOST_READ // max(len(self._start.robots.lines), 1))
        self._try(steps)

    def _try(self, steps: Sequence[Step]) -> None:
        """Make changes: all together, else first those of groups whose crawlers are told the same;
        of the others each half, down to single ones."""
        if not self._tries:
            self.untried += len(steps)
        if not steps or not self._tries:
            return
        self._tries -= 1
        told = self._told_otherwise(steps)
        if told == [] or len(steps) == 1:
            return
        bound = self._places_of(told or ())
        innocent = [step for step in steps if step.place not in bound]
        others = [step for step in steps if step.place in bound]
        if innocent and others:
            self._try(innocent)
        else:
            others = innocent or others
        half = len(others) // 2
        self._try(others[:half])
        self._try(others[half:])

    def _told_otherwise(self, steps: Sequence[Step]) -> list[str] | None:
        """Make changes where it is proved that no answer changes, and return nobody; else return
        the crawlers whose answers may change, None where it is not known whose."""
        editor = self._start.copy()
        groups: Groups = [(each.product_tokens, rules_of(each)) for each in editor.robots.groups]
        for step in sorted([*self._taken, *steps], key=lambda step: step.place):
            step.make(groups)
        try:
            editor.replace_groups(groups)
        except RobotsError:  # the dialect would read the file otherwise
            return None
        _, proof = self._proof(editor)
        if proof.is_empty:
            self._editor = editor
            self._taken += steps
        return [token for each in proof.changed for token in each.crawlers]

    def _places_of(self, crawlers: Iterable[str]) -> set[int]:
        """Return the places of the groups that bound some crawlers before."""
        robots = self._start.robots
        places = {group.start_lines: place for place, group in enumerate(robots.groups)}
        agents = (agent_of(robots, token) for token in crawlers)
        return {places[group.start_lines] for agent in agents for group in agent.groups}

    def _proof(self, editor: Editor) -> tuple[RobotsTxt, Proof]:
        robots = parse(editor.body, dialect=self._robots.dialect, url=self._robots.url)
        return robots, prove(self._robots, robots)


def _rewriting(place: int, rules: Sequence[NewRule]) -> Change:
    """Return the change that gives a group other rules."""

    def change(groups: Groups) -> None:
        tokens, _ = _there(groups, place)
        groups[place] = tokens, rules

    return change


def _removing(place: int) -> Change:
    """Return the change that removes a group."""

    def change(groups: Groups) -> None:
        groups[place] = None

    return change


def _merging(into: int, place: int) -> Change:
    """Return the change that lets an earlier group bind the crawlers of another, too."""

    def change(groups: Groups) -> None:
        (tokens, rules), (more, _) = _there(groups, into), _there(groups, place)
        groups[into], groups[place] = (_joined(tokens, more), rules), None

    return change


def _joining(into: int, place: int) -> Change:
    """Return the change that gives an earlier group the rules of another, too."""

    def change(groups: Groups) -> None:
        (tokens, rules), (_, more) = _there(groups, into), _there(groups, place)
        joined = [rule for rule in _joined(rules, more) if rule[1]]
        groups[into], groups[place] = (tokens, joined), None

    return change


def _there(groups: Groups, place: int) -> NewGroup:
    """Return a group that no step has removed."""
    group = groups[place]
    assert group is not None, "each group is removed once"
    return group


def _joined(first: Sequence[T], then: Sequence[T]) -> list[T]:
    """Return things of two rows, each once."""
    return list(dict.fromkeys((*first, *then)))
