"""Edits for crawlers that share a group by accident, or whose names a dialect cuts."""

from collections.abc import Callable

import pytest

import verger
from reference import SWITCHES, decide
from support import NAMES
from verger.analysis import Outcome, Refused, allow, block, minimise
from verger.crawlers import CRAWLERS, find
from verger.lint import fixed, formatted

BETWEEN = (
    *("Crawl-delay: 3", "Crawl-delay: fast", "Content-Signal: ai-train=no", "Request-rate: 1/5"),
    *("Noindex: /q", "Visit-time: 0100-0300", "ACAP-crawler: x", "Sitemap: https://e.example/s"),
    *("Host: e.example", "Foo: bar", "# comment"),
)
USAGE = "User-agent: GPTBot\nContent-Usage: train-ai=n\nUser-agent: qux\nDisallow: /x\n"
RETIRED = ("original-1994", "koster-1996")


def is_allowed(body: bytes, dialect: str, token: str, url: str) -> bool:
    """Whether a crawler may fetch a URL, according to the reference."""
    return decide(body, SWITCHES[dialect], token, url).allowed


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("line", BETWEEN)
def test_a_crawler_that_shares_a_group_by_accident(line: str, dialect: str) -> None:
    """It gets a group of its own with what bound it; the other keeps its rules and records."""
    robots = verger.parse(
        f"User-agent: GPTBot\n{line}\nUser-agent: qux\nDisallow: /x\n", dialect=dialect
    )
    outcome = block(robots, ["GPTBot"], paths=["/p"])
    body = outcome.body

    assert [is_allowed(body, dialect, "GPTBot", url) for url in ("/p", "/x", "/y")] == [
        *(False, False, True)
    ]
    assert [is_allowed(body, dialect, "qux", url) for url in ("/p", "/x")] == [True, False]
    records = {token: lines_for(robots.body, token) for token in ("qux", "GPTBot")}
    assert records == {token: lines_for(body, token) for token in ("qux", "GPTBot")}


def lines_for(body: bytes, token: str) -> list[tuple[str, str]]:
    """The records for a crawler, as RFC 9309 reads them."""
    agent = verger.parse(body).agent(token)
    own = [group.start_lines for group in agent.groups]
    records = verger.parse(body).records
    return [(r.field, r.raw) for r in records if r.group and r.group.start_lines in own]


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("body", [USAGE, f"{USAGE}\nUser-agent: GPTBot\nDisallow: /q\n"])
def test_what_a_draft_parts_is_edited_in_both_readings(body: str, dialect: str) -> None:
    """Where `Content-Usage` parts the group for some, both keep their rules; or it is refused."""
    drafted = verger.DIALECTS[dialect].replace(extensions=("content-usage",))
    old = verger.parse(body, dialect=dialect)
    outcome = edited(block, old, "GPTBot")
    if isinstance(outcome, Refused):
        assert dialect in RETIRED
        assert "line 2 is in the way" in outcome.message
        return
    assert outcome.proof.dialects[:2] == (dialect, f"{dialect}+content-usage")
    for reading in (verger.DIALECTS[dialect], drafted):
        before, after = (verger.parse(each, dialect=reading) for each in (body, outcome.body))
        for token in ("GPTBot", "qux", "zzz"):
            for url in ("/p", "/x", "/q", "/y"):
                closed = token == "GPTBot" and url == "/p"
                assert after.allowed(url, token) == (not closed and before.allowed(url, token))


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize(
    "body",
    [
        "User-agent: qux\nContent-Usage: train-ai=n\nDisallow: x\nDisallow: x\nUser-agent: a\n"
        "Disallow: /\n",
        USAGE,
        USAGE.replace("GPTBot", "YandexBot"),
        "User-agent: alpha\nAllow: /a\nUser-agent: beta\nDisallow: /b\n",
    ],
)
def test_files_mended_and_formatted_for_every_dialect(body: str, dialect: str) -> None:
    """Neither safe fixes nor the formatter nor `minimise` change an answer in any dialect."""
    old = body.encode()
    minimised = minimise(verger.parse(old, dialect=dialect)).body
    for new in (fixed(old).body, formatted(old), minimised):
        for token in ("a", "qux", "GPTBot", "YandexBot", "alpha", "beta", "zzz"):
            for url in ("/", "/a", "/b", "/x"):
                before = is_allowed(old, dialect, token, url)
                assert before == is_allowed(new, dialect, token, url), (token, url, new)


