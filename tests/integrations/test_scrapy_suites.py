"""Scrapy's own tests pass on verger's parts, but for those that are listed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import CHECKOUT

pytest.importorskip("scrapy", reason="Scrapy is not here: `make test-integrations` brings it")
pytest.importorskip("pytest_twisted", reason="`make test-integrations` brings pytest-twisted")

FOLDER = CHECKOUT / ".cache" / "scrapy-2.19.0"
SUITE = Path(__file__).with_name("scrapy_suite.py")
OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "-c", str(FOLDER / "pyproject.toml")),
    *("-o", "addopts=", "-o", "asyncio_default_fixture_loop_scope=function"),
)
REACTORS = {"asyncio": (), "none": ("-p", "no:twisted", "-p", "conftest")}
"""More options by the reactor of Scrapy's tests: pytest-twisted knows the first, their conftest the
second."""
PARSER, MIDDLEWARE, LISTED = 9, 14, 4
"""How many tests there are of each, and how many of all runs are expected to fail."""


@pytest.mark.parametrize("reactor", REACTORS)
def test_scrapys_tests_pass(reactor: str, tmp_path: Path) -> None:
    """All of `BaseRobotParserTest` but the first match, all of `TestRobotsTxtMiddleware` where a
    failed fetch is permission, and all but these three where it is not."""
    if not FOLDER.is_dir():
        pytest.skip("Scrapy's tests are not here: `make test-integrations` fetches them")
    suite = tmp_path / "test_verger.py"
    suite.write_bytes(SUITE.read_bytes())
    paths = (str(FOLDER), str(CHECKOUT / "python"))
    command = [sys.executable, "-m", "pytest", *OPTIONS, *REACTORS[reactor]]
    done = subprocess.run(
        [*command, f"--reactor={reactor}", str(suite)],
        cwd=FOLDER,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = PARSER + 2 * MIDDLEWARE - LISTED

    assert 0 == done.returncode, done.stdout + done.stderr
    assert f"{passed} passed, {LISTED} xfailed in" in done.stdout
