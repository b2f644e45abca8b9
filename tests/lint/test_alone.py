"""Findings about lines that can go: each is true with all other lines as they are.

A line is removed alone, and both files are compared by the analysis, for every known crawler, and
by the reference, which shares nothing with it, for some URLs and uses. `VERGER_EVERYTHING=1` takes
20,000 generated files, and one in 40 of the real ones.
"""

import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal, cast

import pytest

import reference
import verger
from lint import promises
from reference import SWITCHES
from support import members, shared
from verger.analysis.proof import prove
from verger.crawlers import policy_tokens
from verger.lint import Settings, lint
from verger.lint.file import TARGETS
from verger.options import DialectName

EVERYTHING = os.environ.get("VERGER_EVERYTHING") == "1"
FILES = 20_000 if EVERYTHING else 300
SHARES = 20 if EVERYTHING else 1
ARCHIVES = {"corpus/robots-modern.tar.xz": 1, "corpus/robots-real.tar.gz": 40}
"""Archives of real files, and one in how many is looked at."""

CODES = ("RT210", "RT303", "RT305", "RT319")
"""The checks that say of a line that nothing changes without it."""

ALONE = Settings(select=CODES)
PURPOSES: tuple[Literal["search", "ai-input", "ai-train"], ...] = ("search", "ai-input", "ai-train")
NAMES = (
    *("*", "*", "*", "a", "a", "bot", "a.b", "MJ12bot", "Googlebot", "Yandex", "CCBot", "GPTBot"),
    *("Applebot-Extended", "Google-Extended", "a/1.0 (x)"),
)
PATTERNS = (
    *("/", "/", "/*", "*", "/a", "/a/", "/a*", "/ab", "/a/b", "/a/b*", "/*b", "/b", "/b*", "/a$"),
    *("", "/a%62", "/blog", "/blog*", "/blog/", "/robots.txt"),
)
OTHERS = (
    *(b"", b"# c", b"Crawl-delay: 1", b"Content-Signal: ai-train=no"),
    *(b"Content-Usage: train-ai=n", b"Sitemap: https://e.com/s.xml"),
)
MOST_FINDINGS, MOST_URLS, MOST_TOKENS = 6, 8, 4
"""So much of each file is asked about."""


def dense(choice: random.Random) -> bytes:
    """Return a file of a few groups, whose rules cover and repeat each other."""
    lines: list[bytes] = []
    for _ in range(choice.randrange(1, 4)):
        heads = choice.choices(NAMES, k=choice.choice((1, 1, 1, 2)))
        lines += (b"User-agent: %s" % name.encode() for name in heads)
        lines += (_line(choice) for _ in range(choice.randrange(6)))
        lines += [b""] * (choice.random() < 0.6)
    return b"\n".join(lines) + b"\n"


def _line(choice: random.Random) -> bytes:
    if choice.random() < 0.06:
        return choice.choice(OTHERS)
    pattern = choice.choice(PATTERNS).encode()
    field = choice.choice((b"Disallow", b"Disallow", b"Disallow", b"Allow", b"Dissallow"))
    return b"%s: %s" % (field, pattern)


def without(body: bytes, number: int) -> bytes:
    """Return a file without a line."""
    start, stop = verger.parse(body).lines[number - 1].span
    return body[:start] + body[stop:]


def untrue(
    body: bytes, choice: random.Random, settings: Settings, count: Counter[str]
) -> Iterator[str]:
    """Yield what changes without a line of which a finding says that nothing does.

    count:  counts the findings that are looked at, by code.
    """
    found = lint(body, settings=settings).diagnostics
    for each in choice.sample(found, min(len(found), MOST_FINDINGS)):
        new = without(body, each.line)
        count[each.code] += 1
        for name in settings.targets:
            for what in (*_by_proof(body, new, name), *_by_reference(body, new, name, choice)):
                yield f"{each.code}, line {each.line}, {name}: {what}"


def _by_proof(old: bytes, new: bytes, name: DialectName) -> Iterator[str]:
    proof = prove(verger.parse(old, dialect=name), verger.parse(new, dialect=name))
    if not proof.keeps_everything:
        yield f"{proof!r}: {proof.changed} {proof.uses} {proof.other_records}"


def _by_reference(old: bytes, new: bytes, name: str, choice: random.Random) -> Iterator[str]:
    urls, tokens = promises._urls(old, new, choice), promises._tokens(old, choice)
    for url in choice.sample(urls, min(len(urls), MOST_URLS)):
        for token in choice.sample(tokens, MOST_TOKENS):
            was, now = (_answers(body, name, token, url) for body in (old, new))
            if was != now:
                yield f"{token} {url}: {was} became {now}"


def _answers(body: bytes, name: str, token: str, url: str) -> list[object]:
    """Return whether a crawler may fetch a URL, and use what is there, by the reference."""
    switches = SWITCHES[name]
    try:
        uses = (
            reference.may_use(body, switches, token, url, purpose, [name for name, _ in tokens])
            for purpose in PURPOSES
            for tokens in [policy_tokens((token,), purpose)]
        )
        return [
            reference.decide(body, switches, token, url).allowed,
            *(use.allowed for use in uses),
        ]
    except (reference.TokenError, reference.UrlError) as error:
        return [type(error)]


def targets_for(choice: random.Random) -> Sequence[DialectName]:
    """Return the targets of a file: mostly those by default."""
    some = choice.sample(cast(list[DialectName], [*verger.DIALECTS]), choice.choice((1, 2)))
    return TARGETS if choice.random() < 0.7 else some


@pytest.mark.parametrize("share", range(SHARES))
def test_generated_files(share: int) -> None:
    """In 20,000 generated files, no finding is true only together with others."""
    count = Counter[str]()
    for seed in range(share, FILES, SHARES):
        choice = random.Random(seed)
        body = dense(choice) if seed // SHARES % 2 else promises.generated(choice)
        settings = Settings(CODES, targets=tuple(targets_for(choice)))
        assert [] == list(untrue(body, choice, settings, count)), (seed, body)

    assert set(CODES) <= set(count)
    assert count.total() > FILES / SHARES / 2


@pytest.mark.parametrize("archive", list(ARCHIVES)[: None if EVERYTHING else 1])
def test_real_files(archive: str) -> None:
    """Neither in real files."""
    count = Counter[str]()
    for at, (name, body) in enumerate(members(shared(archive))):
        if at % ARCHIVES[archive] == 0:
            choice = random.Random(name)
            assert [] == list(untrue(body, choice, ALONE, count)), name

    assert count["RT305"]
