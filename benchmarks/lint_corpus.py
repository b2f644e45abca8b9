"""Lint, format and mend real files: how often each check fires, how long it takes, what changes.

In: the real files of `../shared/corpus`, and files made of their lines (`--generated`). Out: how
many files each check fires on, the processor time of each step as median, 99 % and maximum, and
every file for which a promise is broken: no crash, a format that is idempotent, safe fixes that
leave nothing they could mend, and no decision or record changed by either. Decisions are compared
by the proof, and beside it by asking about URLs made of the patterns of both files. Exit code 1 if
a promise is broken. `--write-docs` writes docs/annex/check-frequency.md.
"""

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TypeVar

from benchmarks.analysis import members, tokens, told
from benchmarks.files import write_json
from benchmarks.minimise import urls_for
from verger import DIALECTS, InvalidProductToken, InvalidTarget, RobotsTxt, parse
from verger.analysis.proof import says_the_same
from verger.lint import LintReport, all_checks, fixed, formatted, lint

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "build" / "bench" / "lint.json"
PAGE = ROOT / "docs" / "annex" / "check-frequency.md"
HEAD = Path(__file__).with_name("lint-frequency.md")

T = TypeVar("T")

MOST_URLS, MOST_TOKENS = 40, 5
MOST_LINES = 40
"""Lines of a generated file."""
SEED = 13
PROGRESS = 1_000
"""After so many files each process tells how far it is."""


