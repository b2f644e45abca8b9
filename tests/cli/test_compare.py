"""`verger compare`: where dialects answer one file differently, as text and JSON."""

import json
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import verger
from verger.cli.commands.diff_output import COMPARE_SCHEMA

from .conftest import Run
from .web import web

pytestmark = pytest.mark.usefixtures("folder")

PUBLISHED = json.loads(
    (files("verger.cli") / "schemas" / "compare-1.schema.json").read_text("utf-8")
)
VALID = Draft202012Validator(PUBLISHED)

CASES = {
    "wildcards": (
        "User-agent: *\nDisallow: /*.gif$\n",
        "original-1994",
        """\
original-1994 compared with rfc9309

for every crawler that no group names

allows: /*.gif$, for example /.gif
  rfc9309        disallowed by line 2
    1 | User-agent: *
    2 | Disallow: /*.gif$
      |           ^~^^^^^ most specific match, 7 bytes (RFC 9309 section 2.2.2)
  original-1994  allowed: no rule matches
    1 | User-agent: *
      = no rule of this group matches `/.gif` (A Standard for Robot Exclusion, 30 June 1994)
""",
        "original-1994: answers differ for 1 of 1 crawler\n",
    ),
    "the first rule or the longest": (
        "User-agent: *\nDisallow: /a\nAllow: /a/b\n",
        "koster-1996",
        """\
koster-1996 compared with rfc9309

for every crawler that no group names
  = there may be more: this list is not proved to be complete

disallows: /a/b
  rfc9309      allowed by line 3
    1 | User-agent: *
    3 | Allow: /a/b
      |        ^^^^ most specific match, 4 bytes (RFC 9309 section 2.2.2)
  koster-1996  disallowed by line 2
    1 | User-agent: *
    2 | Disallow: /a
      |           ^^ first matching rule \
(Koster, A Method for Robots Exclusion, draft 1, section 3.2.2)
""",
        "koster-1996: answers differ for 1 of 1 crawler; for 1 there may be more differences\n",
    ),
    "the same": (
        "User-agent: *\nDisallow: /a*b$\nAllow: /a/b\n",
        "google",
        "google compared with rfc9309: the same answers\n",
        "google: answers differ for 0 of 1 crawler\n",
    ),
}
"""A file, the other dialect, the text, and the closing line; all of `*`."""


@pytest.mark.parametrize("name", CASES)
def test_text(run: Run, name: str) -> None:
    """The text says for whom, where, and by which lines in both dialects."""
    body, other, text, closing = CASES[name]
    Path("r.txt").write_text(body)
    done = run("compare", "r.txt", "--with", other, "--agent", "*")
    code = 0 if text.endswith(": the same answers\n") else 1

    assert (code, text, closing) == (done.code, done.out, done.err)


