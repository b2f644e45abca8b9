"""What a start of the command pays for: the modules it imports, and no others.

The time itself is measured in benchmarks; a module more is the cause that a test can name.
"""

import subprocess
import sys

import pytest

from .console import environment

pytestmark = pytest.mark.usefixtures("robots")

REPORT = """
import sys
before = set(sys.modules)
from verger.cli.app import main
try:
    main(sys.argv[1:])
finally:  # argparse ends the process after its help
    sys.stdout.flush()
    print(*sorted(set(sys.modules) - before), file=sys.stderr)
"""

# argparse and what it brings along, `locale` for its own words; `importlib` finds the command,
# `encodings` the one that leaves out a byte order mark.
LIGHT = {
    "argparse", "bisect", "collections", "copyreg", "encodings", "enum", "errno", "fcntl",
    "functools", "gettext", "importlib", "itertools", "keyword", "locale", "operator", "re",
    "reprlib", "types", "warnings", "zlib",
}  # fmt: skip

DEAR = {
    "csv", "dataclasses", "difflib", "fnmatch", "importlib.metadata", "importlib.resources",
    "inspect", "json", "logging", "pathlib", "random", "shutil", "subprocess", "tempfile",
    "typing", "unicodedata", "urllib", "urllib.parse", "zipfile",
}  # fmt: skip


def imported(*words: str) -> set[str]:
    """Return the modules that a run of the command adds to those of the interpreter."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", REPORT, *words],
        capture_output=True,
        env=environment(),
        text=True,
        check=True,
    )
    return set(done.stderr.splitlines()[-1].split())  # behind the command's own words


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--robots", "robots.txt", "--agent", "A", "/all"),
        ("check", "--robots", "robots.txt", "--agent", "A", "--agent", "B", "/all", "/"),
        ("check", "--robots", "robots.txt", "--agent", "A", "--format", "csv", "/all"),
        ("check", "--snapshot", ".", "--agent", "A", "--no-summary", "--format", "csv", "-"),
    ],
)
def test_nothing_dear(words: tuple[str, ...]) -> None:
    """A check imports verger and argparse, and of the standard library nothing else."""
    names = {name.partition(".")[0] for name in imported(*words) if not name.startswith("_")}

    assert set() == names - LIGHT - {"verger"}


def test_json_only_for_json() -> None:
    """The JSON encoder is imported by those who ask for JSON."""
    names = imported("check", "--robots", "robots.txt", "--agent", "A", "--format", "jsonl", "/")

    assert "json" in names
    assert set() == (DEAR - {"json"}) & names


def test_help_is_cheap() -> None:
    """Asking for help or the version imports nothing dear, but what knows the terminal's width."""
    of_width = {"fnmatch", "shutil"}

    assert set() == DEAR & imported("--version")
    assert set() == DEAR & imported("--help")
    assert of_width == DEAR & imported("check", "--help")
