"""Block and allow: what was asked for, for those who were meant, and nothing else for anybody.

The oracle knows no analysis: it asks about every short URL of a small alphabet.
"""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import event, given, strategies as st

import verger
from property_settings import examples
from verger.analysis import Outcome, Refused, allow, block, diff, edit_plan, minimise
from verger.analysis.edit_plan import EditPlan
from verger.analysis.proof import Proof, prove
from verger.crawlers import agent_of
from verger.expectations import expectations_in, fix

from . import laid_out

LETTERS = "ab./"
URLS = [f"/{''.join(letters)}" for n in range(5) for letters in product(LETTERS, repeat=n)]
"""Every path of up to five letters."""

PATHS = ("/", "/a", "/a/", "/*.a", "/*b$", "/a*/b", "/a/b", "/.")
TOKENS = (
    *("a", "b", "a1", "a2", "c3", "c4"),  # some dialects read `c3` as `c`, too
    *("Googlebot", "Googlebot-Image", "GPTBot"),
    *("Yandex", "YandexBot", "AdsBot-Google"),
)
OTHERS = (*TOKENS, "c", "zzz", "*", "Applebot")

patterns = st.sampled_from([*PATHS, "/b", "", "/*", "*a", "/a.b", "/.a/"])


@st.composite
def files(draw: st.DrawFn, dialect: str) -> bytes:
    """A file of a few groups whose tokens and rules meet."""
    blocks = []
    for _ in range(draw(st.integers(0, 3))):
        tokens = draw(st.lists(st.sampled_from([*TOKENS, "*", "*"]), min_size=1, max_size=3))
        fields = laid_out.fields(dialect)
        rules = draw(st.lists(st.tuples(fields, patterns), min_size=1, max_size=4))
        lines = [f"User-agent: {token}" for token in tokens]
        blocks.append("\n".join([*lines, *(f"{field}: {value}" for field, value in rules)]))
    return "\n\n".join(blocks).encode()


def answers(robots: verger.RobotsTxt, token: str) -> list[bool]:
    return agent_of(robots, token).allowed_many(URLS)


def is_meant(dialect: str, paths: Sequence[str]) -> list[bool]:
    """Whether each URL matches one of the paths."""
    rules = "".join(f"Disallow: {path}\n" for path in paths)
    robots = verger.parse(f"User-agent: a\n{rules}", dialect=dialect)
    return [not allowed for allowed in robots.allowed_many(URLS, "a")]


def expected(before: Sequence[bool], meant: Sequence[bool], *, opened: bool) -> list[bool]:
    return [opened if asked else old for old, asked in zip(before, meant, strict=True)]


cases = laid_out.dialects.flatmap(
    lambda name: st.tuples(
        st.just(name),
        files(name),
        st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3, unique=True),
        st.lists(st.sampled_from(PATHS), min_size=1, max_size=2, unique=True),
    )
)


@pytest.mark.parametrize("edit", [block, allow])
@examples(30)
@given(cases)
def test_what_was_asked_for_and_nothing_else(
    edit: Callable[..., Outcome], case: tuple[str, bytes, list[str], list[str]]
) -> None:
    """Crawlers that were meant are told so, others what they were told; or it is refused."""
    dialect, body, tokens, paths = case
    old = verger.parse(body, dialect=dialect)
    try:
        outcome = edit(old, tokens, paths=paths)
    except Refused:
        event(f"refused in {dialect}")
        return
    event(f"done in {dialect}")
    meant = is_meant(dialect, paths)
    for token in {*OTHERS, *tokens}.intersection(outcome.proof.crawlers):
        before, after = answers(old, token), answers(outcome.robots, token)
        asked = expected(before, meant, opened=edit is allow)
        is_meant_for = token in tokens or token in outcome.also
        assert after == (asked if is_meant_for else before), (token, outcome.body)
    proof = outcome.proof.within([dialect]).without([*tokens, *outcome.also])
    assert {each.policy for each in proof.uses} == set()
    assert {token for each in proof.changed for token in each.crawlers} <= {*POLICY_TOKENS}
    assert outcome.robots == verger.parse(outcome.body, dialect=dialect)


