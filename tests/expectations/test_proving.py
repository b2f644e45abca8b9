"""Expectations about many crawlers and URLs: what holds, and what is said of what does not."""

import json
from dataclasses import replace

import pytest

from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.crawlers import registry
from verger.crawlers.registry import by_purpose
from verger.expectations import Judgement, Subject, expectations_in, judge


def judged(body: str, document: str, dialect: str = "rfc9309") -> list[Judgement]:
    file = expectations_in(document)
    return [*judge(file, Subject.of_bytes(body.encode()), dialect=dialect)]  # type: ignore[arg-type]


def said(body: str, document: str) -> list[str]:
    """Return what is said about the first expectation."""
    return [*judged(body, document)[0].lines]


def table(**values: object) -> str:
    lines = (f"{key.rstrip('_')} = {json.dumps(value)}\n" for key, value in values.items())
    return "[[expect]]\n" + "".join(lines)


KNOWN = registry.all_crawlers()
OPEN = """\
User-agent: GPTBot
User-agent: CCBot
Allow: /a/b
Disallow: /

User-agent: *
Disallow: /a
"""
CLOSED_TO_ALL = "\n".join(
    [*(f"User-agent: {each.token}" for each in by_purpose(["training"])), "Disallow: /a"]
)


def test_crawlers_with_one_answer_are_told_together() -> None:
    """Each answer once, with the line, the shortest URL, and for whom."""
    document = table(purpose="training", except_="AI2Bot", paths="/a", allowed=False, because="so")

    assert [
        "expected disallowed",
        "but for CCBot and GPTBot, /a/b is allowed by line 3, `Allow: /a/b` "
        "(RFC 9309 section 2.2.2)",
        "because: so",
    ] == said(OPEN, document)


def test_a_crawler_that_the_registry_learns_of_fails_the_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A purpose is all of its crawlers whenever the test runs."""
    document = table(purpose="training", paths="/a", allowed=False)
    assert judged(CLOSED_TO_ALL, document)[0].holds

    newest = replace(by_purpose(["training"])[0], token="NewestBot")
    monkeypatch.setattr(registry, "all_crawlers", lambda: (*KNOWN, newest))
    (judgement,) = judged(CLOSED_TO_ALL, document)

    assert not judgement.holds
    assert judgement.evidence is not None
    assert [("NewestBot",)] == [each.crawlers for each in judgement.evidence.counterexamples]


def test_a_purpose_and_one_url() -> None:
    """Rule and line count for each crawler."""
    line = table(purpose="training", url="/a", allowed=False, line=len(CLOSED_TO_ALL.splitlines()))

    assert judged(CLOSED_TO_ALL, line)[0].holds
    assert not judged(f"# x\n{CLOSED_TO_ALL}", line)[0].holds
    assert "and it is, for" in judged(CLOSED_TO_ALL, line)[0].lines[1]


def test_everyone() -> None:
    """Crawlers of the registry, those that the file names, and any others."""
    document = table(purpose="*", except_=["Fig"], paths="/a", allowed=True)
    (judgement,) = judged("User-agent: Fig\nUser-agent: Plum\nDisallow: /a\n", document)

    assert judgement.evidence is not None
    assert {"*", "GPTBot", "Plum"} < {*judgement.evidence.crawlers}
    assert "Fig" not in judgement.evidence.crawlers
    assert [("Plum",)] == [each.crawlers for each in judgement.evidence.counterexamples]


def test_several_tokens() -> None:
    """A crawler with two tokens is one crawler."""
    document = table(agent="Fig,Plum", paths="/a", allowed=True)
    (judgement,) = judged("User-agent: Plum\nDisallow: /a/b\n", document)

    assert ("but /a/b is disallowed by line 2", "Fig,Plum /a") == (
        judgement.lines[1].partition(",")[0],
        judgement.about,
    )


@pytest.mark.parametrize(
    ("status", "allowed", "use", "holds"),
    [
        (404, True, None, True),
        (404, False, None, False),
        (503, False, None, True),
        (503, True, None, False),
        (404, "silent", "search", True),
        (404, True, "search", False),
        (503, False, "ai-train", True),
        (503, "silent", "ai-train", False),
    ],
)
def test_a_site_without_a_file(
    status: int, allowed: bool | str, use: str | None, holds: bool
) -> None:
    """The access policy answers for every URL, and to everybody alike."""
    last = AccessResult("https://a.example/robots.txt", 1e9, status=status)
    subject = Subject.of_entry(Entry("https://a.example", last), name=last.url)
    asked = {"use": use} if use else {}
    document = table(purpose="*", paths="/a/*/b", allowed=allowed, **asked)
    (judgement,) = judge(expectations_in(document), subject)

    assert holds is judgement.holds
    assert judgement.evidence is not None
    assert [] == [*judgement.evidence.unproved]
    assert holds or [(*judgement.evidence.crawlers,)] == [
        each.crawlers for each in judgement.evidence.counterexamples
    ]


@pytest.mark.parametrize(
    ("paths", "dialect", "message"),
    [
        ("/a/../b", "rfc9309", "no URL is meant by `/a/../b`"),
        ("/robots.txt$", "rfc9309", "no URL is meant by"),
        ("/a*", "original-1994", "`/a*` has a wildcard, and `original-1994` has none"),
        ("/a$", "koster-1996", "`/a$` has a wildcard, and `koster-1996` has none"),
    ],
)
def test_patterns_without_a_url(paths: str, dialect: str, message: str) -> None:
    """What is about nothing holds for nothing: it is an error, and not a success."""
    document = table(agent="A", paths=paths, allowed=True, dialect=dialect)
    (judgement,) = judged("", document)

    assert not judgement.holds
    assert judgement.error is not None
    assert message in judgement.error


def test_all_urls_left_out() -> None:
    """`except_paths` that match everything leave nothing to judge."""
    document = table(agent="A", paths="/a/b", except_paths=["/c", "/a"], allowed=True)

    assert "no URL is meant by `/a/b except /c and /a`" == judged("", document)[0].error


def test_the_shortest_url_is_written_plainly() -> None:
    """A dollar sign needs an escape in a pattern, and none in a URL."""
    document = table(agent="A", paths="/", allowed=True)

    assert "but /$a is disallowed" in said("User-agent: *\nDisallow: /$a\n", document)[1]


def test_a_url_of_the_site_that_was_asked() -> None:
    """Some read `//a` as a host: the example is a URL of the file's own site."""
    subject = Subject.of_bytes(b"User-agent: *\nDisallow: //\n", url="https://a.example/robots.txt")
    document = table(agent="A", paths="/", allowed=True, dialect="googlebot-cpp")
    (judgement,) = judge(expectations_in(document), subject)

    assert judgement.evidence is not None
    assert ["https://a.example//"] == [each.url for each in judgement.evidence.counterexamples]


