"""Product tokens, for frameworks that ask with whatever they send as their user agent.

RFC 9309 section 2.2.1: a crawler finds its group by its product token, not by the whole text.
"""

from functools import lru_cache

from verger._core import check_product_token, product_token
from verger.errors import InvalidProductToken

EVERYBODY = ("*",)
"""Who has no name of its own is bound by the wildcard group."""


@lru_cache(maxsize=1_024)
def tokens_of(user_agent: str | bytes) -> tuple[str, ...]:
    """Return the product tokens that a user agent is asked about by.

    A browser's user agent, and one that names no product at all, stand for every crawler: `*`.
    Raises nothing.
    """
    text = user_agent.decode("utf-8", "replace") if isinstance(user_agent, bytes) else user_agent
    named = product_token(text) or text.strip()
    try:
        check_product_token((named,))
    except InvalidProductToken:
        return EVERYBODY
    return (named,)
