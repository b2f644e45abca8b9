"""`python -m benchmarks.lint_command FOLDER`: `verger lint` beside `lint()`, and beside its peers.

In: a folder of robots.txt files, of which a thousand are taken; with `--peers`, the folder of
commands in which `susbot` and `ai-crawler-robots` are installed. Out: for each, the processor time
of all files and the time on the wall, in one run, one after the other. A peer reads one file in a
process: `--peer-files` of them are enough to see what one takes.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.files import CORPUS, ROOT, no_corpus, write_run
from verger.lint import lint

RESULT = ROOT / "build" / "bench" / "lint-command.json"
PEERS = {"susbot": ("audit", "--format", "json"), "ai-crawler-robots": ("lint", "--json")}
"""The commands, and the words before a file."""


def main(words: Sequence[str] | None = None) -> int:
    """Run all, and tell."""
    asked = _asked(words)
    if not asked.folder.is_dir():
        return no_corpus(asked.folder)
    every = sorted(path for path in asked.folder.rglob("*") if path.is_file())
    files = every[:: max(1, len(every) // asked.files)][: asked.files]
    bodies = [path.read_bytes() for path in files]
    found = {"lint()": _measured("lint()", len(files), lambda: [lint(body) for body in bodies])}
    verger = [sys.executable, "-m", "verger", "lint", *map(str, files)]
    found["verger lint"] = _measured("verger lint", len(files), lambda: _run(verger))
    few = files[: asked.peer_files]
    for name, words_before in PEERS.items() if asked.peers else ():
        command = [str(asked.peers / name), *words_before]
        found[name] = _measured(
            name, len(few), lambda command=command: [_run([*command, str(file)]) for file in few]
        )
    write_run(RESULT, files=len(files), found=found)
    return 0


def _asked(words: Sequence[str] | None) -> argparse.Namespace:
    grammar = argparse.ArgumentParser(prog="python -m benchmarks.lint_command", description=__doc__)
    grammar.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    grammar.add_argument("--files", type=int, default=1_000)
    grammar.add_argument("--peers", type=Path, help="the folder of the commands of the peers")
    grammar.add_argument("--peer-files", type=int, default=100)
    return grammar.parse_args(words)


def _run(command: Sequence[str]) -> None:
    """Run a command; findings, and files that it cannot read, are no failure."""
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode not in (0, 1, 2):
        raise SystemExit(done.stderr.decode("utf-8", "replace"))


def _measured(name: str, files: int, work: Callable[[], object]) -> dict[str, float]:
    """Do some work, and tell what a file took."""
    began, own, children = perf_counter(), process_time(), _of_children()
    work()
    cpu = process_time() - own + _of_children() - children
    wall = perf_counter() - began
    print(
        f"{name:<20}{files:>6,} files {cpu:>8.2f} s of CPU {1e3 * cpu / files:>8.2f} ms each "
        f"{wall:>8.2f} s on {os.cpu_count()} cores",
        flush=True,
    )
    return {"files": files, "cpu": cpu, "wall": wall}


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
