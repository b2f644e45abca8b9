"""Lists of rules: what the rules of a crawler should decide, and lists that may decide it.

In: a dialect, rules, and path patterns to close or open. Out: where the answers of a crawler are
not those that are wanted; and lists of rules, the smallest change first.

A dialect may have no way to write a rule that outranks all others. So what is wanted is not written
as a file: it is the old rules and, for the core, others that outrank them.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from string import ascii_lowercase

from verger._core import Agent, Dialect, parse
from verger.analysis.editor import NewRule, RuleField
from verger.analysis.rules import Budget, Difference
from verger.crawlers.binding import agents_of

OTHER: dict[RuleField, RuleField] = {"allow": "disallow", "disallow": "allow"}

PLAIN = re.compile("[A-Za-z0-9/._~-]*")
"""What means itself in every dialect."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A change of a list of rules: some are dropped, some are added at its front and its back."""

    dropped: frozenset[int] = frozenset()
    front: tuple[NewRule, ...] = ()
    back: tuple[NewRule, ...] = ()

    def of(self, rules: Sequence[NewRule]) -> list[NewRule]:
        """Return the changed list."""
        kept = (rule for at, rule in enumerate(rules) if at not in self.dropped)
        return [*self.front, *kept, *self.back]


@dataclass(frozen=True, slots=True)
class AskedRules:
    """A request to close or open paths, or to say something else to crawlers.

    kept:      the crawlers that are to keep their answers.
    dialects:  where nothing else may change, besides the dialect of the file.
    records:   names and values of records that the crawlers get.
    also:      further crawlers that may get them.
    uses:      the uses that these records are about.
    """

    field: RuleField
    paths: Sequence[str]
    kept: Sequence[str] = ()
    dialects: Sequence[Dialect] = ()
    records: Sequence[tuple[str, str]] = ()
    also: Sequence[str] = ()
    uses: frozenset[str] = frozenset()

    @property
    def rules(self) -> tuple[NewRule, ...]:
        """The rules that fulfil it if nothing outranks them."""
        return tuple((self.field, path) for path in self.paths)

    @property
    def over(self) -> list[tuple[bool, str]]:
        """The same rules, as `Budget.compare` takes them: compared with old rules that these
        outrank, the new ones differ where it is not fulfilled."""
        return [(self.field == "allow", path) for path in self.paths]


@dataclass
class Rulebook:
    """How one dialect reads lists of rules.

    budget:  the steps of all comparisons.
    """

    dialect: Dialect
    budget: Budget = field(default_factory=Budget)

    def agent(self, rules: Iterable[NewRule]) -> Agent:
        """Return a crawler with these rules."""
        text = f"User-agent: a\n{_lines(rules)}".encode("utf-8", "surrogateescape")
        return parse(text, dialect=self.dialect).agent("a")

    def within(self, patterns: Iterable[str], others: Sequence[str]) -> set[str]:
        """Return the patterns of which it is proved that one of some others matches everything."""
        pairs = [
            (p, other) for p in dict.fromkeys(patterns) for other in others if may_meet(p, other)
        ]
        found = {p for p, other in pairs if PLAIN.fullmatch(other) and p.startswith(other)}
        unsure = [pair for pair in pairs if pair[0] not in found]
        rules: list[list[NewRule]] = []
        for pattern, other in unsure:
            rules += [("disallow", other)], [("disallow", other), ("disallow", pattern)]
        changes = self._changes(self.dialect, rules)
        return found | {p for (p, _), what in zip(unsure, changes, strict=True) if is_same(what)}

    def shared(self, patterns: Iterable[str], others: Sequence[str]) -> list[str]:
        """Return what patterns and others both match, as patterns."""
        pairs = [
            (p, other) for p in dict.fromkeys(patterns) for other in others if may_meet(p, other)
        ]
        rules: list[list[NewRule]] = []
        for pattern, other in pairs:
            for closed, open_ in ((pattern, other), (other, pattern)):
                rules += [("disallow", closed)], [("allow", open_), ("disallow", closed)]
        found = self._changes(self.dialect.replace(allow_is_rule=True), rules)
        return list(dict.fromkeys(change.region for what in found for change in what.changes))

    def recipes(
        self, rules: Sequence[NewRule], wish: AskedRules, *, droppable: Collection[RuleField]
    ) -> Iterator[Recipe]:
        """Yield changes that may fulfil a wish, the smallest first.

        droppable:  the fields of the rules that may be dropped: the other one than the wish, whose
                    rules are in its way; in a new group both; where the rules stay, none.
        """
        verb, paths, own = wish.field, wish.paths, wish.rules
        within = self.within((pattern for name, pattern in rules if name in droppable), paths)
        dropped = frozenset(
            at
            for at, (name, pattern) in enumerate(rules)
            if name in droppable and pattern in within
        )
        yield Recipe(dropped)
        yield Recipe(dropped, back=own)
        yield Recipe(dropped, front=own)
        others = (p for name, p in Recipe(dropped).of(rules) if name != verb and p)
        shared = [(verb, region) for region in self.shared(others, paths)]
        yield Recipe(dropped, back=tuple(shared))
        yield Recipe(dropped, back=(*own, *shared))
        # A final star matches nothing more, but counts when the longest match decides.
        longer = [(verb, _longer(path)) for path in paths]
        longer += [(name, _longer(path)) for name, path in shared]
        yield Recipe(dropped, back=tuple(dict.fromkeys(longer)))

    def _changes(self, dialect: Dialect, rules: Sequence[Sequence[NewRule]]) -> list[Difference]:
        """Return how each second list of rules differs from the one before it."""
        agents = _agents_with(dialect, rules)
        return self.budget.compare(agents[::2], agents[1::2])

    @cached_property
    def names_are_parts(self) -> bool:
        """Whether a group applies to every crawler whose name is a part of its value: then its
        crawlers cannot be listed."""
        return parse("User-agent: abc\nDisallow: /\n", dialect=self.dialect).agent("b").named

    @cached_property
    def merges(self) -> bool:
        """Whether a crawler follows all groups that name it."""
        text = "User-agent: a\nDisallow: /b\n\nUser-agent: a\nDisallow: /c\n"
        return len(parse(text, dialect=self.dialect).agent("a").groups) > 1


def _longer(pattern: str) -> str:
    return pattern if pattern.endswith("$") else f"{pattern}*"


def is_same(found: Difference) -> bool:
    """Whether it is proved that nothing differs."""
    return found.is_empty and found.is_exact


def may_meet(pattern: str, other: str) -> bool:
    """Whether two patterns may match the same path, by what they certainly begin with."""
    one, two = (PLAIN.match(text) for text in (pattern, other))
    begin, begin_other = (found[0] if found else "" for found in (one, two))
    return begin.startswith(begin_other) or begin_other.startswith(begin)


def _agents_with(dialect: Dialect, rules: Sequence[Sequence[NewRule]]) -> list[Agent]:
    """Return a crawler with each list of rules, all in one file."""
    names = ["".join(letters) for letters in islice(product(ascii_lowercase, repeat=4), len(rules))]
    text = "".join(
        f"User-agent: {name}\n{_lines(own)}\n" for name, own in zip(names, rules, strict=True)
    )
    whole = dialect.replace(max_rules=None, max_lines=None, parse_limit=None)
    robots = parse(text.encode("utf-8", "surrogateescape"), dialect=whole)
    return agents_of(robots, names, "file")


def _lines(rules: Iterable[NewRule]) -> str:
    return "".join(f"{field}: {pattern}\n" for field, pattern in rules)
