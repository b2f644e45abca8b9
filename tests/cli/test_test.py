"""`verger test`: expectations against files and sites, in every format; and recording them."""

import json
import re
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jsonschema import Draft202012Validator

import verger
from verger.cli.commands.test import SCHEMA
from verger.cli.grammar import grammar_of

from .conftest import Run
from .web import web

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "test.md"
PUBLISHED = json.loads((files("verger.cli") / "schemas" / "test-1.schema.json").read_text("utf-8"))
VALID = Draft202012Validator(PUBLISHED)

HOLDS = '[[expect]]\nagent = "ExampleBot"\nurl = "/private"\nallowed = false\nline = 3\n'
FAILS = '[[expect]]\nagent = "ExampleBot"\nurl = "/private/press"\nallowed = false\n'
HERE = 'robots = "robots.txt"\n'

pytestmark = pytest.mark.usefixtures("robots")


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def test_all_hold(run: Run) -> None:
    """Exit code 0, and a line for each file."""
    write("a.robots.toml", HERE + HOLDS)
    write("deep/b.robots.toml", 'robots = "../robots.txt"\n' + HOLDS)
    done = run("test")

    assert 0 == done.code
    assert "a.robots.toml: 1 of 1 hold\ndeep/b.robots.toml: 1 of 1 hold\n" == done.out.replace(
        "./", ""
    )
    assert "2 of 2 expectations hold\n" == done.err


def test_one_of_several_holds(run: Run) -> None:
    """The closing line is a sentence for any number."""
    write("a.robots.toml", HERE + HOLDS + HOLDS.replace("false", "true"))

    assert "1 of 2 expectations holds\n" == run("test").err


def test_some_fail(run: Run) -> None:
    """Exit code 1, with what was expected and what decides."""
    done = run("test", write("a.robots.toml", HERE + HOLDS + FAILS), "--quiet")

    assert (1, "") == (done.code, done.err)
    assert done.out == (
        "a.robots.toml: 1 of 2 hold\n"
        "  fails line 7: ExampleBot /private/press\n"
        "    expected disallowed\n"
        "    but it is allowed by line 2, `Allow: /private/press` (RFC 9309 section 2.2.2)\n"
    )


def test_verbose(run: Run) -> None:
    """What holds is listed, too."""
    done = run("test", "-v", write("a.robots.toml", HERE + HOLDS))

    assert "  holds line 2: ExampleBot /private\n" in done.out


def test_text_of_a_stranger(run: Run) -> None:
    """Neither name nor URL of an expectation reaches a terminal as it is."""
    odd = '[[expect]]\nagent = "Foo\\u001b[31mBar"\nurl = "/\\u001b[31m"\nallowed = false\n'
    name = write("a.robots.toml", 'dialect = "googlebot-cpp"\n' + HERE + odd)
    done = run("test", name)

    assert 1 == done.code
    assert "  fails line 3: Foo\\x1b[31mBar /\\x1b[31m (googlebot-cpp)\n" in done.out


def test_file_that_cannot_be_tested(run: Run) -> None:
    """A robots.txt file that is not there, or not named, stops no other; the exit code is 2."""
    write("a.robots.toml", 'robots = "gone.txt"\n' + HOLDS)
    write("b.robots.toml", HOLDS)
    write("c.robots.toml", HERE + FAILS)
    done = run("test")

    assert 2 == done.code
    assert 2 == done.out.count("not tested")
    assert "no such file: `" in done.out
    assert "names no robots.txt file" in done.out
    assert "c.robots.toml: 0 of 1 hold" in done.out
    assert "0 of 1 expectation holds; 2 cannot be tested\n" == done.err


def test_broken_file(run: Run) -> None:
    """A file with expectations that cannot be read stops no other; the exit code is 2."""
    write("a.robots.toml", HERE + HOLDS)
    write("b.robots.toml", HERE + HOLDS + "urls = 1\n")
    done = run("test", "gone.robots.toml", "b.robots.toml", "a.robots.toml", "--format=json")
    said = json.loads(done.out)
    gone, broken, tested = said["files"]

    VALID.validate(said)
    assert 2 == done.code
    assert (1, 0, 2) == (said["passed"], said["failed"], said["errors"])
    assert "no such file: `gone.robots.toml`" == gone["error"]["message"]
    assert broken["error"]["message"].startswith("line 7 of `b.robots.toml`: ")
    assert ("did you mean `url`?", None) == (broken["error"]["hint"], broken["robots"])
    assert (None, [True]) == (tested["error"], [each["holds"] for each in tested["results"]])


