"""What the rules of a crawler mean for all URLs at once: differences, and rules that do nothing.

In: `Agent`s. Out: values that state something of all URLs, each with a URL that proves it. What is
stated was proved, and not found by trying URLs; where the proof would take too many steps, the
value says so. RFC 9309 section 2.2.2; the proofs stand in DESIGN.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from verger._core import _difference, _effects, _redundant, parse
from verger.errors import InvalidOption

if TYPE_CHECKING:
    from verger._core import Agent, Dialect, Rule

STEPS = 1 << 26
"""Steps that an analysis takes at most, unless it is told otherwise: about a second."""

Does = Literal["decides", "shadowed", "matches-nothing", "unknown"]
"""What a rule does: `decides` some URL; `shadowed`, others that outrank it match all that it
matches; `matches-nothing`; or `unknown`, since the proof took too many steps."""


@dataclass(frozen=True, slots=True)
class Change:
    """A region of URLs in which some may be fetched by one of two crawlers alone."""

    opened: bool
    """Whether the second may fetch there what the first may not."""
    region: str
    """The region as a path pattern; more specific rules may exempt some of it."""
    witness: str
    """A URL in the region for which the answers differ, usually a path; none in it is shorter."""
    old: Rule | None
    """The rule of the first crawler that decides the witness; None where no rule matches it."""
    new: Rule | None
    """The rule of the second."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What the rules of two crawlers say otherwise."""

    changes: tuple[Change, ...]
    """Every region in which answers differ, none within another: what was closed, then what was
    opened, short witnesses first."""
    is_exact: bool
    """Whether these are all. If not, the search ended before, and more may differ."""

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
    """What one rule does among the others of its crawler."""

    rule: Rule
    does: Does
    witness: str | None
    """A URL that it decides, usually a path; None where it decides none. No path is shorter, unless
    a star of the pattern may stand within an escape."""
    by: tuple[Rule, ...]
    """The rules that shadow it: nearly always one."""


@dataclass(frozen=True, slots=True)
class Redundant:
    """Rules without which no verdict of a crawler changes."""

    rules: tuple[Rule, ...]
    """Together they can be left out. Each is needed, or not, beside those that stay."""
    is_exact: bool
    """Whether none of the others can be left out as well."""


def difference(old: Agent, new: Agent, *, steps: int = STEPS) -> Difference:
    """Return what the rules of two crawlers say otherwise, of all URLs.

    old, new: of two versions of a file, of two crawlers in one file, or of one file in two
              dialects. Dialects that bring URLs to different forms are compared over the URLs in
              the normal form of RFC 9309 section 2.2.2; koster-1996, which decodes escapes, beside
              others only as far as the patterns of both tell (`is_exact` is false).
    steps:    how many the search may take: the answer is the same on every machine.
    Returns:  Difference.
    Raises:   InvalidOption where `steps` is not a positive number.

    >>> import verger
    >>> old = verger.parse("User-agent: *\\nDisallow: /*.php$\\n").agent("ExampleBot")
    >>> new = verger.parse("User-agent: *\\nDisallow: /*.php\\n").agent("ExampleBot")
    >>> found = difference(old, new)
    >>> [(change.opened, change.region, change.witness) for change in found.changes]
    [(False, '/*.php', '/.phpz')]
    >>> found.is_exact
    True
    """
    changes, is_exact = _difference(old, new, _checked(steps))
    return Difference(tuple(Change(*change) for change in changes), is_exact)


def equivalent(old: Agent, new: Agent, *, steps: int = STEPS) -> bool | None:
    """Return whether two crawlers may fetch the same; None where that could not be proved.

    Arguments and errors are those of `difference`.

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
    """Return the rules of a crawler that decide no URL, since others outrank them everywhere.

    >>> import verger
    >>> robots = verger.parse("User-agent: *\\nDisallow: /a*b\\nAllow: /*a*b\\n")
    >>> [(effect.rule.line, effect.by[0].line) for effect in shadowed(robots.agent("ExampleBot"))]
    [(2, 3)]
    """
    return tuple(found for found in effects(agent, steps=steps) if found.does == "shadowed")


def redundant(agent: Agent, *, steps: int = STEPS) -> Redundant:
    """Return rules of a crawler without which no verdict changes: those that are shadowed, and
    those that say what would hold without them.

    Where either of two rules could go, the later one does.

    >>> import verger
    >>> robots = verger.parse("User-agent: *\\nDisallow: /a\\nDisallow: /a/b\\nAllow: /c\\n")
    >>> [rule.line for rule in redundant(robots.agent("ExampleBot")).rules]
    [3, 4]
    """
    return Redundant(*_redundant(agent, _checked(steps)))


def has_wildcards(dialect: Dialect) -> bool:
    """Return whether `*` and a final `$` are special in patterns; asked by example."""
    example = parse(b"User-agent: *\nDisallow: /*b\n", dialect=dialect)
    return not example.allowed("/ab", "*")


def _checked(steps: int) -> int:
    if isinstance(steps, bool) or not isinstance(steps, int) or not 0 < steps < 1 << 64:
        message = f"`steps` is {steps!r}, not a positive number"
        raise InvalidOption(message, "leave it out for about a second's work")
    return steps
