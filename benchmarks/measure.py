"""How long things take: interleaved runs, medians, no garbage collection.

In: work to do. Out: `Figure`s, in seconds for one unit of the work.

Of several packages each is run once before any is run again, in an order that turns, so that a
busy machine slows all of them alike. Work that would take too long goes on in a process of its
own and is stopped there.
"""

from __future__ import annotations

import gc
import math
import multiprocessing
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import ParamSpec, TypeVar

from benchmarks import peers
from benchmarks.inputs import Question

P = ParamSpec("P")
T = TypeVar("T")

RUNS = 7
SHORTEST_RUN = 0.02
"""Seconds. A shorter run is repeated within itself: the clock and the scheduler are coarse."""
MEMORY_LIMIT = 4 << 30
"""Bytes of address space that a process of its own may take."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The runs of one package."""

    runs: tuple[float, ...]

    @property
    def median(self) -> float:
        """The figure that is reported."""
        return statistics.median(self.runs)


Work = Callable[[], object]


def interleaved(works: Mapping[str, tuple[Work, float]], runs: int = RUNS) -> dict[str, Figure]:
    """Measure every work `runs` times; each comes with the number of units that it does."""
    passes = {name: passes_for(work) for name, (work, _) in works.items()}
    times: dict[str, list[float]] = {name: [] for name in works}
    names = list(works)
    with no_garbage_collection():
        for run in range(runs):
            for name in names[run % len(names) :] + names[: run % len(names)]:
                work, units = works[name]
                times[name].append(seconds(work, passes[name]) / units)
    return {name: Figure(tuple(found)) for name, found in times.items()}


def passes_for(work: Work) -> int:
    """Return how often the work is repeated in one run. Doing it here warms it up."""
    return max(1, math.ceil(SHORTEST_RUN / max(seconds(work, 1), 1e-9)))


def seconds(work: Work, passes: int) -> float:
    """Return the seconds that one pass takes."""
    start = time.perf_counter()
    for _ in range(passes):
        work()
    return (time.perf_counter() - start) / passes


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Collect now, and not before the end."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


# --- in a process of its own --------------------------------------------------------------


def alone(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what a function of a module returns in a new process."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(function, *args, **kwargs).result()


@dataclass(frozen=True, slots=True)
class Endurance:
    """What one package did with one hostile file; None where it was stopped."""

    contact: float | None
    """Seconds to parse and answer."""
    answer: float | None
    """Seconds for one more answer."""
    memory: int | None
    """Bytes that parsing and the first answer took."""
    why: str = ""
    """Why there are no figures."""


def endured(peer: str, question: Question, timeout: float) -> Endurance:
    """Ask one package about one hostile file, for at most `timeout` seconds."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(
        target=endure, args=(peer, question, timeout / 4, theirs), daemon=True
    )
    process.start()
    theirs.close()
    try:
        ours.recv()  # it has imported what it needs: its time begins
        return ours.recv() if ours.poll(timeout) else stopped(f"> {timeout:g} s")
    except EOFError:
        return stopped("failed")
    finally:
        process.kill()
        process.join()


def stopped(why: str) -> Endurance:
    """Make a result without figures."""
    return Endurance(None, None, None, why)


def endure(name: str, question: Question, budget: float, answer_to: Connection) -> None:
    """Measure in this process and send an `Endurance`; `budget` bounds the runs after the first."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    peer = peers.named(name)
    body, token, url = peer.prepare(question.body), question.token, question.url
    peer.contact([(peer.prepare(b"User-agent: *\nDisallow: /x\n"), token, "https://e.example/y")])
    answer_to.send("ready")
    gc.disable()
    before = memory_now()
    try:
        first = seconds(lambda: peer.contact([(body, token, url)]), 1)
        memory = peak_memory() - before
        contact = repeated(lambda: peer.contact([(body, token, url)]), first, budget)
        parsed = peer.parser()(body)
        peer.ask(parsed, [url, url], token)
        more = seconds(lambda: peer.ask(parsed, [url], token), 1)
        answer = repeated(lambda: peer.ask(parsed, [url], token), more, budget)
        answer_to.send(Endurance(contact, answer, memory))
    except (MemoryError, RecursionError) as error:
        answer_to.send(stopped(type(error).__name__))


def repeated(work: Work, first: float, budget: float) -> float:
    """Return the median of as many runs as the budget pays for, the first of which is known."""
    runs = min(RUNS, int(budget / max(first, 1e-9)))
    return statistics.median([first, *(seconds(work, 1) for _ in range(runs))])


def memory_now() -> int:
    """Return the bytes of memory that this process holds."""
    return status("VmRSS")


def peak_memory() -> int:
    """Return the largest number of bytes of memory that this process has held."""
    return status("VmHWM")


def status(field: str) -> int:
    """Read a field of the kernel's report on this process, or what comes nearest elsewhere.

    `getrusage` alone would do, but for one thing: its peak is inherited from the parent.
    """
    path = Path("/proc/self/status")
    if not path.exists():
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak << 10
    lines = (line.split() for line in path.read_text().splitlines())
    return next(int(words[1]) << 10 for words in lines if words[0] == f"{field}:")


def commands(named: Mapping[str, Sequence[str]], runs: int) -> dict[str, Figure]:
    """Measure commands from start to end, interleaved."""
    works: dict[str, tuple[Work, float]] = {
        name: (partial(run_silently, command), 1) for name, command in named.items()
    }
    return interleaved(works, runs)


def run_silently(command: Sequence[str]) -> None:
    """Run a command that succeeds."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def output_of(command: Sequence[str]) -> str:
    """Return what a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
