"""One answer for a client and for a file: what it says of itself, and as an object."""

import json
from typing import Any

import pytest

import verger
from client.stage import NOW, run, stage
from verger.access.answer import Answer, Question, Unanswered, decide
from verger.client import Site
from verger.testing import MemoryTransport

ASKED = Question(("ExampleBot",), verger.RFC9309)
RULES = b"User-agent: *\nDisallow: /private\n"
URL = "https://example.com/private/a"


def answered(served: bytes | int, **more: Any) -> dict[str, Any]:
    """Return what a client answers about a site, as an object."""
    web = MemoryTransport({"https://example.com": served})
    with verger.Client("ExampleBot/1.0", transport=web, **more) as robots:
        members: dict[str, Any] = json.loads(json.dumps(robots.decide(URL).as_dict()))
        return members


def test_rules_are_the_same_of_a_file_and_of_a_site() -> None:
    """Only the file's name and the fetch differ."""
    agent = verger.parse(RULES).agent("ExampleBot")
    on_disk = json.loads(json.dumps(decide(URL, ASKED, agent, "robots.txt", None).as_dict()))
    fetched = answered(RULES)

    assert "access" not in on_disk
    assert fetched.pop("access")["status"] == 200
    assert ("robots.txt", "https://example.com/robots.txt") == (
        on_disk.pop("file"),
        fetched.pop("file"),
    )
    assert on_disk == fetched
    assert (fetched["allowed"], fetched["line"], fetched["bound"]) == (False, 2, True)
    assert fetched["rule"]["pattern"] == "/private"


@pytest.mark.parametrize(
    ("served", "allowed", "reason", "effect"),
    [(404, True, "UNAVAILABLE", "allow_all"), (503, False, "SERVER_ERROR", "disallow_all")],
)
def test_a_policy_answers_without_a_file(
    served: int, allowed: bool, reason: str, effect: str
) -> None:
    """Whatever only rules can say is null, and the fetch says why."""
    found = answered(served)

    assert (found["allowed"], found["reason"]) == (allowed, reason)
    assert (None, None, None, None, []) == tuple(
        found[name] for name in ("file", "line", "rule", "group", "matched")
    )
    assert (effect, served) == (found["access"]["effect"], found["access"]["status"])


@pytest.mark.parametrize(
    ("override", "allowed", "effect"),
    [("allow", True, "allow_all"), ("disallow", False, "disallow_all"), (RULES, False, "rules")],
)
def test_an_override_has_no_fetch(override: str | bytes, allowed: bool, effect: str) -> None:
    """What the operator decides is an answer; all that a fetch would say is null."""
    found = answered(404, overrides={"https://example.com": override})
    access = found["access"]

    assert (found["allowed"], access["effect"]) == (allowed, effect)
    assert (found["file"], access["reason"]) == (None, "OPERATOR_OVERRIDE")
    fetch = ("url", "status", "failure", "source", "fetched_at", "age", "fresh_until")
    assert {None} == {access[name] for name in fetch}


def test_a_problem_is_no_answer() -> None:
    """Neither allowed nor disallowed, and nothing that would say so."""
    problem = Unanswered("no-file", "no file for `a`", "pass another")
    answer = Answer("https://a/", ASKED, problem=problem)
    found = answer.as_dict()

    assert {None} == {found[name] for name in ("allowed", "reason", "section", "bound", "line")}
    assert found["error"] == {
        "type": "no-file",
        "message": "no file for `a`",
        "hint": "pass another",
    }
    assert (answer.origin, answer.access, answer.result, answer.age) == (None,) * 4
    assert repr(answer) == "Answer(unanswered, reason=None, url='https://a/')"


def test_where_a_site_came_from() -> None:
    """A site that was fetched says so, and the age of its answers grows."""
    site: Site = run(stage(RULES).client.site(URL))
    answer = site.decide(URL, now=NOW + 60)

    assert (site.source, answer.age, answer.as_dict()["access"]["age"]) == ("fetched", 60, 60)


def test_an_answer_is_neither_true_nor_false() -> None:
    """Who asks the answer itself has forgotten `.allowed`."""
    with pytest.raises(TypeError, match="allowed"):
        bool(Answer("https://a/", ASKED))
