"""`verger agents`: what a site says to each crawler, by purpose."""

import csv
import io
import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import verger
from verger.access.result import Failure
from verger.cli.commands.agents import AGENTS_SCHEMA as SCHEMA
from verger.cli.commands.agents import COLUMNS
from verger.cli.grammar import grammar_of
from verger.crawlers import CRAWLERS, PURPOSES, agent_of, is_bound, remark_on
from verger.crawlers.registry import UNVERIFIED_NOTE
from verger.crawlers.survey import MOST_UNLISTED, PLACES, UNLISTED, Extent, Posture, survey_of

from .conftest import Run, laid_down
from .refusals import refusals
from .test_guide import GUIDES
from .web import Page, Site, Web, web

PUBLISHED = json.loads(
    (files("verger.cli") / "schemas" / "agents-1.schema.json").read_text("utf-8")
)
VALIDATOR = Draft202012Validator(PUBLISHED)

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


def test_text_has_a_block_for_each_purpose(run: Run, site: Path) -> None:
    """`*` first, then who is named, how many more are known, and the names that are not."""
    done = run("agents", site.name)
    blocks = done.out.split("\n\n")

    assert (0, "") == (done.code, done.err)
    assert blocks[0].splitlines() == [
        "crawler                operator        may fetch        by                    named in",
        "*                      (default)       some, else all   no rule               line 16",
    ]
    assert blocks[1].splitlines()[:6] == [
        "search: builds a search index",
        "Applebot               Apple           all              no rule               line 7",
        "  = follows the groups of Googlebot",
        "  = search=yes, ai-train=no, usage:train-ai=no",
        "Googlebot              Google          all              no rule               line 7",
        "  = search=yes, ai-train=no, usage:train-ai=no",
    ]
    assert blocks[1].splitlines()[-1] == (
        f"{known('search') - 6} more, not named: default, which does not bind 4"
    )
    assert blocks[2] == f"ai-search: {known('ai-search')}, none named: default"
    assert blocks[3].splitlines() == [
        "training: collects training data",
        "GPTBot                 OpenAI          "
        "some, else none  line 4, Disallow: /   lines 1 and 3",
        "CCBot                  Common Crawl    some, else none  line 4, Disallow: /   line 2",
        f"{known('training') - 2} more, not named: default",
    ]
    assert blocks[-1].splitlines() == [
        "unlisted: names of the file that the registry does not know",
        f"{'Our':<39}none             line 14, Disallow: /  lines 12 and 13",
    ]


def test_every_purpose_has_a_line(run: Run, site: Path) -> None:
    """Nobody is left out: named or not, the known crawlers of each purpose are counted."""
    out = run("agents", site.name).out

    assert [] == [name for name in PURPOSES if f"\n{name}: " not in out]


def test_lines_are_shown(run: Run, site: Path) -> None:
    """The lines that name a crawler, and the one that decides."""
    done = run("agents", site.name, "--agent", "GPTBot", "--agent", "Nobody", "--lines")

    assert done.out.splitlines() == [
        "crawler  operator   may fetch        by                   named in",
        "*        (default)  some, else all   no rule              line 16",
        "    16 | User-agent: *",
        "GPTBot   OpenAI     some, else none  line 4, Disallow: /  lines 1 and 3",
        "     1 | User-agent: GPTBot",
        "     3 | User-agent: gptbot/1.0",
        "     4 | Disallow: /",
        "Nobody              default",
    ]


TOKENS = [crawler.token for crawler in CRAWLERS]


@pytest.mark.parametrize("token", ["ChatGPT-User", "Google-Agent", "AdsBot-Google", "YandexDirect"])
@pytest.mark.parametrize("name", ["*", "AdsBot-Google", "Google-Agent"])
def test_who_is_asked_about_is_remarked_on(token: str, name: str, run: Run, folder: Path) -> None:
    """Named or not: that no rule binds a crawler, or that `*` does not, in the words of `check`."""
    (folder / "r").write_text(f"User-agent: {name}\nDisallow: /\n")
    done = run("agents", "r", "--agent", token)

    assert f"  = {remark_on(token)}" in done.out.splitlines()


