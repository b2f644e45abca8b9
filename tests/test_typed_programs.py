"""Type checkers see what users write wrong, and nothing else: tests/typed/program.py.

And the words that they know are those that verger takes. `make lint` runs the checkers, which know
the package by then.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

import verger
from support import CHECKOUT
from verger.crawlers import binding, purposes
from verger.files import formats

PROGRAM = CHECKOUT / "tests" / "typed" / "program.py"
WRONG = [
    number
    for number, line in enumerate(PROGRAM.read_text("utf-8").splitlines(), 1)
    if line.endswith("# wrong")
]


def run(*words: str) -> str:
    """Run a checker on the program, and return what it prints."""
    places = {"MYPYPATH": str(CHECKOUT / "python"), "PYTHONPATH": str(CHECKOUT / "python")}
    return subprocess.run(
        [sys.executable, "-m", *words, str(PROGRAM)],
        cwd=CHECKOUT,
        env=os.environ | places,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    ).stdout


@pytest.mark.slow
def test_mypy_sees_the_wrong_words() -> None:
    """It reports each wrong line, and no other."""
    said = run("mypy", "--strict", "--no-error-summary")

    assert WRONG == [int(each) for each in re.findall(r"program\.py:(\d+): error", said)], said


@pytest.mark.slow
def test_basedpyright_sees_the_wrong_words() -> None:
    """It reports each wrong line, and no other; it has the engine of Pylance."""
    said = json.loads(run("basedpyright", "--level", "error", "--outputjson"))
    found = said["generalDiagnostics"]

    assert WRONG == [each["range"]["start"]["line"] + 1 for each in found], found


def as_checkers_see(module: ModuleType) -> dict[str, Any]:
    """Return the names of a module as type checkers see them."""
    source = Path(str(module.__file__)).read_text("utf-8")
    names: dict[str, Any] = {"__name__": module.__name__}
    exec(source.replace("TYPE_CHECKING = False", "TYPE_CHECKING = True"), names)
    return names


@pytest.mark.parametrize(
    ("module", "name", "known"),
    [
        (formats, "TableFormat", formats.TABLES),
        (formats, "CapturedFormat", formats.CAPTURED),
        (formats, "UrlsFormat", ("text", *formats.TABLES)),
        (purposes, "Purpose", tuple(purposes.PURPOSES)),
        (binding, "Bindings", ("operators", "file")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_checkers_know_all_words(module: ModuleType, name: str, known: Collection[str]) -> None:
    """Where a module does not load `typing`, the words for checkers are those that it takes."""
    assert tuple(known) == get_args(as_checkers_see(module)[name])


def test_checkers_know_all_dialects() -> None:
    stub = (CHECKOUT / "python" / "verger" / "_core.pyi").read_text("utf-8")
    named = re.search(r"^DialectName: TypeAlias = Literal\[([^]]+)\]", stub, re.MULTILINE)

    assert named
    assert list(verger.DIALECTS) == re.findall(r'"([^"]+)"', named[1])
