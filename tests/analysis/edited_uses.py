"""What edits change of uses, judged by the reference reading, which knows no proof.

In: a file, or a number, which is the seed of one. Out: `Wrong`s: answers about use that an edit
should not have given. The judge is asked before and after each edit, for crawlers whose operators
have policy tokens, for others, and for these tokens; about URLs that the patterns of both files
suggest, and each use; in each of eight dialects, with `Content-Usage` off and on.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import verger
from reference import SWITCHES, Switches, UrlError, Use, decide, may_use
from reference.reader import read, records
from reference.selection import checked, groups_naming
from reference.uses import before_groups
from verger.analysis import Outcome, Refused, allow, block, minimise
from verger.errors import InvalidOption
from verger.expectations import InvalidExpectations, expectations_in, fix
from verger.lint import fixed, formatted

from .edits import _reading, _said

USES = ("search", "ai-input", "ai-train")
POLICIES = {
    "Google-Extended": ("Google", ("ai-input", "ai-train")),
    "Applebot-Extended": ("Apple", ("ai-train",)),
    "__usage_ai-training": (None, ("ai-train",)),
}
"""Names that no crawler sends: whose crawlers they speak for, and about which uses."""
CRAWLERS: dict[str, tuple[tuple[str, ...], str | None, bool]] = {
    "*": ((), None, True),
    "Googlebot": ((), "Google", True),
    "Googlebot-Image": (("Googlebot",), "Google", True),
    "AdsBot-Google": ((), "Google", False),
    "Applebot": (("Googlebot",), "Apple", True),
    "iTMS": ((), "Apple", True),
    "GPTBot": ((), "OpenAI", True),
    "CCBot": ((), "Common Crawl", True),
    "MJ12bot": ((), "Majestic-12", True),
    "zqzq": ((), None, True),
    **{token: ((), operator, False) for token, (operator, _) in POLICIES.items()},
}
"""Whose groups each follows if none names it, its operator, and whether it follows `*` then."""

NAMES = (
    *("*", "*", "*", *CRAWLERS, *POLICIES, *POLICIES),
    *("google-extended", "APPLEBOT-EXTENDED", "Google-Extended/1.0", "Applebot-Extended2"),
    *("Google", "Apple", "apple", "__usage", "Googlebot,Google-Extended", "Google-Extended x", "M"),
)
KEYS = (*["User-agent"] * 12, "user-agent", "USER-AGENT ", "Useragent", "User agent")
PATTERNS = (
    *("/", "/", "/a", "/a/b", "/a*", "/*.x", "/a$", "/*b", "/a?b:c", "/a:", "/a%3A", "", "", "/*"),
    *("a", "/%61", "/robots.txt", "/b", "/a/"),
)
SIGNALS = tuple(
    f"{name}: {'/x ' * is_wrong}{use}={word}{more}"
    for name in ("Content-Signal", "content-signals")
    for use in (*USES, "use")
    for word in ("yes", "no", "full")
    for more in ("", ", search=yes")
    for is_wrong in (False,)
)
USAGES = (
    *("Content-Usage: train-ai=n", "Content-Usage: train-ai=y", "Content-Usage: /a train-ai=n"),
    *("Content-Usage: /a/b train-ai=y, search=n", "Content-Usage: ai-use=n", "Content-Usage: 7"),
)
OTHERS = ("Crawl-delay: 3", "Sitemap: https://e.example/s.xml", "# note", "noise", "Dissallow: /b")
ASKED = tuple(token for token in CRAWLERS if token != "AdsBot-Google")
WISHES = ("/", "/", "/a", "/a/b", "/*.x", "/new", "/a$", "/b/")
MOST_URLS = 24


@dataclass(frozen=True, slots=True)
class Wrong:
    """An answer that an edit should not have given."""

    edit: str
    dialect: str
    token: str
    use: str
    url: str
    was: bool | None
    now: bool | None
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Asked:
    """What an edit is for: crawlers whose answers about some paths, or one use, may change."""

    tokens: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    allowed: bool = False
    use: str | None = None


@dataclass(frozen=True, slots=True)
class Edited:
    """One edit: the new file, and the dialects in which nothing else is to change."""

    name: str
    body: bytes
    dialects: Collection[str]
    asked: Asked = Asked()
    outcome: Outcome | None = None
    own: str = "rfc9309"
    """The dialect of the file."""


def generated(chance: random.Random) -> bytes:
    """Return a file in which signals and names of every kind stand anywhere."""
    lines = [_more(chance)] if chance.random() < 0.25 else []
    often = chance.choice((0.05, 0.15, 0.4))
    for _ in range(chance.randint(0, 5)):
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            lines += [_more(chance)] * (chance.random() < often)
            lines.append(f"{chance.choice(KEYS)}: {chance.choice(NAMES)}")
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            lines += [_more(chance)] * (chance.random() < often)
            lines.append(f"{chance.choice(('Allow', 'Disallow'))}: {chance.choice(PATTERNS)}")
        lines += [_more(chance)] * (chance.random() < often)
        lines += [""] * chance.choice((0, 1, 1, 2))
    end = chance.choice(("\n", "\n", "\n", "\r\n", "\r"))
    begin = chance.choice((b"", b"", b"", b"\xef\xbb\xbf"))
    return begin + (end.join(lines) + chance.choice((end, end, ""))).encode()


def _more(chance: random.Random) -> str:
    kind = chance.random()
    return chance.choice(SIGNALS if kind < 0.5 else USAGES if kind < 0.65 else (*OTHERS, ""))


def judge(body: bytes, chance: random.Random) -> tuple[Counter[str], list[Wrong]]:
    """Edit a file in each way; return how many edits were made, and what is wrong with them."""
    counts: Counter[str] = Counter()
    wrong: list[Wrong] = []
    for name, edit in _edits(body, chance):
        try:
            done = edit()
        except (Refused, InvalidOption, InvalidExpectations):
            counts[f"{name} refused"] += 1
            continue
        counts[f"{name} {'made' if done.body != body else 'needless'}"] += 1
        wrong += _wrong_with(body, done)
    return counts, wrong


def _edits(body: bytes, chance: random.Random) -> Iterator[tuple[str, Callable[[], Edited]]]:
    yield "fmt", lambda: Edited("fmt", formatted(body), SWITCHES)
    yield "fix", lambda: Edited("fix", fixed(body).body, SWITCHES)
    dialect = chance.choice([*SWITCHES, *["rfc9309"] * 6])
    robots = verger.parse(body, dialect=dialect)
    yield "minimise", lambda: Edited("minimise", minimise(robots).body, SWITCHES)
    yield "minimise in one", lambda: Edited("one", minimise(robots, dialects=()).body, [dialect])
    for act in (block, allow):
        tokens = chance.sample(ASKED, chance.choice((1, 1, 2)))
        paths = chance.sample(WISHES, chance.choice((1, 1, 2)))
        asked = Asked(frozenset(tokens), tuple(paths), act is allow)
        yield (
            act.__name__,
            lambda act=act, asked=asked: _of(  # type: ignore[misc]
                act.__name__, act(robots, sorted(asked.tokens), paths=asked.paths), asked, dialect
            ),
        )
    token, path = chance.choice(ASKED), chance.choice(WISHES)
    use = chance.choice((None, *USES))
    asked = Asked(frozenset([token]), (path if use is None else "/",), chance.random() < 0.3, use)
    yield "test --fix", lambda: _of("test --fix", fix(_expectation(asked), body), asked)


def _of(name: str, outcome: Outcome, asked: Asked, own: str = "rfc9309") -> Edited:
    dialects = {each.split("+")[0] for each in outcome.proof.dialects}
    return Edited(name, outcome.body, dialects, asked, outcome, own)


def _expectation(asked: Asked):  # type: ignore[no-untyped-def]
    use = f'use = "{asked.use}"\n' if asked.use else ""
    what = f'paths = "{asked.paths[0]}"\nallowed = {str(asked.allowed).lower()}\n'
    return expectations_in(f'[[expect]]\nagent = "{next(iter(asked.tokens))}"\n{use}{what}')


# The judge


def _wrong_with(before: bytes, done: Edited) -> Iterator[Wrong]:
    """Yield the answers about use that are not what they should be."""
    if before == done.body:
        return
    urls = urls_of(before, done.body, done.asked.paths)
    for dialect in SWITCHES:
        is_strict = dialect in done.dialects
        if not is_strict and done.name in ("one",):
            continue
        for with_usage in (False, True):
            switches = _reading(dialect, with_usage=with_usage)
            label = f"{dialect}{'+content-usage' * with_usage}{' (not counted)' * (not is_strict)}"
            asked = [(use, url) for use in USES for url in urls]
            known: dict[object, list[tuple[Use, Use]]] = {}
            for token in CRAWLERS:
                heard = [_heard(it, token, switches) for it in (before, done.body)]
                if heard[0] == heard[1]:
                    continue
                key = (*heard, *(_voices(token, use) for use in USES))
                if key not in known:  # who hears the same gets the same answers
                    known[key] = [
                        (
                            _answer(before, token, switches, url, use),
                            _answer(done.body, token, switches, url, use),
                        )
                        for use, url in asked
                    ]
                for (use, url), (was, now) in zip(asked, known[key], strict=True):
                    if not is_strict and _is_said_already(before, done.own, token, use):
                        continue
                    if not _is_right(was, now, token, use, url, done.asked, switches, is_strict):
                        yield Wrong(
                            done.name,
                            label,
                            token,
                            use,
                            url,
                            was.allowed,
                            now.allowed,
                            before,
                            done.body,
                        )


def _is_said_already(before: bytes, own: str, token: str, use: str) -> bool:
    """Whether signals allow a use in the dialect of the file, so that a dialect that the summary
    does not count may hear them, too."""
    return _answer(before, token, SWITCHES[own], "/robots.txt", use).allowed is True


def _is_right(
    was: Use,
    now: Use,
    token: str,
    use: str,
    url: str,
    asked: Asked,
    switches: Switches,
    is_strict: bool,
) -> bool:
    """Whether an answer may have become another one."""
    if was.allowed is now.allowed:
        return True
    if not is_strict and not (was.allowed is None and now.allowed):
        return True  # the summary does not count this dialect, but silence is never a permission
    if _is_meant(token, asked):
        if asked.use is not None:
            return asked.use == use
        if _is_hit(url, asked.paths, switches):
            return not asked.allowed or was.allowed is False
    led = {name for name in asked.tokens if name in POLICIES and _speaks_for(name, token, use)}
    if led and asked.use is None:
        is_hit = _is_hit(url, asked.paths, switches)
        return is_hit and (not now.allowed if not asked.allowed else was.allowed is False)
    return bool(led) and asked.use == use


def _is_meant(token: str, asked: Asked) -> bool:
    """Whether an edit is for a crawler; `*` also stands for those that no group names."""
    return token in asked.tokens or ("*" in asked.tokens and token not in POLICIES)


@cache
def _speaks_for(policy: str, token: str, use: str) -> bool:
    operator, uses = POLICIES[policy]
    return use in uses and operator in (None, CRAWLERS[token][1])


@cache
def _voices(token: str, use: str) -> tuple[str, ...]:
    return tuple(policy for policy in POLICIES if _speaks_for(policy, token, use))


@lru_cache(maxsize=1024)
def _name(body: bytes, token: str, switches: Switches) -> tuple[str, Switches]:
    """Return the name whose groups a crawler follows, and whether those of `*` speak for it."""
    follows, _, by_star = CRAWLERS[token]
    groups = read(body, switches)
    named = (
        name
        for name in (token, *follows)
        if groups_naming(groups, [checked(name, switches)], switches)
    )
    return next(named, token), switches if by_star else _without_star(switches)


@cache
def _without_star(switches: Switches) -> Switches:
    return replace(switches, ignore_star=True)


@lru_cache(maxsize=4096)
def _heard(body: bytes, token: str, switches: Switches) -> object:
    """Return all that a crawler hears: if it is the same, so are the answers."""
    name, own = _name(body, token, switches)
    groups = [
        _said(body, policy, _without_star(switches))
        for policy in dict.fromkeys(policy for use in USES for policy in _voices(token, use))
    ]
    above = [(each.field, each.value) for each in before_groups(body, switches)]
    signals = (each for each in above if each[0] == "content-signal")
    return _said(body, name, own), tuple(groups), tuple(signals)


@lru_cache(maxsize=1 << 15)  # an answer before all edits is asked for after each
def _answer(body: bytes, token: str, switches: Switches, url: str, use: str) -> Use:
    name, own = _name(body, token, switches)
    return may_use(body, own, [name], url, use, _voices(token, use))


@lru_cache(maxsize=4096)
def _is_hit(url: str, paths: tuple[str, ...], switches: Switches) -> bool:
    if url == "/robots.txt" and "/" in paths:  # which no rule closes, and nobody trains with
        return True
    rules = "".join(f"Disallow: {path}\n" for path in paths)
    return not decide(f"User-agent: a\n{rules}".encode(), switches, "a", url).allowed


def urls_of(before: bytes, after: bytes, paths: Sequence[str]) -> list[str]:
    """Return URLs that patterns of both files suggest."""
    values = {
        each.value.partition(b" ")[0]
        for body in (before, after)
        for each in records(body, SWITCHES["rfc9309"])
        if each.field in ("allow", "disallow", "content-usage")
    }
    texts = {value.decode("latin-1") for value in values} | {*paths}
    urls = {"/": None, "/zz": None, "/robots.txt": None}
    for text in sorted(texts, key=lambda text: (len(text), text)):
        plain = text.removesuffix("$")
        for url in (plain.replace("*", "x"), plain.replace("*", "") + "x", plain[:-1]):
            if re.fullmatch(r"/[!-~]*", url) and not url.startswith("//"):
                urls[url] = None
    return [*urls][:MOST_URLS]


__all__ = ["UrlError", "generated", "judge"]