def is_letter(character: str) -> bool:
    """Whether Google's parser reads a character in a name."""
    return character.isalpha() or character in "_-"


def letters_of(token: str) -> str:
    """The part of a name before the first other character."""
    return token[: next(at for at, each in enumerate(token) if not is_letter(each))]


def edited(edit: Callable[..., Outcome], robots: verger.RobotsTxt, token: str) -> Outcome | Refused:
    """What an edit gives, or why it is refused."""
    try:
        return edit(robots, [token], paths=["/p"])
    except Refused as refused:
        return refused


def expect_reason(refused: Refused, token: str, dialect: str) -> None:
    """It says that no group can name the crawler, or which known crawler would follow it, too."""
    if dialect.startswith("google"):
        assert f"no group can name `{token}`" in refused.message
        assert "`rfc9309`" in str(refused.hint)
        return
    assert "would also be" in refused.message
    assert refused.proof.changed
    # In 1994, names that contain each other are not told apart.
    assert dialect == "original-1994" or find(letters_of(token)) is not None


POLICY_TOKENS = {crawler.token for crawler in CRAWLERS if crawler.kind == "policy-token"}
"""Names that no crawler sends: what they say of use is kept, not what they may fetch."""
LONGER = [crawler.token for crawler in CRAWLERS if not all(map(is_letter, crawler.token))]


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("edit", [block, allow])
def test_names_that_a_dialect_cuts(edit: Callable[..., Outcome], dialect: str) -> None:
    """Every name of the registry with other characters than letters: the edit is right, and says
    whom else the dialect takes for it; or it is refused, with what to do."""
    closed = "User-agent: *\nDisallow: /p\n"
    robots = verger.parse("" if edit is block else closed, dialect=dialect)
    for token in LONGER:
        outcome = edited(edit, robots, token)
        if isinstance(outcome, Refused):
            expect_reason(outcome, token, dialect)
            continue
        said = {*outcome.crawlers, *outcome.also}
        in_own = outcome.proof.within([dialect])
        changed = {name for each in in_own.changed for name in each.crawlers}
        assert token in changed <= {*said, *POLICY_TOKENS}
        for name in changed.difference(POLICY_TOKENS):
            assert is_allowed(outcome.body, dialect, name, "/p") is (edit is allow)
        cut = letters_of(token)
        if cut and cut not in said:
            before = is_allowed(robots.body, dialect, cut, "/p")
            assert before == is_allowed(outcome.body, dialect, cut, "/p"), (token, cut)


def test_a_cut_name_of_another_crawler_keeps_its_answers() -> None:
    """A crawler that the file names `MJ` is not closed together with `MJ12bot`."""
    robots = verger.parse("User-agent: MJ\nDisallow: /x\n")

    with pytest.raises(Refused, match="would also be disallowed for `MJ`; line 1 is for `MJ`"):
        block(robots, ["MJ12bot"])


@pytest.mark.parametrize("dialect", ["google", "googlebot-cpp"])
def test_a_cut_name_is_not_that_of_a_crawler_that_no_group_can_name(dialect: str) -> None:
    """Where no group can name `AI2Bot`, the group of that value is for `AI` alone, and keeps it."""
    body = "User-agent: GPTBot\nContent-Usage: train-ai=y\nUser-agent: AI2Bot\n" + (
        "User-agent: qux\nDisallow: /x\n"
    )
    robots = verger.parse(body, dialect=dialect)
    outcome = allow(robots, ["GPTBot", "AI2Bot"], paths=["/x"])

    assert outcome.also == ()
    assert outcome.proof.without(["GPTBot", "AI2Bot"]).keeps_everything


@pytest.mark.parametrize("dialect", RETIRED)
def test_a_name_with_its_version_is_the_same_crawler(dialect: str) -> None:
    """These dialects drop the version, of the crawler as well as of the line."""
    robots = verger.parse(
        "User-agent: GPTBot/1.0\nUser-agent: qux\nDisallow: /x\n", dialect=dialect
    )
    outcome = block(robots, ["GPTBot"], paths=["/p"])

    assert outcome.also == ("GPTBot/1.0",)
    assert not is_allowed(outcome.body, dialect, "GPTBot", "/p")
    assert is_allowed(outcome.body, dialect, "qux", "/p")
