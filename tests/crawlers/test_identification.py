"""Which product token an identification string names: real strings, and a second implementation.

In: what crawlers send, in the package crawler-user-agents (MIT), and what people's browsers send,
in the package fake-useragent (Apache-2.0) and in `people.txt`. RFC 9309 section 2.2.1.
"""

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import verger
from property_settings import examples
from reference import identification as reference
from steps import steps_of
from verger._core import _names_in
from verger.bulk.audit import crawler_in
from verger.crawlers import CRAWLERS, find

SENT: list[str] = [
    header
    for row in json.loads(
        files("crawleruseragents").joinpath("crawler-user-agents.json").read_text("utf-8")
    )
    for header in row["instances"]
]
BROWSED = {
    json.loads(line)["useragent"]
    for line in files("fake_useragent")
    .joinpath("data/browsers.jsonl")
    .read_text("utf-8")
    .splitlines()
}
PEOPLE = [
    *sorted(BROWSED),
    *(
        line
        for line in Path(__file__).with_name("people.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    ),
]
READ_WITH = {"Code", "Fluid", "Trae"}
"""Crawlers of the list whose strings are those of editors and browsers in which people read."""

ADDRESS = re.compile(r"(?:https?://|www\.)\S*|\S+@\S+")
KNOWN = {crawler.token.lower(): crawler for crawler in CRAWLERS}


def registered_in(header: str) -> set[str]:
    """Return the registered names that stand in a header as whole words, but not in an address."""
    words = re.findall(r"[\w.!~-]+", ADDRESS.sub(" ", header.lower()))
    return {KNOWN[word].token for word in words if word in KNOWN}


def own_products(header: str) -> list[str]:
    return list(reference.own_products(reference.split(header)[0]))


def test_lists_are_as_large_as_they_were() -> None:
    """A package that changes its form is noticed."""
    assert len(SENT) >= 2_116
    assert len(PEOPLE) >= 900


def test_every_crawler_with_a_registered_name_is_found() -> None:
    """No real string in which a registered name stands is a person's."""
    named = {header: registered_in(header) for header in SENT}
    missed = [
        header
        for header, names in named.items()
        if names and not names <= READ_WITH and crawler_in(header) is None
    ]

    assert sum(map(bool, named.values())) > 1_000
    assert not missed


def test_registered_names_count_before_unknown_ones() -> None:
    """Unless the sender has a product of its own; libraries are only parts of what sends."""
    strangers = {}
    for header in SENT:
        names = {
            name
            for name in registered_in(header)
            if (crawler := find(name)) and "library" not in crawler.purposes
        }
        found = crawler_in(header)
        if names - READ_WITH and not own_products(header):
            assert found is not None
            if found.split(",")[0] not in names:
                strangers[header] = found

    assert not strangers


def test_no_browser_of_people_names_a_crawler() -> None:
    """A person is nobody's crawler, whatever the browser adds."""
    assert not [header for header in PEOPLE if crawler_in(header) is not None]
    assert not [header for header in PEOPLE if verger.product_token(header) is not None]


def test_real_strings_are_read_as_by_the_reference() -> None:
    """Every name with its role, of crawlers and of people."""
    for header in (*SENT, *PEOPLE):
        assert reference.names_in(header) == _names_in(header), header


WORDS = st.sampled_from(
    (
        *("Mozilla/5.0", "mozilla", "Safari/537.36", "Edg/1", "like", "Gecko", "Opera 7.54u1"),
        *("compatible", "Compatible", "MSIE 8.0", "Windows NT 6.1", "Linux x86_64", "U", "en-US"),
        *("ExampleBot", "ExampleBot/1.0", "Example\u00fc", "\u30af/1", "a\u0301/1", "008/1", "1.0"),
        *("+https://a.example", "http://a", "www.a.example", "bot@a.example", "a@1.2", "+Bot", "-"),
        *(
            "Nokia6820/2.0",
            "DoCoMo/2.0",
            "Instagram",
            "GTB7.1",
            "Build/1",
            "Profile/MIDP-2.0",
            ".NET",
        ),
        *("compatible:", " Compatible :", "[compatible; ExampleBot/1.0]", "ExampleBot+", "+(", "<"),
        *("Safari/1/ExampleBot/2", "Safari/1/Edg/2/", "Zalo/1", "Anyapp", "Anyapp/2", "Indexer/1"),
        *("Roku/1", "Maple2011", "AskTbX/1", "KAIOS/2", "\ufeff", "a_1", "/"),
        *(
            "a:b",
            "a|b",
            "#a",
            "*",
            "/1",
            "[en]",
            "[",
            "]",
            "\0",
            "\ud800",
            "\x1c",
            "\u2028",
            "\xa0",
        ),
    )
)
MARKS = st.sampled_from((" ", " ", "; ", ";", ", ", "(", ")", " (", ") ", "\\(", "\\)", "\\", "\t"))
HEADERS = st.lists(st.one_of(WORDS, MARKS), max_size=24).map("".join)


@given(st.one_of(HEADERS, HEADERS.map(lambda text: f"Mozilla/5.0 ({text}"), st.text(max_size=40)))
@examples(400)
def test_any_string_is_read_as_by_the_reference(header: str) -> None:
    """Nested, cut and quoted comments, and characters that stand in no header."""
    shown = header.encode("utf-8", "replace").decode() if header.isprintable() else header
    header = "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in shown)

    assert reference.names_in(header) == _names_in(header)
    assert reference.product_token(header) == verger.product_token(header)


@pytest.mark.parametrize(
    "part",
    [
        "(",
        ")",
        "()",
        "(compatible;",
        "a/1 ",
        "; ",
        "\\(",
        "[",
        "like ",
        "@a.",
        "(a;b@c.d)",
        "a_",
        "Edg/1/",
        "a:",
        "+",
        "<",
    ],
)
def test_long_strings_are_read_in_proportion(part: str) -> None:
    """100,000 bytes of anything, as by the reference, in ten times the steps of a tenth."""
    short, long = (part * (size // len(part)) for size in (10_000, 100_000))

    assert reference.product_token(long) == verger.product_token(long)
    assert steps_of(lambda: crawler_in(long)) < 12 * steps_of(lambda: crawler_in(short)) + 10_000
