"""What fixes promise, asked of `verger.parse`, which knows nothing of the proofs behind them.

In: bytes. Out: the promises that a file breaks, as sentences. `python tests/lint/promises.py` asks
about every real file of the shared corpus and about generated ones, and prints what breaks.
"""

import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # when it is run by itself

import strategies
import verger
from support import members, shared
from verger.analysis.readings import EVERY_FIELD
from verger.errors import RobotsError
from verger.lint import fixed, fixing, lint
from verger.lint.fixing import offered

READINGS = [
    reading
    for dialect in verger.DIALECTS.values()
    for reading in (dialect, dialect.replace(extensions=EVERY_FIELD))
]
"""Every dialect as it reads by default, and with all records."""

ALWAYS = ("unnamed", "Googlebot", "Yandex", "GPTBot")
MOST_TOKENS, MOST_URLS = 8, 24


def broken(body: bytes, choice: random.Random) -> Iterator[str]:
    """Yield the promises that the fixes of a file break.

    choice:  which crawlers and URLs are asked about.
    """
    report = lint(body)
    hows = [each.fix.applicability for each in offered(report) if each.fix]
    for unsafe in (False, True):
        promised = len(hows) - hows.count("display") if unsafe else hows.count("safe")
        done = fixed(body, unsafe=unsafe)
        if len(done.made) != promised:
            yield f"{promised} offered, {len(done.made)} made{' with unsafe ones' * unsafe}"
        if not unsafe:
            yield from _changed(body, done.body, choice)


def _changed(old: bytes, new: bytes, choice: random.Random) -> Iterator[str]:
    """Yield the answers that differ between two files."""
    if old == new:
        return
    tokens, urls = _tokens(old, choice), _urls(old, new, choice)
    for dialect in READINGS:
        before, after = (verger.parse(body, dialect=dialect) for body in (old, new))
        for token in tokens:
            answers = (robots.allowed_many(urls, token) for robots in (before, after))
            for url, was, now in zip(urls, *answers, strict=True):
                if was != now:
                    yield f"{dialect.name}: {token} {url}: {was} became {now}"


def _tokens(body: bytes, choice: random.Random) -> list[str]:
    named = {token for group in verger.parse(body).groups for token in group.product_tokens}
    valid = sorted(filter(_is_token, named))
    return [*ALWAYS, *choice.sample(valid, min(len(valid), MOST_TOKENS))]


def _is_token(word: str) -> bool:
    try:
        verger.parse(b"").agent(word)
    except (RobotsError, ValueError):
        return False
    return True


def _urls(old: bytes, new: bytes, choice: random.Random) -> list[str]:
    """Return URLs that the rules of either file suggest."""
    robots = (verger.parse(body) for body in (old, new))
    patterns = {rule.pattern for each in robots for group in each.groups for rule in group.rules}
    some = choice.sample(sorted(patterns), min(len(patterns), MOST_URLS))
    urls = {"/", "/robots.txt"}
    for pattern in some:
        path = "/" + pattern.lstrip("/").rstrip("$")
        urls |= {path.replace("*", "x"), path.replace("*", "") + "x", path[:-1].replace("*", "/")}
    return sorted(filter(_is_url, urls))


def _is_url(url: str) -> bool:
    return url.startswith("/") and url.isprintable() and not url.startswith("//")


# generated files


def generated(choice: random.Random) -> bytes:
    """Return a file of a few lines that are nearly right, and some twice."""
    lines: list[bytes] = []
    for _ in range(choice.randrange(1, 14)):
        lines.append(choice.choice(lines) if lines and choice.random() < 0.2 else _line(choice))
    return choice.choice(strategies.BOMS) + b"".join(lines)


def _line(choice: random.Random) -> bytes:
    kind = choice.random()
    if kind < 0.3:
        names = (*strategies.NAMES, "Googlebot", "GPTBot", "GTPBot")
        key, value = choice.choice(strategies.AGENT_KEYS[:6]), choice.choice(names).encode()
        value += choice.choice(strategies.AGENT_SUFFIXES) if choice.random() < 0.2 else b""
    elif kind < 0.75:
        key, value = choice.choice(strategies.RULE_KEYS[:12]), _pattern(choice)
    elif kind < 0.9:
        key, value = choice.choice(strategies.OTHER_KEYS), choice.choice(strategies.OTHER_VALUES)
    else:
        return choice.choice((b"\n", b"\n", b" \n", b"# c\n", b"text\n", b"<!-- x -->\n"))
    separator = choice.choice(strategies.SEPARATORS[:6]) if choice.random() < 0.95 else b" "
    return key + separator + value + choice.choice(strategies.COMMENTS) + _line_end(choice)


def _pattern(choice: random.Random) -> bytes:
    if choice.random() < 0.25:
        return choice.choice(strategies.COMMON_VALUES[:10])
    pieces = choice.choices(strategies.PIECES, k=choice.randrange(1, 5))
    return b"/" + "".join(pieces).encode("utf-8", "surrogateescape")


def _line_end(choice: random.Random) -> bytes:
    return choice.choice(strategies.LINE_ENDS) if choice.random() < 0.1 else b"\n"


def _files(share: int, shares: int, count: int) -> Iterator[tuple[str, bytes]]:
    """Yield a share of the real files, then of generated ones."""
    real = (
        each
        for archive in ("corpus/robots-modern.tar.xz", "corpus/robots-real.tar.gz")
        for each in members(shared(archive))
    )
    for at, each in enumerate(real):
        if at % shares == share:
            yield each
    for seed in range(share, count, shares):
        yield f"generated {seed}", generated(random.Random(seed))


def _find_once() -> None:
    """Let what is found about a file, and proved of an edit, be found once: `offered` and `fixed`
    begin alike, and a third of the time goes into what is found again."""
    for name in ("lint", "says_the_same"):
        setattr(fixing, name, lru_cache(LAST)(getattr(fixing, name)))


LAST = 64
"""How much is remembered: what is found about one file, in all rounds."""


def main(words: Sequence[str]) -> int:
    """Ask about a share of all files: `SHARE SHARES COUNT-OF-GENERATED`.

    `generated FIRST LAST` asks about generated files alone.
    """
    _find_once()
    if words[0] == "generated":
        first, last = map(int, words[1:])
        return _ask((f"generated {at}", generated(random.Random(at))) for at in range(first, last))
    return _ask(_files(*map(int, words)))


def _ask(files: Iterable[tuple[str, bytes]]) -> int:
    """Print what breaks in some files; return the exit code."""
    asked = wrong = 0
    for name, body in files:
        asked += 1
        for why in broken(body, random.Random(name)):
            wrong += 1
            print(f"{name}: {why}", flush=True)
        if asked % 5_000 == 0:
            print(f"{asked:,} files, {wrong:,} broken", file=sys.stderr, flush=True)
    print(f"{asked:,} files, {wrong:,} broken promises")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ("0", "1", "10000")))
