"""What a site says to every crawler, from Python; `tests/cli/test_agents.py` asks the rest."""

import pytest
from hypothesis import given, strategies as st

import verger
from verger import crawlers
from verger.crawlers.uses import uses_of

ROBOTS = verger.parse("User-agent: GPTBot\nContent-Usage: train-ai=n\nDisallow: /\n")


def test_site_without_a_file() -> None:
    """What its absence says holds for everyone, and nobody is named."""
    for is_open, extent in ((True, "all"), (False, "none")):
        survey = crawlers.survey_of(None, is_open=is_open, crawlers=["GPTBot"])

        assert extent == survey.default.posture
        assert [("default", extent, False)] == [
            (one.posture, one.extent, one.named) for one in survey.standings
        ]


def test_usage_is_read_where_signals_are() -> None:
    """A dialect that reads Content-Signal need not be told to read Content-Usage."""
    (standing,) = crawlers.survey_of(ROBOTS, crawlers=["GPTBot"]).standings

    assert "content-usage" not in ROBOTS.dialect.extensions
    assert (("none", (1,)), ()) == ((standing.posture, standing.group_lines), standing.usage)


def test_purposes() -> None:
    """They choose; one that nobody knows is refused with the nearest."""
    survey = crawlers.survey_of(ROBOTS, purposes=["training"], with_unnamed=True)

    assert all("training" in one.purposes for one in survey.standings)
    assert ({}, 0) == (survey.unnamed, survey.unlisted_hidden)
    with pytest.raises(verger.UnknownName) as caught:
        crawlers.survey_of(ROBOTS, purposes=["trainin"])
    assert ("unknown purpose `trainin`", "did you mean `training`?") == caught.value.args
    with pytest.raises(verger.UnknownName, match=r"unknown purpose `\\x1b\[2J`"):
        crawlers.survey_of(ROBOTS, purposes=["\x1b[2J"])


def test_names_are_told_apart_as_crawlers_are() -> None:
    """Letters outside ASCII have a case: names that differ in it are two crawlers."""
    robots = verger.parse(
        "User-agent: ÉBot\nDisallow: /\nUser-agent: ébot\nUser-agent: éBOT\nAllow: /\n"
    )
    standings = crawlers.survey_of(robots, purposes=["unlisted"]).standings

    assert [("ÉBot", "none"), ("ébot", "all")] == [(one.token, one.posture) for one in standings]


def test_tokens_are_tokens() -> None:
    """A name that no file can name is refused."""
    with pytest.raises(verger.InvalidProductToken):
        crawlers.survey_of(ROBOTS, crawlers=["GPTBot/1.0"])


NAMES = st.sampled_from(
    [
        *("GPTBot", "gptbot/1", "Googlebot", "Googlebot-Image", "Google", "Yandex", "YandexBot"),
        *("bot", "*", "* x", "*x", "MJ12bot", "MJ", "Our Own", "", "/", "\udcff", "é", "a;b"),
        "Sogou web",
    ]
)


LINES = NAMES.map("User-agent: {}".format) | st.sampled_from(
    ["Disallow: /", "Disallow:", "Allow: /a*z", "Disallow: /~", "Crawl-delay: 1", "", "x"]
)


ASKED = ["GPTBot", "Googlebot", "Googlebot-Image", "YandexBot", "MJ12bot", "Sogou", "Our", "AHC"]


@given(st.lists(LINES, max_size=14).map("\n".join), st.sampled_from(list(verger.DIALECTS)))
def test_survey_says_what_the_file_does(text: str, dialect: str) -> None:
    """In every dialect: who is named, by lines of the groups that bind them, and to what end."""
    data = text.encode("utf-8", "surrogateescape")
    robots = verger.parse(data, dialect=dialect)
    survey = crawlers.survey_of(robots, is_open=True, crawlers=ASKED)

    assert robots.agent("*").posture == survey.default.extent == survey.default.posture
    for standing in survey.standings:
        agent = crawlers.agent_of(robots, standing.token)
        bound = [set(group.start_lines) for group in agent.groups]
        lines = set(standing.group_lines)

        assert agent.posture == standing.extent
        assert agent.named == standing.named == bool(lines)
        assert lines <= set().union(*bound)
        assert not agent.named or all(starts & lines for starts in bound)
        assert standing.elsewhere or standing.rule
        assert standing.extent == "some" or standing.elsewhere == (standing.extent == "all")


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        ("Disallow: /", 2),
        ("Disallow: /~\nDisallow: /", 3),
        ("Disallow: /*~\nAllow: /!\nDisallow: /%27\nDisallow: /*", 5),
        ("Disallow: /" + "~!'@,;+()0123456789abcdefghijklmnopqrstuvwxyz", None),
        ("\n".join(f"Disallow: /{mark}" for mark in "~!'@,;+()012345ABCDEFGHIJ"), None),
        ("\n".join(f"Disallow: /{chr(code)}" for code in range(0x26, 0x7F) if code != 42), None),
    ],
)
def test_elsewhere_is_where_no_pattern_has_a_word(rules: str, line: int | None) -> None:
    """The page that stands for all others is none that a rule means."""
    robots = verger.parse(f"User-agent: *\n{rules}\n")
    default = crawlers.survey_of(robots, is_open=True).default

    assert line == (default.rule and default.rule.line)


@pytest.mark.parametrize("path", ["/~", "/!", "/b", "/z", "/0", "/%7e"])
def test_elsewhere_is_where_no_preference_has_a_word(path: str) -> None:
    """A usage preference for some pages is none for all others."""
    dialect = verger.RFC9309.replace(extensions=(*verger.RFC9309.extensions, "content-usage"))
    text = f"User-agent: *\nContent-Usage: {path} train-ai=n\nAllow: /\n"
    [used] = uses_of(verger.parse(text, dialect=dialect), ["GPTBot"], "ai-train")

    assert () == crawlers.survey_of(verger.parse(text)).default.usage
    assert used.allowed is None
