"""What a new version of a file changes: rows that a person can check, and witnesses that the
matcher checks, on generated files in every dialect and on versions of real ones.
"""

import tarfile
from collections.abc import Iterator
from itertools import groupby, pairwise

import pytest
from hypothesis import given, strategies as st

import verger
from property_settings import examples
from strategies import NAMED, Pair, Question, asked_files, files, pairs
from support import shared
from verger.analysis import SEVERITIES, CrawlersDiff, FileDiff, compare, diff
from verger.crawlers import agent_of

STAR = "User-agent: *\nDisallow: /private\nDisallow: /tmp\n"

CHANGES = {
    "a dollar goes": (
        *("User-agent: *\nDisallow: /*.php$\n", "User-agent: *\nDisallow: /*.php\n", "closed"),
        [("*", "closed /*.php at /.phpz", 0, 2)],
    ),
    "a slash comes": (
        *("User-agent: *\nDisallow: /tmp\n", "User-agent: *\nDisallow: /tmp/\n", "opened"),
        [("*", "opened /tmp at /tmp", 2, 0)],
    ),
    "a group of its own frees of the rules of `*`": (
        *(STAR, f"{STAR}\nUser-agent: GPTBot\nDisallow: /tmp\n", "opened"),
        [("GPTBot", "opened /private at /private", 2, 0)],
    ),
    "a crawler that is still named is closed out": (
        "User-agent: GPTBot\nAllow: /\n\nUser-agent: *\nAllow: /\n",
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /\n",
        "site-closed",
        [("GPTBot", "closed / at /", 2, 2)],
    ),
    "a crawler that nothing names any more falls to `*`": (
        *(f"{STAR}\nUser-agent: GPTBot\nDisallow: /\n", STAR, "opened"),
        [("GPTBot", "opened / at /", 6, 0)],
    ),
    "a star at the beginning stands behind a slash": (
        *("User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: *;id=\n", "closed"),
        [("*", "closed /*;id= at /;id=", 0, 2)],
    ),
    "an empty rule becomes a slash": (
        *("User-agent: *\nDisallow:\n", "User-agent: *\nDisallow: /\n", "site-closed"),
        [("*", "closed / at /", 0, 2)],
    ),
    "a more specific exception": (
        *(STAR, f"{STAR}Allow: /private/press\n", "opened"),
        [("*", "opened /private/press at /private/press", 2, 4)],
    ),
    "one directory instead of another": (
        *("User-agent: *\nDisallow: /a/\n", "User-agent: *\nDisallow: /b/\n", "opened"),
        [("*", "closed /b/ at /b/", 0, 2), ("*", "opened /a/ at /a/", 2, 0)],
    ),
    "the whole site opens": (
        *("User-agent: *\nDisallow: /\n", "User-agent: *\nDisallow:\n", "site-opened"),
        [("*", "opened / at /", 2, 0)],
    ),
    "a name that is misspelt names nobody": (
        *("User-agent: GPTBot\nDisallow: /\n", "User-agent: GPTBotX\nDisallow: /\n", "site-closed"),
        [("GPTBotX", "closed / at /", 0, 2), ("GPTBot", "opened / at /", 2, 0)],
    ),
    "rules in another order": (
        *(STAR, "User-agent: *\nDisallow: /tmp\nDisallow: /private\n", "layout", []),
    ),
    "a rule that another covers": (STAR, f"{STAR}Disallow: /private/a\n", "layout", []),
    "an escape of the same byte": (
        *("User-agent: *\nDisallow: /~a\n", "User-agent: *\nDisallow: /%7Ea\n", "layout", []),
    ),
    "a star at the end": (
        *("User-agent: *\nDisallow: /a\n", "User-agent: *\nDisallow: /a*\n", "layout", []),
    ),
    "a comment": (STAR, f"# new\n{STAR}", "layout", []),
    "a sitemap": (STAR, f"{STAR}Sitemap: https://example.com/s.xml\n", "other-records", []),
    "a crawl delay": (STAR, f"{STAR}Crawl-delay: 2\n", "other-records", []),
    "nothing": (STAR, STAR, "none", []),
}
"""Old, new, how grave, and for whom which region changes, by which lines; 0 stands for no rule."""


@pytest.mark.parametrize("name", CHANGES)
def test_changes(name: str) -> None:
    """What a person would say of a change, with the lines."""
    old, new, severity, rows = CHANGES[name]
    found = diff(verger.parse(old), verger.parse(new))
    shown = [(who, said, *lines) for each in found.changed for who, said, *lines in told(each)]

    assert (severity, rows) == (found.severity, shown)
    assert found.is_exact
    assert bool(rows) == found.changes_answers


def told(of: CrawlersDiff) -> Iterator[tuple[str, str, int, int]]:
    for change in of.changes:
        word = "opened" if change.opened else "closed"
        lines = [rule.line if rule else 0 for rule in (change.old, change.new)]
        said = f"{word} {change.region} at {change.witness}"
        yield ", ".join(of.shown), said, lines[0], lines[1]


