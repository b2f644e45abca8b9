"""What the tests of the package of JavaScript share: it, built and installed, beside Python's."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
CHECKOUT = HERE.parent.parent
sys.path.append(str(CHECKOUT / "tests"))  # `support`, which their tests share
Ask = Callable[[Sequence[dict[str, Any]]], Iterator[str]]


@pytest.fixture(scope="session")
def ask() -> Ask:
    """Ask the package: lines in, lines out."""

    def answers(asked: Sequence[dict[str, Any]]) -> Iterator[str]:
        text = "".join(f"{json.dumps(each)}\n" for each in asked)
        command = ["node", str(HERE / "answers.mjs")]
        done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)
        return iter(done.stdout.decode("ascii").splitlines())

    return answers


@pytest.fixture(scope="session")
def real_files() -> list[bytes]:
    """The real files that `make corpus` fetches."""
    folder = CHECKOUT / ".cache" / "protego-0.7.0" / "tests" / "test_data"
    files = [path.read_bytes() for path in sorted(folder.iterdir())]
    assert len(files) > 4_000, "run `make corpus`"
    return files
