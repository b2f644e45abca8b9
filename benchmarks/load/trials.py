"""What is measured of verger alone: memory, answers from memory, and many tasks at one origin.

In: a player. Out: `Trial`s: a figure each, and what it has to reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from tools.player import Player

from benchmarks.load import answers, herd
from benchmarks.load.contest import (
    PYTHON,
    SCRATCH,
    Course,
    filtering,
    forget,
    url_file,
)
from benchmarks.load.process import MIB, RunFailed, run


@dataclass(frozen=True, slots=True)
class Target:
    """What has to be reached: a bound, and the figure of this run if there is one."""

    wanted: str
    bound: float
    reached: float | None
    is_least: bool = False

    @property
    def is_met(self) -> bool | None:
        """Whether this run reaches it, if it was measured."""
        if self.reached is None:
            return None
        return self.reached >= self.bound if self.is_least else self.reached <= self.bound


@dataclass(frozen=True, slots=True)
class Trial:
    """One measurement in words, with what it has to reach."""

    name: str
    shown: str
    targets: tuple[Target, ...] = ()
    figures: Mapping[str, float | list[float]] = field(default_factory=dict)


def memory(player: Player, *, origins: int, connections: int) -> Trial:
    """Decide one URL of each of very many origins with the command."""
    course = Course(player.port, url_file(origins), origins, connections)
    forget()
    before = player.counts()
    result = run(filtering(course))
    after = player.counts()
    fetched, most_open = after["robots"] - before["robots"], after["most_open"]
    answered = line_count(SCRATCH / "answers.jsonl")
    kept = sum(path.stat().st_size for path in SCRATCH.glob("cache.sqlite*"))
    forget()
    if fetched != origins or answered != origins:
        raise RunFailed(f"{fetched:,} files and {answered:,} answers of {origins:,} origins")
    peak = result.peak / MIB
    return Trial(
        f"memory of verger filter, {origins:,} origins",
        f"peak {peak:,.0f} MiB, {most_open:,} connections at once, {result.seconds:,.0f} s "
        f"({origins / result.seconds:,.0f} origins/s), cache {kept / MIB:,.0f} MiB",
        (
            Target("peak of memory, at most 300 MiB", 300, peak),
            # the one that asks the player for its counts is seen there too
            Target(f"connections, at most {connections:,}", connections + 1, most_open),
        ),
        {"peak": result.peak, "seconds": result.seconds, "cpu": result.cpu, "kept": kept},
    )


def line_count(path: Path) -> int:
    """Return how many lines a file has."""
    with path.open("rb") as lines:
        return sum(1 for _ in lines)


def known_answers(player: Player) -> Trial:
    """Ask the synchronous client for what it knows."""
    said = run([PYTHON, "-m", "benchmarks.load.answers", "--port", str(player.port)]).said
    rates: list[float] = said["rates"]  # type: ignore[assignment]
    rate = median(rates)
    return Trial(
        f"Client.allowed, known, {answers.URLS:,} URLs of {answers.ORIGINS} origins",
        f"{rate:,.0f} answers/s",
        (Target("answers, at least 200,000 a second", 200_000, rate, is_least=True),),
        {"rates": rates},
    )


def one_fetch(player: Player) -> Trial:
    """Let thousands of tasks ask about the same new origin."""
    forget()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    before = player.counts()["robots"]
    cache = str(SCRATCH / "cache.sqlite")
    command = [PYTHON, "-m", "benchmarks.load.herd", "--port", str(player.port), "--cache", cache]
    said = run(command).said
    fetches = player.counts()["robots"] - before
    forget()
    return Trial(
        f"{herd.TASKS:,} tasks at one new origin",
        f"{fetches} fetch{'' if fetches == 1 else 'es'}, {said['seconds'] * 1e3:,.0f} ms",
        (
            Target("fetches, at most 1", 1, fetches),
            Target("fetches, at least 1", 1, fetches, is_least=True),
        ),
        {"fetches": fetches, "seconds": said["seconds"]},
    )


def all_trials(player: Player, *, origins: int, connections: int) -> Iterator[Callable[[], Trial]]:
    """Yield the trials, to be made one after the other."""
    yield partial(known_answers, player)
    yield partial(one_fetch, player)
    yield partial(memory, player, origins=origins, connections=connections)
