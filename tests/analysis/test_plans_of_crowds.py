"""Files with thousands of names or records are planned on files with few: most say the same."""

import pytest

import verger
from verger.analysis import block
from verger.analysis.access_edits import with_fewer_names

LETTERS = "abcdefghijklmnopqrstuvwxyz"
TOKENS = [f"robot-{a}{b}{c}" for a in "ab" for b in LETTERS for c in LETTERS[:19]]
STAR = "\nUser-agent: *\nDisallow: /x\n"


def lines(*some: str) -> str:
    return "".join(line.format(token) + "\n" for token in TOKENS for line in some)


KINDS = {
    "names nobody knows": lines("User-agent: {}") + "Disallow: /q\n" + STAR,
    "groups nobody follows": lines("User-agent: {}", "Disallow: /{}", "") + STAR,
    "no names": lines("User-agent: *{}") + "Disallow: /q\n" + STAR,
    "names behind a blank": lines("User-agent: bot {}") + "Disallow: /q\n" + STAR,
    "groups behind a blank": lines("User-agent: bot {}", "Disallow: /{}", "") + STAR,
    "groups without a rule": lines("User-agent: bot {}", "Disalow: /{}", "") + STAR,
    "one name again and again": 9 * lines("User-agent: *") + "Disallow: /q\n",
    "records of one group": "User-agent: *\n" + 3 * lines("Crawl-delay: 300") + "Disallow: /x\n",
    "records of each name": lines("User-agent: bot {}", "Content-Signal: search=yes")
    + "Disallow: /q\n"
    + STAR,
    "records of the whole file": lines("Sitemap: https://a.example/{}") + STAR,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_plan_is_made_on_a_small_file(kind: str) -> None:
    robots = verger.parse(KINDS[kind])
    smaller = with_fewer_names(robots, ["Googlebot"])

    assert smaller is not None
    assert 3 * len(smaller.body) < len(robots.body)
    for dialect in verger.DIALECTS:
        old, new = (
            verger.parse(body, dialect=dialect).allowed("/x", "Googlebot")
            for body in (robots.body, smaller.body)
        )
        assert old is new


@pytest.mark.parametrize(
    "kind", ["names behind a blank", "groups behind a blank", "records of the whole file"]
)
def test_what_was_planned_there_holds_for_the_whole_file(kind: str) -> None:
    robots = verger.parse(KINDS[kind])
    outcome = block(robots, ["Googlebot"], paths=["/drafts/"])

    assert outcome.robots.allowed("/drafts/", "Googlebot") is False
    assert outcome.proof.without(["Googlebot"]).is_empty
    assert len(outcome.body) > len(robots.body)


def test_a_small_file_is_planned_as_it_is() -> None:
    assert with_fewer_names(verger.parse("User-agent: a\nUser-agent: b\n"), []) is None
