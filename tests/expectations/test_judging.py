"""Outcomes: whether expectations hold, and what is said where they do not; files together."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.access.words import happened
from verger.errors import UnusableInput
from verger.expectations import Expectation, Judgement, Subject, Suite, files_below, judge_one

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
        ({"status": 404}, True, "no file"),
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


# files of expectations, and the robots.txt files that they share

GIFS = b"User-agent: *\nDisallow: /*.gif$\n"
ONE = '[[expect]]\nagent = "A"\nurl = "/x.gif"\nallowed = false\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "robots.txt").write_bytes(GIFS)
    return tmp_path


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.robots.toml"
    path.write_text(text)
    return path


def test_results(folder: Path) -> None:
    """Each file has its outcomes, or why it has none."""
    paths = [
        written(folder, "holds", f'robots = "robots.txt"\n{ONE}'),
        written(folder, "fails", f'robots = "robots.txt"\ndialect = "original-1994"\n{ONE}'),
        written(folder, "nameless", ONE),
        written(folder, "elsewhere", f'robots = "gone.txt"\n{ONE}'),
        written(folder, "broken", "["),
        folder / "gone.robots.toml",
    ]
    report = Suite(paths).judge()

    assert (1, 1, 4) == (report.passed, report.failed, report.errors)
    assert list(map(str, paths)) == [file.name for file in report.files]
    assert [None, None] == [file.error for file in report.files[:2]]
    assert (
        f"`{paths[2]}` names no robots.txt file",
        'pass `robots`, or write `robots = "robots.txt"` at its top',
    ) == report.files[2].error


def test_one_path(folder: Path) -> None:
    """As text or as a path; what is no path is refused."""
    path = written(folder, "a", f'robots = "robots.txt"\n{ONE}')

    assert 1 == Suite(path).judge().passed
    assert Suite(str(path)).judge() == Suite([path]).judge()
    with pytest.raises(TypeError, match="`paths` must be a path"):
        Suite([1])  # type: ignore[list-item]


def test_a_robots_file_is_read_once(folder: Path) -> None:
    """In all dialects that need it, and once even if that fails."""
    asked: list[tuple[str, list[str]]] = []

    def find(robots: str, dialects: Sequence[str]) -> Subject:
        asked.append((robots, list(dialects)))
        if robots.startswith("https:"):
            raise UnusableInput("down")
        return Subject.of_bytes(GIFS)

    google = f'robots = "robots.txt"\n{ONE}dialect = "google"\n'
    paths = [
        written(folder, "a", f'robots = "robots.txt"\n{ONE}'),
        written(folder, "b", google),
        written(folder, "c", f'robots = "https://a.example"\n{ONE}'),
        written(folder, "d", f'robots = "https://a.example"\n{ONE}'),
    ]
    suite = Suite(paths, dialect="bing")
    report = suite.judge(find)

    here = str(folder / "robots.txt")
    assert [here, "https://a.example"] == suite.robots
    assert [(here, ["bing", "google"]), ("https://a.example", ["bing"])] == asked
    assert [None, None, ("down", None), ("down", None)] == [each.error for each in report.files]


def test_one_robots_file_for_all(folder: Path) -> None:
    """It counts whatever the files name, and without it there is no report."""
    paths = [written(folder, "a", f'robots = "gone.txt"\n{ONE}'), written(folder, "b", ONE)]

    assert 2 == Suite(paths, robots=str(folder / "robots.txt")).judge().passed
    with pytest.raises(UnusableInput):
        Suite(paths, robots=str(folder / "gone.txt")).judge()


@pytest.mark.parametrize(("agent", "named"), [("Bingbot", "GPTBot"), ("ExampleBot", "Applebot")])
def test_other_crawlers_are_no_slip(agent: str, named: str) -> None:
    """Two names that are known, or little alike, are those of two crawlers."""
    subject = Subject.of_bytes(f"User-agent: {named}\nDisallow: /\n".encode())

    assert "did you mean" not in (subject.hint((agent,), "rfc9309") or "")
