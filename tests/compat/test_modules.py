"""The modules of the drop-ins: their docstrings run, and importing them brings in nothing else."""

import doctest
import subprocess
import sys
from importlib import import_module

import pytest

from verger.errors import MissingExtra

MODULES = ("robotparser", "protego", "robotspy", "reppy.robots")
FOREIGN = ("pandas", "aiohttp", "protego", "robots", "requests", "asyncio", "sqlite3")


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_show_what_happens(name: str) -> None:
    """The examples of a module run."""
    result = doctest.testmod(import_module(f"verger.compat.{name}"))

    assert (0, True) == (result.failed, result.attempted > 0)


@pytest.mark.parametrize("name", [*MODULES, "advertools"])
def test_import_brings_in_nothing_foreign(name: str) -> None:
    """What fetches, and what makes frames, is imported when it is used."""
    script = f"import sys, verger.compat.{name}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert set() == set(FOREIGN) & set(done.stdout.split())


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
