"""Use: may the content of a URL be used for a purpose, by this crawler?

In: a parsed file, a product token, a URL and a purpose. Out: a `UseDecision` of the core, which
knows the product tokens that stand for the use of what an operator fetches, and is told here whose
groups the crawler follows.
"""

from collections.abc import Sequence

from verger._core import RobotsTxt, UseDecision, _are_policy_tokens, _page_elsewhere, _policy_tokens
from verger.crawlers.binding import Bindings, agent_of, agents_of
from verger.crawlers.purposes import USES
from verger.crawlers.registry import find
from verger.errors import UnknownName
from verger.options import UseName, expect_several, expect_text
from verger.untrusted_text import quoted

Asking = tuple[int, bool, tuple[str, ...]]


def may_use(
    robots: RobotsTxt,
    url: str,
    token: str | Sequence[str],
    purpose: UseName,
    bindings: Bindings = "operators",
) -> UseDecision:
    """Decide whether the content of a URL may be used for a purpose, and which lines say so.

    token:     the product token of the crawler, or several of one crawler.
    purpose:   `search`, `ai-input` (answering from it) or `ai-train`.
    bindings:  whose groups the crawler follows, as in `agent_of`.
    Returns:   a decision whose `allowed` is None if no line mentions it, which is no permission.
    Raises:    UnknownName for a purpose, InvalidProductToken, InvalidTarget, OutOfScope.
    """
    return agent_of(robots, token, bindings).may_use(url, purpose)


def uses_of(robots: RobotsTxt, tokens: Sequence[str], purpose: UseName) -> list[UseDecision]:
    """Decide a use for many crawlers, about pages that no pattern of the file matches specifically.

    Raises UnknownName for a purpose, InvalidProductToken.
    """
    agents = agents_of(robots, tokens)
    speaking = (robots.agent(name) for name, _ in policy_tokens(tokens, purpose))
    path = _page_elsewhere([*agents, *speaking])
    return [agent.may_use(path, purpose) for agent in agents]


def asked_use(
    tokens: str | Sequence[str], purpose: UseName | None
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


def uses_asked(tokens: Sequence[str]) -> list[tuple[UseName, tuple[str, ...], list[Asking]]]:
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


def _asking(place: int, token: str, use: UseName) -> "Asking | None":
    """Return a crawler as one that fetches for a use: its place, whether it follows any groups, and
    the product tokens that stand for the use of what it fetches."""
    known, names = find(token), _names((token,), use)
    is_known = known is not None and known.purposes != ("unknown",)
    if known and is_known and USES[use] not in known.purposes and names == _names((), use):
        return None
    return place, not is_policy_token((token,)), names


def _names(tokens: tuple[str, ...], use: UseName) -> tuple[str, ...]:
    return tuple(name for name, _ in policy_tokens(tokens, use))


def is_policy_token(tokens: tuple[str, ...]) -> bool:
    """Whether no crawler sends these tokens: files name them to say how pages may be used."""
    return _are_policy_tokens(tokens)


def policy_tokens(tokens: Sequence[str], purpose: UseName) -> tuple[tuple[str, str], ...]:
    """Return the product tokens that stand for a use of what a crawler fetches, its operator's and
    everyone's, each with the title of the page that says so.

    Raises UnknownName for a purpose.
    """
    expect_several("tokens", tokens, "product tokens")
    return _policy_tokens(tokens, purpose)