def test_a_list_remarks_on_those_that_the_file_does_not_bind(run: Run, folder: Path) -> None:
    """Named or not; on AdsBot-Google if no group names it."""
    (folder / "r").write_text("User-agent: ChatGPT-User\nUser-agent: AdsBot-Google\nDisallow: /\n")
    lines = run("agents", "r", "--all").out.splitlines()

    remarked = {token for token in TOKENS if f"  = {remark_on(token)}" in lines}
    assert {"ChatGPT-User", "Google-Agent", "AdsBot-Google-Mobile"} <= remarked
    assert {"AdsBot-Google", "GPTBot"}.isdisjoint(remarked)


def test_who_is_told_nothing_has_no_group(run: Run, folder: Path) -> None:
    """`*` is not meant for AdsBot-Google: there is no group with rules, as `check` says, too."""
    (folder / "r").write_text("User-agent: *\nDisallow: /\n")
    rows = run("agents", "r", "--agent", "AdsBot-Google", "--agent", "GPTBot").out.splitlines()

    assert [
        "AdsBot-Google  Google     all        no group",
        "GPTBot         OpenAI     default",
    ] == [row for row in rows if row.startswith(("AdsBot-Google", "GPTBot"))]


def test_a_list_counts_those_that_the_file_does_not_bind(run: Run, folder: Path) -> None:
    """Among the crawlers that it does not list one by one."""
    (folder / "r").write_text("User-agent: *\nDisallow: /\n")
    text = run("agents", "r", "--purpose", "advertising", "--purpose", "training").out.splitlines()
    told = json.loads(run("agents", "r", "--format", "json").out)
    free = [each for each in CRAWLERS if not is_bound(each, named=False)]
    unbound = [name for each in free for name in each.purposes]

    assert {purpose: unbound.count(purpose) for purpose in set(unbound)} == told["unbound"]
    assert [
        f"training: {told['unnamed']['training']}, none named: default",
        f"advertising: {told['unnamed']['advertising']}, none named: default, "
        f"which does not bind {told['unbound']['advertising']}",
    ] == text[-2:]


def test_what_is_known_from_memory_is_marked(run: Run, folder: Path) -> None:
    """By a `?` after the operator; what was looked up, and what nobody knows, is not."""
    (folder / "r").write_text("User-agent: *\nDisallow: /\n")
    done = run(
        "agents",
        "r",
        "--agent",
        "SemrushBot-CT",
        "--agent",
        "anthropic-ai",
        "--agent",
        "SemrushBot",
        "--agent",
        "Nobody",
    )
    looked_up = run("agents", "r", "--agent", "SemrushBot", "--agent", "Nobody")

    assert [
        "SemrushBot-CT  Semrush?    default",
        "anthropic-ai   Anthropic?  default",
        "SemrushBot     Semrush     default",
        "Nobody                     default",
        "",
        UNVERIFIED_NOTE,
    ] == done.out.splitlines()[2:]
    assert "?" not in looked_up.out


def test_what_is_open_and_closed_is_told_in_words(run: Run, folder: Path) -> None:
    """With what strangers wrote in patterns as it may stand on a terminal."""
    (folder / "r").write_bytes(b"User-agent: a\nDisallow: /\x1b[31m*b\nAllow: /\x1b[31m/c*b\n")
    done = run("agents", "r", "--agent", "a", "--explain")

    assert done.out.splitlines()[2:] == [
        "    everything is open",
        "a                   some, else all  no rule  line 1",
        "    everything is open, but",
        "      closed: paths that begin with `/\\x1b[31m`, then contain `b` (line 2)",
        "        open: paths that begin with `/\\x1b[31m/c`, then contain `b` (line 3)",
    ]


