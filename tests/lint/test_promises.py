"""Promises of lint: no file makes it fail, and neither format nor safe fixes change what is said.

The oracle of decisions is `verger.parse`, asked about URLs in each dialect, also with
`Content-Usage`, which then changes groups; it knows nothing of the proof by which fixes are made.
"""

import random

import pytest
from hypothesis import example, given, strategies as st

import strategies
import verger
from lint import promises
from lint.cases import Case, all_cases
from property_settings import examples
from support import decided
from verger.analysis.proof import says_the_same
from verger.lint import LintReport, fixed, formatted, lint

READINGS = [
    reading
    for dialect in verger.DIALECTS.values()
    for reading in (dialect, dialect.replace(extensions=(*dialect.extensions, "content-usage")))
]
URLS = st.lists(strategies.free_urls, min_size=1, max_size=12)
TOKENS = ("a", "bot", "Googlebot", "YandexBot", "unnamed")
FIELDS = (
    b"User-agent",
    b"Disallow",
    b"Allow",
    b"Sitemap",
    b"Host",
    b"Crawl-delay",
    b"Content-Usage",
)
BEGINNINGS = (b"", b"/", b"//", b"/#/", b"/a#", b"*", b"https://", b"Googlebot", b"Googlebot,")
MESS = (
    b"[",
    b"]",
    b"\xff",
    b"/\xff",
    b"\xc3\xa9",
    b"\0",
    b"%",
    b"%ff",
    b"$",
    b"*",
    b"?",
    b" ",
    b"#",
    b"!",
)
NAMES_NOBODY = (
    b"User-agent: a\n" + b"Disallow: /\n" * 5 + b"User-agent: a\nUser-agent: *\x85\n"
    b"User-agent: A\nDisallow: //"
)
"""In googlebot-cpp, `*\x85` is the group of a crawler with an empty name."""
values = st.tuples(
    st.sampled_from(BEGINNINGS),
    st.sampled_from(MESS),
    st.sampled_from(MESS) | st.binary(max_size=2),
).map(b"".join)
hostile_files = st.lists(st.tuples(st.sampled_from(FIELDS), values), max_size=8).map(
    lambda lines: b"".join(b"%b: %b\n" % line for line in lines)
)
"""Files of well-known fields, whose values are made of what checks look for and of any bytes."""


def answers(body: bytes, urls: list[str]) -> list[object]:
    """Return what every crawler may fetch, in each reading."""
    parsed = [verger.parse(body, dialect=dialect) for dialect in READINGS]
    return [allowed(robots, token, url) for robots in parsed for token in TOKENS for url in urls]


def allowed(robots: verger.RobotsTxt, token: str, url: str) -> object:
    """Return whether a crawler may fetch a URL, or the caller's error; lines may move."""
    outcome = decided(robots, token, url)
    return outcome if isinstance(outcome, str) else outcome[0]


def left(mended: LintReport) -> list[str]:
    """Return the findings whose safe fix was neither made nor refused."""
    refused = {(each.code, each.message) for each in mended.refused}
    return [
        each.message
        for each in mended.diagnostics
        if each.fix
        and each.fix.applicability == "safe"
        and (each.code, each.message) not in refused
    ]


@examples(50)
@given(strategies.files)
def test_lint_says_something_of_every_file(body: bytes) -> None:
    """No bytes make lint raise; what it reports lies in the file."""
    lines = len(verger.parse(body).lines)

    for each in lint(body, url="https://example.com/robots.txt").diagnostics:
        assert 0 <= each.span[0] <= each.span[1] <= len(body)
        assert 1 <= each.line <= max(lines, 1)


@examples(100)
@given(st.binary(max_size=60) | hostile_files)
def test_hostile_files_are_linted_and_fixed(body: bytes) -> None:
    """Any bytes in the values of known fields give a report and fixes."""
    url = "https://example.com/robots.txt"

    assert lint(body, url=url).body == body
    for unsafe in (False, True):
        mended = fixed(body, url=url, unsafe=unsafe)
        assert lint(mended.body, url=url).diagnostics == mended.diagnostics


@examples(30)
@given(strategies.files, URLS)
def test_format_keeps_every_decision(body: bytes, urls: list[str]) -> None:
    """A formatted file says the same, and is in the format."""
    new = formatted(body)

    assert formatted(new) == new
    assert answers(body, urls) == answers(new, urls)
    assert says_the_same(body, new)


