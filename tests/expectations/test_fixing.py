"""Fixing: afterwards all expectations hold and nothing else has changed, or it says why not.

The oracle knows no analysis: it asks about every short URL of a small alphabet, in every dialect
that crawlers of today read.
"""

import re
from itertools import product

import pytest
from hypothesis import event, given, strategies as st

import verger
from property_settings import examples
from verger.analysis import Outcome, Refused
from verger.crawlers import CRAWLERS, agent_of, may_use
from verger.errors import InvalidOption
from verger.expectations import (
    STANCES,
    ExpectationFile,
    InvalidExpectations,
    Subject,
    expectations_in,
    fix,
    judge,
    stance,
)
from verger.expectations.expectation import Expectation
from verger.expectations.fixing import READERS
from verger.options import DialectName

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


def matches(expectation: Expectation, dialect: DialectName) -> list[bool]:
    """Whether an expectation is about each URL."""
    target = verger.parse(b"").decide(expectation.url or "/", "a").target
    pattern = expectation.pattern or f"{target}$"
    text = f"User-agent: a\nDisallow: {pattern}\n"
    return [not each for each in verger.parse(text, dialect=dialect).allowed_many(URLS, "a")]


def is_meant(expectation: Expectation, token: str, old: verger.RobotsTxt) -> bool:
    """Whether an expectation is about a crawler; `*` is also for those that no group names, or that
    none can name in this dialect."""
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
    file: ExpectationFile, token: str, old: verger.RobotsTxt, dialect: DialectName, *, allowed: bool
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


def test_a_crawler_whose_group_others_follow() -> None:
    """Where Yandex cannot tell Googlebot-Mobile from Googlebot, the edit is made for the others."""
    wanted = '[[expect]]\nagent = "Googlebot"\npaths = "/private/"\nallowed = false\n'
    body = "User-agent: Googlebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /c\n"
    outcome = fix(expectations_in(wanted), body)

    assert {"rfc9309", "google", "bing"} <= {*outcome.proof.dialects}
    assert "yandex" not in outcome.proof.dialects
    expect_nothing_else(expectations_in(wanted), body, outcome)


@examples(20)
@given(files(), st.lists(tables(), min_size=1, max_size=3))
def test_all_hold_and_nothing_else_changes(body: str, wanted: list[str]) -> None:
    try:
        file = expectations_in("\n".join(wanted))
    except InvalidExpectations:
        event("contradictory")
        return
    try:
        outcome = fix(file, body)
    except Refused as refused:
        event("refused" if refused.hint else "refused without a hint")
        return
    event("edited" if outcome.edits else "as it was")
    assert all(each.holds for each in judge(file, Subject.of_bytes(outcome.body)))
    expect_nothing_else(file, body, outcome)
    again = fix(file, outcome.body)
    assert again.edits == ()


def expect_nothing_else(file: ExpectationFile, before: str, outcome: Outcome) -> None:
    """Every answer that changed is one that an expectation wants, in every dialect that the proof
    is about: Yandex reads a group for Googlebot as one for Googlebot-Mobile, too."""
    after = outcome.body
    held = [name for name in READERS if name in outcome.proof.dialects]
    assert "rfc9309" in held
    for dialect, token in product(held, {*OTHERS}.difference(map(str.lower, outcome.also))):
        old, new = verger.parse(before, dialect=dialect), verger.parse(after, dialect=dialect)
        opened, closed = (
            may_change(file, token, old, dialect, allowed=each) for each in (True, False)
        )
        for place, (was, is_now) in enumerate(
            zip(answers(old, token), answers(new, token), strict=True)
        ):
            wanted = (opened if is_now else closed)[place]
            assert was == is_now or wanted, (dialect, token, URLS[place], after)


def wanted(*tables: str) -> ExpectationFile:
    """Return expectations, one for each table."""
    return expectations_in("\n".join(f"[[expect]]\n{table}\n" for table in tables), name="x.toml")


TRAINING = 'purpose = "training"\npaths = "/"\nallowed = false'
SEARCH = 'purpose = "search"\npaths = "/"\nallowed = true'
NOBODY = 'agent = "*"\npaths = "/"\nallowed = false'
NO_TRAINING = 'agent = "*"\npaths = "/"\nuse = "ai-train"\nallowed = false'


def test_crawlers_that_need_the_same_share_a_group() -> None:
    outcome = fix(wanted('agent = ["GPTBot", "CCBot"]\nurl = ["/a", "/b"]\nallowed = false'), b"")

    assert outcome.body == b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /a$\nDisallow: /b$\n"
    assert {*outcome.proof.dialects} == {*verger.DIALECTS}