def test_all_lists_who_is_not_named(run: Run, site: Path) -> None:
    """One by one, instead of their number."""
    out = run("agents", site.name, "--purpose", "training", "--all").out
    rows = [line for line in out.splitlines() if line.endswith("  default")]

    assert known("training") - 2 == len(rows)
    assert "not named" not in out


def test_what_strangers_wrote_does_not_act(run: Run, folder: Path) -> None:
    """A file's control characters are shown, and its long names shortened."""
    (folder / "r").write_bytes(b"User-agent: a\x1b[31m\nUser-agent: " + b"b" * 999 + b"\nAllow: /")
    out = run("agents", "r", "--purpose", UNLISTED, "--lines").out

    assert "a\\x1b[31m" in out
    assert "\x1b" not in out
    assert 120 > max(map(len, out.splitlines()))


def test_colour_adds_nothing(run: Run, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the escapes the words are the same."""
    plain = run("agents", site.name).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = run("agents", site.name).out
    for code in ("0", "1", "31", "32", "33", "36"):
        coloured = coloured.replace(f"\x1b[{code}m", "")

    assert plain == coloured


def test_unknown_posture_has_a_colour(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So has what takes too long to prove."""
    words = [f"{number:b}".replace("0", "*a").replace("1", "*b") for number in range(2, 3_002)]
    rules = [f"Allow: /{word}\nDisallow: /{word[:-2]}****\n" for word in words]
    (folder / "r").write_text("User-agent: *\nDisallow: /\n" + "".join(rules))
    monkeypatch.setenv("FORCE_COLOR", "1")

    assert "\x1b[35munknown, else none\x1b[0m" in run("agents", "r").out


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
    said = told(
        run,
        site.name,
        "--agent",
        "Unheard",
        "--agent",
        "gptbot",
        "--agent",
        "CCBot",
        "--agent",
        "gptbot",
        "--agent",
        "*",
    )

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


def test_csv_holds_no_formula(run: Run, folder: Path) -> None:
    """A stranger's name is not run by a spreadsheet."""
    (folder / "r").write_bytes(b"User-agent: +1+1\nUser-agent: -a\nDisallow: /\n")
    done = run("agents", "r", "--format", "csv")

    assert ["token", "*", "'+1+1", "'-a"] == [line[0] for line in csv.reader(done.out.splitlines())]


# Files


def test_stdin_is_read(run: Run) -> None:
    """`-` is the file on stdin."""
    said = told(run, "-", "--agent", "CCBot", stdin=RULES)

    assert ("-", "stdin") == (said["site"], said["file"])
    assert ("CCBot", "some", "some", False, 4, [2]) == summary(said["crawlers"][0])


def test_empty_file_is_open(run: Run) -> None:
    """No group, no rule: everything may be fetched."""
    said = told(run, "-")

    assert ("*", "all", "all", True, None, []) == summary(said["default"])
    assert [] == said["crawlers"]


def test_dialect_reads_the_file(run: Run) -> None:
    """Google's parser ends a name at its first digit, and other names begin like it."""
    data = b"User-agent: MJ12bot\nDisallow: /\n"
    words = ("-", "--agent", "MJ12bot", "--dialect")
    found = [told(run, *words, name, stdin=data) for name in ("rfc9309", "googlebot-cpp")]

    assert ["none", "default"] == [said["crawlers"][0]["posture"] for said in found]


def test_cut_file_is_noted(run: Run) -> None:
    """What a limit left unread is said on stderr (RFC 9309 section 2.5)."""
    data = b"User-agent: *\nDisallow: /a\n\n" + b"# more" * 4 + b"\n#" * 300_000
    done = run("agents", "-", "--format", "json", stdin=data)

    assert done.err == "note: `stdin` is cut at 512,000 bytes (parsing limit 512,000) for rfc9309\n"
    assert json.loads(done.out)["truncated"]


def test_a_flood_of_names_is_cut_short(run: Run) -> None:
    """A hostile file makes a long list, and no endless one."""
    data = b"".join(b"User-agent: x%d\n" % number for number in range(MOST_UNLISTED + 5))
    said = told(run, "-", stdin=data + b"Disallow: /\n")

    assert (MOST_UNLISTED, 5) == (len(said["crawlers"]), said["unlisted_hidden"])
    assert "5 more\n" in run("agents", "-", stdin=data + b"Disallow: /\n").out


# Sites


def test_site_is_asked(run: Run, stage: Web) -> None:
    """Of a URL the origin's file is fetched, once, through redirects."""
    said = told(run, "https://www.example.com/a/page", *stage.options)

    assert "https://www.example.com/robots.txt" == said["file"]
    assert ["https://example.com/robots.txt"] == said["access"]["redirects"]
    own = [one["token"] for one in said["crawlers"] if one["follows"] is None]
    assert ["Googlebot", "GPTBot", "CCBot", "Our"] == own
    assert ["/robots.txt"] * 2 == [request.path for request in stage.requests]


def test_text_tells_how_it_was_fetched(run: Run, stage: Web) -> None:
    """Above the rows."""
    out = run("agents", "https://www.example.com", *stage.options, "--agent", "CCBot").out

    assert out.splitlines()[:3] == [
        "https://www.example.com/robots.txt answered 200, fresh for 24 h",
        "  = redirected to https://example.com/robots.txt",
        "",
    ]


@pytest.mark.parametrize(
    ("host", "extent", "lines"),
    [
        (
            "gone.example",
            "all",
            [
                "https://gone.example/robots.txt answered 404 (RFC 9309 section 2.3.1.3)",
                "  = unavailable: everything may be fetched",
                "  = requested again in 24 h at the earliest",
            ],
        ),
        (
            "down.example",
            "none",
            [
                "https://down.example/robots.txt answered 503 (RFC 9309 section 2.3.1.4)",
                "  = unreachable: nothing may be fetched",
                "  = requested again in 60 s at the earliest",
            ],
        ),
    ],
)
def test_policy_holds_without_a_file(
    run: Run, stage: Web, host: str, extent: str, lines: list[str]
) -> None:
    """What the absence of a file means is the answer, with its reason; the exit code is 0."""
    words = (f"https://{host}", *stage.options, "--agent", "GPTBot")
    said = told(run, *words)
    done = run("agents", *words)

    assert said["file"] is None
    assert ("*", extent, extent, extent == "all", None, []) == summary(said["default"])
    assert ("GPTBot", "default", extent, extent == "all", None, []) == (
        summary(said["crawlers"][0])
    )
    assert (0, lines) == (done.code, done.out.splitlines()[:3])
    assert f"*        (default)  {extent:<9}  no file" in done.out.splitlines()


def test_cache_is_used(run: Run, stage: Web) -> None:
    """A file that is fresh is not asked for again."""
    words = ("https://example.com", "--cache", "kept.sqlite3", *stage.options)
    found = [told(run, *words)["access"]["source"] for _ in range(2)]

    assert ["fetched", "cached"] == found
    assert 1 == len(stage.requests)


# What cannot be meant


CASES = refusals("agents")


@pytest.mark.parametrize("line", CASES)
@pytest.mark.usefixtures("site")
def test_bad_usage_is_refused(run: Run, line: str) -> None:
    """What is wrong, and what to do now; nothing on stdout."""
    words, said = CASES[line]
    done = run(*words)

    assert (2, "", said) == (done.code, done.out, done.err)


@pytest.mark.parametrize("url", ["gopher://example.com", "https://", "https://a b/"])
def test_no_url_is_refused(run: Run, url: str) -> None:
    """A URL without a robots.txt file is bad usage."""
    done = run("agents", url)

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith("error: `")


# The survey

NAMES = st.sampled_from(
    [
        *("GPTBot", "gptbot/1", "Googlebot", "Googlebot-Image", "Google", "Yandex", "YandexBot"),
        *("bot", "*", "* x", "*x", "MJ12bot", "MJ", "Our Own", "", "/", "\udcff", "é", "a;b"),
        "Sogou web",
    ]
)
LINES = NAMES.map("User-agent: {}".format) | st.sampled_from(
    ["Disallow: /", "Disallow:", "Allow: /a*z", "Disallow: /~", "Crawl-delay: 1", "", "x"]
)
ASKED = ["GPTBot", "Googlebot", "Googlebot-Image", "YandexBot", "MJ12bot", "Sogou", "Our", "AHC"]


@given(st.lists(LINES, max_size=14).map("\n".join), st.sampled_from(list(verger.DIALECTS)))
def test_survey_says_what_the_file_does(text: str, dialect: str) -> None:
    """In every dialect: who is named, by lines of the groups that bind them, and to what end."""
    data = text.encode("utf-8", "surrogateescape")
    robots = verger.parse(data, dialect=dialect)
    survey = survey_of(robots, is_open=True, crawlers=ASKED)

    assert robots.agent("*").posture == survey.default.extent == survey.default.posture
    for standing in survey.standings:
        agent = agent_of(robots, standing.token)
        bound = [set(group.start_lines) for group in agent.groups]
        lines = set(standing.group_lines)

        assert agent.posture == standing.extent
        assert agent.named == standing.named == bool(lines)
        assert lines <= set().union(*bound)
        assert not agent.named or all(starts & lines for starts in bound)
        assert standing.elsewhere or standing.rule
        assert standing.extent == "some" or standing.elsewhere == (standing.extent == "all")


@pytest.mark.parametrize(
    ("rules", "line"),
    [
        ("Disallow: /", 2),
        ("Disallow: /~\nDisallow: /", 3),
        ("Disallow: /*~\nAllow: /!\nDisallow: /%27\nDisallow: /*", 5),
        ("Disallow: /" + "~!'@,;+()0123456789abcdefghijklmnopqrstuvwxyz", None),
        ("\n".join(f"Disallow: /{mark}" for mark in "~!'@,;+()012345ABCDEFGHIJ"), None),
        ("\n".join(f"Disallow: /{chr(code)}" for code in range(0x26, 0x7F) if code != 42), None),
    ],
)
def test_elsewhere_is_where_no_pattern_has_a_word(rules: str, line: int | None) -> None:
    """The page that stands for all others is none that a rule means."""
    robots = verger.parse(f"User-agent: *\n{rules}\n")
    default = survey_of(robots, is_open=True).default

    assert line == (default.rule and default.rule.line)


# What is published


def test_guide_names_every_option() -> None:
    """No option, no purpose and no posture goes undocumented."""
    page = (GUIDES / "agents.md").read_text(encoding="utf-8")
    options = {
        name for name in grammar_of("agents")._option_string_actions if name.startswith("--")
    }
    # Shared with `verger check`, whose guide says what they do.
    words = {*options - {"--help"}, *PURPOSES, *get_args(Posture)}

    assert set() == {word for word in words if word not in page}


def test_schema_names_what_is_told() -> None:
    """Every value that a field with a fixed list can have."""
    properties = PUBLISHED["$defs"]["crawler"]["properties"]

    assert SCHEMA == PUBLISHED["properties"]["schema"]["const"]
    assert list(verger.DIALECTS) == PUBLISHED["properties"]["dialect"]["enum"]
    assert [*PURPOSES] == properties["purposes"]["items"]["enum"]
    assert list(get_args(Posture)) == properties["posture"]["enum"]
    assert list(get_args(Extent)) == properties["extent"]["enum"]
    assert {*get_args(Failure), None} == set(
        PUBLISHED["$defs"]["access"]["properties"]["failure"]["enum"]
    )
    assert [*PURPOSES, UNLISTED] == list(PLACES)