@pytest.mark.parametrize("edit", [block, allow])
def test_a_name_that_others_begin_with(edit: Callable[..., Outcome]) -> None:
    """A crawler that follows all groups whose names go on with a digit is not forgotten."""
    names = "".join(f"User-agent: bot{number}\n" for number in range(10))
    path = "/zzz" if edit is block else "/a.gif"

    outcome = edit(verger.parse(f"{names}Disallow: /*.gif\n"), ["bot7"], paths=[path])
    assert outcome.also == ("bot",)
    with pytest.raises(Refused, match=r"would also be .*allowed for `bot`"):
        edit(verger.parse(f"User-agent: bot\n{names}Disallow: /*.gif\n"), ["bot7"], paths=[path])


POLICY_TOKENS = ("__usage_ai-training", "Applebot-Extended", "Google-Extended")
"""Names that no crawler sends: they fetch nothing."""
LONG = f"User-agent: {'x' * 17_000}\n"
"""A line that dialects with a limit drop; its group names nobody."""


@pytest.mark.parametrize("dialect", ["original-1994", "koster-1996", "yandex", "bing"])
@pytest.mark.parametrize(
    "body",
    [
        f"User-agent: zqzq\nDisallow: /a\n\n{LONG}Disallow: /b\n\nUser-agent: vjvj\nDisallow: /c\n",
        f"{LONG}Disallow: /b\n\nUser-agent: zqzq\nDisallow: /c\n",
        f"User-agent: zqzq\nDisallow: /a\n\n{LONG}Disallow: /a\n\n{LONG}Disallow: /a\n",
        f"{LONG}\nUser-agent: zqzq\nDisallow: /\n{LONG}",
        f"User-agent: *\nDisallow: /q\n\n{LONG}Disallow: /\n",
        LONG,
    ],
    ids=["between", "first", "twice", "last", "after all", "alone"],
)
def test_a_group_whose_names_are_not_read(body: str, dialect: str) -> None:
    """It is left as it is, and other groups are edited."""
    robots = verger.parse(body, dialect=dialect)
    assert any(line.kind == "dropped" for line in robots.lines)

    for edit in (
        lambda: minimise(robots),
        lambda: block(robots, ["GPTBot"]),
        lambda: allow(robots, ["GPTBot"]),
        lambda: block(robots, ["zqzq"], paths=["/b"]),
    ):
        outcome = edit()
        assert outcome.proof.without(outcome.crawlers).keeps_everything
        assert outcome.body.count(b"x" * 17_000) == body.count("x" * 17_000)


READERS = [name for name in verger.DIALECTS if name not in ("original-1994", "koster-1996")]


@pytest.mark.parametrize("dialects", [(), READERS], ids=["own dialect", "all readers"])
@pytest.mark.parametrize(
    "group", ["", "User-agent: *\nDisallow: /a\n", "User-agent: Foo\nAllow: /\n"]
)
def test_all_but_one(group: str, dialects: Sequence[str]) -> None:
    """Who is left out keeps its rules in a group of its own, and so do its followers."""
    robots = verger.parse(group)

    outcome = block(robots, ["*"], except_=["Googlebot"], dialects=dialects)

    kept = ("Googlebot", "Googlebot-Image", "Foo")
    for token in kept:
        assert [*map(agent_of(outcome.robots, token).allowed, URLS)] == [
            *map(agent_of(robots, token).allowed, URLS)
        ] or (token == "Foo" and "Foo" not in group)
    assert not outcome.robots.allowed("/b", "NobodyKnows")
    assert outcome.also == ()


def test_crawlers_that_another_dialect_takes_for_the_selected_one() -> None:
    """Yandex's reader takes `AI2Bot-DeepResearchEval` for AI2Bot: it gets a group."""
    robots = verger.parse("User-agent: *\nDisallow: /a\n")
    evaluator = "AI2Bot-DeepResearchEval"

    for outcome in (block(robots, ["AI2Bot"]), block(robots, ["AI2Bot"], dialects=READERS)):
        assert verger.parse(outcome.body, dialect="yandex").allowed("/b", evaluator)
        assert {*READERS} <= {*outcome.proof.dialects}


def test_an_edit_that_another_dialect_reads_as_another_change() -> None:
    """Where the first rule counts, only one of two paths would be closed."""
    robots = verger.parse("User-agent: a\nAllow: /a\n")
    paths = ["/a/b", "/c"]

    outcome = block(robots, ["a"], paths=paths, dialects=["google"])
    (changed,) = outcome.proof.changed
    assert {"rfc9309", "google"} <= {*changed.dialects}
    assert "koster-1996" not in outcome.proof.dialects
    with pytest.raises(Refused, match="koster-1996"):
        block(robots, ["a"], paths=paths, dialects=["koster-1996"])


