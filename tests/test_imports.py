"""`import verger` brings in next to nothing: a listed, tiny set of modules."""

import subprocess
import sys
from pathlib import Path

import verger

EXPECTED = {"verger", "verger._core", "verger.dialects", "verger.errors"}
SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
import verger
robots = verger.parse("User-agent: *\\nDisallow: /a")
print(robots.allowed("/a", "x"), *sorted(set(sys.modules) - before))
"""


def words_printed() -> list[str]:
    """Run the script in an isolated interpreter without `site`, verger's folder on its path."""
    folder = str(Path(verger.__file__).parents[1])
    command = [sys.executable, "-I", "-S", "-c", SCRIPT, folder]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return run.stdout.split()


def test_import_adds_four_modules() -> None:
    """Importing, parsing and deciding add exactly these: no `re`, `typing`, `enum`,
    `dataclasses`, `logging` or `urllib`."""
    answer, *added = words_printed()

    assert answer == "False"
    assert set(added) == EXPECTED
