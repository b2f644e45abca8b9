"""`verger check` without a file: robots.txt is fetched, once, and what became of it is told."""

import gzip
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import verger
from faults.stage import closed_port
from patience import LONG
from verger.errors import MissingExtra
from verger.snapshots.sources import overriding_file as whole

from .conftest import Done, Run, objects, validator
from .console import talking_to
from .web import Page, Site, Web, web

STRING = "ExampleBot/1.0 (+https://example.com/bot)"
RULES = b"User-agent: ExampleBot\nDisallow: /private\n\nUser-agent: *\nDisallow: /all\n"
TEXT = {"Content-Type": "text/plain"}
DAY = 86_400

SITES: dict[str, Site] = {
    "example.com": RULES,
    "www.example.com": Page(301, headers={"Location": "https://example.com/robots.txt"}),
    "html.example": Page(200, RULES, {"Content-Type": "text/html"}),
    "zip.example": Page(200, b"\x1f\x8b broken", TEXT),
    "gone.example": 404,
    "shut.example": 403,
    "down.example": 503,
    "busy.example": Page(429, headers={"Retry-After": "300"}),
    "round.example": Page(302, headers={"Location": "/robots.txt"}),
    "inward.example": Page(302, headers={"Location": "http://127.0.0.2:9/robots.txt"}),
    "hostile.example": Page(200, RULES, {"Content-Type": "\x1b]0;owned"}),
}


@pytest.fixture
def stage(folder: Path) -> Iterator[Web]:
    """Serve the sites."""
    with web(SITES, folder) as servers:
        yield servers


def asked(run: Run, stage: Web, *words: str, stdin: bytes = b"") -> Done:
    """Ask for ExampleBot, and for others where the words say so."""
    who = ("--user-agent", STRING, "--agent", "ExampleBot")
    return run("check", *stage.options, *who, *words, stdin=stdin)


