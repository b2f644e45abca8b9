"""The contest: the same origins by bare aiohttp, by verger in two ways, and by Scrapy.

In: a player, and how many origins. Out: `Entry`s, one for each contender, with a `Run` for every
round. In a round each contender runs once, in an order that turns. Every run begins with nothing
kept, and counts only if the player saw each origin's file fetched once.

Pinned, the player has one CPU and who is measured another: whatever verger's threads do is then
part of its time, and no other process moves. Free is how people run it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from tools.player import Player, host_name

from benchmarks.load.library import USER_AGENT
from benchmarks.load.process import ROOT, Run, RunFailed, run

SCRATCH = ROOT / "build" / "load"
SCRAPY = ROOT / "build" / "frameworks-venv" / "bin" / "python"
SPIDER = Path("benchmarks/load/spider.py")
PYTHON = sys.executable
VERGER = str(Path(sys.executable).with_name("verger"))

BARE, BARE_PAGES = "bare aiohttp", "bare aiohttp, pages"
BARE_CLOSING = "bare aiohttp, closing"
FILTER, CLIENT, CLIENT_PAGES = "verger filter", "AsyncClient", "AsyncClient, pages"
SCRAPY_PAGES = "Scrapy, pages"


@dataclass(frozen=True, slots=True)
class Course:
    """What each contender has to do."""

    port: int
    urls: Path
    origins: int
    connections: int

    @property
    def common(self) -> list[str]:
        """The arguments that all programs here take."""
        connections = str(self.connections)
        return [str(self.urls), "--port", str(self.port), "--connections", connections]


Command = Callable[[Course], list[str]]


def bare(course: Course) -> list[str]:
    """Fetch every file with aiohttp, and nothing else."""
    return [PYTHON, "-m", "benchmarks.load.bare", *course.common]


def bare_pages(course: Course) -> list[str]:
    """Fetch every file and then the page."""
    return [*bare(course), "--pages"]


def bare_closing(course: Course) -> list[str]:
    """Do the same, within the bound on open connections that verger keeps."""
    return [*bare(course), "--closing"]


def client(course: Course) -> list[str]:
    """Fetch, keep, parse, decide, write the answer."""
    output = ["--cache", str(SCRATCH / "cache.sqlite"), "--output", str(SCRATCH / "answers")]
    return [PYTHON, "-m", "benchmarks.load.library", *course.common, *output]


def client_pages(course: Course) -> list[str]:
    """Do the same, and fetch the page where that is allowed."""
    return [*client(course), "--pages"]


def filtering(course: Course) -> list[str]:
    """Do the same with the command."""
    return [
        *(VERGER, "filter", str(course.urls), "--format", "jsonl"),
        *("--user-agent", USER_AGENT, "--quiet"),
        *("--connections", str(course.connections), "--connect-to", f"::127.0.0.1:{course.port}"),
        *("--cache", str(SCRATCH / "cache.sqlite"), "--output", str(SCRATCH / "answers.jsonl")),
    ]


def scrapy(course: Course) -> list[str]:
    """Crawl with Scrapy."""
    return [str(SCRAPY), str(SPIDER), *course.common]


CONTENDERS: Mapping[str, Command] = {
    BARE: bare,
    BARE_CLOSING: bare_closing,
    BARE_PAGES: bare_pages,
    FILTER: filtering,
    CLIENT: client,
    CLIENT_PAGES: client_pages,
    SCRAPY_PAGES: scrapy,
}


@dataclass(slots=True)
class Entry:
    """The runs of one contender."""

    origins: int
    runs: list[Run] = field(default_factory=list)
    pages: int = 0
    """How many pages the player saw fetched in the last run."""
    problem: str = ""
    """Why there are no more runs."""

    @property
    def seconds(self) -> float:
        """The median of the runs."""
        return median(run.seconds for run in self.runs)

    @property
    def rate(self) -> float:
        """Origins a second."""
        return self.origins / self.seconds

    @property
    def cpu(self) -> float:
        """Seconds of processor time for one origin."""
        return median(run.cpu for run in self.runs) / self.origins


def held(
    player: Player,
    *,
    names: Sequence[str],
    origins: int,
    connections: int,
    rounds: int,
    processor: int | None,
) -> dict[str, Entry]:
    """Hold all rounds; a contender that fails takes no further part."""
    course = Course(player.port, url_file(origins), origins, connections)
    entries = {name: Entry(origins) for name in names}
    for number in range(rounds):
        for name in turned(names, number):
            entry = entries[name]
            if not entry.problem:
                try:
                    entry.runs.append(one_run(player, name, course, entry, processor))
                except RunFailed as failure:
                    entry.problem = str(failure)
    return entries


def one_run(player: Player, name: str, course: Course, entry: Entry, processor: int | None) -> Run:
    """Run one contender once, from nothing. Raises RunFailed."""
    forget()
    before = player.counts()
    result = run(CONTENDERS[name](course), processor=processor)
    after = player.counts()
    fetched = after["robots"] - before["robots"]
    if fetched != course.origins:
        raise RunFailed(f"fetched {fetched:,} files of {course.origins:,} origins")
    entry.pages = after["pages"] - before["pages"]
    return result


def turned(names: Sequence[str], number: int) -> list[str]:
    """Return the names in the order of a round."""
    start = number % len(names)
    return [*names[start:], *names[:start]]


def url_file(origins: int) -> Path:
    """Write one URL for each origin."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    path = SCRATCH / f"urls-{origins}.txt"
    with path.open("w", encoding="ascii") as lines:
        lines.writelines(urls(origins))
    return path


def urls(origins: int) -> Iterator[str]:
    """Yield the lines of such a file."""
    for number in range(1, origins + 1):
        yield f"http://{host_name(number)}/articles/{number}.html\n"


def forget() -> None:
    """Remove what a run has kept or written."""
    for path in (*SCRATCH.glob("cache.sqlite*"), *SCRATCH.glob("answers*")):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
