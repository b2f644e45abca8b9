"""Measure verger under load beside bare aiohttp and Scrapy: `python -m benchmarks.load`.

In: the real files that `make corpus` fetches, played on loopback by `tools/player.py`, and
Scrapy in build/frameworks-venv. Out: tables on stdout, and `build/bench/load.json`. Exit code 0
when everything was measured, whatever the figures; with `--check` 1 when a target is missed. 2
when there is nothing to measure with.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.player import Player

from benchmarks.files import CORPUS, no_corpus
from benchmarks.load import contest, profiling, report
from benchmarks.load.process import ROOT, RunFailed, two_processors
from benchmarks.load.trials import Target, Trial, all_trials

RESULT = ROOT / "build" / "bench" / "load.json"
CONNECTIONS = 1_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for, and report it."""
    options = options_from(arguments)
    if not options.corpus.is_dir():
        return no_corpus(options.corpus)
    if options.profile:
        profiling.show(options.corpus, options.origins, CONNECTIONS)
        return 0
    setting = {
        "origins": options.origins,
        "connections": CONNECTIONS,
        "rounds": options.rounds,
        "origins for memory": options.memory_origins,
    }
    report.print_head(setting)
    contests = dict(contests_held(options))
    trials, failures = trials_made(options)
    targets = [
        *(target for name, found in contests.items() for target in report.targets_of(name, found)),
        *(target for trial in trials for target in trial.targets),
        *failures,
    ]
    report.print_foot(targets)
    report.write(options.json, setting, contests, trials, targets)
    return 1 if options.check and not all(target.is_met for target in targets) else 0


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.load",
        description="Measure verger under load beside bare aiohttp and Scrapy.",
    )
    parser.add_argument("--quick", action="store_true", help="few origins, one round: a minute")
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    parser.add_argument("--profile", action="store_true", help="show where verger's time goes")
    parser.add_argument("--origins", type=int, metavar="N", help="origins of each run")
    parser.add_argument("--rounds", type=int, metavar="N", help="runs of each contender")
    parser.add_argument("--memory-origins", type=int, metavar="N", help="origins of that run")
    parser.add_argument("--no-scrapy", action="store_true", help="leave Scrapy out")
    parser.add_argument("--json", type=Path, default=RESULT, metavar="FILE", help="where to write")
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="DIR", help="the real files")
    options = parser.parse_args(arguments)
    options.origins = options.origins or (800 if options.quick else 10_000)
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.memory_origins = options.memory_origins or (4_000 if options.quick else 100_000)
    return options


def contests_held(options: argparse.Namespace) -> Iterator[tuple[str, report.Contest]]:
    """Hold and print the contest twice: on fixed CPUs, and free."""
    left_out = {contest.SCRAPY_PAGES} if options.no_scrapy or not contest.SCRAPY.exists() else set()
    names = [name for name in contest.CONTENDERS if name not in left_out]
    pair = two_processors()
    ways = [("pinned", pair[0], pair[1])] if pair else []
    for way, players, contenders in [*ways, ("free", None, None)]:
        with Player(options.corpus, "--origins", str(options.origins), processor=players) as player:
            found = contest.held(
                player,
                names=names,
                origins=options.origins,
                connections=CONNECTIONS,
                rounds=options.rounds,
                processor=contenders,
            )
        report.print_contest(way, found)
        yield way, found


def trials_made(options: argparse.Namespace) -> tuple[list[Trial], list[Target]]:
    """Measure verger alone; a measurement that fails is a target that is not met."""
    trials: list[Trial] = []
    failures: list[Target] = []
    most = max(options.memory_origins, options.origins)
    with Player(options.corpus, "--origins", str(most)) as player:
        for trial in all_trials(player, origins=options.memory_origins, connections=CONNECTIONS):
            try:
                trials.append(trial())
                report.print_trial(trials[-1])
            except RunFailed as failure:
                failures.append(Target(f"FAILED: {failure}", 0, None))
                report.print_targets(failures[-1:])
    return trials, failures


if __name__ == "__main__":
    sys.exit(main())