def test_another_robots_file(run: Run) -> None:
    """`--robots` counts, whatever the expectations name; as does `-`."""
    name = write("a.robots.toml", HERE + HOLDS)

    assert 1 == run("test", name, "--robots", "-", stdin=b"User-agent: *\n").code
    assert 0 == run("test", name, "--robots", "robots.txt").code
    assert 2 == run("test", name, "--robots", "gone.txt").code


def test_dialects(run: Run) -> None:
    """The expectation says it, else the file, else the command line."""
    koster = FAILS.replace("private/press", "private/pres")
    Path("robots.txt").write_text("User-agent: *\nDisallow: /*.gif$\n")
    gif = '[[expect]]\nagent = "A"\nurl = "/x.gif"\nallowed = false\n'

    assert koster
    assert 0 == run("test", write("a.robots.toml", HERE + gif)).code
    assert 1 == run("test", "--dialect=original-1994", "a.robots.toml").code
    old = 'dialect = "original-1994"\n'
    assert 1 == run("test", "--dialect=google", write("b.robots.toml", HERE + old + gif)).code
    new = 'dialect = "google"\n'
    assert 0 == run("test", write("c.robots.toml", HERE + old + gif + new)).code


def test_odd_robots_files(run: Run) -> None:
    """A page in place of a file has no rules, and a note says what it is."""
    name = write("a.robots.toml", HOLDS)
    Path("page.txt").write_bytes(b"<!doctype html><html>")
    Path("binary.txt").write_bytes(bytes(range(256)) * 10)
    page, binary = run("test", name, "--robots=page.txt"), run("test", name, "--robots=binary.txt")

    assert (1, 1) == (page.code, binary.code)
    assert page.err.startswith("note: line 1 of `page.txt`: ")
    assert "HTML" in page.out


def test_nothing_is_fetched(run: Run) -> None:
    """Options for the network are refused where every file is on disk."""
    done = run("test", write("a.robots.toml", HOLDS), "--proxy=http://p.example:3128")

    assert (2, "error: `--proxy` is for the network") == (done.code, done.err[:35])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no `*.robots.toml` files here or below"),
        (("deep",), "no such file: `deep`"),
        (("-",), "expectations are not read from stdin"),
        (("https://a.example",), "`https://a.example` is not a file with expectations"),
        (("--agent", "A"), "`--agent` says what to record"),
        (("--purpose", "search"), "`--purpose` says what to record"),
        (("--robots=robots.txt", "--timeout=5"), "`--timeout` is for the network"),
        (("-v", "--format=json"), "`--verbose` is for text, and the format is json"),
        (("-v", "--output=o.xml"), "`--verbose` is for text, and the format is junit"),
        (("--record",), "there is nothing to record"),
        (("--record", "--robots=robots.txt", "-v"), "`--verbose` is for results"),
        (("--record", "--robots=robots.txt", "--format=json"), "expectations are TOML"),
        (("--record", "--robots=-", "-"), "stdin cannot hold both"),
        (("--record", "--robots=robots.txt", "-"), "no URLs on stdin"),
        (("--record", "--robots=robots.txt", "x.example"), "`x.example` is not a URL"),
        (("--record", "--robots=robots.txt", "/\udcff"), "is not UTF-8, and TOML is"),
        (("--record", "--robots=robots.txt", "--agent=A/1", "/"), "is not a product token"),
        (("--record", "--robots=robots.txt", "--output=robots.txt"), "robots.txt` is both"),
    ],
)
def test_misuse(words: tuple[str, ...], said: str, run: Run) -> None:
    """What cannot be meant is refused, with what to do, and nothing is written."""
    before = sorted(Path().rglob("*"))
    done = run("test", *words)

    assert (2, "") == (done.code, done.out)
    assert said in done.err
    assert "\nhint: " in done.err
    assert before == sorted(Path().rglob("*"))


# Sites

SITES = {
    "a.example": b"User-agent: *\nDisallow: /private\n",
    "none.example": 404,
    "down.example": 503,
}


@pytest.mark.parametrize(
    ("site", "url", "allowed"),
    [
        ("a.example", "/private", False),
        ("a.example", "http://a.example/x", True),
        ("none.example", "/private", True),
        ("down.example", "/", False),
    ],
)
def test_sites(site: str, url: str, allowed: bool, run: Run, tmp_path: Path) -> None:
    """A site is fetched; where it has no file or fails, the access policy answers."""
    table = f'[[expect]]\nagent = "A"\nurl = "{url}"\nallowed = {str(allowed).lower()}\n'
    write("a.robots.toml", f'robots = "http://{site}"\n{table}')
    with web(SITES, tmp_path) as servers:
        assert 0 == run("test", *servers.options, "a.robots.toml").code
        write("b.robots.toml", table.replace(str(allowed).lower(), str(not allowed).lower()))
        other = run("test", *servers.options, "--robots", f"http://{site}", "b.robots.toml")

    assert 1 == other.code
    assert ("note: " in other.err) == (site != "a.example")


