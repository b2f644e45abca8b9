"""Minimise: a file with fewer rules and groups that means the same to every crawler.

In: a parsed file. Out: an `Outcome` whose proof is empty: no answer changed for any crawler. Only
what is proved to change nothing is removed. Comments are kept.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TypeAlias, TypeVar

from verger._core import Agent, Group, RobotsTxt, _places, parse
from verger.analysis.analysed import analysed_crawlers
from verger.analysis.contents import placed_records
from verger.analysis.edit import Editor, NewRule, expect_editable, rules_of
from verger.analysis.proof import Outcome, Proof, crawlers_of, prove
from verger.analysis.readings import read_again, with_records
from verger.analysis.rule_lists import Rulebook
from verger.analysis.rules import Budget, redundant
from verger.crawlers import agents_of, alike
from verger.errors import RobotsError

MOST_COMPARED = 50
"""The most groups that one is compared with; others are merged only if their text is the same."""

STEPS_OF_ALL = 1 << 27
"""The most steps of all comparisons and proofs: about two seconds, or three with the work that is
not counted, such as reading a large file."""

STEPS_OF_LINE = 1 << 11
"""What a line costs a proof besides its rules: who follows its group, in both versions."""

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

Groups: TypeAlias = list[Parts | None]
"""The groups of a file, in order; None for those that are removed."""

Change: TypeAlias = Callable[[Groups], None]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Step:
    """A change of one group, and optionally of an earlier one."""

    place: int
    """The index of the group."""
    make: Change


def minimise(robots: RobotsTxt) -> Outcome:
    r"""Return an equivalent file with fewer rules and groups.

    Removes rules and groups without which no answer changes, and merges groups that mean the same.
    In files of thousands of lines, `untried` counts the changes that would have taken too long to
    try.

    >>> from verger import parse
    >>> minimise(parse("User-agent: *\nDisallow: /a\nDisallow: /a/b\n")).body
    b'User-agent: *\nDisallow: /a\n'

    Raises InvalidOption for a file that is not robots.txt.
    """
    expect_editable(robots)
    smaller = _Smaller(robots)
    before = None
    while before != smaller.body and not smaller.is_spent:  # one kind of step may enable another
        before = smaller.body
        smaller.untried = 0
        smaller.drop_rules()
        if not smaller.names_are_parts:
            smaller.drop_groups()
            smaller.merge_namesakes()
            smaller.merge_groups()
    return smaller.outcome()


class _Smaller:
    """A file while it becomes smaller; a step is taken only if it is proved."""

    def __init__(self, robots: RobotsTxt) -> None:
        self._robots = robots
        self._book = Rulebook(robots.dialect)
        # Records that only other dialects read stay with their crawlers.
        self._editor = Editor(read_again(robots, with_records(robots.dialect)))
        self._start = self._editor
        self._known: tuple[Editor | None, list[Agent]] = None, []
        self._proof: Proof | None = None
        self._budget = Budget(STEPS_OF_ALL)
        self._taken: list[Step] = []
        self._tries = 0
        self.untried = 0

    @property
    def names_are_parts(self) -> bool:
        """Whether a group applies to every crawler whose name is a part of its value: then its
        crawlers cannot be listed, and groups are kept."""
        example = parse("User-agent: abc\nDisallow: /\n", dialect=self._robots.dialect)
        return example.agent("b").named

    @property
    def body(self) -> bytes:
        """The file as it is now."""
        return self._editor.body

    @property
    def is_spent(self) -> bool:
        """Whether no steps are left."""
        return not self._budget.left

    def outcome(self) -> Outcome:
        """Return the result so far."""
        robots = self._parsed(self._editor)
        proof = self._proof or prove(self._robots, robots)
        return Outcome(robots, self._editor.edits, proof, untried=self.untried)

    def drop_rules(self) -> None:
        """Remove rules that are redundant for all crawlers that follow their group."""
        found: set[int] = set()
        needed: set[int] = set()
        crawlers = analysed_crawlers(self._agents(), steps=STEPS_OF_RULES, most=STEPS_OF_RULES)
        needed |= crawlers.others
        for agent, steps_of in crawlers.analysed:
            lines = {rule.line for rule in redundant(agent, steps=steps_of).rules}
            found |= lines
            needed |= {rule.line for rule in agent.rules} - lines
        idle = found - needed
        steps = []
        for place, group in self._groups():
            rules = zip(group.rules, rules_of(group), strict=True)
            kept = [text for rule, text in rules if rule.line not in idle]
            if len(kept) < len(group.rules) and (kept or group.rules[0].pattern):
                steps.append(Step(place, partial(_rewrite, place, kept)))
        self._take(steps)

    def drop_groups(self) -> None:
        """Remove groups without which no answer for their crawlers changes."""
        star = self._editor.robots.agent("*")
        starred = _places(star)
        needed = set(starred)
        alone = [agent for agent in self._agents() if len(_places(agent)) == 1]
        found = self._budget.compare(alone, [star] * len(alone))
        for agent, what in zip(alone, found, strict=True):
            if not (what.is_empty and what.is_exact):
                needed.update(_places(agent))
        records = self._records()
        of_star = [each for place in starred for each in records[place]]
        self._take(
            [
                Step(place, partial(_remove, place))
                for place, _ in self._groups()
                if place not in needed and records[place] == of_star
            ]
        )

    def merge_groups(self) -> None:
        """Merge groups that mean the same."""
        by_text: dict[object, int] = {}
        by_answers: dict[object, list[tuple[int, Agent]]] = {}
        paths, of_groups = self._paths(), self._records()
        steps = []
        for place, group in self._groups():
            records = tuple(of_groups[place])
            text = tuple(rules_of(group)), records
            into = by_text.get(text)
            if into is None:
                agent = self._book.agent(rules_of(group))
                # Groups that differ on one of these paths need not be compared.
                alike = by_answers.setdefault((records, *agent.allowed_many(paths)), [])
                into = by_text[text] = self._like(agent, alike[:MOST_COMPARED], place)
                alike += [(place, agent)] if into == place else []
            if into != place:
                steps.append(Step(place, partial(_merge, into, place)))
        self._take(steps)

    def merge_namesakes(self) -> None:
        """Merge groups of the same crawlers."""
        first: dict[frozenset[str], int] = {}
        records = self._records()
        steps = []
        for place, group in self._groups():
            into = first.setdefault(frozenset(map(str.lower, group.product_tokens)), place)
            if into != place and not records[place]:
                steps.append(Step(place, partial(_join, into, place)))
        self._take(steps)

    def _paths(self) -> list[str]:
        """Return paths that rules of the file were written for."""
        patterns = {p: None for group in self._editor.robots.groups for _, p in rules_of(group)}
        plain = (pattern.removesuffix("$").replace("*", "") for pattern in patterns)
        return list(islice((path for path in plain if path.startswith("/")), MOST_PATHS))

    def _like(self, agent: Agent, others: Sequence[tuple[int, Agent]], place: int) -> int:
        """Return the index of the first group, of some, that means the same; else the own index."""
        if self._budget.left < STEPS_OF_ALL // 2:  # the rest is for the proofs
            return place
        found = self._budget.compare([agent] * len(others), [other for _, other in others])
        alike = zip(others, found, strict=True)
        return next((at for (at, _), what in alike if what.is_empty and what.is_exact), place)

    def _groups(self) -> Iterator[tuple[int, Group]]:
        """Yield the groups that can be edited, with their indices: those whose names are read."""
        groups = enumerate(self._editor.robots.groups)
        return ((place, group) for place, group in groups if group.start_lines)

    def _agents(self) -> list[Agent]:
        """Return one crawler for each set of groups that some crawler follows."""
        if self._known[0] is not self._editor:
            robots = self._editor.robots
            partition = alike([robots], crawlers_of([robots]))
            self._known = self._editor, agents_of(robots, [tokens[0] for tokens in partition])
        return self._known[1]

    def _records(self) -> defaultdict[int | None, list[tuple[str, str]]]:
        """Return the records for the crawlers of each group, by its index."""
        found: defaultdict[int | None, list[tuple[str, str]]] = defaultdict(list)
        for record, place in placed_records(self._editor.robots):
            found[place].append((record.field, record.raw))
        return found

    # proof

    def _take(self, steps: Sequence[Step]) -> None:
        """Make as many changes as can be proved to change no answer."""
        self._start, self._taken = self._editor, []
        self._tries = max(LEAST_TRIES, MOST_READ // max(len(self._start.robots.lines), 1))
        self._try(steps)

    def _try(self, steps: Sequence[Step]) -> None:
        """Make changes: all together; else first those of groups whose crawlers are unaffected,
        then each half of the others, down to single changes."""
        if not self._tries or self.is_spent:
            self.untried += len(steps)
            return
        if not steps:
            return
        self._tries -= 1
        affected = self._affected(steps)
        if affected == [] or len(steps) == 1:
            return
        bound = self._places_of(affected or ())
        innocent = [step for step in steps if step.place not in bound]
        others = [step for step in steps if step.place in bound]
        if innocent and others:
            self._try(innocent)
        else:
            others = innocent or others
        half = len(others) // 2
        self._try(others[:half])
        self._try(others[half:])

    def _affected(self, steps: Sequence[Step]) -> list[str] | None:
        """Make changes if it is proved that no answer changes, and return an empty list; otherwise
        return the crawlers whose answers may change, None if they are unknown."""
        editor = self._start.copy()
        groups: Groups = [(each.product_tokens, rules_of(each)) for each in editor.robots.groups]
        for step in sorted([*self._taken, *steps], key=lambda step: step.place):
            step.make(groups)
        try:
            editor.replace_groups([each and ([*each[0]], [*each[1]]) for each in groups])
        except RobotsError:  # the dialect would not read the file as intended
            return None
        if len(editor.body) >= len(self._editor.body):  # `Disallow:` is longer than `Allow: /`
            return None
        robots = self._parsed(editor)
        self._budget.take(STEPS_OF_LINE * len(robots.lines))
        proof = prove(self._robots, robots, budget=self._budget)
        if proof.keeps_everything:
            self._editor, self._proof = editor, proof
            self._taken += steps
        changed = [token for each in proof.changed for token in each.crawlers]
        return list(dict.fromkeys((*changed, *proof.other_records)))

    def _places_of(self, crawlers: Sequence[str]) -> set[int]:
        """Return the indices of the groups that some crawlers followed before."""
        agents = agents_of(self._start.robots, crawlers)
        return {place for agent in agents for place in _places(agent)}

    def _parsed(self, editor: Editor) -> RobotsTxt:
        return parse(editor.body, dialect=self._robots.dialect, url=self._robots.url)


def _rewrite(place: int, rules: Sequence[NewRule], groups: Groups) -> None:
    """Replace the rules of a group."""
    tokens, _ = _there(groups, place)
    groups[place] = tokens, rules


def _remove(place: int, groups: Groups) -> None:
    """Remove a group."""
    groups[place] = None


def _merge(into: int, place: int, groups: Groups) -> None:
    """Add the crawlers of a group to an earlier one."""
    (tokens, rules), (more, _) = _there(groups, into), _there(groups, place)
    groups[into], groups[place] = (_extended(tokens, more), rules), None


def _join(into: int, place: int, groups: Groups) -> None:
    """Add the rules of a group to an earlier one."""
    (tokens, rules), (_, more) = _there(groups, into), _there(groups, place)
    said = rules if isinstance(rules, dict) else [rule for rule in rules if rule[1]]
    joined = _extended(said, (rule for rule in more if rule[1]))
    groups[into], groups[place] = (tokens, joined), None


def _there(groups: Groups, place: int) -> Parts:
    """Return a group that no step has removed yet."""
    group = groups[place]
    assert group is not None, "each group is removed once"
    return group


def _extended(first: Collection[T], more: Iterable[T]) -> dict[T, None]:
    """Return the elements of both, each once; a dictionary is extended itself, as thousands of
    groups may become one."""
    joined = first if isinstance(first, dict) else dict.fromkeys(first)
    joined.update(dict.fromkeys(more))
    return joined
