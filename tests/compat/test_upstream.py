"""The tests of the originals pass with the drop-ins, but for those that `upstream.toml` lists."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from support import CHECKOUT

TABLE = tomllib.loads((Path(__file__).parent / "upstream.toml").read_text("utf-8"))
UPSTREAM = CHECKOUT / ".cache" / "upstream"
# The source distribution of robotspy lacks the constants of its tests.
CORE = """ALLOWED, DISALLOWED = True, False
DEFAULT_AGENT, FOOBOT_AGENT = "test_robotparser", "FooBot"
"""


@pytest.mark.dropins
@pytest.mark.parametrize("name", TABLE)
def test_suite_of_the_original(name: str, tmp_path: Path) -> None:
    """What is listed fails, nothing else does, and enough passes."""
    suite = TABLE[name]
    folder = UPSTREAM / suite["path"]
    if not folder.is_dir():
        pytest.skip("the suites of the originals are not there: `make upstream`")
    if find_spec("test.support") is None:
        pytest.skip("this Python comes without the tests of the standard library")
    done = run(name, laid_out(folder, tmp_path, suite.get("files", "test_*")))
    counts = {word: int(count) for count, word in re.findall(r"(\d+) (\w+)", last_line(done))}

    assert 0 == done.returncode, done.stdout[-4_000:]
    assert len(suite.get("failing", {})) <= counts.get("xfailed", 0)
    assert suite["least"] <= 100 * counts["passed"] / (counts["passed"] + counts.get("xfailed", 0))


def laid_out(folder: Path, scratch: Path, names: str) -> Path:
    """Return a folder with the tests of these names, linked, and what they lack."""
    tests = scratch / "tests"
    tests.mkdir()
    for path in folder.glob(names):
        (tests / path.name).symlink_to(path)
    (tests / "__init__.py").touch()
    (tests / "core.py").write_text(CORE, encoding="utf-8")
    return tests


def run(name: str, tests: Path) -> subprocess.CompletedProcess[str]:
    """Run a suite in a process of its own, where imports can be replaced."""
    path = os.pathsep.join([str(CHECKOUT / "tests"), str(CHECKOUT / "python")])
    command = [sys.executable, "-m", "pytest", "-q", "-rN", "-p", "compat.swapped"]
    return subprocess.run(
        [
            *command,
            "-p",
            "no:cacheprovider",
            "-o",
            "addopts=",
            "--rootdir",
            str(tests.parent),
            str(tests),
        ],
        env={**os.environ, "VERGER_SUITE": name, "PYTHONPATH": path},
        cwd=tests.parent,
        capture_output=True,
        text=True,
        check=False,
    )


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return pytest's summary."""
    return (done.stdout.strip().splitlines() or [""])[-1]