def test_site_without_expectations(run: Run, tmp_path: Path) -> None:
    """Options for the network may be given though no file with expectations can be read."""
    with web(SITES, tmp_path) as servers:
        words = (*servers.options, "--format=json", "gone.robots.toml")
        known = run("test", *words, "--robots=http://a.example")
        unknown = run("test", *words)

    for done in (known, unknown):
        assert 2 == done.code
        assert "no such file" in json.loads(done.out)["files"][0]["error"]["message"]


def test_other_origin(run: Run, tmp_path: Path) -> None:
    """A URL of another origin has no answer: exit code 2."""
    table = '[[expect]]\nagent = "A"\nurl = "http://b.example/"\nallowed = true\n'
    write("a.robots.toml", f'robots = "http://a.example"\n{table}')
    with web(SITES, tmp_path) as servers:
        done = run("test", *servers.options, "--format=json", "a.robots.toml")
    said = json.loads(done.out)

    assert 2 == done.code
    assert VALID.is_valid(said)
    assert said["files"][0]["results"][0]["error"]["message"].startswith("`http://b.example/`")


def test_unreachable_site_is_not_recorded(run: Run, tmp_path: Path) -> None:
    """What a server says when it fails is nothing that a file should say; 404 is."""
    with web(SITES, tmp_path) as servers:
        down = run("test", "--record", *servers.options, "--robots=http://down.example")
        none = run("test", "--record", *servers.options, "--robots=http://none.example")

    assert (2, "") == (down.code, down.out)
    assert down.err.startswith(
        "error: there is no robots.txt file to record: "
        "http://down.example/robots.txt answered 503\nhint: "
    )
    assert 0 == none.code
    assert none.err.startswith("note: http://none.example/robots.txt answered 404\n")
    assert 'robots = "http://none.example"\n' in none.out


# Formats


def test_json(run: Run) -> None:
    """One object, which follows the schema."""
    write("a.robots.toml", HERE + HOLDS + FAILS + 'because = "so"\n')
    write("b.robots.toml", HOLDS)
    done = run("test", "--format=json")
    said = json.loads(done.out)

    VALID.validate(said)
    assert (SCHEMA, 1, 1, 1) == (said["schema"], said["passed"], said["failed"], said["errors"])
    assert [True, False] == [each["holds"] for each in said["files"][0]["results"]]
    assert "so" == said["files"][0]["results"][1]["because"]
    assert said["files"][1]["error"]["hint"].startswith("pass `--robots FILE`")


def test_schema() -> None:
    """The schema is one, names every dialect, and refuses what lacks members."""
    Draft202012Validator.check_schema(PUBLISHED)
    dialects = PUBLISHED["$defs"]["result"]["properties"]["dialect"]["enum"]

    assert list(verger.DIALECTS) == dialects
    assert SCHEMA == PUBLISHED["properties"]["schema"]["const"]
    assert not VALID.is_valid({"schema": SCHEMA})


SUITES = {"name", "tests", "failures", "errors"}
SHAPE: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (SUITES, set(), {"testsuite"}),
    "testsuite": (SUITES | {"skipped"}, set(), {"testcase"}),
    "testcase": ({"name", "classname"}, {"file", "line"}, {"failure", "error"}),
    "failure": ({"message", "type"}, set(), set()),
    "error": ({"message", "type"}, set(), set()),
}
"""Of each element: its attributes, those it may have, and what is in it (Jenkins xUnit plugin,
junit-10.xsd, whose times are optional)."""


def expect_junit(text: str) -> ElementTree.Element:
    """Check every element, and that the counts are right."""
    root = ElementTree.fromstring(text)
    for element in root.iter():
        needed, optional, inside = SHAPE[element.tag]
        assert needed <= set(element.keys()) <= needed | optional
        assert {child.tag for child in element} <= inside
    for element in [root, *root.iter("testsuite")]:
        for count, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            assert int(element.attrib[count]) == len(list(element.iter(tag)))
    return root


def test_junit(run: Run) -> None:
    """Suites for files, cases for expectations; also by the name of the output."""
    write("a.robots.toml", HERE + HOLDS + FAILS)
    write("b.robots.toml", HOLDS)
    root = expect_junit(run("test", "--format=junit").out)
    code = run("test", "--output=out.xml").code

    assert 2 == code
    assert ElementTree.tostring(root) == ElementTree.tostring(
        ElementTree.fromstring(Path("out.xml").read_bytes())
    )
    assert ["3", "1", "1"] == [root.attrib[name] for name in ("tests", "failures", "errors")]
    assert "ExampleBot /private/press" == root[0][1].attrib["name"]
    assert (root[0][1][0].text or "").startswith("expected disallowed\nbut it is allowed by line 2")