def test_the_registry_has_grown() -> None:
    """A crawler that the file does not know yet joins the group of the others."""
    ready = stance("no-training")
    old = ready.robots.replace(b"User-agent: GPTBot\n", b"")

    outcome = fix(expectations_in(ready.expectations), old)

    assert len(outcome.edits) == 1
    assert outcome.edits[0].replacement == b"User-agent: GPTBot\n"


def test_all_but_those_of_another_expectation() -> None:
    """`*` is everybody else, whatever stands first."""
    for tables in ((SEARCH, NOBODY), (NOBODY, SEARCH)):
        body = fix(wanted(*tables), b"").body
        assert body.startswith(b"User-agent: *\nDisallow: /\n\nUser-agent: ")
        assert b"User-agent: Googlebot\n" in body


def test_a_use_is_said_in_the_groups_that_are_meant() -> None:
    body = b"User-agent: *\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /b\n"

    outcome = fix(wanted(NO_TRAINING), body)

    said = b"User-agent: *\nDisallow: /a\nContent-Signal: ai-train=no\n"
    assert outcome.body == said + body.partition(b"/a\n")[2]
    assert outcome.proof.other_records
    assert not outcome.proof.changed


@pytest.mark.parametrize(
    ("tables", "body", "message"),
    [
        (
            ['agent = "zqzq"\nurl = "/x"\nallowed = false\nrule = "Disallow: /"'],
            "",
            "line 1 of `x.toml` would not hold: expected disallowed by `Disallow: /`, but it is",
        ),
        (
            ['agent = "zqzq"\nurl = "/x"\nallowed = true\nline = 7'],
            "User-agent: zqzq\nAllow: /x\n",
            "has the expected answer, but another rule or line decides",
        ),
        (['agent = "a,b"\nurl = "/"\nallowed = false'], "", "a crawler with 2 tokens"),
        (
            ['agent = "zqzq"\nurl = "/robots.txt"\nallowed = false'],
            "",
            "it is the robots.txt file itself",
        ),
        (
            ['agent = "AI2Bot"\nurl = "/"\ndialect = "google"\nallowed = false'],
            "",
            "no group can name",
        ),
        (
            ['agent = "zqzq"\npaths = "/*.gif$"\ndialect = "original-1994"\nallowed = false'],
            "",
            "has a wildcard, and `original-1994` has none",
        ),
        (
            ['agent = "zqzq"\npaths = "/x"\nexcept_paths = "/x/y"\nallowed = false'],
            "",
            "has `except_paths`, around which no edit is made",
        ),
        (
            ['agent = "zqzq"\npaths = "/x"\nuse = "ai-train"\nallowed = false'],
            "",
            "a `Content-Signal` line speaks for the whole site",
        ),
        (
            ['agent = "*"\npaths = "/"\nuse = "ai-train"\nallowed = true'],
            "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /b\n",
            "line 1 of `x.toml` would not hold",
        ),
        (
            ['agent = "*"\npaths = "/"\nuse = "ai-train"\ndialect = "google"\nallowed = false'],
            "User-agent: *\nDisallow: /b\n",
            "would not read",
        ),
    ],
)
def test_refused_with_a_reason(tables: list[str], body: str, message: str) -> None:
    with pytest.raises(Refused, match=re.escape(message)) as refused:
        fix(wanted(*tables), body)

    assert refused.value.hint


def test_what_is_no_robots_txt_is_not_edited() -> None:
    with pytest.raises((Refused, InvalidOption), match="cannot be edited"):
        fix(wanted(NOBODY), "<!doctype html><html><body>Not found</body></html>")


def test_too_many_at_once() -> None:
    urls = [f"/{number}" for number in range(1_001)]
    with pytest.raises(Refused, match=r"1,001 expectations do not hold, more than 1,000"):
        fix(wanted(f'agent = "zqzq"\nurl = {urls}\nallowed = false'), b"")


def test_files_that_contradict_each_other() -> None:
    """One file by itself is refused when it is read."""
    other = expectations_in(
        '[[expect]]\nagent = "GPTBot"\nurl = "/a"\nallowed = true\n', name="y.toml"
    )

    with pytest.raises(Refused, match=r"line 1 of `x\.toml` contradicts line 1 of `y\.toml`: `/a`"):
        fix([wanted(TRAINING), other], b"")


EVERYBODY = 'purpose = "*"\npaths = "/admin/"\nallowed = false'


