"""What a file says in words: rows that a person can check, and exceptions by brute force."""

from itertools import product

import pytest
from hypothesis import given, strategies as st

import verger
from steps import steps_of
from verger.analysis import equivalent, explain

ROWS = {
    "no rule": ("", "everything is open\n"),
    "an empty rule": ("Disallow:\n", "everything is open\n"),
    "all": ("Disallow: /\n", "everything is closed (line 2)\n"),
    "all, in other words": ("Disallow: /*$\nDisallow: /a\n", "everything is closed (line 2)\n"),
    "a tree": (
        "Disallow: /\nAllow: /blog\nDisallow: /blog/drafts\nDisallow: /old\n",
        "everything is closed (line 2), but\n"
        "  open: paths that begin with `/blog` (line 3)\n"
        "    closed: paths that begin with `/blog/drafts` (line 4)\n",
    ),
    "the home page": (
        "Disallow: /\nAllow: /$\n",
        "everything is closed (line 2), but\n  open: the path `/` alone (line 3)\n",
    ),
    "an exception from two rules": (
        "Disallow: /cart\nDisallow: /*.php$\nAllow: /cart/help\nDisallow: /cart/help/*.php$\n",
        "everything is open, but\n"
        "  closed: paths that begin with `/cart` (line 2)\n"
        "    open: paths that begin with `/cart/help` (line 4)\n"
        "      closed: paths that begin with `/cart/help/`, then end in `.php` (line 5)\n"
        "  closed: paths that end in `.php` (line 3)\n"
        "    open: paths that begin with `/cart/help` (line 4), with the exceptions above\n",
    ),
    "a rule that is only in part an exception": (
        "Disallow: /shop\nAllow: /shop/open\nDisallow: /*/open/*.pdf\n",
        "everything is open, but\n"
        "  closed: paths that begin with `/shop` (line 2)\n"
        "    open: paths that begin with `/shop/open` (line 3)\n"
        "      closed: paths that contain `/open/`, then contain `.pdf` (line 4)\n"
        "  closed: paths that contain `/open/`, then contain `.pdf` (line 4)\n",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_says_in_words(name: str) -> None:
    """Each rule that counts once where it stands, exceptions below."""
    rules, text = ROWS[name]

    found = explain(verger.parse(f"User-agent: *\n{rules}").agent("*"))

    assert "".join(f"{line}\n" for line in found.lines) == text
    assert found.is_exact


def test_first_match_and_no_wildcards() -> None:
    """A dialect's own way of reading is told."""
    robots = verger.parse("User-agent: *\nDisallow: /*a\n", dialect="original-1994")

    assert explain(robots.agent("*")).lines[1:] == (
        "  closed: paths that begin with `/*a` (line 2)",
    )


def test_too_many_rules_are_listed() -> None:
    """Where exceptions cannot be found out, rules stand side by side, and that is said."""
    rules = "".join(f"Disallow: /{n}/\nAllow: /{n}/a\n" for n in range(100))

    found = explain(verger.parse(f"User-agent: *\n{rules}").agent("*"))

    assert not found.is_exact
    assert len(found.lines) == 201
    assert found.lines[2] == "  open: paths that begin with `/0/a` (line 3)"


def test_chains_are_not_told_again_and_again() -> None:
    """Rules of which each is an exception from all before are told in as many lines as pairs."""
    rules = "".join(
        f"{'Disallow' if n % 2 else 'Allow'}: /{'*a' * n}*{'b' * n}\n" for n in range(1, 40)
    )

    found = explain(verger.parse(f"User-agent: *\n{rules}").agent("*"))

    assert len(found.lines) < 40 * 40


PIECES = st.lists(st.sampled_from(["a", "b", "*", "/"]), max_size=4).map("".join)
PATTERNS = st.builds("/{}{}".format, PIECES, st.sampled_from(["", "$"]))
RULES = st.lists(st.tuples(st.booleans(), PATTERNS), max_size=4)
DIALECTS = st.sampled_from(["rfc9309", "google", "koster-rep-00", "yandex", "bing"])
PATHS = ["/" + "".join(word) for n in range(5) for word in product("ab/c", repeat=n)]


@given(RULES, DIALECTS)
def test_exceptions_by_brute_force(rules: list[tuple[bool, str]], dialect: str) -> None:
    """What an exception and the rule both match, the exception decides; what is left says all."""

    def agent(rules: list[tuple[bool, str]]) -> verger.Agent:
        lines = "".join(f"{'Allow' if open_ else 'Disallow'}: {p}\n" for open_, p in rules)
        return verger.parse(f"User-agent: *\n{lines}", dialect=dialect).agent("*")

    def matched(pattern: str) -> set[str]:
        closed = agent([(False, pattern)])
        return {path for path in PATHS if not closed.allowed(path)}

    whole = agent(rules)
    found = explain(whole)
    kept = agent([(part.rule.allow, part.rule.pattern) for part in found.parts])

    assert equivalent(whole, kept)
    for part in found.parts:
        assert part.exempts is not None
        for other in part.exempts:
            both = matched(part.rule.pattern) & matched(other.rule.pattern)
            pair = sorted((part.rule, other.rule), key=lambda rule: rule.line)
            judge = agent([(rule.allow, rule.pattern) for rule in pair])
            assert all(judge.allowed(path) == part.rule.allow for path in both)
            if other.is_within:
                assert matched(part.rule.pattern) <= matched(other.rule.pattern)


@pytest.mark.parametrize("row", ["Disallow: /p{}/\n", "Disallow: /p/\n"])
def test_rules_of_one_kind_are_not_compared(row: str) -> None:
    """Only rules of the other kind can be exceptions: four times the rules are as much work."""

    def agent(number: int) -> verger.Agent:
        return verger.parse("User-agent: *\n" + "".join(map(row.format, range(number)))).agent("A")

    few, many = agent(500), agent(2_000)

    assert steps_of(lambda: explain(many)) < 4.5 * steps_of(lambda: explain(few))