def test_what_takes_too_many_steps_does_not_hold() -> None:
    """It is said to be not proved, and for whom."""
    hard = "".join(f"Allow: /{'*a' * 12}*{letter}\n" for letter in "bcdefgh")
    document = table(agent="A", paths=f"/{'*a*b' * 9}*c*d", allowed=False)
    (judgement,) = judged(f"User-agent: *\nDisallow: /\n{hard}", document)

    assert not judgement.holds
    assert "not proved for A: the rules are too intricate" in judgement.lines


USES_BODY = """\
User-agent: *
Content-Signal: search=yes, ai-train=no
Disallow: /a

User-agent: Google-Extended
Allow: /b
Disallow: /
"""


@pytest.mark.parametrize(
    ("values", "line"),
    [
        (
            {"agent": "GPTBot", "use": "ai-train", "allowed": True},
            "but / is disallowed by line 2, `Content-Signal: search=yes, ai-train=no` "
            "(content-signal, draft-romm-aipref-contentsignals-00)",
        ),
        (
            {"agent": "GPTBot", "use": "search", "allowed": True},
            "but /a is disallowed by line 3, `Disallow: /a` (crawl-rules, RFC 9309 section 2.2.2)",
        ),
        (
            {"agent": "Google-Extended", "use": "ai-train", "allowed": False},
            "but /b is allowed by line 6, `Allow: /b` (policy-token, Google, List of Google's",
        ),
        (
            {"agent": "Applebot-Extended", "use": "ai-train", "allowed": False},
            "but / is silent: no line allows or disallows it",
        ),
    ],
)
def test_what_is_said_about_use(values: dict[str, object], line: str) -> None:
    """The line of the mechanism that decides, or that none speaks."""
    assert said(USES_BODY, table(paths="/", **values))[1].startswith(line)


def test_one_url_and_a_use() -> None:
    """One crawler and one URL are asked alone, also about use."""
    document = table(agent="GPTBot", url="/", use="ai-train", allowed=False, line=2)

    assert judged(USES_BODY, document)[0].holds
    assert [
        "expected disallowed by line 2",
        "but it is disallowed by line 3, "
        "`Content-Signal: search=yes, ai-train=no` (content-signal, "
        "draft-romm-aipref-contentsignals-00)",
        "hint: line 3 decides: update `line`, or give the `rule` instead",
    ] == said(f"\n{USES_BODY}", document)
