"""Outcomes: whether expectations hold, and what is said where they do not."""

from pathlib import Path

import pytest

from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.access.words import happened
from verger.expectations import Expectation, Judgement, Subject, files_below, judge_one

BODY = b"""\
User-agent: *
Disallow: /private
Allow: /private/page

User-agent: Googlebot
Disallow: /search
"""
FILE = Subject.of_bytes(BODY)


def asked(
    agent: str, url: str, subject: Subject = FILE, *, allowed: bool = False, **more: object
) -> Judgement:
    tokens = tuple(agent.split(","))
    return judge_one(Expectation(tokens, url, allowed, **more), subject)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agent", "url", "more"),
    [
        ("A", "/private", {}),
        ("A", "/private", {"line": 2}),
        ("A", "/private", {"rule": "Disallow: /private"}),
        ("A", "/private/page", {"allowed": True, "line": 3, "rule": "Allow: /private/page"}),
        ("Googlebot", "/private", {"allowed": True}),
        ("Googlebot-Image", "/search", {}),
        ("Nobody,Googlebot", "/search", {"line": 6}),
        ("*", "https://a.example/private", {}),
        ("A", "/private/page", {"dialect": "original-1994", "line": 2}),
    ],
)
def test_holds(agent: str, url: str, more: dict[str, object]) -> None:
    """The answer, and the line and the rule where they are told, are those of the file."""
    assert asked(agent, url, **more).holds


@pytest.mark.parametrize(
    ("agent", "url", "more", "said"),
    [
        (
            *("A", "/private/page", {"because": "so\nit is"}),
            (
                "expected disallowed",
                "but it is allowed by line 3, `Allow: /private/page` (RFC 9309 section 2.2.2)",
                "because: so\\nit is",
            ),
        ),
        (
            *("A", "/private", {"line": 3, "rule": "Disallow: /private"}),
            (
                "expected disallowed by line 3, `Disallow: /private`",
                "but it is disallowed by line 2, `Disallow: /private` (RFC 9309 section 2.2.2)",
                "hint: the rule is on line 2: update or remove `line`",
            ),
        ),
        (
            *("A", "/private", {"rule": "Disallow: /"}),
            (
                "expected disallowed by `Disallow: /`",
                "but it is disallowed by line 2, `Disallow: /private` (RFC 9309 section 2.2.2)",
                "hint: a different rule gives the same answer: update or remove `rule`",
            ),
        ),
        (
            *("Googelbot", "/search", {}),
            (
                "expected disallowed",
                "but it is allowed: no rule matches (RFC 9309 section 2.2.2)",
                "hint: no group names `Googelbot`; did you mean `Googlebot`?",
            ),
        ),
        (
            *("AdsBot-Google", "/private", {}),
            (
                "expected disallowed",
                "but it is allowed: no group applies to this crawler (RFC 9309 section 2.2.1)",
                "hint: only groups that name it bind `AdsBot-Google`, not `*`",
            ),
        ),
    ],
)
def test_says_why(agent: str, url: str, more: dict[str, object], said: tuple[str, ...]) -> None:
    """What was expected, what the file says, the author's reason, and what may help."""
    judgement = asked(agent, url, **more)

    assert not judgement.holds
    assert said == tuple(line.partition(" (Google")[0] for line in judgement.lines)


def test_other_origin() -> None:
    """A URL of another origin than the file has no answer."""
    subject = Subject.of_bytes(BODY, url="https://a.example/robots.txt")
    judgement = asked("A", "https://b.example/private", subject)

    assert (False, None) == (judgement.holds, judgement.verdict)
    assert judgement.lines[1].startswith("no answer: `https://b.example")


@pytest.mark.parametrize(
    ("result", "allowed", "said"),
    [
        ({"status": 404}, True, "unavailable"),
        ({"status": 503}, False, "server error"),
        ({"failure": "refused", "detail": "x"}, False, ""),
    ],
)
def test_site_without_a_file(result: dict[str, object], allowed: bool, said: str) -> None:
    """The access policy answers (RFC 9309 sections 2.3.1.3 and 2.3.1.4); commands word it alike."""
    last = AccessResult("https://a.example/robots.txt", 1e9, **result)  # type: ignore[arg-type]
    subject = Subject.of_entry(Entry("https://a.example", last), name=last.url)
    judgement = asked("A", "/", subject, allowed=not allowed)

    assert asked("A", "/", subject, allowed=allowed).holds
    assert not judgement.holds
    assert said in judgement.lines[1]
    assert f"{happened(last)}, so no rule decided" in judgement.lines[2]


def test_odd_file_is_the_hint() -> None:
    """A page in place of a file is said to be one."""
    judgement = asked("A", "/", Subject.of_bytes(b"<!doctype html><p>Not found"))

    assert judgement.hint is not None
    assert "HTML" in judgement.hint


def test_nothing_of_a_stranger_acts() -> None:
    """Crawlers, rules, URLs and reasons are printable in every line."""
    more = {"because": "\x1b]0;x\x07\n", "dialect": "googlebot-cpp"}  # which takes any crawler
    body = "User-agent: *\nAllow: /\x1b[31m\u202e\n".encode() + b"Allow: /\xff\n"
    for url in ("/\x1b[31m\u202e", "/\udcff"):
        judgement = asked("A\x1b[31m", url, Subject.of_bytes(body), **more)

        assert all(line.isprintable() for line in (*judgement.lines, judgement.about))


def test_files_below(tmp_path: Path) -> None:
    """All files with expectations, but for those that are not the project's."""
    for name in ("b/x", "a", ".git/x", ".venv/x", "env/x", "node_modules/p/x", "b/not"):
        path = tmp_path / f"{name}{'.toml' if 'not' in name else '.robots.toml'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "env" / "pyvenv.cfg").touch()
    found = [path.relative_to(tmp_path).as_posix() for path in files_below(tmp_path)]

    assert ["a.robots.toml", "b/x.robots.toml"] == found
