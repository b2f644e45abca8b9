"""The units for systemd: they are valid, and start a command that there is."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support import CHECKOUT
from verger.cli.grammar import grammar_of

UNITS = CHECKOUT / "examples" / "watch"


def test_the_service_starts_a_command_that_there_is() -> None:
    """Its words are those of the grammar."""
    text = (UNITS / "verger-watch.service").read_text()
    [line] = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    program, name, *words = line.removeprefix("ExecStart=").split()
    args = grammar_of(name).read(words)

    assert (program, name, args.once) == ("/usr/bin/verger", "watch", True)
    assert args.archive == "${STATE_DIRECTORY}/sites.archive"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_takes_them(tmp_path: Path) -> None:
    """Every setting is known, and the service is confined."""
    for unit in UNITS.glob("verger-watch.*"):
        text = unit.read_text().replace("/usr/bin/verger", "/bin/true")
        kept = [line for line in text.splitlines() if not line.startswith("Documentation=")]
        (tmp_path / unit.name).write_text("\n".join(kept))
    units = [str(tmp_path / f"verger-watch.{kind}") for kind in ("service", "timer")]
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
    )

    assert [] == [line for line in done.stderr.splitlines() if "verger-watch" in line]
