"""What a site says to every crawler, from Python; `tests/cli/test_agents.py` asks the rest."""

import pytest

import verger
from verger import crawlers

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


def test_tokens_are_tokens() -> None:
    """A name that no file can name is refused."""
    with pytest.raises(verger.InvalidProductToken):
        crawlers.survey_of(ROBOTS, crawlers=["GPTBot/1.0"])