def test_many_names_are_planned_with_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file with thousands of names is edited once, in the way that is found with a few."""
    names, tried = 3_000, list[int]()
    of_plan = EditPlan.outcome

    def outcome(plan: EditPlan) -> Outcome:
        tried.append(len(plan._robots.groups[0].product_tokens))
        return of_plan(plan)

    monkeypatch.setattr(EditPlan, "outcome", outcome)
    crowd, few = ("".join(f"User-agent: bot{at}x\n" for at in range(n)) for n in (names, 2))
    rest = "User-agent: Googlebot\nDisallow: /a\nAllow: /b\n\nUser-agent: *\nDisallow: /c\n"
    edited = block(verger.parse(crowd + rest), ["Googlebot"], paths=["/private/"])
    alone = block(verger.parse(few + rest), ["Googlebot"], paths=["/private/"])

    assert tried.count(names + 1) == 1
    assert edited.body.removeprefix(crowd.encode()) == alone.body.removeprefix(few.encode())
    assert edited.proof.dialects == alone.proof.dialects


CROWDS = {
    "names within names": [f"User-agent: {'z' * (at + 1)}\nDisallow: /{at}\n" for at in range(200)],
    "many groups": [f"User-agent: bot{at:04}x\nDisallow: /{at}\n" for at in range(1_500)],
    "with records": [f"User-agent: {at:05}\nCrawl-delay: {at}\n" for at in range(1_800)],
    "beside one that is known": [f"User-agent: bot{at}\n" for at in range(1_500)]
    + ["User-agent: GPTBot\nDisallow: /a\n"],
}
WANTED = expectations_in('[[expect]]\nagent = "Googlebot"\npaths = "/p/"\nallowed = false\n')


@pytest.mark.parametrize("kind", CROWDS)
def test_a_crowd_is_proved_once_or_twice(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What thousands of names take long to prove is not proved for each of two dozen plans."""
    proved = list[int]()
    body = "User-agent: *\nDisallow: /c\n" + "".join(CROWDS[kind])

    def counted(old: verger.RobotsTxt, *args: Any, named: bool, **options: Any) -> Proof:
        if named and len(old.body) == len(body):
            proved.append(len(old.body))
        return prove(old, *args, named=named, **options)

    monkeypatch.setattr(edit_plan, "prove", counted)
    outcome = fix(WANTED, body)

    assert len(proved) <= 2
    assert not outcome.proof.without(["Googlebot"]).affected
    assert not outcome.robots.decide("/p/", "Googlebot").allowed
    assert {"rfc9309", "google", "bing"} <= {*outcome.proof.dialects}


def test_a_name_in_a_crowd_that_only_one_dialect_takes_for_one() -> None:
    """It is looked for where it can be one, and refused as in a file without a crowd."""
    body = "User-agent: *\nDisallow: /c\n" + "".join(CROWDS["names within names"])
    for each in (body, body[:30]):
        with pytest.raises(Refused, match="no group can name `Googlebot,Google-Extended`"):
            block(verger.parse(each, dialect="googlebot-cpp"), ["Googlebot,Google-Extended"])


MANY = ("360Spider", "AI2Bot", "Ai2Bot-Dolma", "img2dataset", "MJ12bot", "GPTBot")
"""Of some of these, a dialect reads only the beginning, which is the name of nobody."""


@pytest.mark.parametrize("edit", [block, allow])
@pytest.mark.parametrize("tokens", [("*",), MANY, ("*", *MANY), ("AI2Bot", "Ai2Bot-Dolma")])
def test_as_many_as_a_diff_counts(edit: Callable[..., Outcome], tokens: Sequence[str]) -> None:
    """A name that no crawler has is told by itself, and is no crawler that kept its answers."""
    robots = verger.parse(b"User-agent: *\nDisallow: /cart\n")
    outcome = edit(robots, tokens)
    proof = outcome.proof.without(outcome.also).within([robots.dialect.name])
    counted = diff(robots, outcome.robots)

    assert len(proof.crawlers) == len(counted.crawlers)
    assert proof.unchanged == counted.unchanged
