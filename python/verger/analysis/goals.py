"""Goals: what the rules of a crawler must mean, and rule lists that may mean it.

In: a dialect, rules, and path patterns to close or open. Out: an `Agent` with exactly the wanted
answers, to compare others with; and lists of rules, the smallest change first.

A dialect may have no way to write a rule that outranks all others. So a goal is written as rules of
which the first match decides: the new rules, then the old ones in the order of their rank. Ranks do
not depend on the URL, so nothing else changes. The ranking of a dialect is found by examples.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from verger._core import Agent, Dialect, parse
from verger.analysis.edit import NewRule, RuleField
from verger.analysis.rules import difference

OTHER: dict[RuleField, RuleField] = {"allow": "disallow", "disallow": "allow"}

SITE = "/"


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
class Wish:
    """A request to close or open paths."""

    field: RuleField
    paths: Sequence[str]

    @property
    def rules(self) -> tuple[NewRule, ...]:
        """The rules that fulfil it if nothing outranks them."""
        return tuple((self.field, path) for path in self.paths)


class Rulebook:
    """How one dialect reads lists of rules."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._with_allow = dialect.replace(allow_is_rule=True)

    def agent(self, rules: Iterable[NewRule]) -> Agent:
        """Return a crawler with these rules."""
        return _agent(self._dialect, rules)

    def is_within(self, pattern: str, other: str) -> bool:
        """Whether it is proved that another pattern matches everything that a pattern matches."""
        rules: list[NewRule] = [("disallow", other), ("disallow", pattern)]
        found = difference(self.agent(rules[:1]), self.agent(rules))
        return found.is_empty and found.is_exact

    def shared(self, pattern: str, other: str) -> list[str]:
        """Return what two patterns both match, as patterns."""
        regions = [*self._allowed_in(pattern, other), *self._allowed_in(other, pattern)]
        return list(dict.fromkeys(regions))

    def goal(self, rules: Sequence[NewRule], wish: Wish) -> Agent:
        """Return a crawler with these rules, changed so that the wish is fulfilled."""
        dialect = self._dialect.replace(
            precedence="first",
            allow_is_rule=True,
            index_is_directory=False,
            empty_disallow="no-rule",
            max_rules=None,
            max_rule_len=None,
            max_lines=None,
            parse_limit=None,
        )
        return _agent(dialect, [*wish.rules, *self._ranked(rules)])

    def recipes(
        self, rules: Sequence[NewRule], wish: Wish, *, droppable: Collection[RuleField]
    ) -> Iterator[Recipe]:
        """Yield changes that may fulfil a wish, the smallest first.

        droppable:  the fields of the rules that may be dropped: the other one than the wish, whose
                    rules are in its way; in a new group both; where the rules stay, none.
        """
        field, paths, own = wish.field, wish.paths, wish.rules
        dropped = frozenset(
            at
            for at, (name, pattern) in enumerate(rules)
            if name in droppable and any(self.is_within(pattern, p) for p in paths)
        )
        yield Recipe(dropped)
        yield Recipe(dropped, back=own)
        yield Recipe(dropped, front=own)
        shared = [
            (field, region)
            for name, pattern in Recipe(dropped).of(rules)
            if name != field and pattern
            for path in paths
            for region in self.shared(pattern, path)
        ]
        yield Recipe(dropped, back=tuple(shared))
        yield Recipe(dropped, back=(*own, *shared))
        # A final star matches nothing more, but counts when the longest match decides.
        longer = [(field, _longer(path)) for path in paths]
        yield Recipe(dropped, back=(*longer, *((name, _longer(path)) for name, path in shared)))

    def _allowed_in(self, closed: str, open_: str) -> list[str]:
        rules: list[NewRule] = [("allow", open_), ("disallow", closed)]
        without, with_ = (_agent(self._with_allow, part) for part in (rules[1:], rules))
        return [change.region for change in difference(without, with_).changes]

    def _ranked(self, rules: Sequence[NewRule]) -> list[NewRule]:
        """Return equivalent rules in the order in which the first match gives the same answers."""
        if self._is_in_order:
            return list(rules)
        parts = [(rank, each) for rule in dict.fromkeys(rules) for rank, each in self._parts(rule)]
        parts.sort(key=lambda part: (-part[0], part[1][0] != self._wins_ties))
        return [each for _, each in parts]

    def _parts(self, rule: NewRule) -> Iterator[tuple[int, NewRule]]:
        """Yield a rule as one or more rules, each with its rank.

        One rule may count as two: Google's parser treats the `index.html` of a folder as the folder
        (google/robotstxt @ 22b355f, robots.cc:655). An empty `Disallow:` may mean `Allow: /`.
        """
        closed: NewRule = ("disallow", SITE)
        for field, before in (("disallow", []), ("allow", [closed])):
            agent = self.agent([*before, rule])
            changes = difference(self.agent(before), agent).changes
            for change in changes:
                rank = agent.decide(change.witness).specificity
                is_one = len(changes) == 1 and rule[1]
                kind: RuleField = "allow" if field == "allow" else "disallow"
                yield rank or 0, (kind, rule[1] if is_one else change.region)

    @cached_property
    def merges(self) -> bool:
        """Whether a crawler follows all groups that name it."""
        text = "User-agent: a\nDisallow: /b\n\nUser-agent: a\nDisallow: /c\n"
        return len(parse(text, dialect=self._dialect).agent("a").groups) > 1

    @cached_property
    def _is_in_order(self) -> bool:
        rules: list[NewRule] = [("disallow", "/a"), ("disallow", "/ab")]
        return self.agent(rules).decide("/ab").line == 2

    @cached_property
    def _wins_ties(self) -> RuleField:
        rules: list[NewRule] = [("allow", "/a"), ("disallow", "/a")]
        return "allow" if self.agent(rules).allowed("/a") else "disallow"


def _longer(pattern: str) -> str:
    return pattern if pattern.endswith("$") else f"{pattern}*"


def _agent(dialect: Dialect, rules: Iterable[NewRule]) -> Agent:
    lines = "".join(f"{field}: {pattern}\n" for field, pattern in rules)
    text = f"User-agent: a\n{lines}".encode("utf-8", "surrogateescape")
    return parse(text, dialect=dialect).agent("a")