def test_all_crawlers_at_once_and_those_that_prefixes_take_along() -> None:
    """A reader of prefixes takes AdsBot-Google-Mobile-Apps, which follows `*`, for the
    AdsBot-Google-Mobile that has to be named."""
    outcome = fix(wanted(EVERYBODY), b"User-agent: *\nDisallow: /tmp\n")

    groups = outcome.body.split(b"\n\n")
    assert groups[0] == b"User-agent: *\nDisallow: /tmp\nDisallow: /admin/"
    assert groups[1].startswith(b"User-agent: AdsBot-Google\n")
    assert groups[1].endswith(b"\nDisallow: /admin/")
    assert groups[2:] == [
        b"User-agent: AdsBot-Google-Mobile-Apps\nDisallow: /tmp\nDisallow: /admin/\n"
    ]


@pytest.mark.parametrize("name", STANCES)
def test_a_path_that_a_stance_closes_to_all(name: str) -> None:
    """Who is closed already is meant, too: Google's readers take AI2Bot for another crawler."""
    outcome = fix(wanted(EVERYBODY), stance(name).robots)

    assert not outcome.robots.allowed("/admin/", "zqzq")


@pytest.mark.parametrize("name", ["shop", "no-training", "no-ai", "news"])
def test_a_group_of_all_and_of_those_named_beside_them_gets_one_line(name: str) -> None:
    old = stance(name).robots.splitlines()

    new = fix(wanted(EVERYBODY), stance(name).robots).body.splitlines()

    new.remove(b"Disallow: /admin/")
    assert new == old


def test_a_name_that_only_one_dialect_takes() -> None:
    """`zqzq/0.1` is a crawler to `googlebot-cpp`, which is asked, and to no other."""
    everybody = 'purpose = "*"\npaths = "/b"\ndialect = "googlebot-cpp"\nallowed = false'
    outcome = fix(wanted(everybody), "User-agent: zqzq/0.1\nAllow: /a\n")

    assert outcome.body.startswith(b"User-agent: zqzq/0.1\nAllow: /a\nDisallow: /b\n")


def test_what_is_closed_by_another_edit_needs_no_signal() -> None:
    use = 'purpose = "training"\npaths = "/"\nuse = "ai-train"\nallowed = false'

    outcome = fix(wanted(use, TRAINING), b"User-agent: *\nDisallow: /a\n")

    assert b"Content-Signal" not in outcome.body


def test_a_policy_token_is_not_led_by_the_group_of_all() -> None:
    """Named in a group with rules, it would say more: what those rules disallow, for every use."""
    everybody = 'purpose = "*"\nexcept = "__usage_ai-training"\n' + USE

    for rule in ("", "User-agent: *\nDisallow: /a\n"):
        outcome = fix(wanted(everybody), rule.encode())
        tokens, rules = next(
            (group.product_tokens, group.rules)
            for group in outcome.robots.groups
            if "Google-Extended" in group.product_tokens
        )
        assert {"Applebot-Extended", "Google-Extended"} == {*tokens}
        assert [] == [each for each in rules if each.pattern]


USE = 'paths = "/"\nuse = "ai-train"\nallowed = false'


@pytest.mark.parametrize(
    "body",
    [
        "",
        "User-agent: *\nDisallow: /a\n",
        "User-agent: *\nCrawl-delay: 3\nDisallow: /a\n\nUser-agent: GPTBot\n"
        "User-agent: Googlebot\nDisallow: /b\n",
        "User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /a\nDisallow: /\n",
    ],
)
@pytest.mark.parametrize("who", ['purpose = "training"\n', 'agent = ["GPTBot", "CCBot"]\n'])
def test_crawlers_leave_a_shared_group_for_what_is_said_to_them_alone(who: str, body: str) -> None:
    """They take its rules and records along: no URL changes for any crawler, and nobody else hears
    the new line."""
    expected = wanted(who + USE)
    meant = {
        token
        for each in judge(expected, Subject.of_bytes(body.encode()))
        for token in (each.evidence.crawlers if each.evidence else each.expectation.tokens)
    }
    policies = meant & {"Applebot-Extended", "Google-Extended"}  # which nobody sends
    led = {each.token for each in CRAWLERS if policies and each.operator in ("Apple", "Google")}
    others = [each.token for each in CRAWLERS if each.token not in meant | led]

    outcome = fix(expected, body)

    assert policies >= {token for each in outcome.proof.changed for token in each.crawlers}
    for token, url in product([*others, "zqzq"], ("/", "/a")):
        answers = (
            may_use(file, url, token, "ai-train").allowed
            for file in (verger.parse(body), outcome.robots)
        )
        assert next(answers) is next(answers), token
