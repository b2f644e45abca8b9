"""Selection of crawlers: those of one file that an edit is for.

In: product tokens, purposes, and tokens to leave out. Out: the product tokens of all selected
crawlers, as the file or the registry spells them.
"""

from collections.abc import Iterable, Iterator

from verger._core import RobotsTxt, check_product_token
from verger.analysis.proof import crawlers_of
from verger.crawlers import agents_of, binding_of, tokens_of
from verger.crawlers.purposes import expect_purposes
from verger.crawlers.registry import by_purpose
from verger.crawlers.uses import is_policy_token
from verger.errors import InvalidOption
from verger.options import expect_robots, texts_of


def selected(
    robots: RobotsTxt,
    agents: str | Iterable[str],
    purposes: str | Iterable[str],
    except_: str | Iterable[str],
    *,
    policy_tokens: bool,
) -> list[str]:
    """Return the product tokens of all selected crawlers."""
    agents = texts_of("agents", agents, "product token")
    purposes = texts_of("purposes", purposes, "purpose")
    except_ = texts_of("except_", except_, "product token")
    expect_robots(robots=robots)
    for token in (*agents, *except_):
        check_product_token(token, dialect=robots.dialect)
    expect_purposes(purposes)
    left_out = {token.lower() for token in except_}
    known = (each.token for each in by_purpose(purposes, with_hearsay=policy_tokens))
    meant = {token.lower(): token for token in (*agents, *known)}
    if "*" in meant:
        unnamed = (token for token in _unnamed(robots) if left_out.isdisjoint(_followed(token)))
        meant = {token.lower(): token for token in unnamed} | meant
    tokens = [token for lower, token in meant.items() if lower not in left_out]
    if not tokens:
        raise InvalidOption("no crawler is selected", "pass a product token, or a purpose")
    spelt = {token.lower(): token for token in crawlers_of([robots], tokens)}
    return [spelt[token.lower()] for token in tokens]


def _followed(token: str) -> Iterator[str]:
    """Yield the tokens whose groups a crawler follows, in lower case."""
    return (each.lower() for each in tokens_of(token))


def _unnamed(robots: RobotsTxt) -> Iterator[str]:
    """Yield the crawlers that follow the groups of `*`, which do not speak for policy tokens."""
    tokens = crawlers_of([robots])
    for token, agent in zip(tokens, agents_of(robots, tokens), strict=True):
        _, by_star = binding_of(token)
        if by_star and not agent.named and not is_policy_token((token,)):
            yield token
