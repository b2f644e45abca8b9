"""Recording: what is recorded holds, and fails when the file changes its mind."""

import random
import tomllib

import pytest
from hypothesis import given, strategies as st

import verger
from differential.corpus import corpus_folder, real_files
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.errors import InvalidOption, UnusableInput
from verger.expectations import Subject, expectations_in, judge, record, toml_of
from verger.expectations.recording import name_below, text_of

BODY = b"""\
User-agent: *
Disallow: /private
Allow: /private/page$
Disallow: /*.php

User-agent: GPTBot
User-agent: CCBot
Disallow: /

User-agent: Googlebot
Disallow: /search
"""


def failing(document: str, body: bytes, dialect: str = "rfc9309") -> list[str]:
    outcomes = judge(expectations_in(document), Subject.of_bytes(body), dialect=dialect)
    return [outcome.about for outcome in outcomes if not outcome.holds]


def recorded(body: bytes, dialect: str = "rfc9309") -> str:
    return toml_of(record(Subject.of_bytes(body), dialect=dialect), robots=None, dialect=dialect)


@pytest.mark.parametrize(
    ("folder", "robots", "expected"),
    [
        ("", "robots.txt", "robots.txt"),
        ("out", "robots.txt", "../robots.txt"),
        ("out", "/srv/robots.txt", "/srv/robots.txt"),
        ("out", "https://a.example", "https://a.example"),
        ("out", "-", None),
    ],
)
def test_name_of_the_robots_file(folder: str, robots: str, expected: str | None) -> None:
    """A path is written relative to the expectations; stdin has no name."""
    assert expected == name_below(folder, robots)


def test_unreachable_site_is_not_recorded() -> None:
    """What a server says when it fails is nothing that a file should say."""
    result = AccessResult("http://a.example/robots.txt", fetched_at=0.0, status=503)
    subject = Subject.of_entry(Entry("http://a.example", result), name=result.url)

    with pytest.raises(
        UnusableInput, match=r"record: http://a\.example/robots\.txt answered 503\n"
    ):
        record(subject)


def test_round_trip() -> None:
    """What is recorded holds; lines that move change nothing."""
    document = recorded(BODY)

    assert [] == failing(document, BODY)
    assert [] == failing(document, b"# a comment\n\n" + BODY)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b"Disallow: /private\n", b"Disallow: /private/\n", "* /private"),
        (b"Allow: /private/page$\n", b"", "* /private/page"),
        (b"Disallow: /*.php\n", b"", "* /.php"),
        (b"Disallow: /*.php\n", b"Disallow: /*.php\nDisallow: /\n", "* /"),
        (b"Disallow: /\n", b"Disallow: /\nAllow: /\n", "GPTBot /"),
        (b"User-agent: CCBot\n", b"", "CCBot /"),
        (b"Disallow: /search\n", b"Disallow: /search\nDisallow: /\n", "Googlebot /"),
        (b"Googlebot", b"Googlebt", "Googlebot /search"),
    ],
)
def test_changes_fail(old: bytes, new: bytes, told: str) -> None:
    """A rule that goes, moves or comes fails the test of the crawler that it binds."""
    assert told in failing(recorded(BODY), BODY.replace(old, new, 1))


def test_names_with_versions() -> None:
    """What stands behind a name does not count: the crawler is recorded by its name."""
    old = b"User-agent: Googlebot/2.1\nDisallow: /\n"

    assert "Googlebot /" in failing(recorded(old), old.replace(b"Disallow: /", b"Disallow:"))


def test_crawlers_and_urls() -> None:
    """Those that are named, as answers: URLs with the same rule stand together."""
    subject = Subject.of_bytes(BODY)
    found = record(subject, crawlers=[("CCBot",), ("A", "GPTBot")], urls=["/x", "/y"])

    assert 1 == len(found)
    assert (("CCBot", "A,GPTBot"), ("/x", "/y"), False) == (
        *(found[0].agents, found[0].urls, found[0].allowed),
    )


def test_crawlers_that_are_told_once() -> None:
    """To look at them takes none away."""
    subject, names = Subject.of_bytes(BODY), ["GPTBot", "Googlebot"]

    found = record(subject, crawlers=((name,) for name in names), urls=["/"])  # type: ignore[arg-type]

    assert sorted(names) == sorted(agent for each in found for agent in each.agents)


def test_too_many() -> None:
    """A file of thousands of crawlers and rules does not become a hundred megabytes of TOML."""
    body = "".join(f"User-agent: a{number:05}\n" for number in range(1000))
    body = body.translate(str.maketrans("0123456789", "bcdefghijk"))
    rules = "".join(f"Disallow: /{number}/\n" for number in range(200))

    with pytest.raises(InvalidOption, match="more than 100,000 expectations"):
        record(Subject.of_bytes((body + rules).encode()))


@pytest.mark.parametrize("dialect", verger.DIALECTS)
def test_hostile_rules(dialect: str) -> None:
    """What TOML cannot express is left out, and all that is written is read."""
    body = (
        b"User-agent: *\nDisallow: /\xff\xfe\nAllow: /\x1b[31m\xe2\x80\xae\"\\'''\nDisallow: /a#b\n"
        b"User-agent: a,b\nUser-agent: A/2.1\nUser-agent: \xff\nUser-agent: M\xc3\xbcller\n"
        b"User-agent: a b\nDisallow: *\nDisallow:\nDisallow: //\nDisallow: /%zz\nAllow: /%00$\n"
        b"Disallow: http://a.example/\nAllow: /\x7f\x00\xc2\x85\n"
    )
    document = recorded(body, dialect)

    assert document.isascii() or "ü" in document
    assert all(line.isprintable() for line in document.split("\n"))
    assert [] == failing(document, body, dialect)


pieces = st.sampled_from(
    [
        "User-agent: *\n",
        "User-agent: B\n",
        "Disallow: ",
        "Allow: ",
        "/",
        "a",
        "*",
        "$",
        "\n",
        "%2F",
        "?",
        "é",
        "#",
        "\\",
        '"',
        "\x0b",
        "\t",
    ]
)


@given(st.lists(pieces, max_size=40).map("".join), st.sampled_from(sorted(verger.DIALECTS)))
def test_any_file_holds(body: str, dialect: str) -> None:
    """Of any file in any dialect, what is recorded holds."""
    assert [] == failing(recorded(body.encode(), dialect), body.encode(), dialect)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_strings(text: str) -> None:
    """Any text is a TOML string that shows as it is, or as escapes."""
    document = f"a = {text_of(text)}"

    assert {"a": text} == tomllib.loads(document)
    assert document.isprintable()


def test_real_files() -> None:
    """Of real files, too, what is recorded holds, and a file that closes everything fails."""
    if not corpus_folder().is_dir():
        pytest.skip("no corpus: `make corpus` fetches it")
    sample = random.Random(13).sample(real_files(corpus_folder()), 100)
    documents = {file.host: recorded(file.data) for file in sample if len(file.data) < 20_000}

    assert 50 < len(documents)
    for file in sample:
        if file.host in documents:
            assert [] == failing(documents[file.host], file.data), file.host
    closed = {
        host: failing(each, b"User-agent: *\nDisallow: /") for host, each in documents.items()
    }
    assert len([host for host, told in closed.items() if told]) > len(documents) * 0.9
