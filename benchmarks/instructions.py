"""The instructions of the core's usual work, compared with those recorded.

In: the program `crates/core/examples/counts.rs`, run under valgrind's callgrind, and
`instructions.json`. Out: a table, and exit code 1 where a count has grown by more than a tenth, or
where the record does not speak of the same work. `--record` writes the counts of this run instead.

A count is the same on every run, but not with every compiler, and the C library takes other
functions on other processors. Where compiler or target differ from those recorded, a quarter more
is borne, and said so: the comparison is weaker, never left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import callgrind
from benchmarks.files import write_json

RECORD = Path(__file__).with_name("instructions.json")
BEARABLE = 0.10
BEARABLE_ELSEWHERE = 0.25


@dataclass(frozen=True, slots=True)
class Counts:
    """Instructions for one unit of each piece of work, and what compiled it."""

    rustc: str
    target: str
    instructions: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One piece of work, then and now; None where one of the two does not know it."""

    work: str
    recorded: int | None
    counted: int | None
    bearable: float

    @property
    def growth(self) -> float:
        """By how much it has grown, as a share of what was recorded."""
        if not self.recorded or self.counted is None:
            return 0.0
        return self.counted / self.recorded - 1

    @property
    def is_met(self) -> bool:
        """Whether the work is known to both, and has not grown too much."""
        known = self.recorded is not None and self.counted is not None
        return known and self.growth <= self.bearable


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, then record or judge."""
    options = options_from(arguments)
    if callgrind.is_missing():
        print(callgrind.MISSING, file=sys.stderr)
        return 2
    counts = counted()
    if options.record:
        write(counts, options.json)
        print(f"{len(counts.instructions)} counts written to {options.json}")
        return 0
    return report(read(options.json), counts)


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.instructions", description=__doc__)
    parser.add_argument("--record", action="store_true", help="write the counts of this run")
    parser.add_argument("--json", type=Path, default=RECORD, metavar="FILE", help="the record")
    return parser.parse_args(arguments)


def counted() -> Counts:
    """Count every piece of work once."""
    instructions = {}
    for line, total in callgrind.counts_of(callgrind.build("counts")):
        units, work = line.split(" ", 1)
        instructions[work] = round(total / int(units))
    rustc, target = callgrind.compiler()
    return Counts(rustc, target, instructions)


def read(path: Path) -> Counts:
    """Read a record."""
    return Counts(**json.loads(path.read_text(encoding="utf-8")))


def write(counts: Counts, path: Path) -> None:
    """Write a record."""
    write_json(path, asdict(counts))


def judge(recorded: Counts, counts: Counts) -> list[Verdict]:
    """Compare every piece of work that either knows."""
    bearable = BEARABLE if is_same_build(recorded, counts) else BEARABLE_ELSEWHERE
    known = dict.fromkeys([*recorded.instructions, *counts.instructions])
    before, now = recorded.instructions.get, counts.instructions.get
    return [Verdict(work, before(work), now(work), bearable) for work in known]


def is_same_build(recorded: Counts, counts: Counts) -> bool:
    """Whether the same compiler made both, for the same target."""
    return (recorded.rustc, recorded.target) == (counts.rustc, counts.target)


def report(recorded: Counts, counts: Counts) -> int:
    """Print every verdict; return the exit code."""
    if not is_same_build(recorded, counts):
        print(
            f"WARNING: recorded with rustc {recorded.rustc} for {recorded.target}, counted with "
            f"{counts.rustc} for {counts.target}:\nso {BEARABLE_ELSEWHERE:.0%} more is borne "
            f"instead of {BEARABLE:.0%}; `--record` with the new compiler makes it strict again\n"
        )
    verdicts = judge(recorded, counts)
    print(f"{'recorded':>14}{'counted':>14}{'growth':>9}  instructions for")
    for verdict in verdicts:
        print(row(verdict))
    missed = sum(not verdict.is_met for verdict in verdicts)
    print(f"\n{len(verdicts)} counts, {missed} not met")
    return 1 if missed or not verdicts else 0


def row(verdict: Verdict) -> str:
    """Show one piece of work."""
    shown = (
        "-" if count is None else f"{count:,}" for count in (verdict.recorded, verdict.counted)
    )
    mark = "" if verdict.is_met else "  NOT MET"
    return f"{next(shown):>14}{next(shown):>14}{verdict.growth:>+9.1%}  {verdict.work}{mark}"


if __name__ == "__main__":
    sys.exit(main())
