"""Draw a sample of findings on real files, for a reader to judge.

In: the real files of `../shared/corpus`. Out: `tests/lint/data/sample.jsonl`, one finding a line,
with the digest of its file and no content; at least three of each check that fires, the rest by
chance. All chance comes from one seed. Verdicts stay with findings that are drawn again; `--show`
prints the lines around each that has none.
"""

import argparse
import hashlib
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.analysis import members
from verger.lint import lint

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "tests" / "lint" / "data" / "sample.jsonl"
SIZE = 200
FEWEST = 3
SEED = 13
AROUND = 3
"""Lines that are shown around a finding."""

Row: TypeAlias = dict[str, Any]


def main() -> int:
    """Draw, keep verdicts, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lint_sample", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes at the same time")
    parser.add_argument(
        "--show", action="store_true", help="show what has no verdict; draw nothing"
    )
    options = parser.parse_args()
    if options.show:
        show([row for row in read() if not row["verdict"]])
        return 0
    with ProcessPoolExecutor(options.jobs) as pool:
        shares = pool.map(partial(findings, options.jobs), range(options.jobs))
        rows = sorted((row for share in shares for row in share), key=_key)
    write(drawn(rows), read())
    return 0


def findings(jobs: int, share: int) -> list[Row]:
    """Return the findings of the share of the files that one process looks at."""
    files = islice(members("robots-real.tar.gz"), share, None, jobs)
    return [row for _, body in files for row in rows_of(body)]


def rows_of(body: bytes) -> Iterator[Row]:
    """Yield the findings of a file."""
    digest = hashlib.sha256(body).hexdigest()
    for each in lint(body).diagnostics:
        row = {"file": digest, "line": each.line, "code": each.code, "message": each.message}
        yield row | ({"witness": each.witness} if each.witness else {})


def drawn(rows: list[Row]) -> list[Row]:
    """Return the sample: first some of each check, then some of all, no two alike of one file."""
    chance = random.Random(SEED)
    chance.shuffle(rows)
    by_code: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_code[row["code"]].append(row)
    chosen = [row for some in by_code.values() for row in apart(some, FEWEST)]
    taken = {(row["file"], row["code"]) for row in chosen}
    others = {(row["file"], row["code"]): row for row in rows}
    rest = [row for key, row in others.items() if key not in taken]
    chosen += chance.sample(rest, max(0, SIZE - len(chosen)))
    return sorted(chosen, key=_key)


def apart(rows: list[Row], number: int) -> list[Row]:
    """Return some findings, of as many files as can be."""
    first = {row["file"]: row for row in reversed(rows)}
    ids = {id(row) for row in first.values()}
    return [*first.values(), *(row for row in rows if id(row) not in ids)][:number]


def read() -> list[Row]:
    """Return the sample as it is."""
    if not SAMPLE.exists():
        return []
    return [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]


def write(rows: list[Row], before: list[Row]) -> None:
    """Write the sample, with the verdicts that are known."""
    verdicts = {_key(row): (row["verdict"], row.get("why", "")) for row in before}
    SAMPLE.parent.mkdir(parents=True, exist_ok=True)
    with SAMPLE.open("w", encoding="utf-8") as out:
        for row in rows:
            verdict, why = verdicts.get(_key(row), ("", ""))
            said = {"verdict": verdict} | ({"why": why} if why else {})
            out.write(json.dumps(row | said, ensure_ascii=False) + "\n")
    print(f"{len(rows)} findings, {sum(not verdicts.get(_key(row)) for row in rows)} to judge")


def show(rows: list[Row]) -> None:
    """Print findings with the lines around them."""
    wanted = defaultdict(list)
    for row in rows:
        wanted[row["file"]].append(row)
    for _, body in members("robots-real.tar.gz"):
        digest = hashlib.sha256(body).hexdigest()
        for row in wanted.get(digest, []):
            print(f"== {digest[:12]} {row['code']}:{row['line']} {row['message']}")
            print("   witness:", row.get("witness"))
            lines = body.decode("utf-8", "backslashreplace").splitlines()
            for number in range(max(1, row["line"] - AROUND), row["line"] + AROUND + 1):
                if number <= len(lines):
                    mark = ">" if number == row["line"] else " "
                    print(f"   {mark}{number:5} {lines[number - 1][:110]!r}")


def _key(row: Row) -> tuple[str, str, int, str]:
    return row["code"], row["file"], row["line"], row["message"]


if __name__ == "__main__":
    sys.exit(main())
