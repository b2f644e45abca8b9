"""Use: may the content of a URL be used for a purpose, by this crawler?

In: a parsed file, a product token, a URL and a purpose. Out: a `UseDecision` of the core, which is
told here what it cannot know: whose groups the crawler follows, and which product tokens stand for
the use of what its operator fetches.
"""

from collections.abc import Sequence
from functools import lru_cache

from verger._core import Agent, RobotsTxt, UseDecision
from verger.crawlers.binding import Bindings, _without_star, agent_of, agents_of
from verger.crawlers.purposes import USES
from verger.crawlers.registry import all_crawlers, all_sources, find
from verger.crawlers.survey import fresh_path
from verger.errors import UnknownName
from verger.options import expect_text
from verger.plain import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import Purpose

    Asking = tuple[int, bool, tuple[str, ...]]
else:
    Purpose = str


def may_use(
    robots: RobotsTxt,
    url: str,
    token: str | Sequence[str],
    purpose: Purpose,
    bindings: Bindings = "operators",
) -> UseDecision:
    """Decide whether the content of a URL may be used for a purpose, and which lines say so.

    token:     the product token of the crawler, or several of one crawler.
    purpose:   `search`, `ai-input` (answering from it) or `ai-train`.
    bindings:  whose groups the crawler follows, as in `agent_of`.
    Returns:   a decision whose `allowed` is None if no line mentions it, which is no permission.
    Raises:    UnknownName for a purpose, InvalidProductToken, InvalidTarget, OutOfScope.
    """
    return use_by(agent_of(robots, token, bindings), url, token, purpose)


def uses_of(robots: RobotsTxt, tokens: Sequence[str], purpose: Purpose) -> list[UseDecision]:
    """Decide a use for many crawlers, about pages that no pattern of the file matches specifically.

    Raises UnknownName for a purpose, InvalidProductToken.
    """
    rules = (rule.pattern_bytes for group in robots.groups for rule in group.rules)
    path = fresh_path(b"\n".join(rules))
    agents = zip(agents_of(robots, tokens), tokens, strict=True)
    return [use_by(agent, path, token, purpose) for agent, token in agents]


def use_by(agent: Agent, url: str, token: str | Sequence[str], purpose: Purpose) -> UseDecision:
    """Decide for the rules that a crawler follows, which `agent_of` returns; see `may_use`."""
    expect_text("purpose", purpose)
    tokens = (token,) if isinstance(token, str) else tuple(token)
    heard = heard_for(agent, tokens)
    return heard.may_use(url, purpose, policy_tokens=policy_tokens(tokens, purpose))


def heard_for(agent: Agent, tokens: tuple[str, ...]) -> Agent:
    """Return what speaks about use for a crawler, of the rules that it follows: those of `*` do not
    speak for a policy token."""
    if is_policy_token(tokens) and not agent.named:
        return _without_star(agent.robots).agent(tokens)
    return agent


def asked_use(
    tokens: str | Sequence[str], purpose: Purpose | None
) -> tuple[str, tuple[str, ...], bool] | None:
    """Return a use as the kernels of `verger.bulk` take it: what for, the product tokens that stand
    for it, and whether the groups of `*` speak for the crawler. None if none is asked about."""
    if purpose is None:
        return None
    expect_text("use", purpose)
    if purpose not in USES:
        known = ", ".join(map(quoted, USES))
        raise UnknownName(f"unknown use {quoted(purpose)}", f"choose from {known}")
    names = (tokens,) if isinstance(tokens, str) else tuple(tokens)
    return purpose, _names(names, purpose), not is_policy_token(names)


def uses_asked(tokens: Sequence[str]) -> "list[tuple[Purpose, tuple[str, ...], list[Asking]]]":
    """Return every use, the product tokens that stand for it whoever asks, and which of some
    crawlers fetch for it.

    These are crawlers whose purpose it is, or whose operator has a policy token for it, and those
    of which no source says what for. A policy token is one if no crawler of its operator is.
    """
    found = [find(token) for token in tokens]
    operators = {None, *(each.operator for each in found if each and each.kind == "crawler")}
    places = [
        place
        for place, each in enumerate(found)
        if not each or each.kind != "policy-token" or each.operator not in operators
    ]
    return [
        (use, _names((), use), [each for at in places if (each := _asking(at, tokens[at], use))])
        for use in USES
    ]


def _asking(place: int, token: str, use: Purpose) -> "Asking | None":
    """Return a crawler as one that fetches for a use: its place, whether it follows any groups, and
    the product tokens that stand for the use of what it fetches."""
    known, names = find(token), _names((token,), use)
    is_known = known is not None and known.purposes != ("unknown",)
    if known and is_known and USES[use] not in known.purposes and names == _names((), use):
        return None
    return place, not is_policy_token((token,)), names


def _names(tokens: tuple[str, ...], use: Purpose) -> tuple[str, ...]:
    return tuple(name for name, _ in policy_tokens(tokens, use))


def is_policy_token(tokens: tuple[str, ...]) -> bool:
    """Whether no crawler sends these tokens: files name them to say how pages may be used."""
    found = [find(token) for token in tokens]
    return all(each is not None and each.kind == "policy-token" for each in found)


@lru_cache(4096)
def policy_tokens(tokens: tuple[str, ...], purpose: Purpose) -> tuple[tuple[str, str], ...]:
    """Return the product tokens that stand for a use of what a crawler fetches, its operator's and
    everyone's, each with the title of the page that says so."""
    operators = {None, *(crawler.operator for token in tokens if (crawler := find(token)))}
    return tuple(
        (each.token, all_sources()[each.sources[0]].title)
        for each in all_crawlers()
        if each.kind == "policy-token"
        and each.operator in operators
        and USES.get(purpose) in each.purposes
    )
