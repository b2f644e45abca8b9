"""How the work of lint and format grows with hostile files.

In: kinds of files, each made in growing sizes. Out: a table of processor times and the exponent of
their growth, and exit code 1 where something grows faster than its limit. The exponent is fitted as
in `benchmarks.growth`; the least of some runs counts, and the limit leaves room for noise.
"""

import argparse
import re
import sys
import time
from collections.abc import Callable

from benchmarks.growth import slope
from verger.lint import formatted, lint

SIZES = (500, 1_000, 2_000, 4_000)
RUNS = 2
MAX_EXPONENT = 1.35

STAR = b"User-agent: *\n"

KINDS: dict[str, Callable[[int], bytes]] = {
    "rules": lambda n: STAR + b"".join(b"Disallow: /%d\n" % i for i in range(n)),
    "rules within a rule": lambda n: (
        STAR + b"Disallow: /a\n" + b"".join(b"Disallow: /a/%d\n" % i for i in range(n))
    ),
    "one rule": lambda n: STAR + b"Disallow: /a\n" * n,
    "folders in two spellings": lambda n: (
        STAR + b"".join(b"Disallow: /%s%d/x\n" % (b"aA"[i % 2 :][:1], i // 2) for i in range(n))
    ),
    "groups": lambda n: b"".join(b"User-agent: bot%d\nDisallow: /\n\n" % i for i in range(n)),
    "names of one group": lambda n: (
        b"".join(b"User-agent: b%d\n" % i for i in range(n)) + b"Allow:\n"
    ),
    "groups of one crawler": lambda n: (
        b"User-agent: a\nDisallow: /a\n\nUser-agent: *\nAllow: /\n" * n
    ),
    "delays between names": lambda n: b"User-agent: a\nCrawl-delay: 1\n" * n + b"Disallow: /\n",
    "prose": lambda n: STAR + b"welcome to our shop\n" * n,
    "misspelt fields": lambda n: STAR + b"Dissallow: /a\n" * n,
    "no colons": lambda n: STAR + b"Disallow /a\n" * n,
    "sitemaps": lambda n: b"".join(b"Sitemap: https://e.example/%d\n" % i for i in range(n)),
    "stars in a pattern": lambda n: STAR + b"Disallow: /" + b"a*" * (n // 2) + b"\n",
    "blanks in a pattern": lambda n: STAR + b"Disallow: /a" + b" /b" * (n // 3) + b"\n",
    "one gap in a pattern": lambda n: STAR + b"Disallow: /a" + b" " * n + b"x\n",
    "comments": lambda n: STAR + b"# verger: ignore RT309\nDisallow: /a*\n" * (n // 8),
}
STEPS: dict[str, Callable[[bytes], object]] = {"lint": lint, "format": formatted}


def main() -> int:
    """Measure, and tell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lint_growth", description=__doc__)
    parser.add_argument("--kind", default="", metavar="REGEX", help="only these kinds of files")
    options = parser.parse_args()
    missed = 0
    print(f"{'what grows':<26}{'step':<8}{'exponent':>9}   ms for {SIZES}")
    for kind, made in KINDS.items():
        for step, work in STEPS.items() if re.search(options.kind, kind) else ():
            points = [(len(made(size)), least(work, made(size))) for size in SIZES]
            exponent = slope(points[1:])
            missed += exponent > MAX_EXPONENT
            times = " ".join(f"{seconds * 1e3:8.1f}" for _, seconds in points)
            mark = "  too fast" if exponent > MAX_EXPONENT else ""
            print(f"{kind:<26}{step:<8}{exponent:>9.2f}   {times}{mark}", flush=True)
    return 1 if missed else 0


def least(work: Callable[[bytes], object], body: bytes) -> float:
    """Return the least processor time of some runs."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        work(body)
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    sys.exit(main())
