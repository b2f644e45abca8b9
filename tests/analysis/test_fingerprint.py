"""Fingerprints: the same only for files that say the same to every crawler about URLs and uses."""

import random
import tarfile
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, product

import pytest

import verger
from support import shared
from verger import DIALECTS, parse
from verger.analysis import diff, prove
from verger.crawlers import agents_of
from verger.crawlers.binding import Bindings
from verger.crawlers.purposes import USES
from verger.options import DialectName

PATHS = ["/" + "".join(letters) for n in range(5) for letters in product("ab/", repeat=n)]
"""Every URL of four characters: longer than all patterns."""

TOKENS = (
    "*",
    "one",
    "two",
    "Googlebot",
    "Googlebot-Image",
    "Google-Extended",
    "AdsBot-Google",
    "x",
)

PATTERNS = (
    "",
    "/",
    "/a",
    "/a/",
    "/b",
    "/ab",
    "/a*",
    "/*b",
    "/a$",
    "/*/b",
    "/a*b",
    "/b*$",
    "*a",
    "/a/b",
)

BINDINGS: tuple[Bindings, ...] = ("operators", "file")
PAIRS = 100_000


def generated(seed: int) -> bytes:
    """Return a small file."""
    dice = random.Random(seed)
    lines = []
    if dice.random() < 0.1:
        lines.append(f"Content-Signal: ai-train={dice.choice(('yes', 'no'))}")
    for _ in range(dice.randint(1, 3)):
        names = dice.sample(
            ("*", "*", "one", "two", "Googlebot", "Google-Extended"), dice.randint(1, 2)
        )
        lines += [f"User-agent: {name}" for name in names]
        lines += [
            f"{dice.choice(('Allow', 'Disallow'))}: {dice.choice(PATTERNS)}"
            for _ in range(dice.randint(0, 3))
        ]
        if dice.random() < 0.1:
            lines.append(f"Content-Signal: search={dice.choice(('yes', 'no'))}")
    return "\n".join([*lines, ""]).encode()


def answers(robots: verger.RobotsTxt) -> object:
    """Return all answers about fetching, of operators and by names, and some about use."""
    told: list[list[bool | None]] = []
    for bindings in BINDINGS:
        agents = agents_of(robots, TOKENS, bindings)
        told += [[*agent.allowed_many(PATHS)] for agent in agents]
        told += [
            [agent.may_use(path, use).allowed for use in USES]
            for agent in agents
            for path in PATHS[:13]
        ]
    return repr(told)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_equal_fingerprints_are_equal_answers(dialect: DialectName) -> None:
    """Of 100,000 pairs of generated files in all dialects, none has one fingerprint, two meanings;
    and most that mean the same have the same one."""
    number = int((2 * PAIRS / len(DIALECTS)) ** 0.5) + 1
    files = [parse(generated(seed), dialect=dialect) for seed in range(number)]
    told = defaultdict(set)
    by_answers = defaultdict(set)
    for file in files:
        said, mark = answers(file), file.fingerprint()
        told[mark].add(said)
        by_answers[said].add(mark)

    assert number * (number - 1) // 2 >= PAIRS // len(DIALECTS)
    assert [len(some) for some in told.values() if len(some) > 1] == []
    assert len(told) < number


def series() -> Iterator[list[bytes]]:
    """Yield the versions of each host of the real series."""
    hosts: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(shared("corpus/robots-timeseries.tar.xz")) as archive:
        for member in archive:
            if file := archive.extractfile(member) if member.isfile() else None:
                host, _, date = member.name.rpartition("/")
                hosts[host][date] = file.read()
    yield from ([body for _, body in sorted(of.items())] for _, of in sorted(hosts.items()))


def test_real_files() -> None:
    """Of consecutive versions of real files, none with equal fingerprints differs for any crawler,
    by the analysis; and of those that say the same, few have different ones."""
    same = missed = 0
    for versions in list(series())[::12]:
        for old, new in pairwise(map(parse, versions)):
            is_same = not diff(old, new).changes_answers and prove(old, new).is_empty
            has_same = old.fingerprint() == new.fingerprint()
            same += is_same
            missed += is_same and not has_same

            assert is_same or not has_same
    assert same
    assert missed <= same // 100


SAME = (
    ("User-agent: *\nDisallow: /a\n", "# b\nuser-agent : * # c\ndisallow:/a*\nDisallow: /a/b\n"),
    (
        "User-agent: a\nUser-agent: b\nDisallow: /\n",
        "User-agent: b\nDisallow: /\n\nUser-agent: A\nDisallow: /\n",
    ),
    ("User-agent: *\nDisallow: /\n", "User-agent: x\nDisallow: /\n\nUser-agent: *\nDisallow: /\n"),
    ("", "User-agent: *\nAllow: /\n"),
    ("User-agent: *\nAllow: /a\nDisallow: /\n", "User-agent: *\nDisallow: /\nAllow: /a\n"),
    ("User-agent: *\nDisallow: /%7Ea\n", "User-agent: *\nDisallow: /~a\n"),
)
OTHER = (
    ("User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a/\n"),
    ("User-agent: *\nDisallow: /a\n", "User-agent: b\nDisallow: /a\n"),
    ("User-agent: *\nDisallow: /a$\n", "User-agent: *\nDisallow: /a\n"),
    # a group that names a policy token speaks about use, also if it says what `*` says
    ("User-agent: *\nDisallow: /\n", "User-agent: *\nUser-agent: Google-Extended\nDisallow: /\n"),
    ("User-agent: *\nDisallow: /a\n", "Content-Signal: ai-train=no\nUser-agent: *\nDisallow: /a\n"),
    # above all groups it is for everyone
    (
        "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /a\n",
        "Content-Signal: ai-train=no\nUser-agent: *\nDisallow: /a\n",
    ),
    # AdsBot-Google ignores `*`, and Googlebot-Image follows Googlebot
    ("User-agent: *\nDisallow: /\n", "User-agent: *\nUser-agent: AdsBot-Google\nDisallow: /\n"),
)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_in_other_words(one: str, other: str) -> None:
    """Layout, order, redundant rules and groups change nothing."""
    assert parse(one).fingerprint() == parse(other).fingerprint()


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_what_says_something_else(one: str, other: str) -> None:
    """Whatever some crawler feels changes it."""
    assert parse(one).fingerprint() != parse(other).fingerprint()


def test_only_some_crawlers() -> None:
    """With crawlers, only what they are told counts."""
    one, other = parse("User-agent: *\nDisallow: /a\n"), parse("User-agent: b\nDisallow: /\n")

    assert one.fingerprint(["a"]) != other.fingerprint(["a"])
    assert parse("").fingerprint(["a"]) == other.fingerprint(["a"])
    with pytest.raises(verger.InvalidProductToken, match="a b"):
        one.fingerprint(["a", "a b"])


def test_records_count_if_asked() -> None:
    """A delay and a sitemap change no answer."""
    one, other = (
        parse("User-agent: *\nDisallow: /a\n"),
        parse("User-agent: *\nDisallow: /a\nCrawl-delay: 2\n"),
    )

    assert one.fingerprint() == other.fingerprint()
    assert one.fingerprint(records=True) != other.fingerprint(records=True)


def test_dialects_are_apart() -> None:
    """The same file says something else in another dialect."""
    marks = {
        parse("User-agent: *\nDisallow: /a\n", dialect=name).fingerprint()
        for name in DIALECTS.values()
    }

    assert len(marks) == len(DIALECTS)
