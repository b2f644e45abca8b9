"""Witnesses: URLs that clients request, wherever there is one."""

import pytest

from verger import DIALECTS, parse
from verger.analysis import difference, effects

REMOVING = [name for name, each in DIALECTS.items() if each.dot_segments == "remove"]


def witnesses(rules: str, dialect: str = "rfc9309") -> list[tuple[str | None, bool]]:
    """Return the witness of each rule, and whether a client requests it."""
    agent = parse(f"User-agent: *\n{rules}", dialect=dialect).agent("ExampleBot")
    return [(each.witness, each.is_requested) for each in effects(agent)]


def test_dot_segments_behind_a_star() -> None:
    """A path with one is requested by nobody; a query keeps it."""
    assert [("/x/?/../y", True)] == witnesses("Disallow: /x/*/../y\n")
    assert [("/?/../", True)] == witnesses("Disallow: */../\n")
    assert [("/a/z./b", True)] == witnesses("Disallow: /a/*./b\n")
    assert [("/a/..z", True)] == witnesses("Disallow: /a/..\n")


def test_a_parser_that_keeps_them() -> None:
    """Google's own compares URLs as they are written."""
    assert [("/x//../y", True)] == witnesses("Disallow: /x/*/../y\n", "googlebot-cpp")


def test_no_client_requests_what_is_left() -> None:
    """Where other rules decide every query, only paths with dot segments are left: that is said."""
    rules = "Disallow: /x/*/../y\nDisallow: /x/*?*/../*\n"

    assert [("/x//../y", False), ("/x/?/../", True)] == witnesses(rules)


@pytest.mark.parametrize("path", ["/a b", "/ä", '/"', "/<", "/\x7f"])
def test_octets_that_every_client_escapes(path: str) -> None:
    """Where they are compared as they are given, no request has them; elsewhere they are escaped,
    and nowhere does a URL have them that need not."""
    for name in DIALECTS:
        for (witness, is_requested), *_ in [witnesses(f"Disallow: {path}\n", name)]:
            assert witness is not None
            assert is_requested is (witness != path)
    assert [(path, False)] == witnesses(f"Disallow: {path}\n", "original-1994")
    assert [("/a", True)] == witnesses(f"Disallow: /a\nDisallow: {path}\n", "original-1994")[:1]


@pytest.mark.parametrize("name", REMOVING)
def test_witnesses_of_rules_decide_as_they_are_asked(name: str) -> None:
    """A witness that clients request is decided by its rule, in every dialect."""
    rules = "Disallow: /x/*/../y\nAllow: /x/?*/..\nDisallow: /a/.\nAllow: /*/./b$\nDisallow: /\n"
    agent = parse(f"User-agent: *\n{rules}", dialect=name).agent("ExampleBot")

    for each in effects(agent):
        if each.witness is not None and each.is_requested:
            assert each.rule.line == agent.decide(each.witness).line


def test_difference_that_no_request_shows() -> None:
    """The region is told of, and marked."""
    closed = "User-agent: *\nDisallow: /x/*/../y\n"
    old, new = (parse(f"{closed[:14]}{rules}").agent("a") for rules in ("", closed[14:]))
    (change,) = difference(old, new).changes
    assert ("/x/?/../y", True) == (change.witness, change.is_requested)

    open_ = "Allow: /x/*?*/../*\n"
    old, new = (parse(f"{start}{open_}").agent("a") for start in (closed[:14], closed))
    (change,) = difference(old, new).changes
    assert ("/x//../y", False) == (change.witness, change.is_requested)
