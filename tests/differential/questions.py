"""Questions: one URL and one crawler each, put to one file.

In: a file and a seeded generator. Out: `Batch`es, a file with everything asked about it.
A question takes its URL from a rule of the file and its token, mostly, from that rule's group,
so that rules decide; the rest of the tokens are those a caller gets wrong.
"""

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from .corpus import RealFile
from .hints import Hint, hints
from .urls import derived, filled

UNKNOWN_TOKENS = ("verger-unknown", "Nobody", "nobody_bot")
_LETTERS = re.compile(r"[A-Za-z_-]+")
_NO_HINT = Hint(("*",), b"/")

Tokens = str | tuple[str, ...]


class Question(NamedTuple):
    """One URL, and the product token, or tokens, of the crawler that asks."""

    url: str
    tokens: Tokens


class Batch(NamedTuple):
    """One file and what is asked about it."""

    name: str
    data: bytes
    questions: tuple[Question, ...]
    tag: str | None = None
    """The peculiarity that the file was written for, a tag of the quirk table."""
    twin: bytes | None = None
    """The file as a reader without that peculiarity would take it, with the same lines."""


def real_batches(files: Sequence[RealFile], seed: str) -> Iterator[Batch]:
    """Yield every real file with questions derived from its rules."""
    for file in files:
        rng = Random(f"{seed}/real/{file.host}")
        found = hints(file.data)
        count = _count(len(file.data), bool(found))
        yield Batch(file.host, file.data, ask(rng, file.host, found, count))


def ask(rng: Random, host: str, found: Sequence[Hint], count: int) -> tuple[Question, ...]:
    """Return `count` questions about a file in which the given rules were found."""
    wild = [hint for hint in found if b"*" in hint.pattern]
    return tuple(_question(rng, host, _choose(rng, found, wild)) for _ in range(count))


def direct(rng: Random, host: str, hint: Hint) -> Question:
    """Return a question that the rule should decide, without any variation."""
    return Question(formed_plain(rng, host, filled(rng, hint.pattern)), token_of(rng, hint))


def formed_plain(rng: Random, host: str, path: str) -> str:
    """Return the path alone or on an absolute URL."""
    return path if rng.random() < 0.5 else f"https://{host}{path}"


def token_of(rng: Random, hint: Hint) -> str:
    """Return a product token that should be bound by the group of a rule."""
    return _named(rng, rng.choice(hint.agents))


def _count(size: int, has_rules: bool) -> int:
    # Google's parser reads the whole file for every question: big files get few of them.
    if not has_rules:
        return 6
    return next(count for limit, count in _COUNTS if size < limit)


_COUNTS = ((8_000, 50), (64_000, 24), (256_000, 8), (float("inf"), 4))


def _choose(rng: Random, found: Sequence[Hint], wild: Sequence[Hint]) -> Hint:
    pool = wild if wild and rng.random() < 0.4 else found
    return rng.choice(pool) if pool else _NO_HINT


def _question(rng: Random, host: str, hint: Hint) -> Question:
    return Question(derived(rng, host, hint.pattern), _tokens(rng, hint))


def _tokens(rng: Random, hint: Hint) -> Tokens:
    token = token_of(rng, hint)
    choice = rng.random()
    if choice < 0.75:
        return token
    if choice < 0.78:
        return (rng.choice(_OTHER_TOKENS), token)
    if choice < 0.88:
        return rng.choice(_OTHER_TOKENS)
    value = rng.choice(hint.agents)
    return rng.choice((value, f"{token}/1.0", token.swapcase(), f"{token}2", f"x{token}"))


_OTHER_TOKENS = (
    "Googlebot",
    "googlebot-image",
    "GPTBot",
    "MJ12bot",
    "MJ",
    "Mozilla/5.0 (compatible; x/1.0)",
    "x/1.0",
    "Übot",
    "*",
    "",
    *UNKNOWN_TOKENS,
)


def _named(rng: Random, value: str) -> str:
    letters = _LETTERS.match(value)
    return letters[0] if letters else rng.choice(UNKNOWN_TOKENS)