def asked_again_later(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Put the clock forward."""
    ahead = time.time() + seconds
    monkeypatch.setattr("verger.cli.live.time", lambda: ahead)


def test_undeclared_gzip_is_told(run: Run, stage: Web) -> None:
    """What was tolerated is among the remarks."""
    stage.sites["zip.example"] = Page(200, gzip.compress(RULES), TEXT)
    done = asked(run, stage, "https://zip.example/private")

    assert "  2 | Disallow: /private\n" in done.out
    assert "gzip" in done.out.splitlines()[-1]


@pytest.mark.usefixtures("folder")
def test_nobody_listens(run: Run) -> None:
    """A server that cannot be reached closes the site, and is not an error of the command."""
    with closed_port() as port:
        done = run(
            *("check", "--connect-to", f"::127.0.0.1:{port}", "--user-agent", STRING),
            "http://example.com/",
        )

    assert (1, "") == (done.code, done.err)
    assert (
        "disallowed: http://example.com/robots.txt cannot be reached: connection refused "
        "(RFC 9309 section 2.3.1.4)"
    ) == done.out.partition("\n")[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "Bot"), f"Bot (checked with verger/{verger.__version__})"),
        (("--agent", "bot-news,bot"), f"bot-news (checked with verger/{verger.__version__})"),
        (("--agent", "*"), f"verger/{verger.__version__}"),
        (("--user-agent", STRING), STRING),
        (("--user-agent", "Bot/1.0"), "Bot/1.0"),
        (("--agent", "Bot", "--user-agent", STRING), STRING),
    ],
)
def test_who_asks(run: Run, stage: Web, words: tuple[str, ...], said: str) -> None:
    """Requests carry the crawler's own string, else say who really asks."""
    run("check", *stage.options, *words, "https://gone.example/")

    assert [said] == [request.headers["User-Agent"] for request in stage.requests]


def test_objects_follow_the_schema(run: Run, stage: Web) -> None:
    """Every outcome in every dialect."""
    urls = [f"https://{host}/private" for host in SITES]
    words = ["--agent", "*", "--dialect", "all", "--format", "jsonl", "--"]
    found = objects(asked(run, stage, *words, *urls, "/path", "no url"))

    assert 2 * 8 * (len(SITES) + 2) == len(found)
    assert [] == [error.message for each in found for error in validator("check").iter_errors(each)]
    assert {"rules", "allow_all", "disallow_all", "defer"} == {
        each["access"]["effect"] for each in found if "access" in each
    }
    assert {"no-host", "invalid-target"} == {
        each["error"]["type"] for each in found if each["error"]
    }


def test_object_of_a_fetch(run: Run, stage: Web) -> None:
    """The member `access` holds the facts of the fetch and what they mean."""
    (found,) = objects(asked(run, stage, "--format", "jsonl", "https://down.example/a"))
    access = found["access"]

    assert (False, "SERVER_ERROR", None) == (found["allowed"], found["reason"], found["file"])
    assert ("disallow_all", 503, "fetched", 1) == (
        access["effect"],
        access["status"],
        access["source"],
        access["failures"],
    )
    assert 0 <= access["age"] < 3_600
    assert access["fetched_at"] == access["unreachable_since"] < access["fresh_until"]


def test_csv_has_columns_of_the_fetch(run: Run, stage: Web) -> None:
    """They follow the columns that files from disk have."""
    done = asked(run, stage, "--format", "csv", "https://gone.example/", "https://example.com/")
    header, gone, found = (line.split(",") for line in done.out.splitlines())

    assert header[-7:] == [
        *("effect", "status", "failure", "fetched_at", "age", "fresh_until", "source")
    ]
    assert ["true", "UNAVAILABLE", "RFC 9309 section 2.3.1.3"] == gone[3:6]
    assert ["allow_all", "404", ""] == gone[-7:-4]
    assert ["rules", "200", ""] == found[-7:-4]


def test_verbose_says_how_much_and_how_long(run: Run, stage: Web) -> None:
    """With `--verbose` the size of the file and the time of the fetch are told."""
    done = asked(run, stage, "--verbose", "https://example.com/", "https://gone.example/")

    assert f"    = {len(RULES)} bytes, fetched in 0." in done.out
    assert "  = 0 bytes, fetched in 0." in done.out


# A cache


def test_cache_is_used_while_fresh(run: Run, stage: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run asks nobody, and says how old what it knows is."""
    words = ("--cache", "c.sqlite3", "https://example.com/", "https://down.example/")
    asked(run, stage, *words)
    asked_again_later(monkeypatch, 30)
    done = asked(run, stage, *words)

    assert 2 == len(stage.requests)
    assert (
        "    = https://example.com/robots.txt from the cache, 30 s old, fresh for 24 h\n"
    ) in done.out
    assert (
        "  = unreachable: nothing may be fetched\n"
        "  = from the cache, 30 s old\n"
        "  = requested again in 30 s at the earliest\n"
    ) in done.out


def test_a_copy_binds_while_the_file_is_unreachable(
    run: Run, stage: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The excerpt is of the copy, and the failure is told."""
    asked(run, stage, "--cache", "c.sqlite3", "https://example.com/")
    stage.sites["example.com"] = 500
    asked_again_later(monkeypatch, 2 * DAY)
    done = asked(run, stage, "--cache", "c.sqlite3", "https://example.com/private")

    assert 1 == done.code
    assert "  2 | Disallow: /private\n" in done.out
    assert (
        "    = https://example.com/robots.txt answered 500; the copy of 2 d ago is used\n"
        "    = unreachable: the last good copy is used instead (RFC 9309 section 2.4)\n"
        "    = requested again in 60 s at the earliest\n"
    ) in done.out


def test_a_file_that_has_not_changed_is_renewed(
    run: Run, stage: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """304 is told as what it is."""
    stage.sites["example.com"] = Page(200, RULES, {**TEXT, "ETag": '"1"'})
    asked(run, stage, "--cache", "c.sqlite3", "https://example.com/")
    asked_again_later(monkeypatch, 2 * DAY)
    done = asked(run, stage, "--cache", "c.sqlite3", "https://example.com/")

    assert '"1"' == stage.requests[-1].headers["If-None-Match"]
    assert (
        "    = https://example.com/robots.txt is unchanged since it was cached, fresh for 24 h\n"
    ) in done.out


def test_a_server_of_a_cache_that_is_not_there_is_told_once(run: Run, stage: Web) -> None:
    """The answers come without it."""
    urls = ("https://example.com/", "https://gone.example/")
    done = asked(run, stage, "--cache", "redis://127.0.0.1:1", *urls)

    assert 0 == done.code
    assert 1 == done.err.count("note: the cache failed, and is not used: ")
    assert ["note", "hint"] == [line.partition(":")[0] for line in done.err.splitlines()]


# Many URLs


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_answer_comes_as_soon_as_there_is_one(stage: Web) -> None:
    """A pipe that stays open holds no answer back; ctrl-C then ends the wait without a word."""
    command = [sys.executable, "-m", "verger", "check", *stage.options, "--user-agent", STRING]
    with talking_to([*command, "--format", "csv", "-"]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(b"https://example.com/\n")
        process.stdin.flush()
        deadline = threading.Timer(LONG, process.kill)
        deadline.start()
        lines = [process.stdout.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=LONG)
        said = process.stderr.read()
        deadline.cancel()

    assert b"https://example.com/,ExampleBot,rfc9309,true," == lines[1][:45]
    assert (130, b"") == (code, said)


def test_missing_extra(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the packages that fetch, the extra that brings them is named."""
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "verger.fetching.aiohttp_transport", raising=False)
    done = run("check", "--user-agent", STRING, "https://example.com/")

    assert (2, "") == (done.code, done.out)
    assert (
        "error: fetching over HTTP needs packages that are not installed\n"
        f"hint: {MissingExtra.remedy('http')}\n"
    ) == done.err


def test_headers(run: Run, stage: Web) -> None:
    """`--header` sets fields for all sites, or for one; credentials stay where they belong."""
    fields = (
        *("--header", "X-All: 1", "--header", "Authorization: Bearer all"),
        *("--header", "origin=https://example.com X-One:2"),
    )
    done = asked(run, stage, *fields, "https://www.example.com/", "https://gone.example/")

    assert 0 == done.code, done.err
    names = ("X-All", "Authorization", "X-One")
    sent = {seen.host: [seen.headers.get(name) for name in names] for seen in stage.requests}
    assert {
        "www.example.com": ["1", "Bearer all", None],
        "example.com": ["1", None, "2"],
        "gone.example": ["1", "Bearer all", None],
    } == sent


def test_a_user_in_a_url_is_not_sent(run: Run, stage: Web) -> None:
    """It is said once, and the answers are those of the site."""
    urls = [f"https://user:secret@example.com/{number}" for number in range(3)]
    done = asked(run, stage, *urls)

    assert 0 == done.code
    assert 1 == done.err.count("note: the user name and password in a URL are not sent")
    assert not any("Authorization" in seen.headers for seen in stage.requests)


def test_questions_about_other_crawlers(run: Run, stage: Web) -> None:
    """Whoever asks for another than the one that fetches does so on purpose."""
    words = ("--user-agent", STRING, "--agent", "OtherBot")
    done = run("check", *stage.options, *words, "https://example.com/")

    assert (0, "") == (done.code, done.err)


OVERRIDES = (
    "--override=http://down.example=allow",
    "--override=HTTP://Gone.Example:80/=disallow",
    "--override=http://example.com=own.txt",
)


@pytest.fixture
def own(folder: Path) -> bytes:
    """A file to read in place of a site's own."""
    body = b"User-agent: *\nDisallow: /own\n"
    (folder / "own.txt").write_bytes(body)
    return body


@pytest.mark.usefixtures("own")
def test_overrides(run: Run, stage: Web) -> None:
    """Nothing is asked of a site about which the operator has decided; others are fetched."""
    places = ("down.example/", "gone.example/", "example.com/own", "example.com/private")
    urls = [f"http://{place}" for place in (*places, "html.example/private")]
    done = asked(run, stage, *OVERRIDES, "--format=jsonl", *urls)

    assert [
        (True, "OPERATOR_OVERRIDE", None),
        (False, "OPERATOR_OVERRIDE", None),
        (False, "MOST_SPECIFIC_RULE", "own.txt"),
        (True, "NO_MATCHING_RULE", "own.txt"),
        (False, "MOST_SPECIFIC_RULE", "http://html.example/robots.txt"),
    ] == [(each["allowed"], each["reason"], each["file"]) for each in objects(done)]
    assert ["html.example"] == [each.host for each in stage.requests]
    for each in objects(done):
        validator("check").validate(each)


@pytest.mark.usefixtures("own")
def test_the_file_of_an_override_is_read_once(
    run: Run, stage: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many URLs are asked about; a large file would be parsed for each."""
    made: list[str] = []

    def counted(name: str, *given: Any) -> Any:
        made.append(name)
        return whole(name, *given)

    monkeypatch.setattr("verger.cli.live.overriding_file", counted)
    urls = [f"http://example.com/{number}" for number in range(5)]
    done = asked(run, stage, OVERRIDES[2], "--format=csv", *urls)

    assert ["http://example.com"] == made
    assert 5 == done.out.count("NO_MATCHING_RULE")


@pytest.mark.usefixtures("own")
def test_an_override_that_no_url_is_of(run: Run, stage: Web) -> None:
    """A slip is told, for the site is then asked; an override that decides is not."""
    urls = ("http://example.com/", "http://gone.example:81/")
    words = ("--override=http://exmaple.com=disallow", *OVERRIDES[1:], *urls)
    live = asked(run, stage, *words)
    quiet = asked(run, stage, "--quiet", *words)

    assert [
        "note: no URL is of `http://exmaple.com`, which `--override` names",
        "note: no URL is of `http://gone.example`, which `--override` names",
    ] == [line for line in live.err.splitlines() if "--override" in line]
    assert "" == quiet.err


@pytest.mark.usefixtures("own")
def test_overrides_of_a_snapshot(run: Run, folder: Path) -> None:
    """They stand in place of what it has, and for sites that it does not have."""
    (folder / "kept").mkdir()
    (folder / "kept" / "down.example").write_bytes(b"User-agent: *\nDisallow: /\n")
    (folder / "kept" / "example.org").write_bytes(b"User-agent: *\nDisallow: /\n")
    words = ("--snapshot=kept", "--agent=A", *OVERRIDES)
    urls = [f"http://{host}/own" for host in ("down.example", "example.com", "example.org")]
    done = run("check", *words, "--format=csv", *urls)

    assert "note: no URL is of `http://gone.example`, which `--override` names\n" in done.err
    assert [
        "true,OPERATOR_OVERRIDE",
        "false,MOST_SPECIFIC_RULE",
        "false,MOST_SPECIFIC_RULE",
    ] == [",".join(line.split(",")[3:5]) for line in done.out.splitlines()[1:]]


def test_words_of_an_override(run: Run, stage: Web) -> None:
    """Every form of the answer says that the operator decided."""
    url = "http://down.example/"
    one = asked(run, stage, *OVERRIDES[:2], "--verbose", url, "http://gone.example/")
    several = asked(run, stage, *OVERRIDES[:1], "--agent=B", "--summary", url)

    assert "allowed: the operator's override\n  = everything may be fetched\n" in one.out
    assert "disallowed: the operator's override\n  = nothing may be fetched\n" in one.out
    assert "allowed override" in several.out
    assert "sites                1\n" in several.err


@pytest.mark.parametrize("host", ["gone.example", "down.example", "shut.example"])
def test_only_a_file_is_as_approved(host: str, stage: Web, run: Run) -> None:
    """Not what the access policy makes of a site without one; a site with one is compared."""
    marks = [verger.parse(body).fingerprint() for body in (b"", b"User-agent: *\nDisallow: /\n")]
    words = ("test", "--user-agent", STRING, *stage.options, "--fingerprint")
    for mark in marks:
        done = run(*words, mark, "--robots", f"http://{host}")
        assert (done.code, done.out) == (2, "")
        assert f"{host}/robots.txt`: there is no file to compare" in done.err
    own = verger.parse(RULES).fingerprint()
    assert run(*words, own, "--robots", "http://example.com").code == 0
