"""How the work of commands grows with the number of sites: `python -m benchmarks.site_growth`.

In: so many sites, each with a file and two URLs, in random order. Out: a table of instructions for
each command, counted by valgrind's callgrind, and exit code 1 where the work for a site grows
faster than its limit. The exponent is fitted as in `benchmarks.growth`.
"""

import argparse
import os
import random
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from pyarrow import parquet

from benchmarks import callgrind
from benchmarks.command_growth import MAX_EXPONENT
from benchmarks.growth import slope
from verger.cli.app import main as run_command

SITES = (1_000, 4_000, 16_000, 64_000)
FEW = 10
AGENT = "ExampleBot"


def make(folder: Path, sites: int) -> None:
    """Lay down two snapshots of so many sites, their URLs, and a log of requests for these."""
    chance = random.Random(sites)
    origins = [f"https://s{number}.example" for number in range(sites)]
    chance.shuffle(origins)
    for name, last in (("old", "x"), ("new", "y")):
        bodies = [
            f"User-agent: *\nDisallow: /{number % 97}/\nDisallow: /{last}{number % 3}\n".encode()
            for number in range(sites)
        ]
        table = pa.table({"origin": origins, "body": bodies, "status": [200] * sites})
        parquet.write_table(table, folder / f"{name}.parquet")
    urls = [f"{origin}/{path}/page" for origin in origins for path in ("1", "open")]
    chance.shuffle(urls)
    (folder / "urls.txt").write_text("".join(f"{url}\n" for url in urls))
    parquet.write_table(pa.table({"url": urls}), folder / "urls.parquet")
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /1/\n")
    line = '192.0.2.1 - - [05/Jan/2026:10:00:00 +0000] "GET {} HTTP/1.1" 200 9 "-" "GPTBot/1.0"\n'
    (folder / "access.log").write_text("".join(map(line.format, urls)))


def run(folder: Path, *words: str) -> None:
    """Run a command in a folder, and drop its text."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with (
            Path(os.devnull).open("w") as nowhere,
            redirect_stdout(nowhere),
            redirect_stderr(nowhere),
        ):
            code = run_command([*words])
    finally:
        os.chdir(before)
    if code not in (0, 1):
        raise SystemExit(f"`verger {' '.join(words)}` ended with {code}")


FILTER = ("filter", "--quiet", "--agent", AGENT, "--snapshot", "old.parquet", "--restart")
SCAN = ("scan", "--quiet", "old.parquet", "--output", "scan.parquet")
STEPS: dict[str, tuple[str, ...]] = {
    "filter": (*FILTER, "urls.txt", "--output", "out.csv"),
    "filter parquet": (*FILTER, "urls.parquet", "--output", "out.parquet"),
    "audit": ("audit", "--robots", "robots.txt", "access.log"),
    "scan": SCAN,
    "diff": ("diff", "old.parquet", "new.parquet", "--quiet", "--output", "diff.parquet"),
    "report": ("report", "--quiet", "scan.parquet", "--output", "report.html"),
}


def main() -> int:
    """Count, and tell; in a process under valgrind, do the work."""
    grammar = argparse.ArgumentParser(prog="python -m benchmarks.site_growth", description=__doc__)
    grammar.add_argument("--step", default="", metavar="REGEX", help="only these commands")
    grammar.add_argument("--sites", nargs="+", type=int, default=SITES, help="how many sites")
    grammar.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = grammar.parse_args()
    steps = [step for step in STEPS if re.search(options.step, step)]
    if options.work:
        return work(steps, options.sites)
    if callgrind.is_missing():
        print(callgrind.MISSING, file=sys.stderr)
        return 2
    print(f"{'command':<18}{'exponent':>9}   millions of instructions for {options.sites} sites")
    missed = 0
    for step in steps:
        row, is_met = row_of(step, options.sites)
        missed += not is_met
        print(row, flush=True)
    return 1 if missed else 0


def work(steps: list[str], sizes: list[int]) -> int:
    """Do the work for each number of sites, between calls that callgrind recognises."""
    for step in steps:
        for sites in (FEW, *sizes):
            with TemporaryDirectory() as name:
                folder = Path(name)
                make(folder, sites)
                if step == "report":
                    run(folder, *SCAN)
                if sites > FEW:  # else: what is loaded or computed once
                    os.getpgid(0)
                run(folder, *STEPS[step])
                if sites > FEW:
                    os.getpgid(0)
                    print(sites, flush=True)
    return 0


def row_of(step: str, sizes: list[int]) -> tuple[str, bool]:
    """Return the row of a command, and whether it grows within the limit."""
    given: Iterator[str] = iter(map(str, sizes))
    module = ("-m", "benchmarks.site_growth", "--work", "--step", f"^{step}$", "--sites", *given)
    counts = [count for _, count in callgrind.counts_between(Path(sys.executable), *module)]
    exponent = slope(list(zip(sizes, counts, strict=True))[1:])
    is_met = exponent <= MAX_EXPONENT
    shown = " ".join(f"{count / 1e6:10.1f}" for count in counts)
    mark = "" if is_met else "  too fast"
    return f"{step:<18}{exponent:>9.2f}   {shown}{mark}", is_met


if __name__ == "__main__":
    sys.exit(main())
