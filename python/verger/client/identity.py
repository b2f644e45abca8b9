"""Identity: the identification string of a crawler, and the product token that selects its rules.

RFC 9309 section 2.2.1: the token should be part of the identification string.
"""

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from verger._core import Dialect, check_product_token
from verger.errors import InvalidOption, InvalidProductToken, MissingUserAgent, RobotsError
from verger.options import is_sendable, origin_named, own_token
from verger.untrusted_text import quoted

EXAMPLE = "ExampleBot/1.0 (+https://example.com/bot)"
# Fields that would be sent twice, or request less than the whole file or an unsupported coding.
RESERVED = frozenset(
    (
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "if-match",
        "if-modified-since",
        "if-none-match",
        "if-range",
        "if-unmodified-since",
        "range",
        "te",
        "transfer-encoding",
        "upgrade",
        "user-agent",
    )
)


class TokenNotSent(UserWarning):
    """The identification string of a client does not contain its product token."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The header fields that a crawler sends, and its product tokens."""

    headers: Mapping[str, str]
    origin_headers: Mapping[str, Mapping[str, str]]
    """Those that are sent to one origin only, by its name."""
    tokens: tuple[str, ...]

    @classmethod
    def of(
        cls,
        user_agent: str | None,
        token: str | Sequence[str] | None,
        headers: Mapping[str, str],
        dialect: Dialect,
        *,
        origin_headers: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Self:
        """Return an identity; without `token`, the product token is taken from `user_agent`.

        Raises: MissingUserAgent, InvalidProductToken, RobotsError for a header field that cannot
        be sent, InvalidTarget for a key of `origin_headers` that is not an origin.
        """
        user_agent = _identification(user_agent)
        scoped = {
            origin_named("origin_headers", url): _fields(fields)
            for url, fields in (origin_headers or {}).items()
        }
        sent = {"User-Agent": user_agent, **_fields(headers)}
        tokens = tokens_named(user_agent, token, dialect)
        tell_if_unnamed(user_agent, tokens)
        return cls(sent, scoped, tokens)


def _identification(user_agent: object) -> str:
    """Return an identification string that can be sent."""
    if user_agent is not None and not isinstance(user_agent, str):
        raise MissingUserAgent(
            f"`user_agent` is `{user_agent!r:.60}`", f'pass a string: "{EXAMPLE}"'
        )
    if user_agent is None or not user_agent.strip():
        raise MissingUserAgent(
            "`user_agent` is required: it identifies the crawler to servers "
            "(RFC 9309 section 2.2.1)",
            f'pass one with a way to contact you: "{EXAMPLE}"',
        )
    _expect_sendable("User-Agent", user_agent)
    return user_agent


def tell_if_unnamed(user_agent: str, tokens: Sequence[str], hint: str = "") -> None:
    """Warn of a crawler that its sites cannot recognise by the name that it obeys."""
    sent = user_agent.lower()
    if any(token == "*" or token.partition("/")[0].lower() in sent for token in tokens):
        return
    names = " nor ".join(quoted(name) for name in tokens)
    text = (
        f"{quoted(user_agent)} does not contain {names}: a site cannot see whose rules this "
        f"crawler follows (RFC 9309 section 2.2.1){hint}"
    )
    warnings.warn(text, TokenNotSent, stacklevel=_outside())


def _outside() -> int:
    """Return the `stacklevel` of the first caller outside of verger."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("verger."):
        level, frame = level + 1, frame.f_back
    return level


def _fields(headers: object) -> dict[str, str]:
    """Return header fields that can be sent; raise RobotsError for others."""
    if not isinstance(headers, Mapping):
        raise InvalidOption(f"`{headers!r:.60}` is not a mapping", "pass names with their values")
    sent = {}
    for name, value in headers.items():
        if not isinstance(name, str) or not isinstance(value, str):
            field = f"`{name!r:.40}: {value!r:.40}`"
            raise InvalidOption(
                f"the header field {field} is not a string", "pass names and values as strings"
            )
        if name.lower() in RESERVED:
            raise RobotsError(f"the header field `{name}` cannot be set", _hint_for(name))
        _expect_sendable(name, value)
        sent["Accept" if name.lower() == "accept" else name] = value
    return sent


def tokens_named(
    user_agent: str | None, token: str | Sequence[str] | None, dialect: Dialect
) -> tuple[str, ...]:
    """Return the product tokens of a crawler; without `token`, the one in `user_agent`.

    Raises: MissingUserAgent, InvalidProductToken.
    """
    if token is None:
        user_agent = _identification(user_agent)
        found = own_token(user_agent)
        if found is None:
            raise InvalidProductToken(
                f"{quoted(user_agent)} names no product token (RFC 9309 section 2.2.1)",
                f'pass `token=…`, or an identification string such as "{EXAMPLE}"',
            )
        return (found,)
    tokens = (token,) if isinstance(token, str) else _texts(token)
    check_product_token(tokens, dialect=dialect)
    return tokens


def _texts(tokens: object) -> tuple[str, ...]:
    """Return product tokens; raise `InvalidProductToken` if they are not a list of strings."""
    if isinstance(tokens, Sequence) and all(isinstance(token, str) for token in tokens):
        return tuple(tokens)
    raise InvalidProductToken(
        f"`token` is `{tokens!r:.60}`", "pass a string such as `ExampleBot`, or a list of them"
    )


def _hint_for(name: str) -> str:
    return "pass it as `user_agent`" if name.lower() == "user-agent" else "leave it out"


def _expect_sendable(name: str, value: str) -> None:
    """A field name is a token, a value is visible text (RFC 9110 sections 5.1 and 5.5)."""
    if not (name.isascii() and name.replace("-", "").replace("_", "").isalnum()):
        raise RobotsError(
            f"{quoted(name)} is not a name of a header field (RFC 9110 section 5.1)",
            "use letters, digits, `-` and `_`",
        )
    if not is_sendable(value):
        raise RobotsError(
            f"the value of the header field `{name}` cannot be sent (RFC 9110 section 5.5)",
            "use visible characters on one line",
        )
