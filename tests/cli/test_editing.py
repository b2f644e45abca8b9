"""`verger block`, `allow` and `minimise`: the new file, its proof, and what is refused."""

import json
from pathlib import Path

import pytest

import verger
from verger.analysis import minimal_file
from verger.cli.commands.block import EDIT_SCHEMA as SCHEMA

from .conftest import Run, validator

pytestmark = pytest.mark.usefixtures("folder")

VALID = validator("edit")

BODY = b"\xef\xbb\xbfuser-agent:*\r\n disallow:/a  # why\r\n\r\nsitemap:https://e.example/s"

EDITS = {
    "block": ("block", "--agent", "GPTBot"),
    "allow": ("allow", "--agent", "GPTBot"),
    "minimise": ("minimise",),
}


@pytest.mark.parametrize("command", [("minimise",), ("block", "--agent", "A")])
def test_stdin_has_one_name(run: Run, command: tuple[str, ...]) -> None:
    """In JSON as in messages."""
    words = (*command, "--robots", "-", "--format", "json")
    said = json.loads(run(*words, stdin=b"User-agent: *\nAllow: /\n").out)

    assert "stdin" == said["file"]


@pytest.mark.parametrize("name", EDITS)
def test_a_file_with_an_absolute_path_needs_no_option(run: Run, name: str) -> None:
    """A path pattern begins with a slash as well, but nothing is edited without a file."""
    place = Path("r.txt").absolute()
    place.write_bytes(BODY)

    assert run(*EDITS[name], str(place)).data == run(*EDITS[name], "--robots", "r.txt").data
    assert run(*EDITS[name], "/no/file").code == 2


def test_beyond_the_parsing_limit(run: Run) -> None:
    """A new group goes where it is read, and what is not read is not lost."""
    body = b"User-agent: *\nDisallow: /a\n" + b"# filling\n" * 60_000
    Path("r.txt").write_bytes(body)
    done = run("block", "--agent", "GPTBot", "--robots", "r.txt", "--quiet")

    assert 0 == done.code
    assert done.data.endswith(b"# filling\n" * 50_000)
    assert not verger.parse(done.data).allowed("/", "GPTBot")
    assert len(body) < len(done.data)


@pytest.mark.parametrize("name", EDITS)
def test_json(run: Run, name: str) -> None:
    """One object, which follows the schema; its edits lead to its body."""
    Path("r.txt").write_bytes(BODY)
    said = json.loads(run(*EDITS[name], "--robots", "r.txt", "--format", "json").out)
    VALID.validate(said)
    body = bytearray(BODY)
    for edit in reversed(said["edits"]):
        body[slice(*edit["span"])] = edit["replacement"].encode()

    assert SCHEMA == said["schema"]
    assert bytes(body) == said["body"].encode()
    proof = said["proof"]
    changed = {name for each in (*proof["changed"], *proof["uses"]) for name in each["crawlers"]}
    assert proof["crawlers"] == proof["unchanged"] + len(changed)


def test_json_of_a_refusal(run: Run) -> None:
    """It tells what would change, for whom, with a URL that shows it."""
    Path("r.txt").write_bytes(BODY)
    words = ("--robots", "r.txt", "--dialect", "yandex", "--format", "json")
    done = run("block", "--agent", "a", *words)
    said = json.loads(done.out)
    VALID.validate(said)

    assert (1, None, []) == (done.code, said["body"], said["edits"])
    assert "/" == said["proof"]["changed"][0]["changes"][0]["witness"]


