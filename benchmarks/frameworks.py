"""Crawls by Scrapy and Crawlee over the player of real hosts: alone, and with verger.

    python -m benchmarks.frameworks [--hosts N] [--rounds N] [--only NAME] [--check]

In: the real files of `make corpus`, and the URLs that `make run` asks about. Out: a table on stdout
and `build/bench/frameworks.json`: what the player saw fetched, requests a second, processor time
for a request, and memory. In a round each contender crawls once, the framework's own first in every
other; a ratio is the median of the rounds' ratios. A crawl is bound by its processor, so that the
ratio of processor times is the same, and steadier on a machine that does other work, too. `--check`
ends with 1 where verger sends fewer than 0.97 as many requests in a second of processor time.
Run by `make bench-frameworks`, which brings build/frameworks-venv.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))

from run_corpus import SITES
from tools.player import Player

from benchmarks.load.crawl import Crawl, crawled, write_urls
from benchmarks.load.process import MIB, ROOT

PYTHON = ROOT / "build" / "frameworks-venv" / "bin" / "python"
SCRATCH = ROOT / "build" / "frameworks"
RESULT = ROOT / "build" / "bench" / "frameworks.json"
LEAST = 0.97
OWN, VERGER = "its own", "verger"


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework, and what it is asked to do."""

    name: str
    program: str
    connections: int
    share: int
    """It crawls one of so many hosts: some are slower."""


FRAMEWORKS = (
    Framework("Scrapy", "benchmarks.load.spider", 200, 1),
    Framework("Crawlee", "benchmarks.crawlee_pages", 50, 2),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Hold the contest and report."""
    options = options_from(arguments)
    os.environ["PYTHONPATH"] = str(ROOT / "python")
    chosen = [each for each in FRAMEWORKS if options.only in (None, each.name)]
    found = {each.name: contest(each, options) for each in chosen}
    ratios = [report(name, crawls) for name, crawls in found.items()]
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({name: figures(each) for name, each in found.items()}, indent=2))
    return 1 if options.check and min(ratios) < LEAST else 0


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.frameworks")
    parser.add_argument("--hosts", type=int, default=4_231, metavar="N", help="hosts for Scrapy")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each contender")
    parser.add_argument("--only", choices=[each.name for each in FRAMEWORKS], help="one of them")
    parser.add_argument("--check", action="store_true", help="fail below 0.97 of the original")
    return parser.parse_args(arguments)


def contest(framework: Framework, options: argparse.Namespace) -> dict[str, list[Crawl]]:
    """Let a framework crawl in turns with what it brings and with verger."""
    hosts = options.hosts // framework.share
    path = write_urls(SCRATCH / f"{framework.name}-{hosts}.txt", hosts)
    crawls: dict[str, list[Crawl]] = {OWN: [], VERGER: []}
    with Player(SITES) as player:
        for number in range(options.rounds):
            for way in (OWN, VERGER) if number % 2 == 0 else (VERGER, OWN):
                crawls[way].append(one_crawl(player, framework, path, way))
    return crawls


def one_crawl(player: Player, framework: Framework, path: Path, way: str) -> Crawl:
    """Crawl once, from nothing."""
    command = [str(PYTHON), "-m", framework.program, str(path)]
    command += ["--port", str(player.port), "--connections", str(framework.connections)]
    return crawled(player, [*command, "--verger"] if way == VERGER else command)


def report(name: str, crawls: dict[str, list[Crawl]]) -> float:
    """Print a table; return verger's requests by processor time as a part of the framework's."""
    print(
        f"{name:12}{'files':>8}{'pages':>8}{'seconds':>9}{'requests/s':>12}{'ms CPU':>8}{'MiB':>6}"
    )
    for way, each in crawls.items():
        last = each[-1]
        rate, seconds = median(c.rate for c in each), median(c.run.seconds for c in each)
        cost, peak = median(c.cost for c in each) * 1e3, median(c.run.peak for c in each) / MIB
        counts = f"{last.robots:8,}{last.pages:8,}"
        print(f"  {way:10}{counts}{seconds:9.1f}{rate:12,.0f}{cost:8.2f}{peak:6.0f}")
    pairs = [*zip(crawls[VERGER], crawls[OWN], strict=True)]
    by_clock = median(mine.rate / own.rate for mine, own in pairs)
    by_processor = median(own.cost / mine.cost for mine, own in pairs)
    print(f"  requests with verger: {by_clock:.2f} x a second, {by_processor:.2f} x a CPU second")
    print(flush=True)
    return by_processor


def figures(crawls: dict[str, list[Crawl]]) -> dict[str, object]:
    """Return everything that was measured, for the file."""
    return {
        way: [
            {
                "robots": crawl.robots,
                "pages": crawl.pages,
                "seconds": crawl.run.seconds,
                "cpu": crawl.run.cpu,
                "peak": crawl.run.peak,
            }
            for crawl in each
        ]
        for way, each in crawls.items()
    }


if __name__ == "__main__":
    sys.exit(main())
