"""`verger agents`: what a site says to each crawler, by purpose."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from verger.cli.commands.agents import FORMATS
from verger.cli.commands.agents_output import COLUMNS
from verger.crawlers import CRAWLERS, PURPOSES, remark_on
from verger.crawlers.survey import MOST_UNLISTED, UNLISTED
from verger.objects.agents import AGENTS_SCHEMA as SCHEMA

from .conftest import Run, laid_down, validator
from .web import Page, Site, Web, web

VALIDATOR = validator("agents")

RULES = b"""\
User-agent: GPTBot
User-agent: ccbot
User-agent: gptbot/1.0
Disallow: /
Allow: /press

User-agent: Googlebot
Content-Signal: search=yes, ai-train=no
Content-Usage: train-ai=n
Disallow:

User-agent: Our Own Bot
User-agent: our
Disallow: /

User-agent: *
Disallow: /private
"""

SITES: dict[str, Site] = {
    "example.com": RULES,
    "www.example.com": Page(301, headers={"Location": "https://example.com/robots.txt"}),
    "gone.example": 404,
    "down.example": 503,
}


@pytest.fixture
def site(folder: Path) -> Path:
    """Lay down a `robots.txt` that names several crawlers."""
    return laid_down(folder, RULES)


@pytest.fixture
def stage(folder: Path) -> Iterator[Web]:
    """Serve the sites."""
    with web(SITES, folder) as servers:
        yield servers


def told(run: Run, *words: str, stdin: bytes = b"") -> dict[str, Any]:
    """Return the one JSON object, which follows the schema."""
    done = run("agents", *words, "--format", "json", stdin=stdin)
    said: dict[str, Any] = json.loads(done.out)
    VALIDATOR.validate(said)

    assert (0, "", 1) == (done.code, done.err, done.out.count("\n"))
    return said


def summary(crawler: dict[str, Any]) -> tuple[object, ...]:
    names = ("token", "posture", "extent", "elsewhere", "line", "group_lines")
    return tuple(crawler[name] for name in names)


def known(purpose: str) -> int:
    """How many crawlers of the registry have a purpose."""
    return sum(purpose in each.purposes for each in CRAWLERS)


# Text


TOKENS = [crawler.token for crawler in CRAWLERS]


def test_a_list_remarks_on_those_that_the_file_does_not_bind(run: Run, folder: Path) -> None:
    """Named or not; on AdsBot-Google if no group names it."""
    (folder / "r").write_text("User-agent: ChatGPT-User\nUser-agent: AdsBot-Google\nDisallow: /\n")
    lines = run("agents", "r", "--all").out.splitlines()

    remarked = {token for token in TOKENS if f"  = {remark_on(token)}" in lines}
    assert {"ChatGPT-User", "Google-Agent", "AdsBot-Google-Mobile"} <= remarked
    assert {"AdsBot-Google", "GPTBot"}.isdisjoint(remarked)


def test_all_lists_who_is_not_named(run: Run, site: Path) -> None:
    """One by one, instead of their number."""
    out = run("agents", site.name, "--purpose", "training", "--all").out
    rows = [line for line in out.splitlines() if line.endswith("  default")]

    assert known("training") - 2 == len(rows)
    assert "not named" not in out


def test_unknown_posture_has_a_colour(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So has what takes too long to prove."""
    words = [f"{number:b}".replace("0", "*a").replace("1", "*b") for number in range(2, 3_002)]
    rules = [f"Allow: /{word}\nDisallow: /{word[:-2]}****\n" for word in words]
    (folder / "r").write_text("User-agent: *\nDisallow: /\n" + "".join(rules))
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert "\x1b[35munknown\x1b[0m" in run("agents", "r").out


# JSON and CSV


