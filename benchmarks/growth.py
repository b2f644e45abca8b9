"""How the work of the core grows with hostile input, in instructions.

In: the program `crates/core/examples/growth.rs`, run under valgrind's callgrind.
Out: a table, `build/bench/growth.json`, and exit code 1 where something grows too fast.

One kind of input grows at a time, over five doublings unless told otherwise. The law is the
project's own: the exponent of the growth is at most 1.1; where rules and URL grow together,
instructions per rule and URL byte do not grow (RFC 9309 names no bound; a server chooses both).
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import chain, pairwise
from pathlib import Path

from benchmarks import callgrind
from benchmarks.files import write_json

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "build" / "bench" / "growth.json"

DIALECTS = ("rfc9309", "googlebot-cpp", "original-1994", "yandex")
DOUBLINGS = 5
MAX_EXPONENT = 1.1
MAX_EXPONENT_OF_RATIO = 0.1
FLAT = 0.05
"""A cost that changes by less than this share over all doublings does not grow."""

TOLD = 32
"""Instructions of a step that say something of growth."""

NOISE = 0.02
"""The share of the first cost that a step has to exceed, too."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What grows, and how often each input holds it."""

    name: str
    sizes: tuple[int, ...]

    @property
    def is_both(self) -> bool:
        """Whether rules and URL grow together."""
        return self.name.startswith("both-")


@dataclass(frozen=True, slots=True)
class Count:
    """What one phase cost on one input."""

    size: int
    body: int
    url: int
    instructions: int


@dataclass(frozen=True, slots=True)
class Curve:
    """The costs of one phase on one kind of input, smallest first, and how fast they grow."""

    kind: str
    dialect: str
    phase: str
    counts: tuple[Count, ...]
    exponent: float
    limit: float

    @property
    def is_met(self) -> bool:
        """Whether the growth stays within its limit."""
        return self.exponent <= self.limit

    @property
    def per_byte(self) -> float:
        """Instructions per byte of the largest input."""
        last = self.counts[-1]
        return last.instructions / (last.body + last.url)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, judge, report."""
    options = options_from(arguments)
    if callgrind.is_missing():
        print(callgrind.MISSING, file=sys.stderr)
        return 2
    program = callgrind.build("growth")
    known = kinds_of(program, options.doublings)
    kinds = [kind for kind in known if re.search(options.kind, kind.name)]
    with ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda kind: curves_of(program, kind, options.dialect), kinds)
        curves = list(chain.from_iterable(found))
    print_table(curves)
    write(curves, options.json)
    return 0 if curves and all(curve.is_met for curve in curves) else 1


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("--kind", default="", metavar="REGEX", help="only these kinds of input")
    parser.add_argument("--dialect", nargs="+", default=DIALECTS, metavar="NAME")
    parser.add_argument("--doublings", type=int, default=DOUBLINGS, help="of each kind of input")
    parser.add_argument("--jobs", type=int, default=2, help="programs at the same time")
    parser.add_argument("--json", type=Path, default=RESULT, metavar="FILE")
    return parser.parse_args(arguments)


# --- counting -----------------------------------------------------------------------------


def kinds_of(program: Path, doublings: int) -> list[Kind]:
    """Return the kinds of input that the program can build."""
    listed = subprocess.run([program, "list"], check=True, capture_output=True, text=True)
    words = (line.split() for line in listed.stdout.splitlines())
    return [
        Kind(name, tuple(int(first) << n for n in range(doublings + 1))) for name, first in words
    ]


def curves_of(program: Path, kind: Kind, dialects: Sequence[str]) -> list[Curve]:
    """Count one kind of input in some dialects: one curve for each of them and each phase."""
    counts: dict[tuple[str, str], list[Count]] = {}
    for key, count in counts_of(program, kind, dialects):
        counts.setdefault(key, []).append(count)
    fit = exponent_of_ratio if kind.is_both else exponent
    limit = MAX_EXPONENT_OF_RATIO if kind.is_both else MAX_EXPONENT
    return [
        Curve(kind.name, dialect, phase, tuple(series), round(fit(series), 3), limit)
        for (dialect, phase), series in counts.items()
    ]


def counts_of(
    program: Path, kind: Kind, dialects: Sequence[str]
) -> Iterator[tuple[tuple[str, str], Count]]:
    """Count every phase on every size of one kind of input, in each dialect."""
    every = ",".join(dialects)
    for line, instructions in callgrind.counts_of(program, kind.name, every, *kind.sizes):
        dialect, size, body, url, phase = line.split()
        yield (dialect, phase), Count(int(size), int(body), int(url), instructions)


# --- judging ------------------------------------------------------------------------------


def exponent(counts: Sequence[Count]) -> float:
    """Return how fast cost grows with the bytes of the input.

    Fitted to the increments, so that what a call costs in any case does not flatten the curve.
    The smallest increment counts only where it does not make the curve steeper: an allocator
    that clears up after one phase charges some 50,000 instructions to the next, which is a third
    of what the smallest input costs, and growth that matters shows in the large ones.
    """
    costs = [count.instructions for count in counts]
    data = [count.body + count.url for count in counts]
    if max(costs) - costs[0] <= FLAT * costs[0]:
        return 0.0
    steps = [(b - a, d - c) for (a, b), (c, d) in zip(pairwise(data), pairwise(costs), strict=True)]
    # What a vector loop does with its last bytes is as much as such a step, and no growth; and what
    # a call costs in any case differs a little with what was allocated before.
    told = [step for step in steps if step[1] >= max(TOLD, NOISE * costs[0])]
    if len(told) >= 3 and all(cost > 0 for _, cost in steps):
        return min(slope(told), slope(told[1:]))
    return slope(list(zip(data, costs, strict=True)))


def exponent_of_ratio(counts: Sequence[Count]) -> float:
    """Return how fast the cost of one rule and one URL byte grows with the number of both."""
    return slope([(c.size, c.instructions / (c.size * c.url)) for c in counts])


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the least-squares line through the logarithms of both coordinates."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    spread = sum((x - mean_x) ** 2 for x, _ in logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / spread


# --- reporting ----------------------------------------------------------------------------


def print_table(curves: Sequence[Curve]) -> None:
    """Print the fastest-growing curve of every kind, and every curve above its limit."""
    print("instructions counted by callgrind; the steepest of all dialects and phases\n")
    print(
        f"{'what grows':<18}{'exponent':>9}{'limit':>7}  {'dialect':<15}{'phase':<10}{'/byte':>9}"
    )
    by_kind: dict[str, list[Curve]] = {}
    for curve in curves:
        by_kind.setdefault(curve.kind, []).append(curve)
    for of_kind in by_kind.values():
        print(row(max(of_kind, key=lambda curve: curve.exponent)))
    missed = [curve for curve in curves if not curve.is_met]
    print(f"\n{len(curves)} curves, {len(missed)} above the limit")
    for curve in missed:
        print(row(curve), " ".join(f"{count.instructions:,}" for count in curve.counts))


def row(curve: Curve) -> str:
    """Show one curve."""
    return (
        f"{curve.kind:<18}{curve.exponent:>9.3f}{curve.limit:>7.1f}  "
        f"{curve.dialect:<15}{curve.phase:<10}{curve.per_byte:>9.1f}"
    )


def write(curves: Sequence[Curve], path: Path) -> None:
    """Write every curve as JSON."""
    write_json(path, {"curves": [{**asdict(curve), "met": curve.is_met} for curve in curves]})


if __name__ == "__main__":
    sys.exit(main())
