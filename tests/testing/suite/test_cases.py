"""The suite as others get it: its files follow the schema, and its answers are verger's."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import jsonschema
import pytest

import verger
from support import CHECKOUT
from verger.testing import suite

FILES = sorted(suite.INSTALLED.rglob("*.json"))
SCHEMA = json.loads((suite.INSTALLED.parent / "suite.schema.json").read_text("utf-8"))
CASES = suite.cases()


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_file_follows_the_schema(path: Path) -> None:
    jsonschema.validate(json.loads(path.read_text("utf-8")), SCHEMA)


def test_ids_are_unique() -> None:
    assert len(CASES) == len({case.id for case in CASES}) > 1000


@pytest.mark.parametrize("name", suite.specifications())
def test_verger_answers_as_the_suite(name: str) -> None:
    """Decision and line, in the dialect of the specification."""
    wanted, said = [], []
    for case in suite.cases(name):
        robots = verger.parse(case.robots, dialect=name)
        if case.allowed is None:
            with pytest.raises(verger.InvalidProductToken):
                robots.decide(case.url, case.agent)
            continue
        decision = robots.decide(case.url, case.agent)
        wanted.append((case.id, case.allowed, case.line))
        said.append((case.id, decision.allowed, decision.line))

    assert wanted == said


def test_every_specification_has_normative_cases() -> None:
    """Every dialect is one, and none consists of decisions."""
    normative = {case.specification for case in CASES if case.level == "normative"}

    assert set(verger.DIALECTS) == normative == set(suite.specifications())


def test_what_nobody_read_again_is_a_decision() -> None:
    """No answer is called stated by a page that was quoted from memory."""
    doubted = [case for case in suite.cases() if "memory" in case.about]

    assert {"decision"} == {case.level for case in doubted}


OTHERWISE = [
    ("blank_ends", True, {"2.2"}),
    ("named_groups", "first", {"2.2.1"}),
    ("normalisation", "raw", {"2.2.2", "2.2.3"}),
    ("precedence", "first", {"2.2.2", "5.1", "5.2"}),
    ("query", False, {"2.2.2", "2.2.3", "5.1"}),
    ("record_ends_starts", True, {"2.2.4"}),
    ("tie", "disallow", {"2.2.2"}),
    ("wildcards", False, {"2.2.2", "2.2.3", "5.1"}),
]
"""What a parser may do otherwise than RFC 9309, and the sections that are about it."""


@pytest.mark.parametrize(("knob", "value", "sections"), OTHERWISE)
def test_no_section_is_blamed_for_another(knob: str, value: object, sections: set[str]) -> None:
    """A parser that does one thing otherwise fails in the sections about it, and in no other."""
    dialect = verger.RFC9309.replace(**{knob: value})
    normative = [case for case in suite.cases("rfc9309") if case.level == "normative"]
    failed = {
        case.section
        for case in normative
        if case.allowed is not None
        and case.allowed != verger.parse(case.robots, dialect=dialect).allowed(case.url, case.agent)
    }

    assert failed
    assert failed <= sections


def test_a_decision_has_no_strength() -> None:
    assert [] == [case.id for case in CASES if case.strength and case.level == "decision"]


def test_unknown_specification() -> None:
    with pytest.raises(verger.UnknownName, match="has no specification `altavista`"):
        suite.cases("altavista")


# --- a folder of somebody else --------------------------------------------------------------

GOOD = {
    "id": "a",
    "about": "x",
    "section": "1",
    "level": "normative",
    "robots": "",
    "agent": "x",
    "url": "/",
    "allowed": True,
}


def folder_with(tmp_path: Path, held: object) -> Path:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.json").write_text(json.dumps(held), "utf-8")
    return tmp_path


def file_of(*cases: object, **fields: object) -> dict[str, object]:
    return {"format": 1, "specification": "mine", "source": "x", "cases": [*cases], **fields}


def test_a_folder_of_ones_own(tmp_path: Path) -> None:
    (case,) = suite.cases(folder=folder_with(tmp_path, file_of(GOOD)))

    assert ("a", "mine", b"", True) == (case.id, case.specification, case.robots, case.allowed)


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (file_of(GOOD | {"colour": "red"}), "case `a`: unknown field `colour`"),
        (file_of(GOOD, colour="red"), "unknown field `colour`"),
        (file_of(GOOD, format=2), "format 2 is not known"),
        (file_of(GOOD | {"allowed": "yes"}), "case `a`: `allowed` is not of type boolean"),
        (file_of(GOOD | {"line": True}), "case `a`: `line` is not of type integer"),
        (file_of(GOOD | {"level": "law"}), "case `a`: `level` is `law`"),
        (file_of(GOOD | {"robots_base64": ""}), "not written in exactly one way"),
        (file_of(GOOD, {"id": "b"}), "case `b`: no field `about`"),
        (file_of(7), "case `1` is not an object"),
        ([], "is not an object"),
        (file_of({**GOOD, "robots": "\ud800"}), "no file can be made of it"),
        (file_of(GOOD | {"id": "\x1b[31m", "url": 7}), r"case `\x1b[31m`: `url` is not"),
        (file_of(GOOD | {"section": ""}), "case `a`: `section` is empty"),
        (file_of(GOOD | {"id": ""}), "`id` is empty"),
        (file_of(), "`cases` is empty"),
    ],
)
def test_a_wrong_file_is_told(tmp_path: Path, held: object, said: str) -> None:
    """File, case and field are named."""
    with pytest.raises(verger.UnusableInput, match=r"a\.json") as told:
        suite.cases(folder=folder_with(tmp_path, held))

    assert said in str(told.value)


@pytest.mark.parametrize(
    "robots",
    [
        {"robots_base64": "%"},
        {"robots_parts": [["a", 10**13]]},
        {"robots_parts": [["a"]]},
        {"robots_parts": [[1, 2, 3]]},
        {"robots_parts": [["a" * 10, -(10**12)], ["a", 10**13]]},
        {"robots_parts": [["a", 0]]},
        {"robots_parts": [["a", True]]},
        {"robots_parts": [[["a"], 2]]},
        {"robots_parts": ["ab"]},
    ],
)
def test_a_file_that_cannot_be_made(tmp_path: Path, robots: dict[str, object]) -> None:
    held = {name: value for name, value in GOOD.items() if name != "robots"} | robots
    with pytest.raises(verger.UnusableInput, match="no file can be made of it"):
        suite.cases(folder=folder_with(tmp_path, file_of(held)))


def test_an_empty_file_in_parts(tmp_path: Path) -> None:
    """No parts are a file of no bytes, as the schema says."""
    held = {name: value for name, value in GOOD.items() if name != "robots"} | {"robots_parts": []}
    (case,) = suite.cases(folder=folder_with(tmp_path, file_of(held)))

    assert b"" == case.robots


def test_a_folder_without_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(verger.UnusableInput, match="has no file of cases"):
        suite.cases(folder=tmp_path)


def test_no_suite_there(tmp_path: Path) -> None:
    with pytest.raises(verger.UnusableInput, match="has no folder of cases"):
        suite.cases(folder=tmp_path)
    with pytest.raises(verger.UnusableInput, match="cannot read"):
        suite.cases(folder=tmp_path / "nowhere")


# --- the archive ------------------------------------------------------------------------------


def test_the_archive(tmp_path: Path) -> None:
    """Packed twice it has the same bytes; unpacked it is the installed suite, and says so."""
    command = [sys.executable, str(CHECKOUT / "tools" / "suite.py"), "--archive"]
    packed = []
    for _ in range(2):
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        packed.append((CHECKOUT / done.stdout.split()[-1]).read_bytes())
    (tmp_path / "suite.tar.gz").write_bytes(packed[0])
    with tarfile.open(tmp_path / "suite.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    (root,) = [path for path in tmp_path.iterdir() if path.is_dir()]
    manifest = json.loads((root / "manifest.json").read_text("utf-8"))

    assert packed[0] == packed[1]
    assert CASES == suite.cases(folder=root)
    assert len(CASES) == manifest["cases"]
    assert (root / "suite.schema.json").exists()
    assert (root / "README.md").exists()
