"""Product tokens, for frameworks that pass their whole user agent.

RFC 9309 section 2.2.1: a crawler finds its group by its product token, not by the whole string.
"""

from functools import lru_cache

from verger._core import check_product_token, product_token
from verger.errors import InvalidProductToken

EVERYBODY = ("*",)
"""The tokens of a crawler without a name: it follows the wildcard group."""


@lru_cache(maxsize=1_024)
def tokens_of(user_agent: str | bytes) -> tuple[str, ...]:
    """Return the product tokens of a user agent.

    A browser's user agent, and one without a product name, give `*`, the wildcard group.
    Raises nothing.
    """
    text = user_agent.decode("utf-8", "replace") if isinstance(user_agent, bytes) else user_agent
    named = product_token(text) or text.strip()
    try:
        check_product_token((named,))
    except InvalidProductToken:
        return EVERYBODY
    return (named,)
