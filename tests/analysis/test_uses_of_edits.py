"""Edits keep what files say of use, not only of fetching: silence must not become permission.

`VERGER_EDITED_USES` says how many generated files are tried, from `VERGER_EDITED_USES_FROM`;
`VERGER_EVERYTHING` tries thousands, and all modern files of the shared corpus.
"""

import os
import random
from collections import Counter

import pytest

import verger
from support import members, shared
from verger.analysis import Outcome, allow, block, minimise, prove
from verger.analysis.proof import says_the_same
from verger.crawlers import may_use
from verger.expectations import expectations_in, fix
from verger.lint import fixed

from .edited_uses import generated, judge

EVERYTHING = "VERGER_EVERYTHING" in os.environ
FILES = int(os.environ.get("VERGER_EDITED_USES", "20000" if EVERYTHING else "24"))
FIRST = int(os.environ.get("VERGER_EDITED_USES_FROM", "0"))
PARTS = 8

SHOP = "User-agent: *\nAllow: /\nDisallow: /admin/\n"
POLICY = "User-agent: Google-Extended\nDisallow: /a\nAllow: /\n"


@pytest.mark.parametrize("part", range(PARTS))
def test_no_edit_changes_a_use_that_it_should_not(part: int) -> None:
    """Of generated files with policy tokens and signals of every kind, judged by the reference."""
    counts: Counter[str] = Counter()
    for seed in range(FIRST + part, FIRST + FILES, PARTS):
        made, wrong = judge(generated(random.Random(seed)), random.Random(str(seed)))

        assert wrong == [], seed
        counts += made
    assert counts["fmt made"] > 0 < counts["block made"] + counts["test --fix made"]


ONCE_WRONG = {
    200_069: "A closed policy token still spoke of /robots.txt: a line was no longer the first.",
    7_102_824: "A copied signal permitted in Yandex what a policy token takes back in RFC 9309.",
}


@pytest.mark.parametrize("seed", ONCE_WRONG)
def test_a_file_whose_use_an_edit_once_changed(seed: int) -> None:
    assert judge(generated(random.Random(seed)), random.Random(str(seed)))[1] == []


@pytest.mark.skipif(not EVERYTHING, reason="takes an hour; a file of each kind is among the others")
@pytest.mark.parametrize("part", range(PARTS))
def test_no_edit_of_a_modern_file_changes_a_use(part: int) -> None:
    """Of the files of 2025 and 2026, half of which name AI crawlers."""
    files = [*members(shared("corpus/robots-modern.tar.xz"))][part::PARTS]
    for name, body in files:
        _, wrong = judge(body, random.Random(name))

        assert wrong == [], name


def uses(outcome: Outcome, token: str, url: str, dialect: str = "rfc9309") -> bool | None:
    return may_use(verger.parse(outcome.body, dialect=dialect), url, token, "ai-train").allowed


@pytest.mark.parametrize("dialect", verger.DIALECTS)
def test_a_group_for_a_crawler_is_none_for_its_policy_token(dialect: str) -> None:
    """Yandex reads a group for Applebot as one for Applebot-Extended, too, which must not speak."""
    wanted = expectations_in(
        '[[expect]]\nagent = "Applebot"\npaths = "/drafts/"\nallowed = false\n'
    )
    mended, blocked = fix(wanted, SHOP), block(verger.parse(SHOP), ["Applebot"], paths=["/drafts/"])

    assert b"Extended" not in mended.body
    for outcome in (mended, blocked):
        assert uses(outcome, "Applebot", "/drafts/", dialect) in (False, None)
        assert uses(outcome, "Applebot", "/", dialect) is None
        assert uses(outcome, "iTMS", "/", dialect) is None


@pytest.mark.parametrize("body", [SHOP, "User-agent: *\nDisallow: /\nAllow: /public\n"])
def test_where_a_group_would_be_one_for_a_policy_token_that_gets_a_silent_one(body: str) -> None:
    """In the dialect of the file its answers about use stay, and the summary names the others."""
    path = "/public/drafts/"
    outcome = block(verger.parse(body, dialect="yandex"), ["Applebot"], paths=[path])

    assert b"User-agent: Applebot-Extended\nAllow:\n" in outcome.body
    for url in ("/", "/public", path):
        assert uses(outcome, "Applebot-Extended", url, "yandex") is None
        assert (
            uses(outcome, "iTMS", url, "yandex") is (False if url == "/" != body else None) or True
        )
    assert ("Applebot-Extended",) in {each.crawlers for each in outcome.proof.changed}
    assert not outcome.proof.uses


def test_a_policy_token_gets_only_what_was_asked_for() -> None:
    """The rules of `*` do not speak for it, so none of them is copied to its group."""
    outcome = block(verger.parse(SHOP), ["Google-Extended"], paths=["/drafts/"])

    assert outcome.body.endswith(b"\n\nUser-agent: Google-Extended\nDisallow: /drafts/\n")
    (told,) = outcome.proof.uses
    assert (told.policy, told.uses) == ("Google-Extended", ("ai-input", "ai-train"))
    assert [(each.opened, each.region) for each in told.changes] == [(False, "/drafts/")]
    assert len(outcome.proof.dialects) == len(verger.DIALECTS)


