"""How the work of edits, lint, format, the language server and other commands grows with hostile
files.

In: kinds of files, each made in growing sizes. Out: a table of instructions, counted by valgrind's
callgrind, and exit code 1 where something grows faster than its limit. The exponent is fitted as in
`benchmarks.growth`.

An interpreter counts a few thousand instructions for a line; its collector of garbage and the
growth of its tables add steps. So the limit leaves more room than that of the core.
"""

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import callgrind
from benchmarks.growth import slope
from verger import RobotsTxt, parse
from verger.analysis import Refused, allow, block, effects, minimise
from verger.bulk.filter.columns import distinct
from verger.cli.app import main as run_command
from verger.cli.patch import patch
from verger.expectations import Subject, expectations_in, fix, record
from verger.lint import Settings, fixed, formatted, lint
from verger.service.lsp.code_lens import lenses
from verger.service.lsp.document import Document
from verger.service.lsp.text import Text

SIZES = (250, 500, 1_000, 2_000)
MAX_EXPONENT = 1.25

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
    "groups without blank lines": lambda n: b"".join(
        b"user-agent:bot%d\ndisallow:/\n" % i for i in range(n)
    ),
    "groups of all": lambda n: b"".join(b"User-agent: *\nDisallow: /%d\n" % i for i in range(n)),
    "groups that share a name": lambda n: b"".join(
        b"User-agent: GPTBot\nUser-agent: b%d\nDisallow: /%d\n\n" % (i, i) for i in range(n)
    ),
    "names of one group": lambda n: (
        b"".join(b"User-agent: b%d\n" % i for i in range(n)) + b"Allow:\n"
    ),
    "names left empty": lambda n: b"User-agent:\n" * n + b"Disallow: /\n",
    "groups of one crawler": lambda n: (
        b"User-agent: a\nDisallow: /a\n\nUser-agent: *\nAllow: /\n" * n
    ),
    "delays between names": lambda n: b"User-agent: a\nCrawl-delay: 1\n" * n + b"Disallow: /\n",
    "delays of other names": lambda n: b"".join(
        b"User-agent: b%d\nCrawl-delay: %d\n" % (i, i) for i in range(n)
    ),
    "names behind a blank": lambda n: (
        b"".join(b"User-agent: bot %d\n" % i for i in range(n)) + b"Disallow: /\n"
    ),
    "long names of one group": lambda n: (
        b"".join(b"User-agent: %b%d\n" % (b"o" * 70, i) for i in range(n // 4)) + b"Disallow: /\n"
    ),
    "names behind a star": lambda n: (
        b"".join(b"User-agent: *b%d\n" % i for i in range(n)) + b"Disallow: /\n"
    ),
    "delays of one group": lambda n: STAR + b"Crawl-delay: 3\n" * n + b"Disallow: /\n",
    "signals of names and rules": lambda n: (
        b"".join(b"User-agent: b%d\n" % i for i in range(n))
        + b"".join(b"Disallow: /%d\nContent-Signal: search=yes\n" % i for i in range(n))
    ),
    "records between names": lambda n: (
        b"".join(
            b"User-agent: b%d\nContent-Signal: ai-train=no\nContent-Usage: /%d train-ai=n\n"
            % (i, i)
            for i in range(n // 2)
        )
        + b"Disallow: /\n"
    ),
    "delays between other names": lambda n: (
        b"".join(b"User-agent: b%d\nCrawl-delay: %d\n" % (i, i) for i in range(n // 2))
        + b"Disallow: /\n"
    ),
    "prose": lambda n: STAR + b"welcome to our shop\n" * n,
    "misspelt fields": lambda n: STAR + b"Dissallow: /a\n" * n,
    "misspelt fields of many": lambda n: STAR + b"".join(b"Dissallow: /%d\n" % i for i in range(n)),
    "groups of all, empty": lambda n: b"User-agent: *\n\n" * n + b"Disallow: /\n",
    "names within names": lambda n: b"".join(
        b"User-agent: %b\nDisallow: /%d\n" % (b"a" * i, i) for i in range(1, n // 8)
    ),
    "columns of a table": lambda n: b"url," + b",".join(b"c%d" % i for i in range(n)),
    "columns of one name": lambda n: b"url" + b",c" * n,
    "no colons": lambda n: STAR + b"Disallow /a\n" * n,
    "sitemaps": lambda n: b"".join(b"Sitemap: https://e.example/%d\n" % i for i in range(n)),
    "blank lines": lambda n: STAR + b"Disallow: /a\n" + b"\n" * n + b"Disallow: /b\n",
    "stars in a pattern": lambda n: STAR + b"Disallow: /" + b"a*" * (n // 2) + b"\n",
    "stars in patterns": lambda n: (
        STAR + b"".join(b"Allow: /" + b"x*y*" * 8 + b"%d\n" % i for i in range(n // 8))
    ),
    "blanks in a pattern": lambda n: STAR + b"Disallow: /a" + b" /b" * (n // 3) + b"\n",
    "one gap in a pattern": lambda n: STAR + b"Disallow: /a" + b" " * n + b"x\n",
    "one name": lambda n: b"User-agent: " + b"a" * n + b"\nDisallow: /\n",
    "commas behind a sitemap": lambda n: (
        b"Sitemap: https://e.example/a" + b", " * (n // 2) + b"x\n"
    ),
    "marks in a comment": lambda n: b"# " + b"<%{%" * (n // 4) + b"\n" + STAR + b"Disallow: /\n",
    "fields in a comment": lambda n: b"# " + b"user-agent:a" * (n // 12) + b"\n",
    "comments": lambda n: STAR + b"# verger: ignore RT309\nDisallow: /a*\n" * (n // 8),
}

WANTED = expectations_in('[[expect]]\nagent = "GPTBot"\npaths = "/p/"\nallowed = false\n')


def edited(edit: Callable[[RobotsTxt], object], body: bytes) -> None:
    """Make an edit, or find that it is refused."""
    with suppress(Refused):
        edit(parse(body))


def diffed(body: bytes) -> None:
    """Show what formatting would change."""
    patch("robots.txt", body, formatted(body))


def described(body: bytes) -> None:
    """Describe every group in an editor."""
    text = Text.of(body.decode(), "utf-16")
    lenses(Document("file:///robots.txt", None, text, Settings()))


def explained(body: bytes) -> None:
    """Explain a decision, with all that may explain it."""
    parse(body).decide("/a", "GPTBot").explain()


def told(command: str, body: bytes) -> None:
    """Run a command on a file, or on two versions of it, and drop its text."""
    with TemporaryDirectory() as folder, Path(os.devnull).open("w") as nowhere:
        files = {"old": body, "new": body.replace(b"llow: /", b"llow: /z")}
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        paths = [str(Path(folder, name)) for name in files]
        with redirect_stdout(nowhere), redirect_stderr(nowhere):
            run_command([*command.split(), *paths[: 1 + (command == "diff")]])


STEPS: dict[str, Callable[[bytes], object]] = {
    "lint": lint,
    "fix": fixed,
    "diff": diffed,
    "minimise": partial(edited, minimise),
    "block": partial(edited, lambda robots: block(robots, "GPTBot", paths="/p")),
    "block all": partial(edited, lambda robots: block(robots, "*", paths="/*x*y")),
    "allow": partial(edited, lambda robots: allow(robots, "GPTBot", paths="/a*b")),
    "expect": partial(edited, lambda robots: fix(WANTED, robots.body)),
    "lenses": described,
    "explain": explained,
    "record": lambda body: record(Subject.of_bytes(body)),
    "effects": lambda body: effects(parse(body).agent("*")),
    "lint told": partial(told, "lint"),
    "unsafe": partial(told, "lint --diff --unsafe-fixes"),
    "diff told": partial(told, "diff"),
    "compare": partial(told, "compare"),
    "columns": lambda body: distinct(body.decode().split(",")),
}


def main() -> int:
    """Count, and tell; in a process under valgrind, do the work of one kind."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.command_growth", description=__doc__
    )
    parser.add_argument("--kind", default="", metavar="REGEX", help="only these kinds of files")
    parser.add_argument("--step", default="", metavar="REGEX", help="only these steps")
    parser.add_argument("--jobs", type=int, default=2, help="programs at the same time")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    steps = [step for step in STEPS if re.search(options.step, step)]
    if options.work:
        return work(options.work, steps)
    if callgrind.is_missing():
        print(callgrind.MISSING, file=sys.stderr)
        return 2
    kinds = [kind for kind in KINDS if re.search(options.kind, kind)]
    print(f"{'what grows':<28}{'step':<10}{'exponent':>9}   millions of instructions for {SIZES}")
    missed = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for rows in pool.map(lambda kind: list(rows_of(kind, options.step)), kinds):
            for row, is_met in rows:
                missed += not is_met
                print(row, flush=True)
    return 1 if missed else 0


def work(kind: str, steps: list[str]) -> int:
    """Do the work of one kind on each size, between calls that callgrind recognises."""
    for step in steps:
        STEPS[step](KINDS[kind](10))  # what is loaded or computed once
        for size in SIZES:
            body = KINDS[kind](size)
            os.getpgid(0)
            STEPS[step](body)
            os.getpgid(0)
            print(step, flush=True)
    return 0


def rows_of(kind: str, step: str) -> Iterator[tuple[str, bool]]:
    """Yield a row for each step, and whether it grows within the limit."""
    module = ("-m", "benchmarks.command_growth", "--work", kind, "--step", step)
    counts: dict[str, list[int]] = {}
    for name, instructions in callgrind.counts_between(Path(sys.executable), *module):
        counts.setdefault(name, []).append(instructions)
    for name, totals in counts.items():
        exponent = slope(list(zip(map(len, map(KINDS[kind], SIZES)), totals, strict=True))[1:])
        is_met = exponent <= MAX_EXPONENT
        shown = " ".join(f"{total / 1e6:8.1f}" for total in totals)
        mark = "" if is_met else "  too fast"
        yield f"{kind:<28}{name:<10}{exponent:>9.2f}   {shown}{mark}", is_met


if __name__ == "__main__":
    sys.exit(main())
