"""Fixing: afterwards all expectations hold, and nobody else gets another answer; or it says why not.

The oracle knows no analysis: it asks about every short URL of a small alphabet, in every dialect
that crawlers of today read.
"""

from itertools import product

from hypothesis import event, given, settings, strategies as st

import verger
from verger.analysis import Outcome, Refused
from verger.crawlers import CRAWLERS, agent_of
from verger.expectations import ExpectationFile, Subject, expectations_in, fix, judge
from verger.expectations.fixing import READERS
from verger.expectations.reading import Expectation

LETTERS = "ab./"
URLS = [f"/{''.join(letters)}" for n in range(4) for letters in product(LETTERS, repeat=n)]
PATTERNS = ("/", "/a", "/a/*", "/*.a", "/*b$", "/a*/b", "/.", "/*")
TOKENS = ("a", "a1", "Googlebot", "Googlebot-Image", "GPTBot", "Yandex", "AI2Bot", "*")
PURPOSES = ("archive", "ai-data", "agent", "*")
OTHERS = (*TOKENS, "zzz", "Applebot", "YandexDirect", "Ai2Bot-Dolma", "AdsBot-Google", "CCBot")


@st.composite
def files(draw: st.DrawFn) -> str:
    """A file of a few groups whose tokens and rules meet."""
    blocks = []
    for _ in range(draw(st.integers(0, 3))):
        tokens = draw(st.lists(st.sampled_from([*TOKENS, "*", "*"]), min_size=1, max_size=3))
        rules = st.tuples(
            st.sampled_from(["Allow", "Disallow"]), st.sampled_from([*PATTERNS, "", "/a.b"])
        )
        lines = [f"User-agent: {token}" for token in tokens]
        lines += [f"{name}: {value}" for name, value in draw(st.lists(rules, max_size=3))]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + draw(st.sampled_from(["", "\n", "\n\nSitemap: http://a.example/"]))


@st.composite
def tables(draw: st.DrawFn) -> str:
    """An expectation, as TOML."""
    who = draw(
        st.one_of(
            st.lists(st.sampled_from(TOKENS), min_size=1, max_size=2, unique=True).map(
                lambda names: f"agent = {list(names)}"
            ),
            st.sampled_from(PURPOSES).map(lambda name: f'purpose = "{name}"'),
            st.just('purpose = "*"\nexcept = ["Googlebot", "a"]'),
            st.just('purpose = "archive"\nexcept = "CCBot"'),
        )
    )
    what = draw(
        st.one_of(
            st.sampled_from(PATTERNS).map(lambda path: f'paths = "{path}"'),
            st.sampled_from(URLS).map(lambda url: f'url = "{url}"'),
        )
    )
    dialect = draw(st.sampled_from(["", "", "", 'dialect = "google"\n', 'dialect = "yandex"\n']))
    allowed = draw(st.sampled_from(["true", "false", "false"]))
    return f"[[expect]]\n{who}\n{what}\n{dialect}allowed = {allowed}\n"


def matches(expectation: Expectation, dialect: str) -> list[bool]:
    """Whether an expectation is about each URL."""
    target = verger.parse(b"").decide(expectation.url or "/", "a").target
    pattern = expectation.pattern or f"{target}$"
    text = f"User-agent: a\nDisallow: {pattern}\n"
    return [not each for each in verger.parse(text, dialect=dialect).allowed_many(URLS, "a")]


def is_meant(expectation: Expectation, token: str, old: verger.RobotsTxt) -> bool:
    """Whether an expectation is about a crawler; `*` is also for those that no group names."""
    lower = token.lower()
    if lower in {each.lower() for each in expectation.except_}:
        return False
    purposes = next((each.purposes for each in CRAWLERS if each.token == token), ())
    if "*" in expectation.purposes or {*purposes} & {*expectation.purposes}:
        return True
    follows_star = not agent_of(old, token).named
    return lower in map(str.lower, expectation.tokens) or (
        "*" in expectation.tokens and follows_star
    )


def may_change(
    file: ExpectationFile, token: str, old: verger.RobotsTxt, dialect: str, *, allowed: bool
) -> list[bool]:
    """Whether some expectation wants an answer for each URL, as a dialect reads its pattern."""
    wanted = [
        matches(each, dialect)
        for each in file.expectations
        if each.allowed is allowed and is_meant(each, token, old)
    ]
    return [any(each) for each in zip(*wanted, strict=True)] if wanted else [False] * len(URLS)


def answers(robots: verger.RobotsTxt, token: str) -> list[bool]:
    return agent_of(robots, token).allowed_many(URLS)


@settings(max_examples=100)
@given(files(), st.lists(tables(), min_size=1, max_size=3))
def test_all_hold_and_nothing_else_changes(body: str, wanted: list[str]) -> None:
    file = expectations_in("\n".join(wanted))
    try:
        outcome = fix(file, body)
    except Refused as refused:
        event(f"refused: {str(refused)[:30]}")
        assert refused.hint
        return
    event("edited" if outcome.edits else "as it was")
    assert all(each.holds for each in judge(file, Subject.of_bytes(outcome.body)))
    expect_nothing_else(file, body, outcome)
    again = fix(file, outcome.body)
    assert again.edits == ()


def expect_nothing_else(file: ExpectationFile, before: str, outcome: Outcome) -> None:
    """Every answer that changed is one that an expectation wants, in every dialect."""
    usual, after = verger.parse(before), outcome.body
    for dialect, token in product(READERS, {*OTHERS} - {*outcome.also}):
        old, new = verger.parse(before, dialect=dialect), verger.parse(after, dialect=dialect)
        opened, closed = (
            may_change(file, token, usual, dialect, allowed=each) for each in (True, False)
        )
        for place, (was, is_now) in enumerate(
            zip(answers(old, token), answers(new, token), strict=True)
        ):
            wanted = (opened if is_now else closed)[place]
            assert was == is_now or wanted, (dialect, token, URLS[place], after)
