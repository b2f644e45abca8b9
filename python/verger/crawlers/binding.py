"""What a file says to a crawler, and whether that binds it.

In: a parsed file and a product token. Out: an `Agent`, and whether its rules bind the crawler.

There are two questions, and every command uses this module for both. What does the file say? The
groups that name the crawler, else those of `*`, apply (RFC 9309 section 2.2.1); if its operator
says so, the groups of another crawler come before `*`, or `*` does not apply, and the crawler may
fetch everything. Does the file bind the crawler? Yes, unless its operator says that it ignores the
file: this changes no answer, and is reported with it.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from verger._core import Agent, Dialect, RobotsTxt, _agents, _Crawlers, parse
from verger.crawlers.binding_table import BINDINGS
from verger.errors import UnknownName
from verger.options import expect_several, expect_text
from verger.plain import quoted

Followers = tuple[tuple[int, tuple[int, ...]], ...]
Prepared = tuple[tuple[str, ...], tuple[str, ...], Followers]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Bindings: TypeAlias = Literal["operators", "file"]
else:  # `verger check` starts without `typing`
    Bindings = str
"""What decides whose groups a crawler follows: what its operator says, or its name alone."""

AS_ALL = ("crawler", "groups", (), "", "")
"""The binding of crawlers whose operators say nothing else."""

BY_STAR, BY_NOBODY = "by `*`", "by nobody"
"""What binds a crawler that no group names."""


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
    for name in tokens_of(alone):
        agent = robots.agent(name)
        if agent.named:
            return agent
    _, by_star = binding_of(alone)
    return robots.agent(alone) if by_star else _without_star(robots).agent(alone)


def agents_of(
    robots: RobotsTxt, tokens: Sequence[str], bindings: Bindings = "operators"
) -> list[Agent]:
    """Return the rules that each of many crawlers follows, as `agent_of` does for one.

    This takes one walk through the file, not one for each crawler. Raises InvalidProductToken.
    """
    asked, unnamed, followers = _of_all(tokens, bindings)
    agents = _agents(robots, list(asked))
    found = agents[: len(tokens)]
    for place, follows in followers:
        if not found[place].named:
            found[place] = next(
                (agents[each] for each in follows if agents[each].named), found[place]
            )
    without_star = None
    for place, mark in enumerate(unnamed[: len(tokens)]):
        if mark == BY_NOBODY and not found[place].named:
            without_star = without_star or _without_star(robots)
            found[place] = without_star.agent(tokens[place])
    return found


def alike(
    files: Sequence[RobotsTxt], tokens: Sequence[str], bindings: Bindings = "operators"
) -> list[list[str]]:
    """Partition crawlers by the groups that they follow in some files.

    Only those that a file names are looked at; it agrees with `agent_of`.
    Raises InvalidProductToken.
    """
    asked, unnamed, followers = _of_all(tokens, bindings)
    marks: list[object] = [*unnamed]
    named = [_named(file, asked, followers) for file in files]
    for place in {place for keys in named for place in keys}:
        marks[place] = tuple(keys.get(place, unnamed[place]) for keys in named)
    found = defaultdict[object, list[str]](list)
    for token, mark in zip(tokens, marks, strict=False):
        found[mark].append(token)
    return list(found.values())


def named_in_some(files: Sequence[RobotsTxt], tokens: Sequence[str]) -> list[str]:
    """Return the crawlers that some of the files name and others do not, if another group than
    that of `*` binds them there: whoever reads the names alone sees another change than they do.
    """
    special = _bound_otherwise(tuple(tokens))
    named = [_crawlers(special, file.dialect).naming(file) for file in files]
    in_all = set.intersection(*map(set, named)) if named else set()
    return [special[place] for place in sorted(set().union(*named) - in_all)]


@lru_cache(32)
def _bound_otherwise(tokens: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(token for token in tokens if binding_of(token) != ((), True))


def _named(robots: RobotsTxt, asked: tuple[str, ...], followers: "Followers") -> dict[int, int]:
    """Return a key for each crawler that a group names, or else one that it follows."""
    named = _crawlers(asked, robots.dialect).naming(robots)
    for place, follows in followers if named else ():
        if place not in named and (first := next(filter(named.__contains__, follows), None)):
            named[place] = named[first]
    return named


@lru_cache(64)  # a proof needs the same crawlers for two files and several dialects
def _crawlers(tokens: tuple[str, ...], dialect: Dialect) -> _Crawlers:
    return _Crawlers(tokens, dialect)


def _of_all(tokens: Sequence[str], bindings: Bindings) -> Prepared:
    """Return what is prepared for some crawlers; refuse one text, and unknown bindings."""
    expect_several("tokens", tokens, "product tokens")
    expect_bindings(bindings)
    return _prepared(tuple(tokens), bindings)


@lru_cache(32)
def _prepared(tokens: tuple[str, ...], bindings: Bindings) -> Prepared:
    """Return what does not depend on the file: the tokens and those that they follow; what binds
    each if no group names it; and the places of those that follow others, with the places of
    these."""
    found = [binding_of_all(token, bindings) for token in tokens]
    followed = dict.fromkeys(name for follows, _ in found for name in follows)
    places = {name: place for place, name in enumerate(followed, len(tokens))}
    followers = (
        (place, tuple(places[name] for name in follows))
        for place, (follows, _) in enumerate(found)
        if follows
    )
    unnamed = (BY_STAR if by_star else BY_NOBODY for _, by_star in found)
    return (*tokens, *followed), (*unnamed, *(BY_STAR for _ in followed)), tuple(followers)


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


@lru_cache(4096)  # more than there are known crawlers: every proof needs all of them
def binding_of(token: str) -> tuple[tuple[str, ...], bool]:
    """Return whom a crawler follows if no group names it, and whether `*` then binds it."""
    _, bound_by, follows, _, _ = BINDINGS.get(token.lower(), AS_ALL)
    return follows, bound_by != "named-groups"


def binds(token: str | Sequence[str], *, named: bool) -> bool:
    """Whether a file binds a crawler, according to its operator.

    named:  whether a group names it, or one that it follows.

    With several tokens, the registry is not used: the file binds.
    """
    alone = _alone(token)
    if alone is None:
        return True
    _, bound_by, _, _, _ = BINDINGS.get(alone.lower(), AS_ALL)
    return named if bound_by == "named-groups" else bound_by != "nothing"


def special_bindings() -> list[tuple[str, tuple[str, ...], bool]]:
    """Return every crawler that does not only follow the groups that name it, else those of `*`:
    its token, which crawlers it follows, and whether `*` binds it then."""
    found = ((token, *binding_of(token)) for token in BINDINGS)
    return [each for each in found if each[1:] != ((), True)]


def remark_on(token: str) -> str | None:
    """Return a remark on a crawler that the rules of a file do not bind as usual, else None."""
    expect_text("token", token)
    kind, bound_by, follows, respects, title = BINDINGS.get(token.lower(), AS_ALL)
    if kind == "policy-token":
        return f"`{token}` is a policy token: no crawler sends it ({title})"
    if bound_by == "nothing":
        binds = "does not bind" if respects == "no" else "may not bind"
        return f"robots.txt {binds} `{token}`, as its operator says ({title})"
    if bound_by == "named-groups":
        names = " or ".join(("it", *(f"`{name}`" for name in follows)))
        return f"only groups that name {names} bind `{token}`, not `*` ({title})"
    return None


def _without_star(robots: RobotsTxt) -> RobotsTxt:
    return parse(robots.body, dialect=robots.dialect.replace(ignore_star=True), url=robots.url)