def test_hostile_junit(run: Run) -> None:
    """No text of a stranger breaks out of an attribute, or is what XML has no place for."""
    Path("robots.txt").write_bytes(b"User-agent: *\nAllow: /]]>&<\x00\x1b\xff\"'\n")
    hostile = json.dumps("/]]>&<\x1b\"'\n\ufffe\U0001f600\u202e").replace("\\/", "/")
    table = f'[[expect]]\nagent = "A"\nurl = {hostile}\nallowed = false\nbecause = {hostile}\n'
    name = write("]]>&<\"'\x1b\n.robots.toml", HERE + table.replace("\\ud83d\\ude00", "\U0001f600"))
    root = expect_junit(run("test", "--format=junit", name).out)

    assert "A /]]>&<\\x1b\"'\\n\\ufffe\U0001f600\\u202e" == root[0][0].attrib["name"]


def test_output(run: Run) -> None:
    """Each format is written to a file as it would be printed."""
    write("a.robots.toml", HERE + HOLDS + FAILS)
    for name, format_ in (("o.txt", "text"), ("o.json", "json"), ("o.xml", "junit")):
        printed = run("test", f"--format={format_}")
        written = run("test", f"--output={name}")

        assert (1, "", printed.err) == (written.code, written.out, written.err)
        assert printed.out == Path(name).read_text("utf-8")
    assert 2 == run("test", "--output=o.csv").code
    assert 2 == run("test", "--output=o.xml", "--format=json").code


# Recording


def test_round_trip(run: Run) -> None:
    """What is recorded holds, until a rule changes."""
    Path("out").mkdir()
    recorded = run("test", "--record", "--robots=robots.txt", "--output=out/a.robots.toml")

    assert (0, "", "recorded 5 expectations\n") == (recorded.code, recorded.out, recorded.err)
    assert Path("out/a.robots.toml").read_text().startswith('robots = "../robots.txt"\n')
    assert 0 == run("test").code
    Path("robots.txt").write_bytes(Path("robots.txt").read_bytes().replace(b"/all", b"/al"))
    assert 1 == run("test").code


def test_recorded_urls(run: Run) -> None:
    """URLs are those of the command line and of stdin; crawlers those of options."""
    words = ("--record", "--robots=robots.txt", "--agent=ExampleBot", "--agent=X", "/private", "-")
    done = run("test", *words, "/b", stdin=b"/a\n/private\n")

    assert [
        *('agent = "ExampleBot"', 'url = "/private"', 'agent = "ExampleBot"', 'url = ["/a", "/b"]'),
        *('agent = "X"', 'url = ["/private", "/a", "/b"]'),
    ] == [line for line in done.out.splitlines() if re.match("agent|url", line)]


def test_recorded_purpose(run: Run) -> None:
    """A purpose stands for its crawlers."""
    done = run("test", "--record", "--robots=robots.txt", "--purpose=training", "/all")

    assert '"GPTBot"' in done.out


def test_paths_that_toml_cannot_hold(run: Run) -> None:
    """A path that is not UTF-8 is refused; its file can come from stdin."""
    Path("\udcff").write_bytes(b"")
    done = run("test", "--record", "--robots=\udcff", "--output=a.robots.toml")

    assert 2 == done.code
    assert "error: the path `\\xff` is not UTF-8, and TOML is\nhint: " in done.err
    assert not Path("a.robots.toml").exists()


def test_recorded_from_stdin(run: Run) -> None:
    """A file on stdin has no name: the test needs `--robots`."""
    body = b"User-agent: *\nDisallow: /\n"
    done = run("test", "--record", "--robots=-", "--output=a.robots.toml", stdin=body)

    assert 0 == done.code
    assert "robots =" not in Path("a.robots.toml").read_text()
    assert 0 == run("test", "--robots=-", stdin=body).code


# Documentation


def test_guide_names_every_option() -> None:
    """No option goes undocumented."""
    page = GUIDE.read_text(encoding="utf-8")
    options = {name for name in grammar_of("test")._option_string_actions if name.startswith("--")}

    assert {"--help"} >= {name for name in options if name not in page}


def test_robots_file_called_dash(run: Run) -> None:
    """`robots = "-"` is a file of that name, beside the expectations; stdin is never waited for."""
    Path("deep").mkdir()
    for place in ("", "deep/"):
        Path(f"{place}-").write_bytes(b"User-agent: *\nDisallow: /private\n")
        name = write(f"{place}a.robots.toml", 'robots = "-"\n' + HOLDS.replace("3", "2"))

        assert 0 == run("test", name).code
