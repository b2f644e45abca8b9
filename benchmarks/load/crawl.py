"""One crawl over the player of real hosts: its URLs, what it took, and what reached the player.

In: how many hosts, and the command that crawls. Out: the URLs as a broad crawl has them, and a
`Crawl`, whose requests are counted where they arrive.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

from run_corpus import origin_of, urls
from tools.player import Player

from benchmarks.load.process import Run, run


@dataclass(frozen=True, slots=True)
class Crawl:
    """What one run took, and what reached the player."""

    run: Run
    robots: int
    pages: int

    @property
    def requests(self) -> int:
        """All that the player saw."""
        return self.robots + self.pages

    @property
    def rate(self) -> float:
        """Requests a second, from the start of the process to its end."""
        return self.requests / self.run.seconds

    @property
    def cost(self) -> float:
        """Seconds of processor time for a request."""
        return self.run.cpu / self.requests


def crawled(player: Player, command: Sequence[str], *, processor: int | None = None) -> Crawl:
    """Run a command that crawls the player, from nothing."""
    before = player.counts()
    result = run(command, processor=processor)
    after = player.counts()
    return Crawl(result, after["robots"] - before["robots"], after["pages"] - before["pages"])


def write_urls(path: Path, hosts: int) -> Path:
    """Write the URLs of so many hosts, one of each host after the other, as a broad crawl."""
    by_host = [list(each) for _, each in groupby(urls(), origin_of)][:hosts]
    longest = max(map(len, by_host))
    lines = [each[index] for index in range(longest) for each in by_host if index < len(each)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    return path
