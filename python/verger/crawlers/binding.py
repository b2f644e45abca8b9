"""What a file says to a crawler, and whether that binds it.

In: a parsed file and a product token. Out: an `Agent`, and whether its rules bind the crawler.

There are two questions, and every command uses this module for both. What does the file say? The
groups that name the crawler, else those of `*`, apply (RFC 9309 section 2.2.1); if its operator
says so, the groups of another crawler come before `*`, or `*` does not apply, and the crawler may
fetch everything. Does the file bind the crawler? Yes, unless its operator says that it ignores the
file: this changes no answer, and is reported with it.
"""

from collections.abc import Sequence
from functools import lru_cache

from verger._core import (
    Agent,
    Dialect,
    RobotsTxt,
    _agent_of,
    _alike,
    _binds,
    _Crawlers,
    _dialect_of,
    _documented,
    _own_dialect,
    _remark_on,
    parse,
)
from verger.dialects import RFC9309
from verger.errors import UnknownName
from verger.options import expect_several, expect_text
from verger.untrusted_text import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Bindings: TypeAlias = Literal["operators", "file"]
else:  # `verger check` starts without `typing`
    Bindings = str
"""What decides whose groups a crawler follows: what its operator says, or its name alone."""

OWN = "own"
"""The word for the dialect in which the operator of a crawler reads, as the registry knows it."""


def agent_of(
    robots: RobotsTxt, token: str | Sequence[str], bindings: Bindings = "operators"
) -> Agent:
    """Return the rules that a crawler follows.

    The first of its tokens that a group names counts. If none is named, and `*` does not bind the
    crawler, its agent has no rules. With several tokens, the registry is not used.

    bindings:  `operators`: what the operator of the crawler says, as far as the registry knows it;
               `file`: only the names in the file.
    Raises InvalidProductToken.
    """
    expect_bindings(bindings)
    alone = _alone(token)
    if alone is None or bindings == "file":
        return robots.agent(token)
    return _agent_of(robots, alone) or _without_star(robots).agent(alone)


def agents_of(
    robots: RobotsTxt, tokens: Sequence[str], bindings: Bindings = "operators"
) -> list[Agent]:
    """Return the rules that each of many crawlers follows, as `agent_of` does for one.

    This takes one walk through the file, not one for each crawler. Raises InvalidProductToken.
    """
    found = _of_all(tokens, bindings, robots.dialect).agents(robots)
    return [
        agent or _without_star(robots).agent(token)
        for token, agent in zip(tokens, found, strict=True)
    ]


def alike(
    files: Sequence[RobotsTxt], tokens: Sequence[str], bindings: Bindings = "operators"
) -> list[list[str]]:
    """Partition crawlers by the groups that they follow in some files.

    It agrees with `agent_of`. Raises InvalidProductToken.
    """
    crawlers = [_of_all(tokens, bindings, file.dialect) for file in files]
    return _alike(files, crawlers, tokens)


def named_in_some(files: Sequence[RobotsTxt], tokens: Sequence[str]) -> list[str]:
    """Return the crawlers that some of the files name and others do not, if another group than
    that of `*` binds them there: whoever reads the names alone sees another change than they do.
    """
    special = _bound_otherwise(tuple(tokens))
    named = [set(_crawlers(special, False, file.dialect).naming(file)) for file in files]
    in_all = set.intersection(*named) if named else set()
    return [special[place] for place in sorted(set().union(*named) - in_all)]


@lru_cache(32)
def _bound_otherwise(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(token for token in tokens if binding_of(token) != ((), True))


@lru_cache(32)  # a proof needs the same crawlers for two files and several dialects
def _crawlers(tokens: tuple[str, ...], by_operators: bool, dialect: Dialect) -> _Crawlers:
    return _Crawlers(tokens, by_operators, dialect)


def _of_all(tokens: Sequence[str], bindings: Bindings, dialect: Dialect) -> _Crawlers:
    """Return crawlers to look up in files of a dialect; refuse one text, and unknown bindings."""
    expect_several("tokens", tokens, "product tokens")
    expect_bindings(bindings)
    return _crawlers(tuple(tokens), bindings == "operators", dialect)


def tokens_of(token: str) -> tuple[str, ...]:
    """Return the tokens whose groups a crawler follows, its own first."""
    expect_text("token", token)
    follows, _ = binding_of(token)
    return (token, *follows)


def binding_of_all(
    token: str | Sequence[str], bindings: Bindings = "operators"
) -> tuple[tuple[str, ...], bool]:
    """Return the binding of a crawler with this token, or these; see `agent_of`."""
    expect_bindings(bindings)
    alone = _alone(token)
    return ((), True) if alone is None or bindings == "file" else binding_of(alone)


def _alone(token: str | Sequence[str]) -> str | None:
    """Return the token of a crawler that has only one; the core refuses what is no token."""
    if isinstance(token, list | tuple) and len(token) == 1:
        (token,) = token
    return token if isinstance(token, str) else None


def expect_bindings(word: object) -> None:
    """Raise UnknownName if `word` is none of the `Bindings`."""
    if word not in ("operators", "file"):
        raise UnknownName(f"unknown bindings {quoted(str(word))}", "pass `operators` or `file`")


def binding_of(token: str) -> tuple[tuple[str, ...], bool]:
    """Return whom a crawler follows if no group names it, and whether `*` then binds it."""
    _, bound_by, follows = _documented(token)
    return follows, bound_by != "named-groups"


def binds(token: str | Sequence[str], *, named: bool) -> bool:
    """Whether a file binds a crawler, according to its operator.

    named:  whether a group names it, or one that it follows.

    With several tokens, the registry is not used: the file binds.
    """
    alone = _alone(token)
    return alone is None or _binds(alone, named)


def own_dialect(token: str | Sequence[str], asked: Dialect) -> Dialect | None:
    """Return the dialect in which a crawler reads, by the documents of its operator; None if these
    are unknown, or give the one that is asked about. Knobs that differ in this one differ there,
    too. With several tokens, the registry is not used."""
    alone = _alone(token)
    return None if alone is None else _own_dialect(alone, asked)


def dialect_for(word: str, tokens: str | Sequence[str] = ()) -> Dialect:
    """Return the dialect that a word means for a crawler. Raises UnknownName."""
    base, plus, changes = word.partition("+")
    if base == OWN:
        base = (own_dialect(tokens, RFC9309) or RFC9309).name
    return _dialect_of(f"{base}{plus}{changes}")


@lru_cache(16)  # the next URL is often of the same file
def read_again(robots: RobotsTxt, dialect: Dialect) -> RobotsTxt:
    """Return the same file as a dialect reads it."""
    return (
        robots if dialect == robots.dialect else parse(robots.body, dialect=dialect, url=robots.url)
    )


def remark_on(token: str) -> str | None:
    """Return a remark on a crawler that the rules of a file do not bind as usual, else None."""
    expect_text("token", token)
    return _remark_on(token)


def _without_star(robots: RobotsTxt) -> RobotsTxt:
    return read_again(robots, robots.dialect.replace(ignore_star=True))
