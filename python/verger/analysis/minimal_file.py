"""Minimise: a file with fewer rules and groups that means the same to every crawler.

In: a parsed file. Out: an `Outcome` whose proof is empty: no answer about fetching or use changed
for any crawler, in any of some dialects. Only what is proved to change nothing is removed. Comments
are kept.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias, TypeVar

from verger._core import DIALECTS, Agent, Dialect, Group, RobotsTxt, _dialect_of, _places
from verger.analysis.contents import records_by_group
from verger.analysis.editor import Editor, NewGroup, NewRule, rules_of
from verger.analysis.proof import Outcome, Proof, crawlers_alike, prove, values_in
from verger.analysis.readings import with_records
from verger.analysis.rule_lists import Rulebook
from verger.analysis.rules import Budget, redundant
from verger.analysis.shares import analysed_crawlers
from verger.analysis.writable import expect_editable
from verger.crawlers import agents_of
from verger.crawlers.binding import read_again
from verger.crawlers.uses import is_policy_token
from verger.errors import RobotsError
from verger.options import AnyDialect, expect_several

MOST_COMPARED = 50
"""The most groups that one is compared with; others are merged only if their text is the same."""

STEPS_OF_ALL = 1 << 27
"""The most steps of all comparisons and proofs: about two seconds, or three with the work that is
not counted, such as reading a large file."""

STEPS_OF_LINE = 1 << 11
"""What a line costs a proof besides its rules: who follows its group, in both versions."""

OCTETS_OF_A_STEP = 8
"""How many octets of names are searched in a step, once for each length of a name: where dialects
find one name within another."""

STEPS_OF_RULES = 1 << 25
"""The most steps of each search for redundant rules."""

MOST_READ = 100_000
"""The most lines that are read again while steps of one kind are tried; the remaining steps are
dropped. Each try reads the whole file, and hundreds of groups can depend on each other."""

LEAST_TRIES = 8
"""The fewest tries, even for very long files."""

MOST_PATHS = 64
"""The most paths on which groups must agree before they are compared."""


Parts: TypeAlias = tuple[Collection[str], Collection[NewRule]]
"""The product tokens and the rules of a group."""

Groups: TypeAlias = dict[int, Parts]
"""The groups of a file, by their index, without those that are removed."""

Steps: TypeAlias = dict[int, Callable[[Groups], object]]
"""Changes by the index of the group that each changes; some also change an earlier one."""

T = TypeVar("T")


def minimise(
    robots: RobotsTxt, *, dialects: Iterable[AnyDialect] = tuple(DIALECTS.values())
) -> Outcome:
    r"""Return an equivalent file with fewer rules and groups.

    dialects:  those in which no answer may change, besides that of the file.
    Removes rules and groups without which no answer changes, and merges groups that mean the same.
    In files of thousands of lines, `untried` counts the changes that would have taken too long to
    try.

    >>> from verger import parse
    >>> minimise(parse("User-agent: *\nDisallow: /a\nDisallow: /a/b\n")).body
    b'User-agent: *\nDisallow: /a\n'

    Raises InvalidOption for a file that is not robots.txt.
    """
    expect_editable(robots)
    expect_several("dialects", dialects, "dialects")
    smaller = _Smaller(robots, [_dialect_of(each) for each in dialects])
    before = None
    while before != smaller.body and smaller.budget.left:  # one kind of step may enable another
        before = smaller.body
        smaller.untried = 0
        smaller.drop_rules()
        if not Rulebook(robots.dialect).names_are_parts:  # then groups are kept
            smaller.drop_groups()
            smaller.merge_namesakes()
            smaller.merge_groups()
    return smaller.outcome()


class _Smaller:
    """A file while it becomes smaller; a step is taken only if it is proved."""

    def __init__(self, robots: RobotsTxt, dialects: Iterable[Dialect]) -> None:
        self._robots = robots
        self._dialects = tuple(dict.fromkeys((robots.dialect, *dialects)))
        self._book = Rulebook(robots.dialect)
        # Records that only other dialects read stay with their crawlers.
        self._editor = Editor(read_again(robots, with_records(robots.dialect)))
        self._start = self._editor
        self._proof: Proof | None = None
        self.budget = Budget(STEPS_OF_ALL)
        self._steps: Steps = {}
        self._taken: list[int] = []
        self._tries = 0
        self.untried = 0

    @property
    def body(self) -> bytes:
        """The file as it is now."""
        return self._editor.body

    def outcome(self) -> Outcome:
        """Return the result so far."""
        robots = self._read(self._editor)
        proof = self._proof or prove(self._robots, robots, dialects=self._dialects)
        return Outcome(robots, self._editor.edits, proof, untried=self.untried)

    def drop_rules(self) -> None:
        """Remove rules that are redundant for all crawlers that follow their group."""
        found: set[int] = set()
        needed: set[int] = set()
        for agents in map(self._agents, self._dialects):
            crawlers = analysed_crawlers(agents, steps=STEPS_OF_RULES, most=STEPS_OF_RULES)
            needed |= crawlers.others
            for agent, steps_of in crawlers.analysed:
                spare = redundant(agent, steps=steps_of, policy=_is_policy(agent))
                lines = {rule.line for rule in spare.rules}
                found |= lines
                needed |= {rule.line for rule in agent.rules} - lines
        idle = found - needed
        # Beside others, the empty rule that a group keeps may say something: to Yandex, `Allow: /`.
        groups = map(_places, self._agents())
        joined = {place for places in groups if len(places) > 1 for place in places}
        steps: Steps = {}
        for place, group in self._groups():
            rules = zip(group.rules, rules_of(group), strict=True)
            kept = [text for rule, text in rules if rule.line not in idle]
            can_be_empty = group.rules and group.rules[0].pattern and place not in joined
            if len(kept) < len(group.rules) and (kept or can_be_empty):
                steps[place] = partial(_rewrite, place, kept)
        self._take(steps)

    def drop_groups(self) -> None:
        """Remove groups without which no answer for their crawlers changes."""
        star = self._editor.robots.agent("*")
        starred = _places(star)
        agents = self._agents()
        needed = {*starred, *self._policies(agents)}
        alone = [agent for agent in agents if len(_places(agent)) == 1]
        found = self.budget.compare(alone, [star] * len(alone))
        for agent, what in zip(alone, found, strict=True):
            if not (what.is_empty and what.is_exact):
                needed.update(_places(agent))
        records = records_by_group(self._editor.robots)
        of_star = [each for place in starred for each in records.get(place, ())]
        self._take(
            {
                place: partial(_remove, place)
                for place, _ in self._groups()
                if place not in needed and [*records.get(place, ())] == of_star
            }
        )

    def merge_groups(self) -> None:
        """Merge groups that mean the same."""
        by_text: dict[object, int] = {}
        by_answers: dict[object, list[tuple[int, Agent]]] = {}
        paths, of_groups = self._paths(), records_by_group(self._editor.robots)
        steps: Steps = {}
        policies = self._policies(self._agents())
        for place, group in self._groups():
            records = tuple(of_groups.get(place, ()))
            text = tuple(rules_of(group)), records
            into = by_text.get(text)
            if into is None and place in policies:  # what allows the same may say other things
                into = by_text[text] = place
            elif into is None:
                agent = self._book.agent(rules_of(group))
                # Groups that differ on one of these paths need not be compared.
                alike = by_answers.setdefault((records, *agent.allowed_many(paths)), [])
                into = by_text[text] = self._like(agent, alike[:MOST_COMPARED], place)
                alike += [(place, agent)] if into == place else []
            if into != place:
                steps[place] = partial(_merge, into, place)
        self._take(steps)

    def merge_namesakes(self) -> None:
        """Merge groups of the same crawlers."""
        first: dict[frozenset[str], int] = {}
        records = records_by_group(self._editor.robots)
        steps: Steps = {}
        for place, group in self._groups():
            into = first.setdefault(frozenset(map(str.lower, group.product_tokens)), place)
            if into != place and place not in records:
                steps[place] = partial(_join, into, place)
        self._take(steps)

    def _paths(self) -> list[str]:
        """Return paths that rules of the file were written for."""
        patterns = {p: None for group in self._editor.robots.groups for _, p in rules_of(group)}
        plain = (pattern.removesuffix("$").replace("*", "") for pattern in patterns)
        return list(islice((path for path in plain if path.startswith("/")), MOST_PATHS))

    def _like(self, agent: Agent, others: Sequence[tuple[int, Agent]], place: int) -> int:
        """Return the index of the first group, of some, that means the same; else the own index."""
        if self.budget.left < STEPS_OF_ALL // 2:  # the rest is for the proofs
            return place
        found = self.budget.compare([agent] * len(others), [other for _, other in others])
        alike = zip(others, found, strict=True)
        return next((at for (at, _), what in alike if what.is_empty and what.is_exact), place)

    def _groups(self) -> Iterator[tuple[int, Group]]:
        """Yield the groups that can be edited, with their indices: those whose names are read."""
        groups = enumerate(self._editor.robots.groups)
        return ((place, group) for place, group in groups if group.start_lines)

    def _agents(self, dialect: Dialect | None = None) -> list[Agent]:
        """Return one crawler for each set of groups that some crawler follows: a policy token, if
        it does."""
        robots = self._editor.robots
        if dialect not in (None, self._robots.dialect):
            robots = read_again(robots, with_records(dialect))
        _, partition = crawlers_alike([robots])
        policies = (filter(lambda token: is_policy_token((token,)), same) for same in partition)
        return agents_of(
            robots, [next(some, same[0]) for some, same in zip(policies, partition, strict=True)]
        )

    def _policies(self, agents: Iterable[Agent]) -> set[int]:
        """Return the groups that policy tokens follow, by index."""
        return {place for agent in agents if _is_policy(agent) for place in _places(agent)}

    # proof

    def _take(self, steps: Steps) -> None:
        """Make as many changes as can be proved to change no answer."""
        self._start, self._steps, self._taken = self._editor, steps, []
        self._tries = max(LEAST_TRIES, MOST_READ // max(len(self._start.robots.lines), 1))
        self._try([*steps])

    def _try(self, places: Sequence[int]) -> None:
        """Make the changes of some groups: all together; else first those of groups whose crawlers
        are unaffected, then each half of the others, down to single changes."""
        if not places or not self._tries or not self.budget.left:
            self.untried += len(places)
            return
        self._tries -= 1
        affected = self._affected(places)
        if affected == [] or len(places) == 1:
            return
        agents = agents_of(self._start.robots, affected or ())
        bound = {place for agent in agents for place in _places(agent)}
        innocent = [place for place in places if place not in bound]
        others = [place for place in places if place in bound]
        if innocent and others:
            self._try(innocent)
        else:
            others = innocent or others
        half = len(others) // 2
        self._try(others[:half])
        self._try(others[half:])

    def _affected(self, places: Sequence[int]) -> list[str] | None:
        """Make the changes of some groups if it is proved that no answer changes, and return an
        empty list; otherwise return the crawlers whose answers may change, None if they are
        unknown."""
        editor = self._start.copy()
        old = list(enumerate(editor.robots.groups))
        groups: Groups = {place: (each.product_tokens, rules_of(each)) for place, each in old}
        for place in sorted([*self._taken, *places]):
            self._steps[place](groups)
        try:
            editor.replace_groups([_written(groups.get(place)) for place, _ in old])
        except RobotsError:  # the dialect would not read the file as intended
            return None
        if len(editor.body) >= len(self._editor.body):  # `Disallow:` is longer than `Allow: /`
            return None
        robots = self._read(editor)
        sizes = [*map(len, values_in(robots))]
        self.budget.take(sum(sizes) * len({*sizes}) // OCTETS_OF_A_STEP)
        self.budget.take(STEPS_OF_LINE * len(robots.lines))
        proof = prove(self._robots, robots, budget=self.budget, dialects=self._dialects)
        if proof.keeps_everything:
            self._editor, self._proof = editor, proof
            self._taken += places
        return list(dict.fromkeys((*proof.affected, *proof.other_records)))

    def _read(self, editor: Editor) -> RobotsTxt:
        return read_again(editor.robots, self._robots.dialect)


def _is_policy(agent: Agent) -> bool:
    """Whether it is a policy token that a group names."""
    return agent.named and is_policy_token(agent.tokens)


def _written(group: Parts | None) -> NewGroup | None:
    return group and ([*group[0]], [*group[1]])


def _rewrite(place: int, rules: Sequence[NewRule], groups: Groups) -> None:
    """Replace the rules of a group."""
    groups[place] = groups[place][0], rules


def _remove(place: int, groups: Groups) -> None:
    """Remove a group."""
    del groups[place]


def _merge(into: int, place: int, groups: Groups) -> None:
    """Add the crawlers of a group to an earlier one."""
    (tokens, rules), (more, _) = groups[into], groups.pop(place)
    groups[into] = _extended(tokens, more), rules


def _join(into: int, place: int, groups: Groups) -> None:
    """Add the rules of a group to an earlier one."""
    (tokens, rules), (_, more) = groups[into], groups.pop(place)
    said = rules if isinstance(rules, dict) else [rule for rule in rules if rule[1]]
    groups[into] = tokens, _extended(said, (rule for rule in more if rule[1]))


def _extended(first: Collection[T], more: Iterable[T]) -> dict[T, None]:
    """Return the elements of both, each once; a dictionary is extended itself, as thousands of
    groups may become one."""
    joined = first if isinstance(first, dict) else dict.fromkeys(first)
    joined.update(dict.fromkeys(more))
    return joined
