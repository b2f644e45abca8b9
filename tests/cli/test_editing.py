"""`verger block`, `allow` and `minimise`: the new file, its proof, and what is refused."""

import json
import stat
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import verger
from verger.analysis import minimising
from verger.cli.edits import EDIT_SCHEMA as SCHEMA
from verger.files.robots_file import MOST_BYTES

from .conftest import Run
from .web import web

pytestmark = pytest.mark.usefixtures("folder")

PUBLISHED = json.loads((files("verger.cli") / "schemas" / "edit-1.schema.json").read_text("utf-8"))
VALID = Draft202012Validator(PUBLISHED)

BODY = b"\xef\xbb\xbfuser-agent:*\r\n disallow:/a  # why\r\n\r\nsitemap:https://e.example/s"

EDITS = {
    "block": ("block", "--agent", "GPTBot"),
    "allow": ("allow", "--agent", "GPTBot"),
    "minimise": ("minimise",),
}


@pytest.mark.parametrize("name", EDITS)
def test_layout_stays(run: Run, name: str) -> None:
    """A byte order mark, line ends, comments and a missing last line end are kept."""
    Path("r.txt").write_bytes(BODY)
    done = run(*EDITS[name], "--robots", "r.txt")
    group = b"" if name == "minimise" else b"user-agent:GPTBot\r\n disallow:%b\r\n\r\n"
    group = group % (b"/" if name == "block" else b"") if group else group

    assert (0, BODY.replace(b"sitemap", group + b"sitemap")) == (done.code, done.data)


def test_in_place(run: Run) -> None:
    """The file gets its new content and keeps its permissions; links stay; stdout is empty."""
    path = Path("r.txt")
    path.write_bytes(BODY)
    path.chmod(0o640)
    Path("link").symlink_to("r.txt")
    done = run(*EDITS["block"], "--robots", "link", "--in-place")

    assert (0, "") == (done.code, done.out)
    assert Path("link").is_symlink()
    assert not verger.load("r.txt").allowed("/", "GPTBot")
    assert 0o640 == stat.S_IMODE(path.stat().st_mode)
    assert {"r.txt", "link"} == {each.name for each in Path().iterdir()}


def test_refused_in_place(run: Run) -> None:
    """What is refused is not written, and exits with 1."""
    Path("r.txt").write_bytes(BODY)
    words = ("--robots", "r.txt", "--dialect", "yandex", "--in-place")
    done = run("block", "--agent", "a", *words)

    assert (1, "") == (done.code, done.out)
    assert ["error:", "hint:"] == [line.split()[0] for line in done.err.splitlines()]
    assert BODY == Path("r.txt").read_bytes()


@pytest.mark.parametrize("command", [("minimise",), ("block", "--agent", "A")])
def test_stdin_has_one_name(run: Run, command: tuple[str, ...]) -> None:
    """In JSON as in messages."""
    words = (*command, "--robots", "-", "--format", "json")
    said = json.loads(run(*words, stdin=b"User-agent: *\nAllow: /\n").out)

    assert "stdin" == said["file"]


def test_stdin(run: Run) -> None:
    """`-` is stdin, and stdout."""
    done = run("minimise", "--robots", "-", "--output", "-", stdin=b"User-agent: *\nAllow: /ab\n")

    assert (0, "User-agent: *\nDisallow:\n") == (done.code, done.out)


def test_file_at_a_url(run: Run, folder: Path) -> None:
    """The file of a site is fetched; a site without one has none to edit."""
    with web({"a.example": BODY, "gone.example": 404}, folder) as servers:
        words = ("block", *servers.options, "--agent", "GPTBot", "--robots")
        done = run(*words, "https://a.example/robots.txt")
        gone = run(*words, "https://gone.example")
        in_place = run(*words, "https://a.example", "--in-place")

    assert (0, True) == (done.code, done.data.startswith(BODY[:10]))
    assert (2, "") == (gone.code, gone.out)
    what = "https://gone.example/robots.txt answered 404"
    assert f"error: there is no robots.txt file to edit: {what}\n" in gone.err
    assert 2 == in_place.code


def test_no_room(run: Run) -> None:
    """A group that nobody would read is not written."""
    body = b"#" * 512_000 + b"\nUser-agent: *\nDisallow: /a\n"
    Path("r.txt").write_bytes(body)
    done = run("block", "--agent", "GPTBot", "--robots", "r.txt", "--in-place")

    assert (1, "") == (done.code, done.out)
    assert body == Path("r.txt").read_bytes()


