"""aiohttp crawls over the player of real hosts, without and with verger's guard.

    python -m benchmarks.clients [--hosts N] [--rounds N] [--check]

In: the real files of `make corpus`, and the URLs that `make run` asks about. Contenders: aiohttp
alone, which asks for every URL; with Protego, as a polite crawler is written by hand; with the
middleware of `verger.integrations.aiohttp`; and with that and `AsyncClient.allowed` before each
request, as the one by hand asks Protego. Out: a table on stdout and `build/bench/clients.json`:
what the player saw fetched, requests a second, and memory. In each round each crawls once, in
another order; a ratio is the median of the rounds' ratios, by the clock and by processor time.
`--check` ends with 1 where verger, asked before, sends fewer than 0.97 as many requests a second as
the one by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Literal

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))

from run_corpus import SITES
from tools.player import Player

from benchmarks.load.contest import turned
from benchmarks.load.crawl import Crawl, crawled, write_urls
from benchmarks.load.process import MIB, ROOT, two_processors

SCRATCH = ROOT / "build" / "clients"
RESULT = ROOT / "build" / "bench" / "clients.json"
CONNECTIONS = 200
LEAST = 0.97
ALONE, BY_HAND = "aiohttp alone", "with Protego, by hand"
GUARDED, ASKED = "with verger's guard", "… and asked before"
WAYS = {ALONE: "none", BY_HAND: "protego", GUARDED: "guard", ASKED: "verger"}


def main() -> int:
    """Hold the contest and report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clients")
    parser.add_argument("--hosts", type=int, default=4_231, metavar="N", help="hosts to crawl")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each contender")
    parser.add_argument("--check", action="store_true", help="fail below 0.97 of the original")
    options = parser.parse_args()
    crawls = contest(write_urls(SCRATCH / "urls.txt", options.hosts), options.rounds)
    report(crawls)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({way: [asdict(each) for each in crawls[way]] for way in crawls}))
    return 1 if options.check and ratio(crawls, ASKED) < LEAST else 0


def contest(path: Path, rounds: int) -> dict[str, list[Crawl]]:
    """Let all crawl in turns, on a CPU of their own where there are two."""
    players, contenders = two_processors() or (None, None)
    crawls: dict[str, list[Crawl]] = {name: [] for name in WAYS}
    with Player(SITES, processor=players) as player:
        for number in range(rounds):
            for name in turned(list(WAYS), number):
                crawls[name].append(one_crawl(player, path, WAYS[name], contenders))
    return crawls


def one_crawl(player: Player, path: Path, way: str, processor: int | None) -> Crawl:
    """Crawl once, from nothing."""
    command = [sys.executable, "-m", "benchmarks.aiohttp_pages", str(path)]
    command += ["--port", str(player.port), "--connections", str(CONNECTIONS)]
    return crawled(player, [*command, "--robots", way], processor=processor)


def report(crawls: dict[str, list[Crawl]]) -> None:
    """Print a table."""
    heads = f"{'files':>8}{'pages':>8}{'requests/s':>12}{'seconds':>9}{'CPU':>7}{'MiB':>6}"
    print(f"{'':24}{heads}")
    for name, each in crawls.items():
        last = each[-1]
        rate, seconds = median(c.rate for c in each), median(c.run.seconds for c in each)
        cpu, peak = median(c.run.cpu for c in each), median(c.run.peak for c in each) / MIB
        figures = f"{rate:12,.0f}{seconds:9.1f}{cpu:7.1f}{peak:6.0f}"
        print(f"{name:24}{last.robots:8,}{last.pages:8,}{figures}")
    for name in (GUARDED, ASKED):
        by_clock, by_cpu = ratio(crawls, name), ratio(crawls, name, per="cpu")
        print(f"{name}: {by_clock:.2f} x the requests a second by hand, {by_cpu:.2f} x by CPU time")


def ratio(
    crawls: dict[str, list[Crawl]], name: str, *, per: Literal["seconds", "cpu"] = "seconds"
) -> float:
    """Return a crawl's requests a second as a part of those of the one by hand."""
    pairs = zip(crawls[name], crawls[BY_HAND], strict=True)
    return median(
        own.requests / getattr(own.run, per) / (other.requests / getattr(other.run, per))
        for own, other in pairs
    )


if __name__ == "__main__":
    sys.exit(main())
