"""`verger watch` as a command: what it watches, whom it tells, and how it ends."""

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from verger.files.stdio import LONGEST

from .conftest import Run
from .web import Site, Web, web

AGENT = "--user-agent=ExampleBot/1.0 (+https://example.com/bot)"
FILE = b"User-agent: *\nDisallow: /private\n"
OTHER = FILE + b"\nUser-agent: GPTBot\nDisallow: /private\nDisallow: /blog\n"
SITES: dict[str, Site] = {"a.example": FILE, "b.example": FILE}


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    """Serve some sites, and work in a folder."""
    monkeypatch.chdir(tmp_path)
    with web(SITES, tmp_path) as served:
        yield served


def test_lines_that_are_no_site_are_named_and_the_others_watched(stage: Web, run: Run) -> None:
    """Each is told with its place; the exit code says that there were some."""
    Path("sites.txt").write_text(
        "a.example\n\nhttp://\n# a comment\nb.example # mine\na b\nmailto:me@c.example\n"
    )
    words = ("watch", "sites.txt", "--archive=a.db", "--once", AGENT, *stage.options)
    done = run(*words)

    assert done.code == 2
    errors = [line for line in done.err.splitlines() if line.startswith("error:")]
    assert ["line 3", "line 6", "line 7"] == [
        line.split("of")[0].removeprefix("error: ").strip() for line in errors
    ]
    assert {"a.example", "b.example"} == {seen.host for seen in stage.requests}
    assert done.err.endswith("2 sites, 0 news\n")


def test_a_change_is_told_and_ends_with_one(stage: Web, run: Run) -> None:
    """The first look is no news; what comes then is, once."""
    words = ("watch", "https://a.example", "--archive=a.db", "--once", AGENT, *stage.options)
    codes = [run(*words).code]
    stage.sites["a.example"] = OTHER
    told = run(*words, "--output=news.jsonl", "--quiet")
    codes += [told.code, run(*words).code]

    assert [0, 1, 0] == codes
    assert "GPTBot (training) may fetch less, for example /blog" in told.out
    [line] = Path("news.jsonl").read_text().splitlines()
    assert json.loads(line)["difference"]["changed"][0]["crawlers"] == ["GPTBot"]


def test_the_sites_of_a_snapshot_are_watched(stage: Web, run: Run) -> None:
    """A table names sites as well as a list does."""
    Path("sites.csv").write_text("url,body\nb.example,User-agent: *\n")
    run("watch", "sites.csv", "--archive=a.db", "--once", AGENT, *stage.options)

    assert {"b.example"} == {seen.host for seen in stage.requests}


SITEMAP = """<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="urn:image">
<url><loc> https://a.example/?a=1&amp;b=2 </loc><image:loc>https://c.example/i.png</image:loc></url>
<url><loc>https://b.example/x</loc></url><url><loc>https://a.example/y</loc></url>
</urlset>"""


@pytest.mark.parametrize("name", ["sitemap.xml", "sitemap.xml.gz"])
def test_the_sites_of_a_sitemap_are_watched(stage: Web, run: Run, name: str) -> None:
    """Those of its pages, each once; not those of their images."""
    data = SITEMAP.encode()
    Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    done = run("watch", name, "--archive=a.db", "--once", AGENT, *stage.options)

    assert (done.code, done.err) == (0, "2 sites, 0 news\n")
    assert {"a.example", "b.example"} == {seen.host for seen in stage.requests}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SITEMAP.replace("urlset", "sitemapindex"), "it lists sitemaps, and no pages"),
        (SITEMAP[:-9], "line 5: it is no XML"),
        ("a.example", "line 1: it is no XML"),
        ('<!DOCTYPE u [<!ENTITY a "b">]><urlset><loc>&a;</loc></urlset>', "it declares entities"),
        (f"<urlset><loc>{'a' * (LONGEST + 1)}</loc></urlset>", "a URL has more than 1,048,576"),
    ],
)
def test_a_sitemap_that_cannot_be_read_is_refused(
    stage: Web, run: Run, text: str, why: str
) -> None:
    """With the reason, and before anybody is asked."""
    Path("s.xml").write_text(text)
    done = run("watch", "s.xml", "--archive=a.db", "--once", AGENT, *stage.options)

    assert done.code == 2
    assert f"cannot read `s.xml`: {why}" in done.err
    assert not stage.requests


