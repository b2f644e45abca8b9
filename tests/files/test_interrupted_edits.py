"""An edit that is interrupted leaves the old file, or the new one, and nothing beside it."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep

import pytest

from cli.conftest import folder
from cli.console import environment, hear_interrupts

__all__ = ["folder"]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("folder"),
    pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX"),
]

RULES = b"".join(b"Disallow: /%04d\n" % number for number in range(500))
FILE = b"User-agent: *\n" + RULES + b"Disallow: /0000/covered\n"

EDITS = {
    "block": ("block", "--agent", "GPTBot", "/secret"),
    "allow": ("allow", "--agent", "GPTBot"),
    "minimise": ("minimise",),
}


def command(name: str) -> list[str]:
    words = ("--robots", "r.txt", "--in-place", "--quiet")
    return [sys.executable, "-m", "verger", EDITS[name][0], *words, *EDITS[name][1:]]


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("name", EDITS)
def test_killed(name: str, kind: signal.Signals) -> None:
    """At seeded moments until the edit is made: the file is whole, and the next edit tidies up."""
    dice = random.Random(f"{name} {kind}")
    path = Path("r.txt")
    path.write_bytes(FILE)
    began = monotonic()
    subprocess.run(command(name), env=environment(), check=True)
    needed = monotonic() - began
    new = path.read_bytes()
    assert FILE != new
    for _ in range(5):
        path.write_bytes(FILE)
        with subprocess.Popen(
            command(name),
            env=environment(),
            stderr=subprocess.DEVNULL,
            preexec_fn=hear_interrupts,
        ) as process:
            sleep(dice.uniform(0.3, 1) * needed)
            process.send_signal(kind)

        assert path.read_bytes() in (FILE, new)
    path.write_bytes(FILE)
    subprocess.run(command(name), env=environment(), check=True)

    assert [path] == list(Path().iterdir())


@pytest.mark.parametrize("name", EDITS)
def test_a_full_disk(name: str) -> None:
    """Where the new file has no room, the old one stays: this fails halfway, every time."""
    from resource import RLIMIT_FSIZE, setrlimit

    path = Path("r.txt")
    path.write_bytes(FILE)
    limit = len(FILE) // 2
    done = subprocess.run(
        command(name),
        env=environment(PYTHONDONTWRITEBYTECODE="1"),  # no half bytecode
        capture_output=True,
        check=False,
        preexec_fn=lambda: setrlimit(RLIMIT_FSIZE, (limit, limit)),
    )

    assert (2, b"") == (done.returncode, done.stdout), done
    assert done.stderr.startswith(b"error: cannot write `r.txt`")
    assert path.read_bytes() == FILE
    assert [path] == list(Path().iterdir())


READ_SLOWLY = """if True:
    import sys
    from verger.cli.app import main
    from verger.files import robots_file

    read_named = robots_file.read_named

    def read(path, *args, **options):
        body = read_named(path, *args, **options)
        with open(path, "ab") as file:
            file.write(b"Disallow: /added\\n")
        return body

    robots_file.read_named = read
    sys.exit(main(sys.argv[1:]))
"""

ALL_EDITS = {
    **{name: command(name)[3:] for name in EDITS},
    "fmt": ["fmt", "r.txt"],
    "lint --fix": ["lint", "--fix", "r.txt"],
}


@pytest.mark.parametrize("name", ALL_EDITS)
def test_a_line_that_is_added_meanwhile(name: str) -> None:
    """It is not lost: nothing is written, and the command says what to do."""
    path, file = (
        Path("r.txt"),
        FILE.replace(b"Disallow: /0000/covered", b"disallow:/0000\nDisalow: /x"),
    )
    path.write_bytes(file)
    done = subprocess.run(
        [sys.executable, "-c", READ_SLOWLY, *ALL_EDITS[name]],
        env=environment(),
        capture_output=True,
        check=False,
    )

    assert file + b"Disallow: /added\n" == path.read_bytes()
    assert 2 == done.returncode, done
    assert b"error: `r.txt` has changed since it was read\n" in done.stderr
    assert b"hint: nothing was written: run the command again\n" in done.stderr
    assert [path] == list(Path().iterdir())