def test_json_tells_all(run: Run, site: Path) -> None:
    """What holds for `*`, who is named, and how many are not."""
    said = told(run, site.name)
    numbers = {name: known(name) for name in PURPOSES}
    named = {"search": 6, "training": 2, "archive": 1, "user-triggered": 1, "seo": 2}

    assert (SCHEMA, "robots.txt", "robots.txt") == (said["schema"], said["site"], said["file"])
    assert ("*", "some", "some", True, None, [16]) == summary(said["default"])
    assert [summary(crawler) for crawler in said["crawlers"]] == [
        *((token, "all", "all", True, None, [7]) for token in ("Applebot", "Googlebot")),
        *((f"Googlebot-{of}", "all", "all", True, None, [7]) for of in ("Image", "News", "Video")),
        ("Kagibot", "all", "all", True, None, [7]),
        ("GPTBot", "some", "some", False, 4, [1, 3]),
        ("Google-InspectionTool", "all", "all", True, None, [7]),
        ("CCBot", "some", "some", False, 4, [2]),
        *((token, "all", "all", True, None, [7]) for token in ("botify", "Screaming")),
        ("Our", "none", "none", False, 14, [12, 13]),
    ]
    assert {name: number - named.get(name, 0) for name, number in numbers.items()} == (
        said["unnamed"]
    )


def test_json_has_facts_and_preferences(run: Run, site: Path) -> None:
    """Whose a crawler is, and what the site wants done with what it fetches."""
    (crawler,) = told(run, site.name, "--agent", "Googlebot")["crawlers"]

    assert ("Google", ["search"], "yes") == tuple(
        crawler[name] for name in ("operator", "purposes", "respects")
    )
    assert {"search": True, "ai_input": None, "ai_train": False, "use": None} == (
        crawler["content_signals"]
    )
    assert {"train-ai": False} == crawler["content_usage"]


def test_preferences_that_are_not_read_are_not_empty(run: Run, site: Path) -> None:
    """A dialect that does not read Content-Usage says null, not that nothing was said."""
    site.write_bytes(b"User-agent: *\nContent-Usage: train-ai=n\n")
    (blind,) = told(run, site.name, "--agent", "a", "--dialect", "koster-1996")["crawlers"]
    site.write_bytes(b"User-agent: *\nDisallow: /x\n")
    (silent,) = told(run, site.name, "--agent", "a")["crawlers"]

    assert blind["content_usage"] is None
    assert silent["content_usage"] == {}


def test_crawlers_are_told_as_asked(run: Run, site: Path) -> None:
    """In their order, known or not, once; those that no group names have what `*` has."""
    asked = ("Unheard", "gptbot", "CCBot", "gptbot", "*")
    said = told(run, site.name, *(word for token in asked for word in ("--agent", token)))

    assert [summary(crawler) for crawler in said["crawlers"]] == [
        ("Unheard", "default", "some", True, None, []),
        ("gptbot", "some", "some", False, 4, [1, 3]),
        ("CCBot", "some", "some", False, 4, [2]),
    ]
    assert {} == said["unnamed"]


@pytest.mark.parametrize("purpose", [*PURPOSES, UNLISTED])
def test_purpose_chooses(run: Run, site: Path, purpose: str) -> None:
    """With `--all` every crawler of a purpose is there, and no other."""
    found = told(run, site.name, "--purpose", purpose, "--all")["crawlers"]
    expected = {one.token for one in CRAWLERS if purpose in one.purposes} or {"Our"}

    assert expected == {crawler["token"] for crawler in found}


def test_csv_is_a_table(run: Run, site: Path) -> None:
    """A header, `*`, and a record for each crawler that is told of."""
    done = run("agents", site.name, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))

    assert list(COLUMNS) == list(rows[0])
    by_token = {row["token"]: row for row in rows}
    own = [row["token"] for row in rows if not row["follows"]]

    assert ["*", "Googlebot", "GPTBot", "CCBot", "Our"] == own
    assert ("Disallow: /", "1 3") == tuple(by_token["GPTBot"][x] for x in ("rule", "group_lines"))
    assert "search=yes ai-train=no usage:train-ai=no" == by_token["Googlebot"]["preferences"]


# Files


def test_stdin_is_read(run: Run) -> None:
    """`-` is the file on stdin."""
    said = told(run, "-", "--agent", "CCBot", stdin=RULES)

    assert ("-", "stdin") == (said["site"], said["file"])
    assert ("CCBot", "some", "some", False, 4, [2]) == summary(said["crawlers"][0])


