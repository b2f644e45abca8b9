"""Where the time of a crawl goes: packages and functions, in microseconds of processor time.

In: a player. Out: tables on stdout for bare aiohttp, for `AsyncClient` and for the command.

The main thread is looked at every few milliseconds of processor time, and what it has spent since
is put down to the function that runs and to those that called it. What is written in C, garbage
collection too, counts for its caller or for the function that runs next.
Nothing is slowed down, unlike under cProfile, and who waits takes no time. Other
threads are known by their sum alone.
"""

from __future__ import annotations

import argparse
import json
import runpy
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType, FrameType

from tools.player import Player

from benchmarks.load.contest import (
    BARE,
    CLIENT,
    CONTENDERS,
    FILTER,
    PYTHON,
    SCRATCH,
    Course,
    forget,
    url_file,
)
from benchmarks.load.process import ROOT, RunFailed, run

EVERY = 0.001
"""Seconds of processor time between two looks; many kernels make four times as much of it."""
MOST = 40
SHOWN = (BARE, CLIENT, FILTER)

Profile = Mapping[str, float]
"""Seconds by `itself package`, `itself function`, `within function`, and `threads`."""


def show(corpus: Path, origins: int, connections: int) -> None:
    """Profile those that do the same work, and print what they spend."""
    profiles: dict[str, Profile] = {}
    with Player(corpus, "--origins", str(origins)) as player:
        course = Course(player.port, url_file(origins), origins, connections)
        for name in SHOWN:
            forget()
            try:
                profiles[name] = profiled(CONTENDERS[name](course))
            except RunFailed as failure:
                print(f"{name} FAILED: {failure}")
    forget()
    print_packages(profiles, origins)
    for name, profile in profiles.items():
        print_functions(name, profile, origins)


def profiled(command: Sequence[str]) -> Profile:
    """Run a Python program and look at it. Raises RunFailed."""
    result = SCRATCH / "profile.json"
    own = [PYTHON, "-m", "benchmarks.load.profiling", str(result)]
    inner = command[1:] if command[0] == PYTHON else ["-m", "verger", *command[1:]]
    run([*own, *inner])
    found: Profile = json.loads(result.read_text(encoding="utf-8"))
    result.unlink()
    return found


def print_packages(profiles: Mapping[str, Profile], origins: int) -> None:
    """Print what each package spends itself, beside each other."""
    print(f"\n{'µs an origin, itself':<28}" + "".join(f"{name:>16}" for name in profiles))
    sums = {name: dict(entries(profile, "itself package")) for name, profile in profiles.items()}
    packages = sorted({package for found in sums.values() for package in found})
    rows = [(package, [found.get(package, 0.0) for found in sums.values()]) for package in packages]
    rows.append(("other threads", [profile["threads"] for profile in profiles.values()]))
    rows.append(("all", [sum(column) for column in zip(*(row for _, row in rows), strict=True)]))
    for package, row in rows:
        cells = "".join(f"{spent / origins * 1e6:>16.1f}" for spent in row)
        print(f"{package:<28}{cells}")


def print_functions(name: str, profile: Profile, origins: int) -> None:
    """Print the functions of a program that spend most."""
    for kind in ("itself function", "within function"):
        print(f"\n{name}: µs an origin, {kind.removesuffix(' function')}")
        dearest = sorted(entries(profile, kind), key=lambda entry: -entry[1])[:MOST]
        for function, spent in dearest:
            print(f"{spent / origins * 1e6:>10.1f}  {function}")


def entries(profile: Profile, kind: str) -> Iterator[tuple[str, float]]:
    """Yield the names and seconds of one kind."""
    for name, spent in profile.items():
        if name.startswith(f"{kind} "):
            yield name.removeprefix(f"{kind} "), spent


# --- in the process that is looked at -----------------------------------------------------


class Sampler:
    """Looks at the main thread whenever the system's timer says so."""

    def __init__(self) -> None:
        self._itself = defaultdict[CodeType, float](float)
        self._within = defaultdict[CodeType, float](float)
        self._last = time.thread_time()

    def start(self) -> None:
        """Begin."""
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)

    def stop(self) -> dict[str, float]:
        """End, and return what was spent, as `Profile` says."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        spent = defaultdict[str, float](float)
        spent["threads"] = max(0.0, time.process_time() - time.thread_time())
        for code, seconds in self._itself.items():
            spent[f"itself package {package_of(code)}"] += seconds
            spent[f"itself function {name_of(code)}"] += seconds
        for code, seconds in self._within.items():
            spent[f"within function {name_of(code)}"] += seconds
        return dict(spent)

    def _look(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        now = time.thread_time()
        spent, self._last = now - self._last, now
        if frame is None:
            return
        self._itself[frame.f_code] += spent
        codes: set[CodeType] = set()
        while frame is not None:
            codes.add(frame.f_code)
            frame = frame.f_back
        for code in codes:
            self._within[code] += spent


def package_of(code: CodeType) -> str:
    """Return the package of a function: two names of our own, one of others."""
    parts = Path(code.co_filename).parts
    if "verger" in parts and "site-packages" not in parts:
        inner = parts[len(parts) - parts[::-1].index("verger") - 1 :]
        return ".".join(inner[:2]).removesuffix(".py")
    if "site-packages" in parts:
        return parts[parts.index("site-packages") + 1].removesuffix(".py")
    if code.co_filename.startswith(str(ROOT)):
        return "benchmarks"
    return "asyncio" if "asyncio" in parts else "standard library"


def name_of(code: CodeType) -> str:
    """Return the name of a function, and where it is."""
    where = "/".join(Path(code.co_filename).parts[-3:])
    return f"{code.co_qualname}  {where}:{code.co_firstlineno}"


def main() -> None:
    """Run a module with its arguments under the sampler, and keep the sums."""
    parser = argparse.ArgumentParser(description="Run a module and see where its time goes.")
    parser.add_argument("result", type=Path)
    parser.add_argument("-m", dest="module", required=True)
    options, arguments = parser.parse_known_args()
    sys.argv = [options.module, *arguments]
    sampler = Sampler()
    sampler.start()
    try:
        runpy.run_module(options.module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code:
            raise
    options.result.write_text(json.dumps(sampler.stop()), encoding="utf-8")


if __name__ == "__main__":
    main()
