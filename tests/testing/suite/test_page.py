"""docs/guides/suite.md: its adapters work, and what it shows is what happens."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import verger
from support import CHECKOUT
from verger.testing import suite

PAGE = (CHECKOUT / "docs" / "guides" / "suite.md").read_text("utf-8")
ADAPTER = re.compile(r"in `(adapter\.\w+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```console\n\$ (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ADAPTERS = dict(ADAPTER.findall(PAGE))
EVERYTHING_IS_ALLOWED = "module.exports = () => ({ isAllowed: () => true });\n"
MOST_LINES = 20


def test_adapters_are_short() -> None:
    assert {"adapter.py", "adapter.js"} == set(ADAPTERS)
    assert all(text.count("\n") <= MOST_LINES for text in ADAPTERS.values())


@pytest.mark.parametrize(("command", "said"), SHOWN.findall(PAGE), ids=["whole", "one case"])
def test_shown_commands(tmp_path: Path, command: str, said: str) -> None:
    """What the adapter in Python gets is what the page shows."""
    (tmp_path / "adapter.py").write_text(ADAPTERS["adapter.py"], "utf-8")
    words = [sys.executable if word == "python" else word for word in command.split()]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert (said, "") == (done.stdout, done.stderr)


def test_adapter_in_javascript(tmp_path: Path) -> None:
    """It speaks the protocol, here for a parser that allows everything."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    installed = tmp_path / "node_modules" / "robots-parser" / "index.js"
    installed.parent.mkdir(parents=True)
    installed.write_text(EVERYTHING_IS_ALLOWED, "utf-8")
    adapter = tmp_path / "adapter.js"
    adapter.write_text(ADAPTERS["adapter.js"], "utf-8")
    verdicts = list(suite.run([node, str(adapter)], suite.cases("rfc9309")))

    assert {True} == {one.allowed for one in verdicts}


def test_counts() -> None:
    """The table of specifications, and the number of questions."""
    counts = Counter((case.specification, case.level) for case in suite.cases())
    rows = [
        f"| `{name}` | {dialect.title} | {counts[name, 'normative']} | {counts[name, 'decision']} |"
        for name, dialect in verger.DIALECTS.items()
    ]

    assert "\n".join(rows) in PAGE
    assert f" {counts.total():,} questions " in PAGE
