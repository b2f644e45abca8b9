"""`verger diff`: what a new version changes, as text, Markdown and JSON, and in git."""

import html
import json
import re
import subprocess
import sys
import tarfile
from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from jsonschema import Draft202012Validator

import verger
from support import shared
from verger.analysis import SEVERITIES, diff
from verger.cli.commands.diff_output import DIFF_SCHEMA as SCHEMA
from verger.cli.printing import code

from .conftest import Run
from .console import committing, environment, lay_down_versions
from .web import web

pytestmark = pytest.mark.usefixtures("folder")

PUBLISHED = json.loads((files("verger.cli") / "schemas" / "diff-1.schema.json").read_text("utf-8"))
VALID = Draft202012Validator(PUBLISHED)

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "diff.md"

STAR = b"User-agent: *\nDisallow: /private\n"

CASES = {
    "closed": (
        (STAR, STAR + b"Disallow: /tmp\n", ("--agent", "*"), 1, "closed"),
        """\
every crawler that no group names may fetch less

closed: /tmp
  old  allowed: no rule matches
    1 | User-agent: *
      = no rule of this group matches `/tmp` (RFC 9309 section 2.2.2)
  new  disallowed by line 3
    1 | User-agent: *
    3 | Disallow: /tmp
      |           ^^^^ most specific match, 4 bytes (RFC 9309 section 2.2.2)
""",
        """\
Every crawler that no group names may fetch less.

| | region | for example | old | new |
|---|---|---|---|---|
| closed | `/tmp` | `/tmp` | allowed: no rule matches | disallowed by line 3: `Disallow: /tmp` |

Answers changed for 1 of 1 crawler.
""",
    ),
    "a group of its own": (
        (STAR, STAR + b"\nUser-agent: A\nDisallow: /\n", (), 1, "site-closed"),
        """\
A may no longer fetch anything
  = a group names it now, so the rules of `*` no longer apply to it

closed: /
  old  allowed: no rule matches
    1 | User-agent: *
      = no rule of this group matches `/` (RFC 9309 section 2.2.2)
  new  disallowed by line 5
    4 | User-agent: A
    5 | Disallow: /
      |           ^ most specific match, 1 byte (RFC 9309 section 2.2.2)
""",
        """\
`A` may no longer fetch anything.
- a group names it now, so the rules of `*` no longer apply to it

| | region | for example | old | new |
|---|---|---|---|---|
| closed | `/` | `/` | allowed: no rule matches | disallowed by line 5: `Disallow: /` |

Answers changed for 1 of 768 crawlers.
""",
    ),
    "named no more": (
        (STAR + b"\nUser-agent: A\nAllow: /\nUser-agent: B\nAllow: /\n", STAR, (), 1, "closed"),
        """\
A and B may fetch less
  = no group names them any more, so the rules of `*` apply to them

closed: /private
  old  allowed by line 5
    4 | User-agent: A
    5 | Allow: /
      |        ^ most specific match, 1 byte (RFC 9309 section 2.2.2)
  new  disallowed by line 2
    1 | User-agent: *
    2 | Disallow: /private
      |           ^^^^^^^^ most specific match, 8 bytes (RFC 9309 section 2.2.2)
""",
        """\
`A` and `B` may fetch less.
- no group names them any more, so the rules of `*` apply to them

| | region | for example | old | new |
|---|---|---|---|---|
| closed | `/private` | `/private` | allowed by line 5: `Allow: /` | \
disallowed by line 2: `Disallow: /private` |

Answers changed for 2 of 769 crawlers.
""",
    ),
    "records": (
        (
            STAR + b"Crawl-delay: 2\nSitemap: https://e.example/1\n",
            STAR + b"Crawl-delay: 3\nSitemap: https://e.example/2\n",
            ("--agent", "*"),
            0,
            "other-records",
        ),
        """\
every crawler that no group names: the rules say the same, but other records do not
  = Crawl-delay: 3 (before: 2)

records of the whole file
- 4 | Sitemap: https://e.example/1
+ 4 | Sitemap: https://e.example/2
""",
        """\
Every crawler that no group names: the rules say the same, but other records do not.
- Crawl-delay: `3` (before: `2`)

Records of the whole file:

- removed, line 4: `sitemap: https://e.example/1`
- added, line 4: `sitemap: https://e.example/2`

Answers changed for 0 of 1 crawler.
""",
    ),
    "layout": (
        (STAR, b"# new\n" + STAR + b"Disallow: /private/a\n", (), 0, "layout"),
        "no answer changes, only layout, comments or rules without effect\n",
        """\
No answer changes, only layout, comments or rules without effect.

Answers changed for 0 of 767 crawlers.
""",
    ),
    "nothing": (
        (STAR, STAR, (), 0, "none"),
        "nothing changes: the files are the same\n",
        """\
Nothing changes: the files are the same.

Answers changed for 0 of 767 crawlers.
""",
    ),
}
"""The old file, the new one, options, the exit code and the severity; then text and Markdown."""


