"""Bombs do not fill the memory: 32 at once raise its peak by at most 5 MiB each."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from patience import LONG

TESTS = Path(__file__).resolve().parents[1]
MIB = 1 << 20
BOMBS = [sys.executable, "-m", "faults.bombs"]

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="no process tells its own peak here"
)


@pytest.fixture(scope="module")
def thrown() -> Iterator[str]:
    """A process that throws bombs; the line that says where."""
    with subprocess.Popen(
        [*BOMBS, "throw"], cwd=TESTS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as thrower:
        assert thrower.stdin is not None
        assert thrower.stdout is not None
        yield thrower.stdout.readline()
        thrower.stdin.close()
        thrower.wait(timeout=LONG)


@pytest.mark.parametrize("dialect", ["rfc9309", "googlebot-cpp"])
def test_peak_memory(thrown: str, dialect: str) -> None:
    """Whatever 32 servers send at once, the peak rises by at most 32 times 5 MiB: 3.5 where some
    end before others are read, 4.1 where a busy machine reads all at once."""
    done = subprocess.run(
        [*BOMBS, "catch", dialect],
        cwd=TESTS,
        input=thrown,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )

    assert "" == done.stderr
    said = json.loads(done.stdout)
    assert 32 == len(said["outcomes"])
    assert {"rules", "disallow_all"} == {effect for _, effect in said["outcomes"]}
    assert said["rise"] <= 32 * 5 * MIB
