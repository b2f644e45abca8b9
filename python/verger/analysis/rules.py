"""What the rules of a crawler mean for all URLs at once: differences, and rules that do nothing.

In: `Agent`s. Out: statements about all URLs, each with a URL that shows it. They are proved, not
found by trying URLs; if a proof would take too many steps, the value says so. RFC 9309 section
2.2.2; the proofs are in DESIGN.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from verger._core import Agent, Dialect, Rule, _differences, _effects, _exempt, _redundant, parse
from verger.errors import InvalidOption

STEPS = 1 << 26
"""The default limit of steps of an analysis: about a second."""

UNREQUESTED = " (no client requests it)"
"""What is said of a witness that has dot segments, which clients remove."""

Does = Literal["decides", "shadowed", "matches-nothing", "unknown"]
"""What a rule does: `decides` some URL; `shadowed`, rules that outrank it match everything that it
matches; `matches-nothing`; or `unknown`, because the proof took too many steps."""


@dataclass(frozen=True, slots=True)
class Change:
    """A region of URLs, some of which only one of two crawlers may fetch.

    opened:   whether only the second crawler may fetch them; of a policy token, whether more is
              allowed than before: nothing said is more than disallowed, and less than allowed.
    region:   the region as a path pattern; more specific rules may exempt some of it.
    witness:  a URL in the region for which the answers differ, usually a path; there is no shorter
              one.
    old:      the rule of the first crawler that decides the witness; None if no rule matches it.
    new:      the rule of the second.
    is_requested:  whether a client requests such a URL: if not, all that were found in the region
              have dot segments in their paths, which clients remove, or octets that they escape,
              where the dialect compares these as they are given.
    """

    opened: bool
    region: str
    witness: str
    old: Rule | None
    new: Rule | None
    is_requested: bool = True


@dataclass(frozen=True, slots=True)
class Difference:
    """How the rules of two crawlers differ.

    changes:   every region in which answers differ, none inside another: closed regions, then
               opened ones, short witnesses first.
    is_exact:  whether these are all. If not, the search ended early, and there may be more.
    """

    changes: tuple[Change, ...]
    is_exact: bool

    @property
    def is_empty(self) -> bool:
        """Whether no difference was found. With `is_exact` this proves that there is none."""
        return not self.changes

    @property
    def opened(self) -> tuple[Change, ...]:
        """What only the second crawler may fetch."""
        return tuple(change for change in self.changes if change.opened)

    @property
    def closed(self) -> tuple[Change, ...]:
        """What only the first crawler may fetch."""
        return tuple(change for change in self.changes if not change.opened)


@dataclass(frozen=True, slots=True)
class Effect:
    """What one rule does among the others of its crawler.

    rule:     the rule.
    does:     `decides`: it decides some URL; `shadowed`: rules that outrank it match everything
              that it matches; `matches-nothing`; or `unknown`: the proof took too many steps.
    witness:  a URL that it decides, usually a path; None if it decides none. No path is shorter,
              unless a star of the pattern may match part of an escape.
    by:       the rules that shadow it, nearly always one.
    is_requested:  whether a client requests the witness, as in `Change`.
    """

    rule: Rule
    does: Does
    witness: str | None
    by: tuple[Rule, ...]
    is_requested: bool = True


@dataclass(frozen=True, slots=True)
class Redundant:
    """Rules without which no answer for a crawler changes.

    rules:     all of them can be removed together.
    is_exact:  whether each of the remaining rules is needed.
    """

    rules: tuple[Rule, ...]
    is_exact: bool


def difference(old: Agent, new: Agent, *, steps: int = STEPS) -> Difference:
    """Return how the rules of two crawlers differ, over all URLs.

    old, new: from two versions of a file, two crawlers in one file, or one file in two dialects.
              Dialects that normalise URLs differently are compared over the URLs in the normal
              form of RFC 9309 section 2.2.2; koster-1996, which decodes escapes, is compared with
              others only by the patterns of both (`is_exact` is false).
    steps:    the most steps of the search: the answer is the same on every machine.
    Returns:  Difference.
    Raises:   InvalidOption if `steps` is not a positive integer.

    >>> import verger
    >>> old = verger.parse("User-agent: *\\nDisallow: /*.php$\\n").agent("ExampleBot")
    >>> new = verger.parse("User-agent: *\\nDisallow: /*.php\\n").agent("ExampleBot")
    >>> found = difference(old, new)
    >>> [(change.opened, change.region, change.witness) for change in found.changes]
    [(False, '/*.php', '/.phpz')]
    >>> found.is_exact
    True
    """
    return Budget(_checked(steps)).compare([old], [new])[0]


@dataclass(slots=True)
class Budget:
    """The steps that are left for analyses that share them."""

    left: int = STEPS

    def compare(
        self,
        old: Sequence[Agent],
        new: Sequence[Agent],
        over: Sequence[tuple[bool, str]] = (),
        *,
        policy: bool = False,
    ) -> list[Difference]:
        """Return how the rules of pairs of crawlers differ; equal pairs are compared once.

        The crawlers of each side are of one dialect.
        over:    rules that outrank those of the new side: whether they allow, and their patterns.
        policy:  whether they are compared as rules of policy tokens, which allow a use where one
                 allows, and say nothing where none matches.
        """
        firsts, found, taken = _differences([*old], [*new], self.left, [*over], policy)
        self.take(taken)
        made = {
            place: Difference(tuple(Change(*change) for change in changes), is_exact)
            for place, (changes, is_exact) in found.items()
        }
        return [made.get(first, SAME) for first in firsts]

    def exempt(self, change: Change, old: Agent, new: Agent) -> tuple[list[str], bool]:
        """Return the parts of a region for which nothing changed: those that stay closed although
        it was opened, or open although it was closed, and those that were so before; and whether
        these are all. `old` and `new` are the crawlers that were compared."""
        parts, is_exact, taken = _exempt(old, new, change.opened, change.region, self.left)
        self.take(taken)
        return parts, is_exact

    def take(self, steps: int) -> None:
        """Take steps for other work, or what is left of them."""
        self.left = max(0, self.left - steps)


SAME = Difference((), is_exact=True)


def equivalent(old: Agent, new: Agent, *, steps: int = STEPS) -> bool | None:
    """Return whether two crawlers may fetch the same URLs; None if that could not be proved.

    Takes the arguments of `difference`, and raises the same errors.

    >>> import verger
    >>> robots = verger.parse("User-agent: a\\nDisallow: /b*\\nUser-agent: c\\nDisallow: /b\\n")
    >>> equivalent(robots.agent("a"), robots.agent("c"))
    True
    """
    found = difference(old, new, steps=steps)
    if found.changes:
        return False
    return True if found.is_exact else None


def effects(agent: Agent, *, steps: int = STEPS) -> tuple[Effect, ...]:
    """Return what each rule of a crawler does, in file order.

    >>> import verger
    >>> robots = verger.parse("User-agent: *\\nDisallow: /a*b\\nAllow: /*a*b\\n")
    >>> [(effect.rule.line, effect.does) for effect in effects(robots.agent("ExampleBot"))]
    [(2, 'shadowed'), (3, 'decides')]
    """
    return tuple(Effect(*effect) for effect in _effects(agent, _checked(steps)))


def shadowed(agent: Agent, *, steps: int = STEPS) -> tuple[Effect, ...]:
    """Return the rules of a crawler that decide no URL, because others outrank them everywhere.

    >>> import verger
    >>> robots = verger.parse("User-agent: *\\nDisallow: /a*b\\nAllow: /*a*b\\n")
    >>> [(effect.rule.line, effect.by[0].line) for effect in shadowed(robots.agent("ExampleBot"))]
    [(2, 3)]
    """
    return tuple(found for found in effects(agent, steps=steps) if found.does == "shadowed")


def redundant(agent: Agent, *, steps: int = STEPS, policy: bool = False) -> Redundant:
    """Return rules of a crawler without which no answer changes: those that are shadowed, and those
    that only repeat the answer without them.

    policy:  whether they are rules of a policy token, of which one that allows says something even
             if none disallows.
    If either of two rules could be removed, the later one is.

    >>> import verger
    >>> robots = verger.parse("User-agent: *\\nDisallow: /a\\nDisallow: /a/b\\nAllow: /c\\n")
    >>> [rule.line for rule in redundant(robots.agent("ExampleBot")).rules]
    [3, 4]
    """
    return Redundant(*_redundant(agent, _checked(steps), policy))


def has_wildcards(dialect: Dialect) -> bool:
    """Return whether `*` and a final `$` are special in patterns; found by an example."""
    example = parse(b"User-agent: *\nDisallow: /*b\n", dialect=dialect)
    return not example.allowed("/ab", "*")


def _checked(steps: int) -> int:
    if isinstance(steps, bool) or not isinstance(steps, int) or not 0 < steps < 1 << 64:
        raise InvalidOption(
            f"`steps` is {steps!r}, not a positive integer",
            "omit it for the default, about a second",
        )
    return steps