@examples(30)
@given(strategies.files, URLS)
@example(NAMES_NOBODY, ["/"])
def test_safe_fixes_keep_every_decision(body: bytes, urls: list[str]) -> None:
    """A mended file says the same, and nothing is left that a safe fix would mend."""
    mended = fixed(body)

    assert answers(body, urls) == answers(mended.body, urls)
    assert says_the_same(body, mended.body)
    assert [] == left(mended)


@examples(15)
@given(strategies.files)
def test_unsafe_fixes_come_to_an_end(body: bytes) -> None:
    """Whatever is mended, the result is a file that can be linted."""
    mended = fixed(body, unsafe=True)

    assert lint(mended.body).diagnostics == mended.diagnostics


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_format_keeps_what_a_case_says(case: Case) -> None:
    """The files of the cases say the same when they are formatted, and stay so."""
    new = formatted(case.body, url=case.url)

    assert formatted(new, url=case.url) == new
    assert says_the_same(case.body, new, url=case.url)


def test_generated_files_keep_what_fixes_promise() -> None:
    """Seeds that once closed or opened a site, and those beside one of them.

    The first closed it to readers of names alone, the second to crawlers whose names contain one
    that only the fixed file has, as original-1994 looks for names; the last opened it to crawlers
    whose names are a part of two.
    """
    for seed in (*range(200_360, 200_375), 43_331, 670_836):
        body = promises.generated(random.Random(seed))
        assert not list(promises.broken(body, random.Random(f"generated {seed}")))


def test_a_finding_that_comes_back_for_another_rule_was_made() -> None:
    """When no more proofs may be tried, a duplicate of line 2 stands where one of line 3 was."""
    one = [b"/%22*", b'/"*', b"/*-a", b"/*-b", b'/"*']
    more = [b"/v=%d*" % number for number in (1, 2, 3, 4, *range(17, 33))]
    patterns = [*one, *more, b"/c", b"/d"]
    body = b"User-agent: *\n" + b"".join(b"Disallow: %s\n" % pattern for pattern in patterns)

    assert not list(promises.broken(body, random.Random(0)))


def test_a_name_that_is_joined_with_the_last_of_many() -> None:
    """original-1994 finds both names in `y-zed`; the file closes to it with that of line 2."""
    names = b"".join(b"User-agent: a%c\n" % letter for letter in range(97, 119))
    old = b"User-agent: *\n%bDisallow: /\n\nUser-agent: y\nDisallow: /q\n" % names
    new = old.replace(b"*\n", b"*\nUser-agent: zed\n", 1)

    assert not says_the_same(old, new)


@pytest.mark.parametrize("first", ["xbot", "botx", "xbotx"])
@pytest.mark.parametrize("second", ["ybot", "boty", "ybotz"])
def test_a_name_that_is_a_part_of_two(first: str, second: str) -> None:
    """original-1994 finds `bot` in both, and takes the first of them that has a rule."""
    begun = f"User-agent: {first}\nDisalow:\n\n".encode()
    other = f"User-agent: {second}\nDisallow: /a\n\n".encode()
    spelt = begun.replace(b"Disalow", b"Disallow")

    assert fixed(begun + other).body == begun + other
    assert not says_the_same(begun + other, spelt + other)
    assert not says_the_same(spelt + other, other + spelt)


def test_names_with_a_longer_part_in_common_than_is_compared() -> None:
    """Nothing is proved of them."""
    first, second = (f"{letter}{'ab' * 30}" for letter in "xy")
    old = f"User-agent: {first}\nDisalow:\n\nUser-agent: {second}\nDisallow: /a\n".encode()

    assert not says_the_same(old, old.replace(b"Disalow", b"Disallow"))


@pytest.mark.parametrize("names", [100, 9_000])
def test_names_that_many_others_can_be_joined_with(names: int) -> None:
    """More names than can be compared are refused, and are not compared in part."""
    old = b"".join(b"User-agent: a%d\nDisallow: /%d\n\n" % (each, each) for each in range(names))

    expected = True if names == 100 else None
    assert says_the_same(old, old + b"User-agent: zed\nDisallow:\n") is expected
