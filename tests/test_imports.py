"""`import verger` brings in next to nothing: a listed, tiny set of modules."""

import subprocess
import sys
from pathlib import Path

import pytest

import verger

EXPECTED = {"verger", "verger._core", "verger.dialects", "verger.errors"}
HEAD = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
import verger
"""
ANSWER = """
robots = verger.parse("User-agent: *\\nDisallow: /a")
print(robots.allowed("/a", "x"), *sorted(set(sys.modules) - before))
"""
TABLES = """
core = verger._core
print("Table" in vars(core), hasattr(core, "Tabel"), core.Table.__name__, "Table" in vars(core))
"""


def words_printed(script: str) -> list[str]:
    """Run a script in an isolated interpreter without `site`, verger's folder on its path."""
    folder = str(Path(verger.__file__).parents[1])
    command = [sys.executable, "-I", "-S", "-c", HEAD + script, folder]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_import_adds_four_modules() -> None:
    """Importing, parsing and deciding add exactly these: no `re`, `typing`, `enum`,
    `dataclasses`, `logging` or `urllib`."""
    answer, *added = words_printed(ANSWER)

    assert answer == "False"
    assert set(added) == EXPECTED


PACKAGES = """
import sys
names = [name for name in dir(verger) if not name.startswith("_")]
print(*(name for name in names if type(getattr(verger, name)) is type(sys)))
print(verger.bulk.filter.filter_urls.__name__, verger.lint.lint.__name__)
"""


def test_packages_are_names_of_verger() -> None:
    """`import verger` is enough to reach what its documentation names."""
    *names, filter_urls, lint = words_printed(PACKAGES)

    assert sorted(verger._PACKAGES) == names
    assert ("filter_urls", "lint") == (filter_urls, lint)


WITHOUT_EXTRAS = """
import pydoc
extras = "aiohttp duckdb httpx2 jinja2 pyarrow pyspark redis"
sys.modules |= dict.fromkeys(extras.split())
print(*(len(pydoc.render_doc(found)) > 100 for found in (verger, verger.bulk, verger.cache)))
"""


def test_help_needs_no_extra() -> None:
    """`help()` asks for all that `dir` lists, and so nothing there may need more packages."""
    assert ["True"] * 3 == words_printed(WITHOUT_EXTRAS)


def test_what_is_not_there() -> None:
    """A slip is an AttributeError, as in any module."""
    for module in (verger, verger.bulk, verger.cache):
        with pytest.raises(AttributeError, match="has no attribute 'bulc'"):
            module.bulc  # noqa: B018


def test_classes_of_tables_are_made_when_one_is_asked_for() -> None:
    """They take memory that most programs have no use for."""
    assert words_printed(TABLES) == ["False", "False", "Table", "True"]