def expect_proved(old: verger.RobotsTxt, new: verger.RobotsTxt, found: FileDiff) -> int:
    """Check with the matcher, for each crawler alone, whatever is said; return how much that is."""
    number = 0
    for each in found.changed:
        assert each.crawlers
        for token in each.crawlers:
            before, after = agent_of(old, token), agent_of(new, token)

            assert each.named == (before.named, after.named)
            for change in each.changes:
                number += 1
                allowed = before.allowed(change.witness), after.allowed(change.witness)

                assert (not change.opened, change.opened) == allowed, (token, change)
    grave = [SEVERITIES.index(each.severity) for each in found.changed]

    assert grave == sorted(grave)
    assert found.severity == (found.changed[0].severity if found.changed else found.severity)
    return number


FEW = ("*", "a", "ab", "bot", "Googlebot", "AdsBot-Google")


@pytest.mark.slow
@examples(150)
@given(asked_files(), asked_files(), st.one_of(st.sampled_from(NAMED), pairs()))
def test_what_is_said_is_so(
    one: tuple[bytes, list[Question]], other: tuple[bytes, list[Question]], pair: Pair
) -> None:
    """Every witness differs, and for crawlers of whom nothing is said no URL is found that does."""
    old, new = (verger.parse(body, dialect=pair.dialect) for body, _ in (one, other))
    asked = [question.url for _, questions in (one, other) for question in questions]
    found = diff(old, new, crawlers=FEW)
    expect_proved(old, new, found)
    changed = {token for each in found.changed if each.changes or not each.is_exact
               for token in each.crawlers}  # fmt: skip
    for token in set(FEW) - changed:
        before, after = agent_of(old, token), agent_of(new, token)
        for url in asked:
            assert _allowed(before, url) == _allowed(after, url), (token, url)


def _allowed(agent: verger.Agent, url: str) -> bool | None:
    try:
        return agent.allowed(url)
    except verger.InvalidTarget:
        return None


@examples(50)
@given(files, files)
def test_everybody_is_looked_at(old_body: bytes, new_body: bytes) -> None:
    """Whatever a file calls crawlers, all that it names are among those that are looked at."""
    old, new = verger.parse(old_body), verger.parse(new_body)
    found = diff(old, new)
    tokens = {token.lower() for token in found.crawlers}

    assert len(tokens) == len(found.crawlers)
    assert {"*", "gptbot"} <= tokens
    assert 0 <= found.unchanged <= len(found.crawlers)


def versions() -> Iterator[tuple[bytes, bytes]]:
    """Yield each real version of a file with the next, of every twelfth host."""
    with tarfile.open(shared("corpus/robots-timeseries.tar.xz")) as archive:
        found = [(each.name, archive.extractfile(each)) for each in archive if each.isfile()]
        bodies = sorted((name, file.read()) for name, file in found if file is not None)
    hosts = groupby(bodies, key=lambda each: each[0].rpartition("/")[0])
    for number, (_, group) in enumerate(hosts):
        if number % 12 == 0:
            yield from pairwise(body for _, body in group)


@pytest.mark.slow
def test_real_versions() -> None:
    """What is said of real changes is so, for each crawler that it is said of."""
    number = inexact = pairs = 0
    for old_body, new_body in versions():
        old, new = verger.parse(old_body), verger.parse(new_body)
        found = diff(old, new)
        number += expect_proved(old, new, found)
        inexact += not found.is_exact
        pairs += 1

    assert number > 10_000
    assert inexact <= pairs // 100, (inexact, pairs)


# Dialects


@examples(100)
@given(files, st.sampled_from(list(verger.DIALECTS.values())))
def test_what_is_said_of_dialects_is_so(body: bytes, other: verger.Dialect) -> None:
    """Every witness is answered differently; no record and no delay is told of."""
    robots = verger.parse(body)
    (found,) = compare(robots, [other], crawlers=FEW)

    assert other == found.dialect
    assert all(
        each.other_records == () and (each.changes or not each.is_exact) for each in found.changed
    )
    for each in found.changed:
        for change in each.changes:
            for token in each.crawlers:
                first, second = (agent_of(file, token) for file in (robots, found.robots))
                allowed = first.allowed(change.witness), second.allowed(change.witness)

                assert (not change.opened, change.opened) == allowed, (token, change)


def test_a_dialect_beside_itself() -> None:
    """A dialect answers as it does."""
    robots = verger.parse(STAR)
    (found,) = compare(robots, [robots.dialect])

    assert (0, True, False) == (len(found.changed), found.is_exact, found.changes_answers)


def test_dialects_follow_the_registry() -> None:
    """AdsBot-Google follows no `*`, in any dialect."""
    robots = verger.parse("User-agent: *\nDisallow: /*.gif\n")
    found = compare(robots, [verger.ORIGINAL_1994], crawlers=["AdsBot-Google"])

    assert () == found[0].changed


@pytest.mark.parametrize("dialect", verger.DIALECTS)
def test_a_file_without_rules_is_the_same_in_all_dialects(dialect: str) -> None:
    """Nothing need be compared, so that nothing is left unproved."""
    robots = verger.parse("User-agent: *\nDisallow:\n")

    (found,) = compare(robots, [verger.DIALECTS[dialect]])

    assert found.changed == ()
    assert found.is_exact
