"""Who is looked at: names as registries, files and dialects spell them."""

import pytest

import verger
from verger import DIALECTS, InvalidOption
from verger.analysis import block, compare, diff, minimise
from verger.crawlers import PURPOSES

CLOSED = "User-agent: *\nDisallow: /a\n"


@pytest.mark.parametrize("agents", [["gptbot"], ["GPTBot", "gptbot"], "GPTBOT"])
def test_letters_are_compared_without_case(agents: str | list[str]) -> None:
    """A crawler of the registry is meant however it is spelt, and so is one of the file."""
    outcome = block(verger.parse(f"{CLOSED}\nUser-agent: gptbot\nAllow: /x\n"), agents)

    assert outcome.crawlers == ("GPTBot",)
    assert outcome.proof.without([*outcome.crawlers, *outcome.also]).is_empty
    assert not outcome.robots.allowed("/b", "GPTBot")


VALUES = ["foo1", "foo.org_bot", "foo-1.0", "foo~x", "foo!", "foo+x", "foo/1.0", "fo'o", "foo bar"]
VALUES += ["*foo", "x*foo", '"foo"', "bar, foo", "(x; foo)"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("value", VALUES)
def test_names_that_a_dialect_cuts(value: str, dialect: str) -> None:
    """Whoever follows a group in a dialect is looked at before it is removed."""
    robots = verger.parse(f"User-agent: {value}\nDisallow: /\n", dialect=dialect)
    empty = verger.parse("", dialect=dialect)
    bound = [name for name in ("foo", "fo", "foo-") if not robots.allowed("/", name)]

    assert bool(bound) <= bool(diff(robots, empty).changed)
    assert bound == [
        name for name in ("foo", "fo", "foo-") if not minimise(robots).robots.allowed("/", name)
    ]


def test_names_that_one_dialect_takes_alone() -> None:
    """A value that is a name in one dialect and none in another can be compared."""
    for value in ("foo/1.0", "Mozilla/5.0 (compatible)", "a`b|c"):
        robots = verger.parse(f"User-agent: {value}\nDisallow: /\n")
        assert len(compare(robots, DIALECTS.values())) == len(DIALECTS)


def test_everybody_known_is_not_everybody() -> None:
    """Where all crawlers of the registry leave a group of `*`, others stay in it."""
    outcome = block(verger.parse(CLOSED), purposes=PURPOSES)

    assert outcome.body.decode().startswith(CLOSED)
    assert outcome.proof.without([*outcome.crawlers, *outcome.also]).is_empty


@pytest.mark.parametrize("body", [b"<html>", "User-agent: *\n".encode("utf-16")])
def test_what_is_no_robots_txt_is_not_edited(body: bytes) -> None:
    """It would be damaged."""
    with pytest.raises(InvalidOption, match="cannot be edited"):
        block(verger.parse(body), "GPTBot")
    with pytest.raises(InvalidOption, match="cannot be edited"):
        minimise(verger.parse(body))


def test_half_a_character_is_refused() -> None:
    """No file can hold it."""
    with pytest.raises(InvalidOption, match="cannot contain"):
        block(verger.parse(CLOSED), "GPTBot", paths="/\ud800")


def test_an_edit_and_its_diff_count_the_same_crawlers() -> None:
    """Names that dialects cut, such as `img` in `img2dataset`, are told apart, and not counted."""
    old = verger.parse(CLOSED)
    outcome = block(old, purposes=["training"])
    told, found = outcome.proof.without(outcome.also), diff(old, outcome.robots)

    assert outcome.also == ("AI", "img")
    for changed in (told.changed, found.changed):
        assert {*outcome.crawlers} == {token for each in changed for token in each.crawlers}
    assert {*told.crawlers} == {*found.crawlers}
