"""What the tests of the package of JavaScript share: it, built and installed, beside Python's."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from questions import CHECKOUT, real_files

HERE = Path(__file__).parent
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


@pytest.fixture(scope="session", name="real_files")
def all_real_files() -> list[bytes]:
    """The real files that `make corpus` fetches."""
    return real_files()
