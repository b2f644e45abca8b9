"""Generated files, edits of them, and a judge who knows no proof: what each edit got wrong.

In: a number, which is the seed of one file. Out: `Wrong`s. The files have every kind of line
between start-group lines and rules. The judge is the reference implementation of
`tests/reference`, asked about many URLs and crawlers, before and after, in each of eight dialects,
with `Content-Usage` off and on; for `googlebot-cpp`, with it off, it is Google's own parser.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import verger
from differential.oracle import Oracle
from differential.questions import Question
from reference import SWITCHES, Switches, decide
from reference.reader import GROUP_RECORDS, Group, ends_starts, read, records
from reference.selection import binding, checked
from verger.analysis import Refused, allow, block, minimise
from verger.errors import InvalidOption
from verger.lint import fixed, formatted

NAMES = (
    *("GPTBot", "b", "alpha", "beta", "CCBot", "*", "*"),
    *("MJ12bot", "MJ", "AI2Bot", "GPTBot/1.0", "b c", "a,b", ""),
)
PATTERNS = (
    *("/", "/x", "/p", "/x/y", "/p*", "/*.gif", "/x$", "/p/q$", "/*x", "", ""),
    *("x", "/p%41", "/d/index.html", "/a?b", "/**/q", "/x"),
)
BETWEEN = (
    *("Content-Usage: train-ai=n", "Content-Usage: /x train-ai=y", "Content-Usage: 7"),
    *("Content-Signal: ai-train=no", "Content-Signal: search=yes, ai-train=no"),
    *("Crawl-delay: 3", "Crawl-delay: 10", "Crawl-delay: fast"),
    *("Request-rate: 1/5", "Request-rate: 1", "Visit-time: 0100-0300"),
    *("Noindex: /q", "Nofollow: /q", "Noarchive: /", "Robot-version: 2.0", "Comment: hello"),
    *("Sitemap: https://e.example/s.xml", "Host: e.example", "Clean-param: s /x"),
    *("License: https://e.example/l.xml", "ACAP-crawler: x", "DisallowAITraining: /x"),
    *("AllowAITraining: /x", "Cache-delay: 4", "Revisit-after: 3 days", "LLM-policy: no"),
    *("Foo: bar", "Dissallow: /x", "Disallow /p", "noise", "# comment", "  # comment", "#"),
)
OTHERS = ("zzz", "MJ", "AI", "GPT", "c")
URLS = (
    *("/", "/x", "/x/y", "/xx", "/p", "/p/q", "/p/qr", "/pA", "/p%41", "/q", "/a.gif"),
    *("/x.gif", "/d/", "/d/index.html", "/d/i", "/a?b", "/a", "/r/q", "/r/s/q", "/robots.txt"),
    *("/x*", "/x$", "/p*", "/p?x", "/zx"),
)
ASKED = ("GPTBot", "b", "alpha", "CCBot", "MJ12bot", "AI2Bot")
TOKENS = tuple(dict.fromkeys((*ASKED, *OTHERS, *(each for each in NAMES if each.isalpha()), "*")))
SUBSTRINGS = "original-1994"
WISHES = ("/", "/p", "/x", "/x/y", "/p*", "/*.gif", "/x$", "/new")


@dataclass(frozen=True, slots=True)
class Wrong:
    """An answer that an edit should not have given."""

    edit: str
    dialect: str
    token: str
    url: str
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Judged:
    """The edits of one file: how many were made, refused, or needless; and what is wrong."""

    counts: Counter[str]
    wrong: tuple[Wrong, ...]


def judge(seed: int) -> Judged:
    """Make a file, edit it in each way, and compare what it says before and after."""
    chance = random.Random(seed)
    body = file(chance)
    dialect = list(SWITCHES)[seed % len(SWITCHES)]
    counts: Counter[str] = Counter()
    wrong: list[Wrong] = []
    for name, edit in (("fmt", formatted), ("fix", lambda body: fixed(body).body)):
        new = edit(body)
        counts[f"{name} {'made' if new != body else 'needless'}"] += 1
        wrong += _changes(name, body, new, SWITCHES)
    for name, act in (("block", block), ("allow", allow), ("minimise", None)):
        asked = chance.sample(ASKED, chance.choice((1, 1, 2))) if act else []
        paths = chance.sample(WISHES, chance.choice((1, 1, 2)))
        robots = verger.parse(body, dialect=dialect)
        try:
            outcome = act(robots, asked, paths=paths) if act else minimise(robots)
        except (Refused, InvalidOption) as error:
            counts[f"{name} refused"] += 1
            counts[f"{name} refused: {_shape(str(error.message))}"] += 1
            continue
        counts[f"{name} {'made' if outcome.edits else 'needless'}"] += 1
        meant = {token.lower() for token in (*asked, *outcome.also)}
        opened = name == "allow"
        wrong += _changes(name, body, outcome.body, [dialect], meant, paths, opened=opened)
    return Judged(counts, tuple(wrong))


def file(chance: random.Random) -> bytes:
    """Return a file in which anything may stand between the lines of groups."""
    lines: list[str] = []
    between = chance.choice((0.1, 0.3, 0.6))
    few = chance.sample(BETWEEN, 4)
    usage = chance.random() < 0.4
    for _ in range(chance.randint(1, 4)):
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            lines += _between(chance, few, between, usage=usage)
            lines.append(f"User-agent: {chance.choice(NAMES)}")
        for _ in range(chance.choice((0, 1, 1, 2, 3))):
            lines += _between(chance, few, between, usage=usage)
            field = chance.choice(("Disallow", "Disallow", "Allow"))
            lines.append(f"{field}: {chance.choice(PATTERNS)}".rstrip())
        lines += [""] * chance.choice((0, 1, 1, 2))
    lines += _between(chance, few, between, usage=usage)
    end = chance.choice(("\n", "\n", "\n", "\r\n", "\r"))
    return (end.join(lines) + chance.choice((end, end, ""))).encode()


def _between(
    chance: random.Random, few: Sequence[str], often: float, *, usage: bool
) -> Iterator[str]:
    while chance.random() < often:
        if chance.random() < 0.25:
            yield ""
        elif usage and chance.random() < 0.3:
            yield BETWEEN[chance.randrange(3)]
        else:
            yield chance.choice(few)


def _shape(message: str) -> str:
    """Return a message without what it quotes."""
    return "".join(message.split("`")[::2])


# The judge


def _changes(
    edit: str,
    before: bytes,
    after: bytes,
    dialects: Sequence[str] | dict[str, Switches],
    meant: set[str] = frozenset(),  # type: ignore[assignment]
    paths: Sequence[str] = (),
    *,
    opened: bool = False,
) -> Iterator[Wrong]:
    """Yield the answers and records that differ from what they should be.

    meant:   the crawlers whose answers were to change, in lower case; and on which paths.
    opened:  whether they were to be opened; otherwise closed.
    """
    if before == after and not meant:
        return
    for name in dialects:
        tokens = [token for token in TOKENS if name != SUBSTRINGS or _is_compared(token, before)]
        for with_usage in (False, True):
            switches = _reading(name, with_usage=with_usage)
            label = f"{name}{'+content-usage' * with_usage}"
            if not meant and _all_said(before, switches) == _all_said(after, switches):
                continue
            asks = _google if name == "googlebot-cpp" and not with_usage else _reference
            for token in tokens:
                is_meant = token.lower() in meant
                if not is_meant and _said(before, token, switches) == _said(after, token, switches):
                    continue
                old, new = asks(before, token, switches), asks(after, token, switches)
                where = _matched(tuple(paths), switches) if is_meant else [False] * len(URLS)
                yield from (
                    Wrong(edit, label, token, url, before, after)
                    for url, was, now, hit in zip(URLS, old, new, where, strict=True)
                    if now != (opened if hit else was)
                )
                if not is_meant and _told(before, token, switches) != _told(after, token, switches):
                    yield Wrong(edit, label, token, "(records)", before, after)


def _is_compared(token: str, body: bytes) -> bool:
    """Whether a crawler of this name exists: every text is a name that `GPTBot` contains, or that
    contains it, and no edit can keep what all of them were told."""
    return token in (*ASKED[:1], *ASKED[3:], "*", "zzz") or any(
        line.split(b"#")[0].endswith(f": {token}".encode()) for line in body.splitlines()
    )


@cache
def _reading(name: str, *, with_usage: bool) -> Switches:
    fields = (*SWITCHES["rfc9309"].extensions, *["content-usage"] * with_usage)
    return replace(SWITCHES[name], extensions=fields)


def _all_said(body: bytes, switches: Switches) -> object:
    """Return all groups with their rules and records; if these are the same, so is all that
    follows."""
    groups = read(body, switches)
    rules = [[(rule.allow, rule.value) for rule in group.rules] for group in groups]
    return [group.agents for group in groups], rules, _records(body, switches)


@lru_cache(maxsize=4096)
def _said(body: bytes, token: str, switches: Switches) -> object:
    """Return the rules and records for a crawler; if these are the same, so are the answers."""
    groups = binding(body, (checked(token, switches),), switches)
    rules = [(rule.allow, rule.value) for group in groups for rule in group.rules]
    return tuple(rules), _told(body, token, switches)


def _told(body: bytes, token: str, switches: Switches) -> frozenset[tuple[str, bytes]]:
    """Return the records of the groups that a crawler follows; to repeat one says nothing."""
    own = binding(body, (checked(token, switches),), switches)
    told = zip(read(body, switches), _records(body, switches), strict=True)
    return frozenset(record for group, found in told if group in own for record in found)


@lru_cache(maxsize=64)
def _records(body: bytes, switches: Switches) -> list[list[tuple[str, bytes]]]:
    """Return the records of each group of a file that speak to its crawlers."""
    groups: list[tuple[Group, list[tuple[str, bytes]]]] = []
    current: Group | None = None
    for record in records(body, switches):
        if record.field == "user-agent":
            if current is None or current.has_rule_line:
                groups.append((current := Group(), []))
        elif record.field == "(blank)" and switches.blank_ends:
            current = None
        elif current is None:
            continue
        elif record.field in ("allow", "disallow"):
            current.has_rule_line = True
        elif record.field in (*GROUP_RECORDS, "content-usage", "content-signal"):
            current.has_rule_line |= ends_starts(record.field, switches)
            groups[-1][1].append((record.field, record.value))
    is_void = switches.drop_empty_groups
    return [told for group, told in groups if group.has_rule_line or not is_void]


def _reference(body: bytes, token: str, switches: Switches) -> list[bool]:
    return [decide(body, switches, token, url).allowed for url in URLS]


def _google(body: bytes, token: str, _: Switches) -> list[bool]:
    return [
        verdict[0] for verdict in Oracle().answers(body, [Question(url, token) for url in URLS])
    ]


@cache
def _matched(paths: tuple[str, ...], switches: Switches) -> list[bool]:
    """Return which URLs some patterns match."""
    rules = "".join(f"Disallow: {path}\n" for path in paths)
    return [not each for each in _reference(f"User-agent: a\n{rules}".encode(), "a", switches)]
