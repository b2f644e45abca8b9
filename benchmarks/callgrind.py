"""Instructions of the core's example programs, counted by valgrind's callgrind.

In: a program below `crates/core/examples` whose function `counted` runs the work that counts, and
that prints a line for every such call. Out: these lines, each with its number of instructions.

Instructions are the same on every run and on a busy machine, so that they can be judged where
times cannot. They differ between compilers.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TUNABLES = (
    "glibc.cpu.hwcaps=-ERMS,-FSRM",
    "glibc.malloc.mmap_threshold=33554432",
    "glibc.malloc.trim_threshold=1073741824",
    "glibc.malloc.top_pad=67108864",
)
ENVIRONMENT = os.environ | {
    "GLIBC_TUNABLES": ":".join(TUNABLES),
    "PYTHONHASHSEED": "0",
}
"""Without string instructions: callgrind counts one for every byte that they copy, so that the
size from which the C library uses them would look like growth. The allocator has one large heap
and gives nothing back: else what one phase frees decides whether the next copies as it grows."""
MARK = "getpgid"
"""A function of the C library that programs in Python can call, and that costs nothing."""

TIMEOUT = 3_600
MISSING = "error: valgrind counts the instructions, and it is not installed"


def is_missing() -> bool:
    """Whether valgrind is not installed."""
    return shutil.which("valgrind") is None


def build(example: str) -> Path:
    """Build an example with optimisation and symbols; return where it is."""
    command = f"cargo build --quiet --profile profiling --package verger-core --example {example}"
    messages = "--message-format=json-render-diagnostics"
    built = subprocess.run([*command.split(), messages], cwd=ROOT, stdout=subprocess.PIPE)
    if built.returncode:
        raise SystemExit(2)
    return next(
        Path(message["executable"])
        for message in map(json.loads, built.stdout.splitlines())
        if message.get("executable") and message["target"]["name"] == example
    )


def counts_of(program: Path, *arguments: object) -> Iterator[tuple[str, int]]:
    """Run a program once under callgrind, which writes a profile after every counted call.

    Yields what the program printed for each call, and the instructions of that call.
    """
    counted = f"{program.name}::counted"
    collect = [f"--toggle-collect={counted}", f"--dump-after={counted}"]
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder, "profile")
        lines = run(profile, collect, program, *arguments)
        for position, line in enumerate(lines, start=1):
            yield line, total_of(profile.with_name(f"profile.{position}"), counted)


def counts_between(program: Path, *arguments: object) -> Iterator[tuple[str, int]]:
    """Run a program that has no such function: it calls `getpgid` before and after what counts.

    Yields what the program printed for each pair of calls, and the instructions between them.
    """
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder, "profile")
        lines = run(profile, [f"--dump-before={MARK}"], program, *arguments)
        for position, line in enumerate(lines, start=1):
            yield line, total_of(profile.with_name(f"profile.{2 * position}"), MARK)


def run(profile: Path, collect: list[str], program: Path, *arguments: object) -> list[str]:
    """Run a program under callgrind, which writes profiles; return the lines that it printed."""
    callgrind = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={profile}"]
    command = [*callgrind, *collect, str(program), *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=TIMEOUT)
    if ran.returncode:
        raise SystemExit(f"error: `{' '.join(command)}` failed:\n{ran.stderr}")
    return ran.stdout.splitlines()


def compiler() -> tuple[str, str]:
    """Return the version of the compiler, and what it compiles for."""
    command = ["rustc", "--version", "--verbose"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    facts = dict(line.split(": ", 1) for line in told.splitlines() if ": " in line)
    return facts["release"], facts["host"]


def total_of(profile: Path, counted: str) -> int:
    """Return the instructions of one profile."""
    found = re.search(r"^totals: (\d+)$", profile.read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"error: no total in a profile; does `{counted}` still exist?")
    return int(found[1])
