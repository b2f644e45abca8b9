"""The programs below examples/ run, and print what is expected of them."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"

LAST_LINES = {
    "ask": "GPTBot      disallowed  https://example.com/private/press/2026.pdf",
    "explain": "  /reviews   matched '/reviews'",
    "dialects": "strict          /a: Decision(disallowed, line=2, rule='Disallow: /a', "
    "reason=MOST_SPECIFIC_RULE)",
    "records": "line 5: `Dissallow` is read as `disallow` (misspelt-key)",
    "processes": "500 of 1000 URLs may be fetched",
}


def test_every_example_is_known() -> None:
    """An example that no test runs does not exist."""
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted(LAST_LINES)


@pytest.mark.parametrize("name", sorted(LAST_LINES))
def test_example_prints_its_last_line(name: str) -> None:
    """The example ends well and says what its reader is told."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert result.stderr == ""
    assert result.stdout.splitlines()[-1] == LAST_LINES[name]