@dataclass
class Sums:
    """What is known of some files."""

    files: int = 0
    fired: Counter[str] = field(default_factory=Counter)
    """Files that a check fires on, by code."""
    found: Counter[str] = field(default_factory=Counter)
    """Findings, by code."""
    other: Counter[str] = field(default_factory=Counter)
    times: dict[str, list[float]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    def add(self, other: "Sums") -> None:
        """Add what is known of other files."""
        self.files += other.files
        self.fired += other.fired
        self.found += other.found
        self.other += other.other
        for step, times in other.times.items():
            self.times.setdefault(step, []).extend(times)
        self.broken += other.broken


def main() -> int:
    """Look at all files, and tell."""
    options = options_from()
    sums = Sums()
    with ProcessPoolExecutor(options.jobs) as pool:
        for share in pool.map(partial(looked_at, options), range(options.jobs)):
            sums.add(share)
    tell(sums)
    write_json(options.json, as_json(sums))
    if options.write_docs:
        PAGE.write_text(page(sums), encoding="utf-8")
    return 1 if sums.broken else 0


def options_from() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lint_corpus", description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="take every STEP-th file")
    parser.add_argument("--jobs", type=int, default=2, help="processes at the same time")
    parser.add_argument(
        "--generated", type=int, default=0, metavar="N", help="N files made of lines of real ones"
    )
    parser.add_argument("--lint-only", action="store_true", help="count and time what lint finds")
    parser.add_argument("--json", type=Path, default=RESULT, metavar="FILE")
    parser.add_argument("--write-docs", action="store_true", help=f"write {PAGE.name}")
    return parser.parse_args()


def files(options: argparse.Namespace) -> Iterator[tuple[str, bytes]]:
    """Yield real files, or files made of their lines."""
    real = islice(members("robots-real.tar.gz"), 0, None, options.step)
    return generated(options.generated, real) if options.generated else real


# Generated files


def generated(number: int, real: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield files whose lines stand in real files, in another order and with slips."""
    chance = random.Random(SEED)
    lines = sorted({line for _, body in real for line in body.splitlines(keepends=True)[:60]})
    starts = [line for line in lines if line.lower().startswith(b"user-agent")]
    for at in range(number):
        count = chance.randint(1, MOST_LINES)
        chosen = [chance.choice(starts if chance.random() < 0.2 else lines) for _ in range(count)]
        yield f"generated/{at}", b"".join(slipped(line, chance) for line in near(chosen, chance))


def near(lines: list[bytes], chance: random.Random) -> Iterator[bytes]:
    """Yield lines, some of them twice: rules must meet."""
    for line in lines:
        yield line
        if chance.random() < 0.15:
            yield chance.choice(lines)


def slipped(line: bytes, chance: random.Random) -> bytes:
    """Return a line, sometimes as a hand slips."""
    if chance.random() < 0.85 or not line:
        return line
    at = chance.randrange(len(line))
    slips: list[Callable[[], bytes]] = [
        lambda: line[:at] + line[at + 1 :],
        lambda: line[:at] + line[at : at + 1] * 2 + line[at + 1 :],
        lambda: line[:at] + chance.choice(INSERTED) + line[at:],
        lambda: line.replace(b":", b"", 1),
        lambda: line.rstrip(b"\r\n") + chance.choice((b"*\n", b"$\n", b"\r", b" # note\r\n")),
        lambda: line.swapcase(),
    ]
    return chance.choice(slips)()


INSERTED = (b"*", b"$", b"#", b" ", b"%", b"%2F", b"%zz", b"\r", b"\n", b"\0", b"\xff", b"//", b"?")


# One file


def looked_at(options: argparse.Namespace, share: int) -> Sums:
    """Return what is known of the share of the files that one process looks at."""
    sums = Sums()
    for name, body in islice(files(options), share, None, options.jobs):
        sums.files += 1
        if sums.files % PROGRESS == 0:
            print(f"{sums.files:,} files, {len(sums.broken)} promises broken", file=sys.stderr)
        try:
            lint_one(sums, body)
            if not options.lint_only:
                mend_one(sums, name, body)
        except Exception as error:  # a crash is what is looked for
            sums.broken.append(f"{name}: {error!r}")
    return sums


def lint_one(sums: Sums, body: bytes) -> None:
    """Lint one file."""
    report = timed(sums, "lint", lambda: lint(body))
    sums.found.update(each.code for each in report.diagnostics)
    sums.fired.update({each.code for each in report.diagnostics})


def mend_one(sums: Sums, name: str, body: bytes) -> None:
    """Format and mend one file, and look whether the promises are kept."""
    new = timed(sums, "format", lambda: formatted(body))
    mended = timed(sums, "fix", lambda: fixed(body))
    sums.other["formatted otherwise"] += new != body
    sums.other["mended"] += mended.body != body
    sums.other["fixes made"] += len(mended.made)
    sums.other["fixes refused"] += len(mended.refused)
    promises = {
        "format is not idempotent": lambda: formatted(new) == new,
        "format changes what is said": lambda: is_same(body, new),
        "fixes change what is said": lambda: is_same(body, mended.body),
        "fixes leave what they mend": lambda: not left(mended),
    }
    sums.broken += [f"{name}: {what}" for what, is_kept in promises.items() if not is_kept()]


def timed(sums: Sums, step: str, work: Callable[[], T]) -> T:
    """Do something, and keep how long it took."""
    start = time.process_time()
    result = work()
    sums.times.setdefault(step, []).append(time.process_time() - start)
    return result


def left(mended: LintReport) -> list[str]:
    """Return the findings whose safe fix was neither made nor refused."""
    refused = {(each.code, each.message) for each in mended.refused}
    return [
        each.message
        for each in mended.diagnostics
        if each.fix is not None
        and each.fix.applicability == "safe"
        and (each.code, each.message) not in refused
    ]


def is_same(old: bytes, new: bytes) -> bool:
    """Whether two versions give the same answers, by the proof and by asking."""
    return old == new or (says_the_same(old, new) and not list(islice(changed(old, new), 1)))


def changed(old: bytes, new: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield the dialects, crawlers and URLs for which the answer differs."""
    for dialect in DIALECTS.values():
        before, after = parse(old, dialect=dialect), parse(new, dialect=dialect)
        urls = list(islice(urls_for([before, after]), MOST_URLS))
        for token in (*tokens(before, after)[: MOST_TOKENS - 1], "verger-unnamed"):
            yield from (
                (dialect.name, token, url)
                for url in urls
                if answer(before, token, url) != answer(after, token, url)
            )


def answer(robots: RobotsTxt, token: str, url: str) -> bool | None:
    """Return whether a crawler may fetch a URL; None where nobody can ask that."""
    try:
        return robots.allowed(url, token)
    except (InvalidProductToken, InvalidTarget):
        return None


# Telling


def tell(sums: Sums) -> None:
    """Print what is known."""
    print(f"{sums.files:,} files, {sums.found.total():,} findings")
    for step, times in sums.times.items():
        print(f"{step:8}", told(times))
    for what, number in sums.other.items():
        print(f"{what:24}{number:10,}")
    for row in table(sums):
        print(row)
    print(f"{len(sums.broken)} promises broken")
    for each in sums.broken[:40]:
        print("  ", each)


def table(sums: Sums) -> list[str]:
    """Return the rows of the table, one for each check."""
    return [
        f"| {check.code} | [{check.name}](../checks/{check.name}.md) | {sums.fired[code]:,} | "
        f"{100 * sums.fired[code] / max(sums.files, 1):.2f} % | {sums.found[code]:,} |"
        for code, check in all_checks().items()
    ]


def page(sums: Sums) -> str:
    """Return docs/annex/check-frequency.md."""
    head = HEAD.read_text(encoding="utf-8").rstrip()
    return "\n".join(
        [
            head.format(files=f"{sums.files:,}"),
            "",
            "| code | check | files | | findings |",
            "|---|---|--:|--:|--:|",
            *table(sums),
            "",
        ]
    )


def as_json(sums: Sums) -> dict[str, object]:
    """Return what is known, for `--json`."""
    times = {step: told(each) for step, each in sums.times.items()}
    counts = {"fired": dict(sums.fired), "found": dict(sums.found), **sums.other}
    return {"files": sums.files, "times": times, **counts, "broken": sums.broken}


if __name__ == "__main__":
    sys.exit(main())