def test_a_flood_of_names_is_cut_short(run: Run) -> None:
    """A hostile file makes a long list, and no endless one."""
    data = b"".join(b"User-agent: x%d\n" % number for number in range(MOST_UNLISTED + 5))
    said = told(run, "-", stdin=data + b"Disallow: /\n")

    assert (MOST_UNLISTED, 5) == (len(said["crawlers"]), said["unlisted_hidden"])
    assert "5 more\n" in run("agents", "-", stdin=data + b"Disallow: /\n").out


# The registry


@pytest.mark.parametrize("purposes", [(), ("agent",), ("training", "unknown")])
def test_registry_is_listed(run: Run, purposes: tuple[str, ...]) -> None:
    """Without a site, `--all` lists every known crawler, by its first purpose."""
    words = ("agents", "--all", *(word for name in purposes for word in ("--purpose", name)))
    chosen = [each for each in CRAWLERS if not purposes or {*purposes} & {*each.purposes}]
    expected = sorted(chosen, key=lambda each: [*PURPOSES].index(each.purposes[0]))
    text, json_text, csv_text = (run(*words, "--format", name) for name in FORMATS)
    said = json.loads(json_text.out)
    records = [*csv.DictReader(io.StringIO(csv_text.out))]
    validator("crawlers").validate(said)

    assert ["", "", ""] == [text.err, json_text.err, csv_text.err]
    assert [each.token for each in expected] == [each["token"] for each in said["crawlers"]]
    assert [each.token for each in expected] == [each["token"] for each in records]
    assert [" ".join(each.follows) for each in expected] == [each["follows"] for each in records]
    rows = text.out.partition("\n? from memory")[0].splitlines()
    blocks = [row for row in rows[1:] if row and row.partition(":")[0] not in PURPOSES]
    asked = purposes or tuple(PURPOSES)
    assert sum(name in each.purposes for each in expected for name in asked) == len(blocks)


# Sites


def test_site_is_asked(run: Run, stage: Web) -> None:
    """Of a URL the origin's file is fetched, once, through redirects."""
    said = told(run, "https://www.example.com/a/page", *stage.options)

    assert "https://www.example.com/robots.txt" == said["file"]
    assert ["https://example.com/robots.txt"] == said["access"]["redirects"]
    own = [one["token"] for one in said["crawlers"] if one["follows"] is None]
    assert ["Googlebot", "GPTBot", "CCBot", "Our"] == own
    assert ["/robots.txt"] * 2 == [request.path for request in stage.requests]


@pytest.mark.parametrize(("host", "extent"), [("gone", "all"), ("down", "none")])
def test_policy_holds_without_a_file(run: Run, stage: Web, host: str, extent: str) -> None:
    """What the absence of a file means is the answer; the exit code is 0."""
    said = told(run, f"https://{host}.example", *stage.options, "--agent", "GPTBot")

    assert said["file"] is None
    for each, posture in ((said["default"], extent), (said["crawlers"][0], "default")):
        assert (posture, extent, extent == "all", None, []) == summary(each)[1:]


@pytest.mark.parametrize("host", ["gone", "down"])
def test_use_without_a_file(run: Run, stage: Web, host: str) -> None:
    """A site without a file has one answer about a use, whichever command is asked."""
    words = (f"https://{host}.example", *stage.options, "--use", "search")
    (said,) = told(run, *words, "--agent", "GPTBot")["crawlers"]
    checked = run("check", *words, "--agent=GPTBot", "--format=jsonl").out.splitlines()[0]
    expected = json.loads(checked)["use"]

    assert {name: expected[name] for name in said["use"]} == said["use"]


def test_cache_is_used(run: Run, stage: Web) -> None:
    """A file that is fresh is not asked for again."""
    words = ("https://example.com", "--cache", "kept.sqlite3", *stage.options)
    found = [told(run, *words)["access"]["source"] for _ in range(2)]

    assert ["fetched", "cached"] == found
    assert 1 == len(stage.requests)
