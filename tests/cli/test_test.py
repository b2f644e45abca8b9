"""`verger test`: expectations against files and sites, in every format; and recording them."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from verger.cli.commands.test_output import SCHEMA
from verger.expectations import fix

from .conftest import Run, validator

VALID = validator("test")

HOLDS = '[[expect]]\nagent = "ExampleBot"\nurl = "/private"\nallowed = false\nline = 3\n'
FAILS = '[[expect]]\nagent = "ExampleBot"\nurl = "/private/press"\nallowed = false\n'
HERE = 'robots = "robots.txt"\n'

pytestmark = pytest.mark.usefixtures("robots")


def write(name: str, text: str) -> str:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


# Sites


# Fixing


def test_a_diff_tells_what_changes(run: Run) -> None:
    """As the edit does, and that nothing else changes."""
    write("a.robots.toml", HERE + FAILS)
    shown, made = (run("test", how, "a.robots.toml") for how in ("--diff", "--fix"))

    assert "robots.txt: closed to ExampleBot: /private/press$" in shown.err
    assert made.err.startswith(shown.err)


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


def test_json_of_many(run: Run) -> None:
    """What is proved is told with all crawlers, and what speaks against it."""
    write(
        "a.robots.toml",
        HERE
        + '[[expect]]\npurpose = "*"\nexcept = "Fig"\npaths = "/"\nexcept_paths = "/private"\n'
        + 'allowed = true\n[[expect]]\npurpose = "training"\nurl = "/"\nuse = "ai-train"\n'
        + 'allowed = "silent"\n[[expect]]\nagent = "ExampleBot"\npaths = "/"\nallowed = true\n',
    )
    done = run("test", "--format=json")
    said = json.loads(done.out)
    first, second, third = said["files"][0]["results"]

    VALID.validate(said)
    assert (None, ["*"], ["Fig"], None, "/", ["/private"], None) == tuple(
        first[key]
        for key in ("agent", "purposes", "except", "url", "pattern", "except_paths", "use")
    )
    assert (None, "ai-train") == (second["expected"]["allowed"], second["use"])
    assert ["ExampleBot"] == third["evidence"]["agents"]
    (example,) = third["evidence"]["counterexamples"]
    assert (["ExampleBot"], "/private") == (example["agents"], example["url"])
    assert third["got"] == example["got"]


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


def test_paths_that_toml_cannot_hold(run: Run) -> None:
    """A path that is not UTF-8 is refused; its file can come from stdin."""
    Path("\udcff").write_bytes(b"")
    done = run("test", "--record", "--robots=\udcff", "--output=a.robots.toml")

    assert 2 == done.code
    assert "error: the path `\\xff` is not UTF-8, and TOML is\nhint: " in done.err
    assert not Path("a.robots.toml").exists()


# Documentation


def test_robots_file_called_dash(run: Run) -> None:
    """`robots = "-"` is a file of that name, beside the expectations; stdin is never waited for."""
    Path("deep").mkdir()
    for place in ("", "deep/"):
        Path(f"{place}-").write_bytes(b"User-agent: *\nDisallow: /private\n")
        name = write(f"{place}a.robots.toml", 'robots = "-"\n' + HOLDS.replace("3", "2"))

        assert 0 == run("test", name).code


# Fixing


def test_a_file_that_changes_meanwhile_is_not_replaced(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What somebody else has written since it was read is kept."""
    write("a.robots.toml", HERE + FAILS)

    def fix_slowly(*args: object, **options: object) -> object:
        outcome = fix(*args, **options)  # type: ignore[arg-type]
        write("robots.txt", "User-agent: *\nDisallow: /theirs\n")
        return outcome

    monkeypatch.setattr("verger.cli.commands.test.fix", fix_slowly)
    done = run("test", "--fix", "a.robots.toml")

    assert done.code == 2
    assert "`robots.txt` has changed since it was read" in done.err
    assert Path("robots.txt").read_text("utf-8") == "User-agent: *\nDisallow: /theirs\n"


def test_two_names_of_one_file_are_fixed_together(run: Run) -> None:
    """What one file with expectations needs does not undo what the other needs."""
    Path("link.txt").symlink_to("robots.txt")
    write("a.robots.toml", HERE + FAILS)
    write("b.robots.toml", 'robots = "link.txt"\n' + FAILS.replace("ExampleBot", "CCBot"))

    assert run("test", "--fix").code == 0
    assert Path("link.txt").is_symlink()
    assert "CCBot" in Path("robots.txt").read_text("utf-8")


@pytest.mark.parametrize("url", ["/adm*", "/a$", "https://e.example/*.js"])
def test_a_url_that_looks_like_a_pattern(run: Run, url: str) -> None:
    """It is asked about as it is written; a note says where patterns go."""
    Path("a.robots.toml").write_text(f'[[expect]]\nagent = "A"\nurl = "{url}"\nallowed = true\n')
    Path("r.txt").write_text("User-agent: *\nDisallow: /adm\nAllow: /adm*\n")
    done = run("test", "--robots", "r.txt", "a.robots.toml")

    assert 0 == done.code
    note = f"note: line 1 of `a.robots.toml`: `{url}` is one URL; `paths` has patterns"
    assert note == done.err.splitlines()[0]
