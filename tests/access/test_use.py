"""Answers about use: what a file says, and what a site without one means."""

import json

import pytest

import verger
from verger import crawlers
from verger.access.answer import Question, Unanswered
from verger.client import site_of
from verger.snapshots.sources import RobotsFile, rows_of

BODY = b"User-agent: *\nDisallow: /no\nContent-Signal: search=yes, use=reference\nLicense: https://e.com/l\n"


def answer_of(url: str, body: bytes = BODY, *tokens: str) -> verger.Answer:
    question = Question(tokens or ("GPTBot",), verger.RFC9309)
    file = RobotsFile(body, [question], name="robots.txt")
    return next(rows_of([url], file.file_for, [question]))[0]


@pytest.mark.parametrize("url", ["/", "/no", "/robots.txt"])
@pytest.mark.parametrize("use", crawlers.USES)
def test_file_answers(url: str, use: str) -> None:
    """An answer about use is the decision of the file."""
    found = answer_of(url).may_use(use)  # type: ignore[arg-type]
    decision = crawlers.may_use(verger.parse(BODY), url, "GPTBot", use)  # type: ignore[arg-type]
    facts = found.as_dict()

    assert found.decision == decision
    assert (found.allowed, found.reason, found.line, found.section) == (
        *(decision.allowed, decision.reason, decision.line, decision.section),
    )
    assert (facts["licenses"], facts["extent"]) == (("https://e.com/l",), "reference")
    assert json.loads(json.dumps(facts))["purpose"] == use
    assert len(facts["signals"]) == len(decision.signals)


@pytest.mark.parametrize(
    ("word", "allowed", "reason"),
    [("allow", None, "NO_SIGNAL"), ("disallow", False, "OPERATOR_OVERRIDE")],
)
def test_site_without_a_file(word: str, allowed: bool | None, reason: str) -> None:
    """A closed site closes every use, and an open one says nothing."""
    with verger.Client(
        "ExampleBot/1.0 (+https://example.com)",
        overrides={"https://a.example": word},  # type: ignore[dict-item]
    ) as client:
        found = client.decide("https://a.example/x").may_use("search")

    assert (found.allowed, found.reason, found.line) == (allowed, reason, None)
    assert found.as_dict()["signals"] == []
    assert (found.section is None) == (allowed is None)
    assert found.explain().startswith("silent about search" if allowed is None else "disallowed")


def test_unanswered() -> None:
    """Without an answer about fetching there is none about use, and the problem says why."""
    found = answer_of("no url").may_use("search")

    assert (found.allowed, found.reason, found.line, found.decision) == (None, None, None, None)
    assert isinstance(found.problem, Unanswered)
    assert repr(found) == "Use(unanswered, purpose=search, reason=None, url='no url')"


def test_values() -> None:
    """Equal questions have equal answers, whose truth is asked by name."""
    found = answer_of("/").may_use("search")

    assert found == answer_of("/").may_use("search") != answer_of("/").may_use("ai-train")
    assert hash(found) == hash(answer_of("/").may_use("search"))
    assert repr(found) == "Use(allowed, purpose=search, reason=CONTENT_SIGNAL, url='/')"
    with pytest.raises(TypeError, match="may be None"):
        bool(found)
    with pytest.raises(verger.UnknownName, match="unknown use"):
        answer_of("/").may_use("training")  # type: ignore[arg-type]


def test_conflicts_are_places() -> None:
    """Signals that contradict each other are named by their places."""
    facts = answer_of("/no").may_use("search").as_dict()
    [[yes, no]] = facts["conflicts"]

    assert facts["signals"][yes]["mechanism"] == "content-signal"
    assert facts["signals"][no]["mechanism"] == "crawl-rules"


def test_given_site() -> None:
    """What a caller fetched is judged alike."""
    site = site_of("https://e.com/robots.txt", status=200, body=BODY, token="GPTBot")

    assert site.decide("https://e.com/").may_use("search").allowed is True