@pytest.mark.parametrize("dialect", verger.DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_json(run: Run, name: str, dialect: str) -> None:
    """One object, which follows the schema, with all other dialects in order."""
    body, *_ = CASES[name]
    done = run("compare", "-", "--dialect", dialect, "--format=json", stdin=body.encode())
    said = json.loads(done.out)
    VALID.validate(said)

    assert (COMPARE_SCHEMA, "stdin", dialect) == (said["schema"], said["file"], said["dialect"])
    assert [each["dialect"] for each in said["others"]] == [
        name for name in verger.DIALECTS if name != dialect
    ]
    assert done.code == any(each["changes_answers"] for each in said["others"])


def test_both_ways(run: Run) -> None:
    """What one dialect alone allows, the other alone disallows."""
    Path("r.txt").write_text(CASES["wildcards"][0])
    words = ("compare", "r.txt", "--agent", "*", "--format", "json")
    there, back = (
        json.loads(run(*words, "--dialect", one, "--with", other).out)
        for one, other in (("rfc9309", "original-1994"), ("original-1994", "rfc9309"))
    )
    (one,), (other,) = (said["others"][0]["changed"][0]["changes"] for said in (there, back))

    assert (one["region"], one["opened"]) == (other["region"], not other["opened"])
    assert (one["old"], one["new"]) == (other["new"], other["old"])


def test_whom_a_dialect_names(run: Run) -> None:
    """A remark says that a group names a crawler in one of two dialects only."""
    body = b"User-agent: Example\nDisallow: /\n"
    done = run("compare", "-", "--with", "yandex", "--agent", "ExampleBot", stdin=body)

    assert "for ExampleBot\n  = a group names it in yandex only\n" in done.out


def test_schema() -> None:
    """The schema is one, names every dialect, and refuses what lacks members."""
    Draft202012Validator.check_schema(PUBLISHED)

    assert COMPARE_SCHEMA == PUBLISHED["properties"]["schema"]["const"]
    assert list(verger.DIALECTS) == PUBLISHED["$defs"]["dialect"]["enum"]
    assert not VALID.is_valid({"schema": COMPARE_SCHEMA})


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (b"", ""),
        (bytes(range(256)), "note: line 1 of `r.txt`: the file is not text (not-text)\n"),
        (
            b"<!DOCTYPE html>\n",
            "note: line 1 of `r.txt`: the file is HTML or XML, as servers send it",
        ),
    ],
)
def test_files_of_another_kind(run: Run, body: bytes, note: str) -> None:
    """They are read as any file is, and noted once for all dialects."""
    Path("r.txt").write_bytes(body)
    done = run("compare", "r.txt", "--with", "google", "--with", "yandex", "--with", "bing")

    assert (0, True) == (done.code, done.err.startswith(note))
    assert done.err.count("note: ") == bool(note)


def test_a_hundred_megabytes(run: Run) -> None:
    """A file is read as far as its dialects read it; where one has no end, it is refused."""
    with Path("r.txt").open("wb") as file:
        file.truncate(100 << 20)
    cut = run("compare", "r.txt", "--with", "google")
    refused = run("compare", "r.txt", "--with", "googlebot-cpp")

    assert (0, 2) == (cut.code, cut.err.count("note: `r.txt` is cut at "))
    assert (2, "") == (refused.code, refused.out)
    assert "error: cannot read `r.txt`: it has more than " in refused.err


REFUSED = {
    "no file": ((), "no file given"),
    "two files": (("r.txt", "r.txt"), "`r.txt` is a second"),
    "no such file": (("gone.txt",), "no such file: `gone.txt`"),
    "a folder": ((".",), "`.` is a folder"),
    "no repository": (("HEAD:r.txt",), "there is no git repository here"),
    "itself": (("r.txt", "--with", "rfc9309"), "`rfc9309` is compared with itself"),
    "a crawler for a file": (("--agent", "r.txt"), "no file given"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(run: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what is wrong, and one what to do; nothing else is printed."""
    words, why = REFUSED[name]
    Path("r.txt").write_bytes(b"")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path.cwd().parent))
    done = run("compare", *words)
    firsts = [line.split()[0] for line in done.err.splitlines()]

    assert (2, "", ["error:", "hint:"]) == (done.code, done.out, firsts)
    assert why in done.err


def test_sites(run: Run, folder: Path) -> None:
    """The file of a site, and what became of fetching it."""
    body = CASES["wildcards"][0].encode()
    with web({"a.example": body, "gone.example": 404, "down.example": 503}, folder) as servers:
        words = ("compare", *servers.options, "--format=json")
        names = ("a", "gone", "down")
        found, gone, down = (run(*words, f"https://{name}.example") for name in names)
        quiet = run(*words, "--quiet", "https://gone.example")
    said = json.loads(found.out)
    VALID.validate(said)

    assert (1, 200) == (found.code, said["access"]["status"])
    what = "https://gone.example/robots.txt answered 404: everything may be fetched"
    assert (0, f"note: {what}") == (gone.code, gone.err.splitlines()[0])
    assert (0, "") == (quiet.code, quiet.err)
    assert (2, "") == (down.code, down.out)