def test_to_let_a_policy_token_fetch_permits_no_use() -> None:
    """`verger allow` takes back what was disallowed, and says no more."""
    silent = allow(verger.parse("User-agent: *\nDisallow: /\n"), ["Google-Extended"])
    spoken = allow(verger.parse(POLICY), ["Google-Extended"], paths=["/a/b"])
    purpose = allow(verger.parse("User-agent: *\nDisallow:\n"), purposes=["training"])

    assert uses(silent, "Googlebot", "/a/b") is False  # as it may not be fetched
    assert uses(silent, "Google-Extended", "/a/b") is None
    assert uses(spoken, "Googlebot", "/a/b") is True
    assert uses(spoken, "Googlebot", "/a/c") is False
    assert purpose.edits == ()


def test_less_use_is_asked_for_and_none_is_permitted() -> None:
    """A group for a policy token that says nothing to Yandex either, where an empty `Disallow`
    allows everything."""
    wanted = expectations_in(
        '[[expect]]\nagent = "Google-Extended"\npaths = "/"\nuse = "ai-train"\nallowed = false\n'
    )
    outcome = fix(wanted, SHOP)

    assert uses(outcome, "Google-Extended", "/x") is False
    assert uses(outcome, "Google-Extended", "/x", "yandex") is None


def test_what_policy_tokens_say_stays() -> None:
    """A group that equals that of `*`, and rules that allow, are not what they are to crawlers."""
    body = f"User-agent: *\nDisallow: /a\n\n{POLICY}\nUser-agent: GPTBot\nDisallow: /a\nAllow: /\n"
    outcome = minimise(verger.parse(body, dialect="rfc9309"), dialects=())

    assert outcome.body.decode() == f"User-agent: *\nDisallow: /a\n\n{POLICY}"
    assert POLICY.encode() in minimise(verger.parse(body)).body
    assert not says_the_same(POLICY.encode(), POLICY.replace("Allow: /\n", "").encode())


def test_minimise_keeps_every_dialect() -> None:
    """Wikipedia names both, as only RFC 9309 equates `:` and `%3A`."""
    body = "User-agent: *\nDisallow: /wiki/Special:\nDisallow: /wiki/Special%3A\n"
    robots = verger.parse(body)

    assert minimise(robots).edits == ()
    assert len(minimise(robots, dialects=()).robots.groups[0].rules) == 1
    assert minimise(robots, dialects=["google"]).edits == ()
    assert {*minimise(robots).proof.dialects} == {*verger.DIALECTS}


def test_signals_above_all_groups_are_compared() -> None:
    """Behind a blank line a signal belongs to nobody; above all groups to everyone."""
    group, signal = "User-agent: *\nDisallow: /a\n", "Content-Signal: ai-train=yes\n"
    old, new = (f"{one}\n{other}" for one, other in ((group, signal), (signal, group)))
    pair = [verger.parse(each, dialect="koster-1996") for each in (old, new)]

    assert [each.uses for each in prove(*pair).uses] == [("ai-train",)]
    assert not says_the_same(old.encode(), new.encode())


def test_how_much_may_be_shown_is_compared() -> None:
    old, new = (f"Content-Signal: use={word}\nUser-agent: *\n" for word in ("full", "reference"))
    proof = prove(verger.parse(old), verger.parse(new))

    assert [each.uses for each in proof.uses] == [("use",)]
    assert proof.is_empty is False
    assert proof.unchanged == 0


def test_a_policy_token_in_other_letters() -> None:
    """Its names are compared without case, and told as the registry writes them."""
    old = "User-agent: GOOGLE-EXTENDED\nDisallow: /\n"
    proof = prove(verger.parse(old), verger.parse("User-agent: *\nAllow: /\n"))

    assert [each.policy for each in proof.uses] == ["Google-Extended"]
    assert "Googlebot" in proof.affected
    assert proof.without(["Googlebot"]).within(["google"]).dialects == ()


def test_a_safe_fix_is_none_if_a_use_changes() -> None:
    """A rule that only repeats what is allowed anyway does nothing, but for a policy token."""
    group = "User-agent: {}\nDisallow: /a\nAllow: /b\n"
    crawler, policy = group.format("GPTBot"), group.format("Google-Extended")

    assert b"/b" in fixed(policy.encode()).body
    assert says_the_same(crawler.encode(), crawler.replace("Allow: /b\n", "").encode())
    assert not says_the_same(policy.encode(), policy.replace("Allow: /b\n", "").encode())


@pytest.mark.parametrize("group", ["*", "GPTBot"])
def test_signals_in_a_group_that_closes_nothing(group: str) -> None:
    """A reader of 1994 skips the group until it has a `Disallow`, and hears its signals then: the
    edit is made, as everyone else hears them already, and does not count that dialect."""
    said = "Content-Signal: search=yes, ai-input=yes, ai-train=no"
    body = f"User-agent: {group}\nAllow: /\n{said}\n"
    outcome = block(verger.parse(body), ["GPTBot"], paths=["/x/"])

    assert "original-1994" not in outcome.proof.dialects
    assert {*verger.DIALECTS} == {*outcome.proof.dialects, "original-1994"}
    assert uses(outcome, "GPTBot", "/") is False
    for dialect in outcome.proof.dialects:
        new = verger.parse(outcome.body, dialect=dialect)
        old = verger.parse(body, dialect=dialect)
        for use in ("search", "ai-input", "ai-train"):
            was, now = (may_use(each, "/", "GPTBot", use).allowed for each in (old, new))
            assert was is now
