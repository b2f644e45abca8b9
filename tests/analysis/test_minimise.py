"""Minimise: fewer rules and groups, and the same answers to everybody.

The oracle knows no analysis: it asks about every short URL of a small alphabet.
"""

import tracemalloc

import pytest
from hypothesis import given, strategies as st

import verger
from property_settings import examples
from verger.analysis import minimal_file, minimise

from . import laid_out
from .test_access_edits import OTHERS, answers, files

cases = laid_out.dialects.flatmap(lambda name: st.tuples(st.just(name), files(name)))


def size_of(robots: verger.RobotsTxt) -> tuple[int, int, int]:
    """Return how many groups, start-group lines and rules a file has."""
    groups = robots.groups
    starts = sum(len(group.start_lines) for group in groups)
    return len(groups), starts, sum(len(group.rules) for group in groups)


@examples(20)
@given(cases)
def test_nothing_changes(case: tuple[str, bytes]) -> None:
    """No crawler gets another answer, and the file has no more of anything."""
    dialect, body = case
    old = verger.parse(body, dialect=dialect)
    outcome = minimise(old)

    assert outcome.proof.is_empty
    for token in OTHERS:
        assert answers(outcome.robots, token) == answers(old, token), (token, outcome.body)
    assert all(map(int.__ge__, size_of(old), size_of(outcome.robots)))
    assert minimise(outcome.robots).body == outcome.body


SMALLER = {
    "a redundant rule": (
        "User-agent: *\nDisallow: /a\nDisallow: /a/b # why\n",
        "User-agent: *\nDisallow: /a\n# why\n",
    ),
    "a group that says what all are told": (
        "User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /a*\n",
        "User-agent: *\nDisallow: /a\n",
    ),
    "groups that say the same": (
        "User-agent: GPTBot\nDisallow: /\n\n# AI\nUser-agent: CCBot\nDisallow: /*\n",
        "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\n# AI\n",
    ),
    "names that nobody may write anew": (
        "User-agent: Web Sucker\nDisallow: /\n\nUser-agent: LWP::Simple\nDisallow: /\n",
        "User-agent: Web Sucker\nUser-agent: LWP::Simple\nDisallow: /\n",
    ),
    "blank lines around what goes": (
        "User-agent: *\nDisallow: /\n\nUser-agent: a\nDisallow: /\n\nUser-agent: b\nDisallow: /\n",
        "User-agent: *\nDisallow: /\n",
    ),
    "groups of one crawler": (
        "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n",
        "User-agent: *\nDisallow: /a\nDisallow: /b\n",
    ),
    "another delay is another group": (
        "User-agent: GPTBot\nDisallow: /\nCrawl-delay: 1\n\nUser-agent: CCBot\nDisallow: /\n",
        None,
    ),
    "a rule that is shorter than none": ("User-agent: *\nAllow: /\n", None),
    "a comment behind a NUL": (
        "User-agent: *\nDisallow: /a\nDisallow: /a/b \0 # why\n",
        "User-agent: *\nDisallow: /a\n# why\n",
    ),
    "nothing to do": ("# hello\nUser-agent: *\nDisallow: /a\n", None),
    "no group": ("Sitemap: https://e.example/s.xml", None),
    "nothing at all": ("", None),
}


@pytest.mark.parametrize("name", SMALLER)
def test_what_is_left_out(name: str) -> None:
    """What does nothing goes, and comments stay."""
    before, after = SMALLER[name]
    outcome = minimise(verger.parse(before), dialects=())

    assert outcome.body.decode() == (before if after is None else after)


@pytest.mark.parametrize("dialect", verger.DIALECTS)
def test_a_line_that_is_not_read_is_no_blank_line(dialect: str) -> None:
    """What stands behind a NUL stays, also where the dialect reads nothing of its line."""
    unread = "\0isallow: /ab #c keep me\n"
    blocks = [
        "User-agent: *\nDisallow: /\n",
        unread,
        "User-agent: b\nDisallow: /\n",
        unread,
        unread,
    ]
    outcome = minimise(verger.parse("\n".join(blocks), dialect=dialect))

    assert outcome.body.count(b"#c keep me\n") == 3
    assert outcome.body.count(b"\0isallow: /ab #c keep me\n") == 3


@given(cases)
def test_no_file_becomes_longer(case: tuple[str, bytes]) -> None:
    """The new file is shorter, or the old one."""
    dialect, body = case
    outcome = minimise(verger.parse(body, dialect=dialect))

    assert outcome.body == body or len(outcome.body) < len(body)
    assert bool(outcome.edits) == (outcome.body != body)


HANGING_TOGETHER = [name for n in range(200) for name in (f"Zeus {n}", f"Web {n}", "Zeus", "Web")]


def test_many_groups_that_hang_together() -> None:
    """Of a list of hundreds of crawlers those remain that bind the others as well."""
    groups = "".join(f"User-agent: {name}\nDisallow: /\n\n" for name in HANGING_TOGETHER)
    robots = minimise(verger.parse(f"{groups}User-agent: *\nAllow: /\n"), dialects=()).robots

    assert [group.product_tokens for group in robots.groups] == [("Zeus", "Web"), ("*",)]


def test_what_is_not_tried_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the tries run out, what was not tried stays, and the outcome says how much that is."""
    # In 1994 and 1996, only the first group of a crawler counts: they cannot be one.
    groups = ((name, path) for name in ("GPTBot", "CCBot", "ClaudeBot") for path in ("/a", "/b"))
    text = "".join(f"User-agent: {name}\nDisallow: {path}\n\n" for name, path in groups)
    whole = minimise(verger.parse(text))
    monkeypatch.setattr(minimal_file, "MOST_READ", 0)
    monkeypatch.setattr(minimal_file, "LEAST_TRIES", 1)
    stopped = minimise(verger.parse(text))

    assert 0 == whole.untried
    assert 0 < stopped.untried
    assert len(whole.body) <= len(stopped.body)
    assert not stopped.proof.changed


def test_many_groups_of_all_crawlers_take_little_memory() -> None:
    """The groups of each crawler are not kept: hundreds of crawlers follow thousands each."""
    groups = (b"User-agent: *\nDisallow: /%d\n" % number for number in range(1000))
    robots = verger.parse(b"".join(groups))
    tracemalloc.start()
    try:
        minimise(robots)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 32 << 20