def lay_down(old: bytes, new: bytes) -> None:
    Path("old.txt").write_bytes(old)
    Path("new.txt").write_bytes(new)


@pytest.mark.parametrize("name", CASES)
def test_text(run: Run, name: str) -> None:
    """The text says for whom, where, and by which lines of both files."""
    (old, new, words, code, _), text, markdown = CASES[name]
    lay_down(old, new)
    done = run("diff", "old.txt", "new.txt", *words)
    last = markdown.splitlines()[-1].removesuffix(".")

    assert (code, text, f"{last[0].lower()}{last[1:]}\n") == (done.code, done.out, done.err)


@pytest.mark.parametrize("name", CASES)
def test_markdown(run: Run, name: str) -> None:
    """Markdown says the same, below a title; stderr is empty."""
    (old, new, words, code, _), _, markdown = CASES[name]
    lay_down(old, new)
    done = run("diff", "old.txt", "new.txt", "--format", "markdown", *words)
    title = "### Changes from `old.txt` to `new.txt`\n\n"

    assert (code, title + markdown, "") == (done.code, done.out, done.err)


@pytest.mark.parametrize("dialect", verger.DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_json(run: Run, name: str, dialect: str) -> None:
    """One object, which follows the schema and agrees with the exit code."""
    (old, new, words, code, severity), *_ = CASES[name]
    lay_down(old, new)
    words = ("old.txt", "new.txt", "--format", "json", "--dialect", dialect, *words)
    done = run("diff", *words, "--quiet")
    said = json.loads(done.out)
    VALID.validate(said)

    assert (SCHEMA, dialect, "") == (said["schema"], said["dialect"], done.err)
    assert done.code == said["changes_answers"]
    if dialect == "rfc9309":
        assert (code, severity, True) == (done.code, said["severity"], said["exact"])


def test_json_of_bytes(run: Run) -> None:
    """Bytes that are not UTF-8 come as lone surrogates, on one line of ASCII."""
    lay_down(b"", b"User-agent: *\nDisallow: /\xff\nSitemap: https://e.example/\xe2\x80\xa8\xff\n")
    done = run("diff", "old.txt", "new.txt", "--agent", "*", "--format", "json")
    said = json.loads(done.out)
    VALID.validate(said)

    assert (1, True) == (done.out.count("\n"), done.out.isascii())
    assert "/\udcff" == said["changed"][0]["changes"][0]["new"]["pattern"]
    assert "https://e.example/\u2028\udcff" == said["records"][0]["value"]


def test_schema() -> None:
    """The schema is one, names every severity, and refuses what lacks members."""
    Draft202012Validator.check_schema(PUBLISHED)

    assert SCHEMA == PUBLISHED["properties"]["schema"]["const"]
    assert list(SEVERITIES) == PUBLISHED["$defs"]["severity"]["enum"]
    assert not VALID.is_valid({"schema": SCHEMA})


def hostile(more: int, last: str = "d") -> bytes:
    """Return a file whose comparison with one like it would not end."""
    rules = (
        f"Disallow: /{'*a*b' * number}*c\nAllow: /{'*b*a' * (number + more)}*{last}\n"
        for number in range(60, 90)
    )
    return f"User-agent: *\n{''.join(rules)}".encode()


def test_unproved(run: Run) -> None:
    """Where a comparison takes too many steps, the answer says that there may be more."""
    lay_down(hostile(0), hostile(1))
    words = ("diff", "old.txt", "new.txt", "--agent", "*")
    text, markdown, said = (run(*words, "--format", name) for name in ("text", "markdown", "json"))
    VALID.validate(json.loads(said.out))

    assert [1, 1, 1] == [text.code, markdown.code, said.code]
    assert "  = there may be more: this list is not proved to be complete\n" in text.out
    assert "- there may be more: this list is not proved to be complete\n" in markdown.out
    assert text.err == "answers changed for 1 of 1 crawler; for 1 there may be more changes\n"
    assert not json.loads(said.out)["exact"]


def test_nothing_found_and_nothing_proved(run: Run) -> None:
    """That no change was found is not said as if there were none."""
    lay_down(hostile(0), hostile(0, "a*d"))
    done = run("diff", "old.txt", "new.txt", "--agent", "*")
    no_change = "every crawler that no group names: no change was found, but this is not proved\n"

    assert (1, no_change) == (done.code, done.out)
    assert done.err == "answers changed for 0 of 1 crawler; for 1 there may be more changes\n"


def test_many(run: Run) -> None:
    """Of many crawlers and regions some are shown, and the rest are counted; or all are."""
    names = [f"Bot{letter}" for letter in "abcdefgh"]
    group = "".join(f"User-agent: {name}\n" for name in names)
    rules = "".join(f"Disallow: /{number:02}\n" for number in range(40))
    lay_down(f"{group}Disallow:\n".encode(), (group + rules).encode())
    words = ("diff", "old.txt", "new.txt", "--quiet")
    few, everything = run(*words), run(*words, "--verbose")

    assert few.out.startswith("Bota, Botb, Botc, Botd, Bote and 3 more may fetch less\n")
    assert few.out.endswith("\nand 35 more regions; `--verbose` shows all\n")
    assert (5, 40) == (few.out.count("closed: "), everything.out.count("closed: "))
    assert everything.out.startswith(f"{', '.join(names[:-1])} and {names[-1]} may fetch less\n")


def test_whom_an_example_is_of(run: Run) -> None:
    """What is said of crawlers that no group names is said of `*`, not of one of them."""
    lay_down(b"", STAR)
    done = run("diff", "old.txt", "new.txt")

    assert "      = no start-group line names `*` (RFC 9309 section 2.2.1)\n" in done.out


# Markdown


STRANGE = [
    *(
        "`",
        "``",
        "a`b",
        "|",
        "a|b",
        "\\|",
        "\\`",
        "a\\",
        "`|`",
        "<b>",
        "</code>",
        "&amp;",
        "&#124;",
    ),
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

    assert verger.plain.printable(text) == shown


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


# Input


@pytest.mark.parametrize(
    ("old", "note"),
    [
        (b"", ""),
        (bytes(range(256)), "note: line 1 of `old.txt`: the file is not text (not-text)\n"),
        (
            b"<!DOCTYPE html>\n",
            "note: line 1 of `old.txt`: the file is HTML or XML, as servers send it",
        ),
        ("User-agent: *\n".encode("utf-16"), "note: line 1 of `old.txt`: the file is UTF-16"),
        (b"User-agent: Mozilla/5.0 (compatible; A/1.0)\n", "note: line 1 of `old.txt`: "),
    ],
)
def test_files_of_another_kind(run: Run, old: bytes, note: str) -> None:
    """They are read as any file is, and noted."""
    lay_down(old, STAR)
    done = run("diff", "old.txt", "new.txt", "--agent", "*")

    assert (1, True) == (done.code, done.err.startswith(note or "answers changed"))
    assert "every crawler that no group names may fetch less\n" in done.out
    assert "" == run("diff", "old.txt", "new.txt", "--agent", "*", "--quiet").err


def test_a_hundred_megabytes(run: Run) -> None:
    """A file is read as far as its dialect reads it; where that has no end, it is refused."""
    lay_down(STAR, STAR)
    with Path("old.txt").open("ab") as file:
        file.truncate(100 << 20)
    done = run("diff", "old.txt", "new.txt")
    refused = run("diff", "old.txt", "new.txt", "--dialect", "googlebot-cpp")

    assert (0, "no answer changes") == (done.code, done.out[:17])
    assert done.err.startswith("note: `old.txt` is cut at ")
    assert (2, "") == (refused.code, refused.out)
    assert "error: cannot read `old.txt`: it has more than " in refused.err


REFUSED = {
    "no files": ((), "two versions are compared"),
    "one file": (("old.txt",), "two versions are compared"),
    "three files": (("old.txt", "new.txt", "old.txt"), "`old.txt` is a third"),
    "stdin twice": (("-", "-"), "stdin cannot hold both versions"),
    "a folder": ((".", "new.txt"), "`.` is a snapshot of many sites, and `new.txt` is one file"),
    "a folder and no file": ((".", "gone.txt"), "`.` is not one file, but a snapshot of many"),
    "no such file": (("gone.txt", "new.txt"), "no such file: `gone.txt`"),
    "no repository": (("HEAD:old.txt", "new.txt"), "there is no git repository here"),
    "a second crawler": (("--agent", "A", "B", "old.txt", "new.txt"), "no such file: `B`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(run: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what is wrong, and one what to do; nothing else is printed."""
    words, why = REFUSED[name]
    lay_down(STAR, STAR)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path.cwd().parent))
    done = run("diff", *words)

    assert (2, "", ["error:", "hint:"]) == (
        *(done.code, done.out),
        [line.split()[0] for line in done.err.splitlines()],
    )
    assert why in done.err


def test_stdin(run: Run) -> None:
    """`-` is either version."""
    lay_down(STAR, STAR)

    assert 0 == run("diff", "-", "new.txt", stdin=STAR).code
    assert 1 == run("diff", "old.txt", "-", stdin=b"").code


GONE = "http://gone.example/robots.txt answered 404: everything may be fetched\n"


def test_sites(run: Run, folder: Path) -> None:
    """A site without a file has an empty one; a site that cannot tell has none to compare."""
    lay_down(STAR, STAR)
    sites = {"a.example": STAR, "gone.example": 404, "down.example": 503}
    with web(sites, folder) as servers:
        same, gone, down = (
            run("diff", *servers.options, "--format=json", f"http://{name}.example", "new.txt")
            for name in ("a", "gone", "down")
        )
    for done in (same, gone):
        VALID.validate(json.loads(done.out))

    assert (0, "none") == (same.code, json.loads(same.out)["severity"])
    assert (1, "closed") == (gone.code, json.loads(gone.out)["severity"])
    assert gone.err.startswith(f"note: {GONE}")
    assert (2, "") == (down.code, down.out)
    assert down.err.startswith("error: there is no robots.txt file to compare: ")


def lay_down_snapshots(folder: Path) -> dict[str, str]:
    """Write the same sites to a folder, to tables and to a cache; return their names."""
    files = folder / "files"
    files.mkdir()
    (files / "a.example.txt").write_bytes(STAR)
    rows = [
        {"origin": "https://a.example", "status": 200, "body": STAR.decode()},
        {"origin": "http://gone.example", "status": 404, "body": None},
        {"origin": "https://down.example", "status": 503, "body": None},
    ]
    Path("table.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    pq.write_table(pa.Table.from_pylist(rows), "table.parquet")
    sites = {"a.example": STAR, "gone.example": 404, "down.example": 503}
    with web(sites, folder) as servers:
        leads = [f"::127.0.0.1:{servers.ports['http']}"]
        with verger.Client("T/1", store="c.sqlite", connect_to=leads) as client:
            client.prefetch(f"http://{name}/" for name in sites)
    return dict.fromkeys(("table.jsonl", "table.parquet", "c.sqlite"), "entries") | {"files": ""}


def test_sites_in_snapshots(run: Run, folder: Path) -> None:
    """A site in a folder, a table or a cache is a version, as the site itself is."""
    lay_down(STAR, STAR)
    for name, has_entries in lay_down_snapshots(folder).items():
        same = run("diff", f"{name}::a.example", "new.txt", "--format=json")
        other = run("diff", "new.txt", f"{name}::nobody.example")
        VALID.validate(json.loads(same.out))

        assert (0, "none") == (same.code, json.loads(same.out)["severity"]), name
        assert (2, "") == (other.code, other.out), name
        assert "`https://nobody.example`" in other.err or "`nobody.example`" in other.err
        if has_entries:
            gone = run("diff", f"{name}::http://gone.example/", "new.txt", "--format=json")
            down = run("diff", f"{name}::down.example", "new.txt")

            assert (1, "closed") == (gone.code, json.loads(gone.out)["severity"]), name
            assert GONE in gone.err
            assert (2, "") == (down.code, down.out), name
            assert "answered 503\nhint: pass a saved file\n" in down.err


@pytest.mark.parametrize(
    ("word", "why"),
    {
        "files::": "no such file: `files::`",
        "files::a b": "`https://a b` is not a URL",
        "new.txt::a.example": "`new.txt` is not a snapshot",
        "gone.sqlite::a.example": "no such file: `gone.sqlite::a.example`",
    }.items(),
)
def test_a_site_in_no_snapshot(run: Run, word: str, why: str) -> None:
    """What is not a snapshot, or not a site, is an error in a line."""
    lay_down(STAR, STAR)
    Path("files").mkdir()
    done = run("diff", word, "new.txt")

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith(f"error: {why}")


def test_compare_reads_a_site_in_a_snapshot(run: Run) -> None:
    """`verger compare` takes the same words."""
    Path("files").mkdir()
    Path("files", "a.example.txt").write_bytes(STAR)

    assert 0 == run("compare", "files::a.example", "--with", "google").code


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


REAL = re.compile(
    r"^(?P<host>\S+), between (?P<old>\S+) and (?P<new>\S+)\.$.*?^```diff\n(?P<diff>.*?)^```$",
    re.M | re.S,
)


def test_real_changes_of_the_guide() -> None:
    """The lines that the guide shows change what the whole files change, in the same severity."""
    changes = list(REAL.finditer(GUIDE.read_text("utf-8")))
    wanted = {f"{each['host']}/{each[day]}.txt" for each in changes for day in ("old", "new")}
    with tarfile.open(shared("corpus/robots-timeseries.tar.xz")) as archive:
        bodies = {
            name: file.read()
            for each in archive
            if (name := "/".join(each.name.split("/")[-2:])) in wanted
            and "/bharath06/" in each.name
            and (file := archive.extractfile(each))
        }
    assert 8 == len(changes)
    for each in changes:
        lay_down_versions(each["diff"], Path())
        short = _meaning(Path("old.txt").read_bytes(), Path("new.txt").read_bytes())
        whole = _meaning(*(bodies[f"{each['host']}/{each[day]}.txt"] for day in ("old", "new")))

        assert short <= whole, each["host"]


def _meaning(old: bytes, new: bytes) -> set[tuple[str, str, bool, str]]:
    found = diff(verger.parse(old), verger.parse(new))
    return {
        (token, each.severity, change.opened, change.region)
        for each in found.changed
        for token in each.shown
        for change in each.changes
    }
