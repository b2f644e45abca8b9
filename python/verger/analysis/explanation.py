"""Explain: what a crawler may fetch and what not, in the fewest rules, in words.

In: an `Agent`. Out: an `Explanation`: the rules that its answers depend on, which of them are
exceptions to which, and the same as lines of text.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from verger._core import Agent, Rule
from verger.analysis.editor import NewRule, RuleField
from verger.analysis.rule_lists import Rulebook
from verger.analysis.rules import STEPS, difference, has_wildcards, redundant
from verger.grouping import by_key
from verger.untrusted_text import quoted

MOST_PAIRS = 4096
"""The most pairs of rules that are compared, which takes up to half a second. Ordinary files have
some tens."""


@dataclass(frozen=True, slots=True)
class Exemption:
    """A rule that another is an exception to.

    rule:       the other rule.
    is_within:  whether it matches everything that the exception matches.
    """

    rule: Rule
    is_within: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A rule that is not redundant.

    rule:           the rule.
    words:          what it matches, such as ``paths that begin with `/cart` ``. Paths include the
                    query.
    is_everything:  whether it matches every path.
    exempts:        the rules of the other kind that it outranks when both match; None if there are
                    too many rules to compare.
    """

    rule: Rule
    words: str
    is_everything: bool
    exempts: tuple[Exemption, ...] | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a crawler may fetch and what not.

    parts:     the rules that its answers depend on, in file order; paths that none matches are
               open.
    is_exact:  whether none of the rules is redundant, and every exception is found. If not, there
               are too many rules to compare.
    """

    parts: tuple[Part, ...]
    is_exact: bool

    @property
    def lines(self) -> tuple[str, ...]:
        r"""The explanation as text, with exceptions indented below their rules.

        >>> import verger
        >>> body = "User-agent: *\nDisallow: /cart\nAllow: /cart/help\nDisallow: /*.php$\n"
        >>> print(*explain(verger.parse(body).agent("*")).lines, sep="\n")
        everything is open, but
          closed: paths that begin with `/cart` (line 2)
            open: paths that begin with `/cart/help` (line 3)
          closed: paths that end in `.php` (line 4)
            open: paths that begin with `/cart/help` (line 3)
        """
        return tuple(_lines(self.parts))


def explain(agent: Agent, *, steps: int = STEPS) -> Explanation:
    r"""Return what a crawler may fetch and what not, in the fewest rules.

    steps:    how many steps the proof may take.
    Returns:  Explanation.
    Raises:   InvalidOption if `steps` is not a positive integer.

    >>> import verger
    >>> robots = verger.parse("User-agent: *\nDisallow: /\nDisallow: /old\nAllow: /blog/\n")
    >>> found = explain(robots.agent("ExampleBot"))
    >>> [(part.rule.line, part.words) for part in found.parts]
    [(2, 'everything'), (4, 'paths that begin with `/blog/`')]
    """
    spare = redundant(agent, steps=steps)
    left_out = {rule.line for rule in spare.rules}
    dialect = agent.robots.dialect
    wildcards = has_wildcards(dialect)
    parts = [
        Part(
            rule,
            in_words(rule.pattern, wildcards=wildcards),
            is_everything(rule.pattern, wildcards=wildcards),
        )
        for rule in agent.rules
        if rule.line not in left_out
    ]
    closing, opening = (
        [part for part in parts if part.rule.allow is kind] for kind in (False, True)
    )
    if len(opening) * len(closing) > MOST_PAIRS:
        return Explanation(tuple(parts), is_exact=False)
    books = Rulebook(dialect), Rulebook(dialect.replace(allow_is_rule=True, tie="allow"))
    others = ((part, closing if part.rule.allow else opening) for part in parts)
    completed = (replace(part, exempts=tuple(_exempted(part, of, books))) for part, of in others)
    return Explanation(tuple(completed), spare.is_exact)


def in_words(pattern: str, *, wildcards: bool = True) -> str:
    """Return what a path pattern matches, in words.

    wildcards:  whether `*` and a final `$` are special, as they are in RFC 9309 section 2.2.3.

    >>> in_words("/shop/*?sort=*&page=1$")
    'paths that begin with `/shop/`, then contain `?sort=`, then end in `&page=1`'
    """
    if is_everything(pattern, wildcards=wildcards):
        return "everything"
    is_anchored = wildcards and pattern.endswith("$")
    body = pattern[:-1] if is_anchored else pattern
    first, *others = body.split("*") if wildcards else [body]
    if is_anchored and not others:
        return f"the path {quoted(first)} alone"
    last = others.pop() if is_anchored else ""
    begins = [f"begin with {quoted(first)}"] if first.strip("/") or not any((*others, last)) else []
    contains = [f"contain {quoted(piece)}" for piece in others if piece]
    ends = [f"end in {quoted(last)}"] if last else []
    return f"paths that {', then '.join([*begins, *contains, *ends])}"


def is_everything(pattern: str, *, wildcards: bool = True) -> bool:
    """Whether a path pattern matches every path.

    >>> [is_everything(pattern) for pattern in ("/", "/*$", "*", "/$")]
    [True, True, True, False]
    """
    beginning = pattern.removesuffix("*$").rstrip("*") if wildcards else pattern
    return beginning in ("", "/")


def _exempted(
    part: Part, others: Sequence[Part], books: tuple[Rulebook, Rulebook]
) -> Iterator[Exemption]:
    """Yield the rules of the other kind that one is an exception to.

    books:  lists of rules in a dialect, and in the same one where an `Allow` wins ties.
    """
    for other in others:
        if _outranks(part.rule, other.rule, *books):
            within = books[0].within([part.rule.pattern], [other.rule.pattern])
            yield Exemption(other.rule, bool(within))


def _outranks(rule: Rule, other: Rule, book: Rulebook, with_ties: Rulebook) -> bool:
    """Whether a rule decides the URLs that it and a rule of the other kind both match.

    Ranks do not depend on the URL: one of the two decides all that both match.
    """
    if rule.allow:
        return _opens(book, rule, other)
    return _opens(with_ties, rule, other) and not _opens(book, other, rule)


def _opens(book: Rulebook, rule: Rule, other: Rule) -> bool:
    """Whether a rule would open something that the other closes, in their order in the file."""
    kinds: dict[int, RuleField] = {rule.line: "allow", other.line: "disallow"}
    placed = sorted((rule, other), key=lambda each: each.line)
    both: list[NewRule] = [(kinds[each.line], each.pattern) for each in placed]
    closed = book.agent([("disallow", other.pattern)])
    return bool(difference(closed, book.agent(both)).opened)


# Words


def _lines(parts: Sequence[Part]) -> Iterator[str]:
    """Yield the general case, then the exceptions."""
    whole = next((part for part in parts if part.is_everything and not part.rule.allow), None)
    said = f"everything is closed{_where(whole)}" if whole else "everything is open"
    top = [part for part in parts if part is not whole and _is_exception(part, whole)]
    yield f"{said}, but" if top else said
    below = by_key((each.rule.line, part) for part in parts for each in part.exempts or ())
    seen_lines: set[int] = set()
    for part in top:
        yield from _described(part, below, seen_lines, 1)


def _is_exception(part: Part, whole: Part | None) -> bool:
    """Whether a rule is an exception to the general case."""
    if part.exempts is None:
        return True
    if whole is not None:
        return any(each.rule is whole.rule for each in part.exempts)
    return not part.rule.allow and not any(each.is_within for each in part.exempts)


def _described(
    part: Part, below: Mapping[int, Sequence[Part]], seen_lines: set[int], depth: int
) -> Iterator[str]:
    """Yield what a rule does, then its own exceptions, but those only the first time."""
    verb = "open" if part.rule.allow else "closed"
    own = below.get(part.rule.line, ())
    is_repeated = part.rule.line in seen_lines
    seen_lines.add(part.rule.line)
    seen = ", with the exceptions above" if own and is_repeated else ""
    yield f"{'  ' * depth}{verb}: {part.words}{_where(part)}{seen}"
    for other in () if is_repeated else own:
        yield from _described(other, below, seen_lines, depth + 1)


def _where(part: Part) -> str:
    return f" (line {part.rule.line})"
