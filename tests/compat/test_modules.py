"""The modules of the drop-ins: their docstrings run, and importing them brings in nothing else."""

import doctest
import subprocess
import sys
import urllib.robotparser
from importlib import import_module
from inspect import isfunction

import pytest

from verger.compat import robotparser
from verger.errors import MissingExtra

MODULES = ("robotparser", "protego", "robotspy", "reppy.robots")
FOREIGN = ("pandas", "aiohttp", "protego", "robots", "requests", "asyncio", "sqlite3")


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_show_what_happens(name: str) -> None:
    """The examples of a module run."""
    result = doctest.testmod(import_module(f"verger.compat.{name}"))

    assert (0, True) == (result.failed, result.attempted > 0)


@pytest.mark.parametrize("name", [*MODULES, "advertools", "linkchecker"])
def test_import_brings_in_nothing_foreign(name: str) -> None:
    """What fetches, and what makes frames, is imported when it is used."""
    script = f"import sys, verger.compat.{name}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert set() == set(FOREIGN) & set(done.stdout.split())


def test_robotparser_is_a_subclass_whose_answers_are_its_own() -> None:
    """`isinstance` agrees, and every function of the standard library's class is replaced."""
    inherited = [
        name
        for name, value in vars(urllib.robotparser.RobotFileParser).items()
        if isfunction(value) and (name[0] != "_" or name.endswith("__"))
    ]

    assert isinstance(robotparser.RobotFileParser(), urllib.robotparser.RobotFileParser)
    assert [] == [name for name in inherited if name not in vars(robotparser.RobotFileParser)]
    assert isinstance(robotparser.RequestRate(1, 2), urllib.robotparser.RequestRate)


def test_missing_pandas_names_the_extra() -> None:
    """The error says what to install."""
    script = (
        "import sys; sys.modules['pandas'] = None\n"
        "from verger.compat import advertools\n"
        "advertools.robotstxt_to_df('https://example.com/robots.txt')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )

    assert MissingExtra.remedy("advertools") in done.stderr
