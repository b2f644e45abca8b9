"""`verger diff`: what a new version changes, as text, Markdown and JSON, and in git."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import verger
from verger.objects.diff import DIFF_SCHEMA as SCHEMA
from verger.showing.printing import code, prose

from .conftest import Run, validator
from .console import committing, environment

pytestmark = pytest.mark.usefixtures("folder")

VALID = validator("diff")

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "diff.md"

STAR = b"User-agent: *\nDisallow: /private\n"
GROUPS = b"\nUser-agent: A\nAllow: /\nUser-agent: B\nAllow: /\n"

CASES = {
    "closed": (STAR, STAR + b"Disallow: /tmp\n", "closed"),
    "a group of its own": (STAR, STAR + b"\nUser-agent: A\nDisallow: /\n", "site-closed"),
    "named no more": (STAR + GROUPS, STAR, "closed"),
    "records": (STAR, STAR + b"Crawl-delay: 2\nSitemap: https://e.example/1\n", "other-records"),
    "layout": (STAR, b"# new\n" + STAR + b"Disallow: /private/a\n", "layout"),
    "nothing": (STAR, STAR, "none"),
}
"""The old file, the new one, and how grave the change is."""


def lay_down(old: bytes, new: bytes) -> None:
    Path("old.txt").write_bytes(old)
    Path("new.txt").write_bytes(new)


@pytest.mark.parametrize("dialect", verger.DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_json(run: Run, name: str, dialect: str) -> None:
    """One object, which follows the schema and agrees with the exit code."""
    old, new, severity = CASES[name]
    lay_down(old, new)
    words = ("old.txt", "new.txt", "--format", "json", "--dialect", dialect)
    done = run("diff", *words, "--quiet")
    said = json.loads(done.out)
    VALID.validate(said)

    assert (SCHEMA, dialect, "") == (said["schema"], said["dialect"], done.err)
    assert done.code == said["changes_answers"]
    if dialect == "rfc9309":
        assert (severity, True) == (said["severity"], said["exact"])


def test_json_of_bytes(run: Run) -> None:
    """Bytes that are not UTF-8 come as lone surrogates, on one line of ASCII."""
    lay_down(b"", b"User-agent: *\nDisallow: /\xff\nSitemap: https://e.example/\xe2\x80\xa8\xff\n")
    done = run("diff", "old.txt", "new.txt", "--agent", "*", "--format", "json")
    said = json.loads(done.out)
    VALID.validate(said)

    assert (1, True) == (done.out.count("\n"), done.out.isascii())
    assert "/\udcff" == said["changed"][0]["changes"][0]["new"]["pattern"]
    assert "https://e.example/\u2028\udcff" == said["records"][0]["value"]


# Markdown


STRANGE = [
    *("`", "``", "a`b", "|", "a|b", "\\|", "\\`", "a\\", "`|`"),
    *("<b>", "</code>", "&amp;", "&#124;"),
    *("@octocat", "#1", "https://e.example", "[a](b)", "![a](b)", "*a*", "_a_", "~~a~~", "$a$"),
    *(" a", "a ", " ", "", "a\nb", "a\r\n# b", "a\tb", "\x1b[35m", "\u202e", "\udcff", "- a", "ä"),
]


@pytest.mark.parametrize("text", STRANGE)
def test_code_stands_for_itself(text: str) -> None:
    """Between its ends is the text as it is printed, and nothing that would end it or a cell."""
    said = code(text)
    plain = re.fullmatch(r"`([^`|\n]+)`", said)
    entities = re.fullmatch(r"<code>((?:\w|&#\d+;)*)</code>", said)
    shown = plain[1] if plain else html.unescape(entities[1]) if entities else None

    assert verger.untrusted_text.printable(text) == shown


@pytest.mark.parametrize("text", STRANGE)
def test_quotes_in_a_sentence_are_code(text: str) -> None:
    """What stands between backticks is code; around it only a mark that could act is an entity."""
    quote = verger.untrusted_text.quoted(text)
    said = prose(f"{quote} of www.a.example, GH-1 and :a: isn't a path-pattern: see 2.2.2.")
    rest = "of www&#46;a&#46;example, GH&#45;1 and &#58;a: isn't a path-pattern: see 2.2.2."

    assert f"{code(quote[1:-1])} {rest}" == said


def test_a_lone_backtick_begins_no_code() -> None:
    assert "`a` &#96; b" == prose("`a` ` b")


def test_markdown_of_strangers(run: Run) -> None:
    """Whatever names and patterns are, a row has five cells and no line is another's."""
    strange = [text for text in STRANGE if "\n" not in text and "\udcff" not in text]
    patterns = [f"/{number}-{text}" for number, text in enumerate(strange)]
    rules = "".join(f"Disallow: {pattern}\n" for pattern in patterns)
    named = "User-agent: `a`|<b>\nUser-agent: B\n"
    lay_down(b"", f"{named}{rules}Sitemap: https://e.example/`|<img src=x>\n".encode())
    done = run("diff", "old.txt", "new.txt", "--format", "markdown", "--verbose")
    rows = [line for line in done.out.splitlines() if line.startswith("| closed")]
    others = set(done.out.splitlines()) - set(rows)

    assert 20 < len(rows)
    assert {6} == {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
    assert not [line for line in rows if re.search(r"<(?!/?code>)", re.sub("`[^`]+`", "", line))]
    assert not [line for line in others if re.search(r"<(?!/?code>)", line)]


# git


@pytest.fixture
def repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a repository with a `robots.txt` and this verger as the driver of its differences."""
    for name, value in committing(folder).items():
        monkeypatch.setenv(name, value)
    git("init", "-q", "-b", "main")
    git("config", "diff.robots.command", f"'{sys.executable}' -m verger diff --git")
    Path(".gitattributes").write_text("*.txt diff=robots\n")
    commit("robots.txt", STAR)
    return folder


def git(*words: str) -> str:
    done = subprocess.run(
        ["git", *words], capture_output=True, text=True, check=False, env=environment()
    )
    assert (0, "") == (done.returncode, done.stderr), done
    return done.stdout


def commit(name: str, body: bytes) -> None:
    Path(name).write_bytes(body)
    git("add", ".")
    git("commit", "-qm", name)


@pytest.mark.usefixtures("repository")
def test_revisions(run: Run) -> None:
    """A version in git is compared with a file, and with another."""
    commit("robots.txt", STAR + b"Disallow: /tmp\n")
    Path("sub").mkdir()
    name = Path("sub/a b:c.txt")
    commit(str(name), STAR)
    done = run("diff", "HEAD~2:robots.txt", "HEAD:./robots.txt", "--format", "json")
    VALID.validate(json.loads(done.out))

    assert (1, "closed") == (done.code, json.loads(done.out)["severity"])
    assert 0 == run("diff", "HEAD:robots.txt", "robots.txt").code
    assert 0 == run("diff", "HEAD:sub/a b:c.txt", str(name)).code


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("HEAD~9:robots.txt", "git has none: invalid object name 'HEAD~9'"),
        ("HEAD:gone.txt", "git has none: path 'gone.txt' does not exist in 'HEAD'"),
        ("HEAD:..", "git has none: "),
        ("$(touch x):robots.txt", "git has none: invalid object name '$(touch x)'"),
    ],
)
def test_no_such_revision(run: Run, word: str, why: str) -> None:
    """git says what is missing, and no shell reads the word."""
    done = run("diff", word, "robots.txt")

    assert (2, "", True) == (done.code, done.out, why in done.err), done.err
    assert not Path("x").exists()


@pytest.mark.usefixtures("repository")
def test_driver() -> None:
    """git shows what a change means: of a file that changed, came, was renamed, or went."""
    closed = "robots.txt\n\nevery crawler that no group names may fetch less\n\nclosed: /tmp\n"
    Path("robots.txt").write_bytes(STAR + b"Disallow: /tmp\n")
    changed = git("diff")
    git("commit", "-qam", "changed")
    logged = git("log", "-p", "--ext-diff", "--format=%s", "-1")
    shown = git("show", "--ext-diff", "--format=%s")
    Path("new.txt").write_bytes(b"User-agent: A\nDisallow: /\n")
    git("add", ".")
    came = git("diff", "--cached")
    git("commit", "-qm", "came")
    git("mv", "new.txt", "moved.txt")
    renamed = git("diff", "--cached", "-M")
    git("commit", "-qm", "renamed")
    git("rm", "-q", "moved.txt")
    went = git("diff", "--cached")

    assert changed.startswith(closed)
    assert [f"changed\n\n{changed}"] * 2 == [logged, shown]
    assert came.startswith("new.txt\n\nA may no longer fetch anything\n")
    assert renamed == "moved.txt\n\nnothing changes: the files are the same\n"
    assert went.startswith("moved.txt\n\nA may now fetch everything\n")


@pytest.mark.usefixtures("repository")
def test_driver_at_a_conflict() -> None:
    """A file that is not merged yet has two new versions, and is named."""
    git("checkout", "-qb", "other")
    commit("robots.txt", STAR + b"Disallow: /a\n")
    git("checkout", "-q", "main")
    commit("robots.txt", STAR + b"Disallow: /b\n")
    merged = subprocess.run(["git", "merge", "-q", "other"], capture_output=True, check=False)

    assert 1 == merged.returncode
    assert git("diff", "--name-only", "--diff-filter=U") == "robots.txt\n"
    assert git("diff", "--cached") == "robots.txt: not merged yet\n"


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("body", "code"),
    [(STAR + b"Disallow: /tmp\n", 1), (b"User-agent: *\nDisallow:\n", 0), (STAR + b"#\n", 0)],
)
def test_workflow(body: bytes, code: int) -> None:
    """The job of the guide fails where the branch that is merged closes something."""
    workflow = re.search(r"- run: \|\n((?: {10}.*\n)+)", GUIDE.read_text("utf-8"))
    assert workflow is not None
    git("checkout", "-qb", "branch")
    commit("robots.txt", body)
    git("checkout", "-q", "main")
    commit("else", b"")
    git("merge", "-q", "--no-ff", "-m", "merge", "branch")
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", workflow[1]],
        env=environment(GITHUB_STEP_SUMMARY="summary.md"),
        check=False,
        capture_output=True,
    )

    assert code == done.returncode, done
    assert Path("summary.md").read_text().startswith("### Changes from `HEAD^:robots.txt`")


# The guide