def test_what_was_not_tried_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the tries run out, a line says so, and the object how many changes are left."""
    monkeypatch.setattr(minimal_file, "MOST_READ", 0)
    monkeypatch.setattr(minimal_file, "LEAST_TRIES", 1)
    names = ("GPTBot", "CCBot", "ClaudeBot", "Bytespider")
    # In 1994 and 1996, only the first group of a crawler counts: they cannot be one.
    groups = "".join(
        f"User-agent: {name}\nDisallow: {p}\n\n" for name in names for p in ["/a", "/b"]
    )
    Path("r.txt").write_text(groups, encoding="utf-8")
    told = run("minimise", "--robots", "r.txt", "--output", "new.txt").err
    said = json.loads(run("minimise", "--robots", "r.txt", "--format", "json").out)

    VALID.validate(said)
    assert 0 < said["untried"]
    assert f"{said['untried']} more changes not tried: it would take too long\n" in told


def test_templates_are_refused(run: Run) -> None:
    """With a line and a hint; the file stays."""
    body = b"---\nlayout: null\n---\nuser-agent:*\nDisallow: /a\nDisallow: /a\n"
    Path("r.txt").write_bytes(body)
    Path("robots.toml").write_text(
        'robots = "r.txt"\n[[expect]]\nagent = "GPTBot"\npaths = "/"\nallowed = false\n'
    )
    edits = [(*words, "--robots", "r.txt", "--in-place") for words in EDITS.values()]
    formats = [("fmt", "r.txt"), ("fmt", "--check", "r.txt")]
    fixes = [("test", "--fix", "robots.toml"), ("test", "--diff", "robots.toml")]
    for words in (*edits, *formats, *fixes):
        done = run(*words)
        assert (1 if words[0] == "test" else 2) == done.code, words
        assert "line 1 is part of a text that was not rendered" in done.err, words
        assert "hint: run it on the rendered file" in done.err, words

    assert 1 == run("lint", "--fix", "--unsafe-fixes", "r.txt").code
    assert body == Path("r.txt").read_bytes()


def test_records_that_change_in_another_dialect_are_named(run: Run) -> None:
    """In `yandex` the name `a` is the beginning of `a12`; in the dialect of the file it is not."""
    body = b"User-agent: a\nCrawl-delay: 7\nDisallow: /\n\nUser-agent: *\nDisallow: /\n"
    Path("r.txt").write_bytes(body)
    done = run("allow", "--agent", "a12", "--robots", "r.txt", "/")
    which = "no longer `crawl-delay: 7` (yandex only)"

    assert f"other records than before are for a12: {which}" in done.err.splitlines()


def test_what_yandex_takes_for_a_permission_is_told_as_one(run: Run) -> None:
    """An empty `Disallow`, which the unsafe fix writes, is its rule `Allow: /`."""
    Path("r.txt").write_bytes(
        b"User-agent: Applebot/0.1\nNoindex: /a\n\nUser-agent: Googlebot\nDisallow: /a/b\n"
    )
    done = run("lint", "--unsafe-fixes", "--diff", "r.txt")
    told = [line for line in done.err.splitlines() if "Applebot-Extended" in line]

    assert ["r.txt: allowed for ai-train by Applebot-Extended: / (yandex only)"] == told


def test_the_records_of_many_crawlers_are_told_as_of_each(run: Run) -> None:
    """Those of a group that hundreds share, and leave; with those of the whole file."""
    names = "".join(f"User-agent: b{at}\nCrawl-delay: {at}\n" for at in range(300))
    Path("r.txt").write_text(f"Sitemap: https://e.example/s\n{names}Disallow: /\n")
    done = run("lint", "--unsafe-fixes", "--diff", "r.txt")
    (told,) = (line for line in done.err.splitlines() if "other records" in line)

    assert "no longer `crawl-delay: 0`, `crawl-delay: 1`, `crawl-delay: 10`" in told
    assert "sitemap" not in told


def test_a_record_that_one_crawler_keeps_is_not_told_as_new(run: Run) -> None:
    """In the dialects of the nineties a group needs a rule: the record was for everyone before."""
    Path("r.txt").write_bytes(b"User-agent: a\nCrawl-delay: 7\n\nUser-agent: b\nDisallow: /\n")
    done = run("lint", "--unsafe-fixes", "--diff", "r.txt")
    (told,) = (line for line in done.err.splitlines() if "other records" in line)

    assert told.endswith(": no longer `crawl-delay: 7` (not in yandex)")