BAD = {
    "html": (b"<!DOCTYPE html>\n<html>", "HTML"),
    "utf-16": ("User-agent: *\n".encode("utf-16"), "UTF-16"),
    "binary": (bytes(range(256)), "not text"),
    "long": (b"#" * (MOST_BYTES + 1), "16 MiB"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", EDITS)
def test_what_is_not_robots_txt(run: Run, command: str, name: str) -> None:
    """A file of another kind is not edited."""
    body, why = BAD[name]
    Path("r.txt").write_bytes(body)
    done = run(*EDITS[command], "--robots", "r.txt", "--in-place")

    assert (2, "", True) == (done.code, done.out, why.lower() in done.err.lower()), done.err
    assert body == Path("r.txt").read_bytes()


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
    assert said["proof"]["crawlers"] == said["proof"]["unchanged"] + sum(
        len(each["crawlers"]) for each in said["proof"]["changed"]
    )


def test_json_of_a_refusal(run: Run) -> None:
    """It tells what would change, for whom, with a URL that shows it."""
    Path("r.txt").write_bytes(BODY)
    words = ("--robots", "r.txt", "--dialect", "yandex", "--format", "json")
    done = run("block", "--agent", "a", *words)
    said = json.loads(done.out)
    VALID.validate(said)

    assert (1, None, []) == (done.code, said["body"], said["edits"])
    assert "/" == said["proof"]["changed"][0]["changes"][0]["witness"]


def test_schema() -> None:
    """The schema is one, and has no room for what it does not name."""
    Draft202012Validator.check_schema(PUBLISHED)

    assert SCHEMA == PUBLISHED["properties"]["schema"]["const"]
    assert not VALID.is_valid({"schema": SCHEMA})


def test_who_is_left_out_in_vain(run: Run) -> None:
    """A crawler of `--except` that is not meant is told of, and changes nothing."""
    Path("r.txt").write_bytes(BODY)
    words = ("block", "--robots", "r.txt", "--purpose", "training")
    plain, vain = run(*words), run(*words, "--except", "Googlebot", "--except", "gptbot")

    assert "note: `--except" not in plain.err
    assert 1 == vain.err.count("note: `--except Googlebot` has no effect: ")
    assert 1 == vain.err.count("note: `--except")
    assert "user-agent:GPTBot" in plain.out
    assert "user-agent:GPTBot" not in vain.out


def test_a_purpose_is_all_who_have_it(run: Run) -> None:
    """Common Crawl's archive is for training, too: no crawler of a purpose is left to be found."""
    Path("r.txt").write_bytes(BODY)
    done = run("block", "--robots", "r.txt", "--purpose", "training", "--output", "new.txt")

    assert 0 == done.code
    assert "user-agent:CCBot" in Path("new.txt").read_text(encoding="utf-8")
    assert "RT503" not in run("lint", "new.txt").out


def test_a_policy_token_of_one_secondary_source_is_written_when_asked(run: Run) -> None:
    """`--policy-tokens` and `--agent` ask for it; either way it is said that nobody sends it."""
    Path("r.txt").write_bytes(BODY)
    token, words = "__usage_ai-training", ("block", "--robots", "r.txt", "--purpose", "training")
    plain = run(*words)
    asked = run(*words, "--policy-tokens"), run(*words, "--agent", token)
    said = f"note: `{token}` is a policy token: no crawler sends it"

    assert (0, 1, 1) == (plain.code, plain.err.count(said), plain.err.count("hint: it is left out"))
    assert token not in plain.out
    assert "user-agent:Google-Extended" in plain.out
    for done in asked:
        assert (0, 1, 1) == (done.code, done.err.count(said), done.out.count(f":{token}"))
        assert "left out" not in done.err


def test_what_was_not_tried_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the tries run out, a line says so, and the object how many changes are left."""
    monkeypatch.setattr(minimising, "MOST_READ", 0)
    monkeypatch.setattr(minimising, "LEAST_TRIES", 1)
    names = [name for n in range(20) for name in (f"Zeus {n}", f"Web {n}", "Zeus", "Web")]
    groups = "".join(f"User-agent: {name}\nDisallow: /\n\n" for name in names)
    Path("r.txt").write_text(groups, encoding="utf-8")
    told = run("minimise", "--robots", "r.txt", "--output", "new.txt").err
    said = json.loads(run("minimise", "--robots", "r.txt", "--format", "json").out)

    VALID.validate(said)
    assert 0 < said["untried"]
    assert f"{said['untried']} more changes not tried: it would take too long\n" in told