def test_what_is_not_as_expected_is_told(stage: Web, run: Run) -> None:
    """Once when it ceases to hold, and once when it holds again; where the line stands that decides
    is no news, and who gives no expectations hears nothing of them."""
    Path("a.robots.toml").write_text(
        'robots = "https://a.example"\n'
        'expect = [{ agent = "GPTBot", url = "/blog", allowed = true }]\n'
    )
    words = ("watch", "https://a.example", "--archive=a.db", "--once", AGENT, *stage.options)
    told = []
    for body in (FILE, OTHER, b"# a note\n" + OTHER, FILE):
        if body == FILE and told:
            assert not run(*words).out
        stage.sites["a.example"] = body
        told.append(run(*words, "--expect=a.robots.toml").out)

    assert "not as expected: GPTBot /blog: expected allowed" in told[1]
    assert ["", "", True] == [told[0], told[2], "not as expected" not in told[3] and bool(told[3])]


def test_a_webhook_needs_a_secret(stage: Web, run: Run) -> None:
    """Nothing is sent unsigned."""
    words = ("watch", "https://a.example", "--archive=a.db", "--once", AGENT, *stage.options)
    done = run(*words, "--webhook=http://127.0.0.1:1/hook")

    assert done.code == 2
    assert "no secret for the webhooks" in done.err
    assert not Path("a.db").exists()


def test_without_its_package_it_names_the_extra(
    stage: Web, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra is `watch`."""
    monkeypatch.setitem(sys.modules, "standardwebhooks", None)
    monkeypatch.delitem(sys.modules, "verger.watch.webhooks", raising=False)
    done = run("watch", "https://a.example", "--archive=a.db", "--once", AGENT, *stage.options)

    assert (2, True) == (done.code, "[watch]" in done.err)


def test_history_knows_what_was_watched(stage: Web, run: Run) -> None:
    """From the identification string that looked."""
    words = ("watch", "https://a.example", "--archive=a.db", "--once", AGENT, *stage.options)
    run(*words)
    done = run("history", "a.example", "--archive=a.db", "--format=json")

    assert json.loads(done.out)["user_agent"] == AGENT.partition("=")[2]
    nobody = run("history", "c.example", "--archive=a.db")
    assert (2, True) == (nobody.code, "nothing is known of `https://c.example`" in nobody.err)


def test_history_shows_what_another_identification_string_was_shown(stage: Web, run: Run) -> None:
    """By default the latest one counts, and a note names the others."""
    words = ("--archive=a.db", "--once", *stage.options)
    run("watch", "https://a.example", AGENT, *words)
    stage.sites["a.example"] = OTHER
    run(
        "watch",
        "https://a.example",
        "--user-agent=OtherBot/2.0 (+https://example.com/other)",
        *words,
    )
    asked = ("history", "a.example", "--archive=a.db", "--at=0d", "--agent=GPTBot", "--format=json")

    last, first = run(*asked), run(*asked, AGENT.replace("user-agent", "shown-to"))
    assert [OTHER, FILE] == [json.loads(each.out)["body"].encode() for each in (last, first)]
    assert "left out: seen as `ExampleBot/1.0 (+https://example.com/bot)`" in last.err
    assert "left out: seen as `OtherBot/2.0 (+https://example.com/other)`" in first.err
    nobody = run(*asked, "--shown-to=NoBot/1.0")
    assert nobody.code == 2
    assert "others have: `OtherBot/2.0 (+https://example.com/other)` and" in nobody.err


@pytest.mark.usefixtures("stage")
def test_a_name_that_is_no_file_may_be_meant_as_a_site(run: Run) -> None:
    """The hint says how a site is written; a list is a file."""
    done = run("watch", "a.example", "--archive=a.db", "--once", AGENT)

    assert (2, True) == (done.code, "a site is `https://a.example`" in done.err)
