"""aiohttp crawls over the player of real hosts, without and with verger's guard.

    python -m benchmarks.clients [--rounds N] [--check]

In: the real files of `make corpus`, and the URLs that `make run` asks about. Three contenders:
aiohttp alone, which asks for every URL; with Protego, as a polite crawler is written by hand; and
with `verger.integrations.aiohttp`. Out: a table on stdout and `build/bench/clients.json`: what the
player saw fetched, requests a second, and memory. In each round each crawls once, in another order;
a ratio is the median of the rounds' ratios. `--check` ends with 1 where the guarded crawl sends
fewer than 0.97 as many requests a second as the one by hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import median

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools"))

from run_corpus import SITES, origin_of, urls
from tools.player import Player

from benchmarks.load.contest import turned
from benchmarks.load.process import MIB, ROOT, Run, run, two_processors

SCRATCH = ROOT / "build" / "clients"
RESULT = ROOT / "build" / "bench" / "clients.json"
CONNECTIONS = 200
LEAST = 0.97
ALONE, BY_HAND, GUARDED = "aiohttp alone", "with Protego, by hand", "with verger's guard"
WAYS = {ALONE: "none", BY_HAND: "protego", GUARDED: "verger"}


@dataclass(frozen=True, slots=True)
class Crawl:
    """What one run took, and what reached the player."""

    run: Run
    robots: int
    pages: int

    @property
    def rate(self) -> float:
        """Requests a second, from the start of the process to its end."""
        return (self.robots + self.pages) / self.run.seconds


def main() -> int:
    """Hold the contest and report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clients")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="runs of each contender")
    parser.add_argument("--check", action="store_true", help="fail below 0.97 of the original")
    options = parser.parse_args()
    crawls = contest(url_file(), options.rounds)
    report(crawls)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({way: [asdict(each) for each in crawls[way]] for way in crawls}))
    return 1 if options.check and ratio(crawls, BY_HAND) < LEAST else 0


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
    before = player.counts()
    command = [sys.executable, "-m", "benchmarks.aiohttp_pages", str(path)]
    command += ["--port", str(player.port), "--connections", str(CONNECTIONS)]
    result = run([*command, "--robots", way], processor=processor)
    after = player.counts()
    return Crawl(result, after["robots"] - before["robots"], after["pages"] - before["pages"])


def url_file() -> Path:
    """Write the URLs, one after the other from each host, as a broad crawl has them."""
    by_host = [list(each) for _, each in groupby(urls(), origin_of)]
    longest = max(map(len, by_host))
    lines = [each[index] for index in range(longest) for each in by_host if index < len(each)]
    SCRATCH.mkdir(parents=True, exist_ok=True)
    path = SCRATCH / "urls.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    return path


def report(crawls: dict[str, list[Crawl]]) -> None:
    """Print a table."""
    print(f"{'':24}{'files':>8}{'pages':>8}{'requests/s':>12}{'seconds':>9}{'MiB':>6}")
    for name, each in crawls.items():
        last = each[-1]
        rate, seconds = median(c.rate for c in each), median(c.run.seconds for c in each)
        peak = median(c.run.peak for c in each) / MIB
        print(f"{name:24}{last.robots:8,}{last.pages:8,}{rate:12,.0f}{seconds:9.1f}{peak:6.0f}")
    for name in (ALONE, BY_HAND):
        print(f"guarded: {ratio(crawls, name):.2f} x the requests a second of {name}")


def ratio(crawls: dict[str, list[Crawl]], name: str) -> float:
    """Return the guarded crawl's requests a second as a part of another's."""
    pairs = zip(crawls[GUARDED], crawls[name], strict=True)
    return median(guarded.rate / other.rate for guarded, other in pairs)


if __name__ == "__main__":
    sys.exit(main())
