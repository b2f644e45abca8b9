"""Measure each drop-in beside its original: `make bench-dropins`.

In: the real files that `make corpus` fetches, and the originals of `build/dropins-venv` and
`.cache/upstream`. Out: a table on stdout, and `build/bench/dropins.json`. Both of a pair are
measured in turns, in one process, as users call them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

from benchmarks import inputs, measure, originals  # noqa: E402 (the path comes first)
from benchmarks.files import CORPUS, no_corpus  # noqa: E402

RESULT = ROOT / "build" / "bench" / "dropins.json"
HEADING = "## Speed\n\n"
SECONDS = 0.5
"""How long one run of a row may take; an original that is slower answers fewer URLs."""

Ask = Callable[[Any, str, str], bool]


@dataclass(frozen=True, slots=True)
class Library:
    """One of a pair: how its users call it."""

    name: str
    prepare: Callable[[str, bytes], Any]
    """Makes of a host and a file what `parse` takes, outside the clock."""
    parse: Callable[[Any], Any]
    ask: Ask
    """Takes what `parse` returned, a URL and a user agent."""


@dataclass(frozen=True, slots=True)
class Row:
    """One piece of work, and the seconds that both took for one unit of it, run by run."""

    pair: str
    work: str
    ours: Sequence[float]
    theirs: Sequence[float]

    @property
    def ratio(self) -> float:
        """How many times faster the drop-in is."""
        return statistics.median(self.theirs) / statistics.median(self.ours)


def main() -> int:
    """Measure every pair, and report it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dropins", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a twentieth of the files")
    parser.add_argument("--pairs", nargs="+", help="only these originals")
    parser.add_argument("--write-docs", action="store_true", help="write the pages of docs/compat")
    options = parser.parse_args()
    if not CORPUS.is_dir():
        return no_corpus(CORPUS)
    taken = inputs.generate(CORPUS)
    taken = inputs.thinned(taken, 20) if options.quick else taken
    runs = 3 if options.quick else measure.RUNS
    print(f"{'original':32}{'work':28}{'original':>12}{'drop-in':>12}{'faster':>10}")
    rows = []
    for name, pair in PAIRS.items():
        if options.pairs is None or name in options.pairs:
            rows += report(measured(name, pair, taken, runs))
    rows += report(tables(taken, runs)) if not options.pairs else []
    slower = [row for row in rows if row.ratio < 1]
    print(f"{len(rows)} rows, {len(slower)} slower than the original")
    write(rows)
    if options.write_docs:
        write_docs(rows)
    return 0


def report(rows: Iterator[Row]) -> list[Row]:
    """Print rows as they come."""
    listed = []
    for row in rows:
        ours, theirs = (statistics.median(each) * 1e6 for each in (row.ours, row.theirs))
        said = f"{theirs:10.2f}us{ours:10.2f}us{row.ratio:9.1f}x"
        print(f"{row.pair:32}{row.work:28}{said}", flush=True)
        listed.append(row)
    return listed


def write(rows: Sequence[Row]) -> None:
    """Write every run of every row."""
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    records = [
        {"original": row.pair, "work": row.work, "ours": row.ours, "theirs": row.theirs}
        for row in rows
    ]
    RESULT.write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


def write_docs(rows: Sequence[Row]) -> None:
    """Write the table at the end of each page."""
    for page in sorted((ROOT / "docs" / "compat").glob("*.md")):
        own = [row for row in rows if row.pair.split()[0] == page.stem]
        if own:
            text = page.read_text(encoding="utf-8").partition(HEADING)[0]
            page.write_text(f"{text}{HEADING}{speed_of(own)}", encoding="utf-8")


def speed_of(rows: Sequence[Row]) -> str:
    """Return the measurements of one page."""
    lines = [
        "`make bench-dropins` measures both on 4,231 real files, alternately in one process.",
        "The figures are medians, in microseconds for one file or one answer, on a busy machine:",
        "compare the ratios.",
        "",
        "| compared with | work | original | drop-in | times faster |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        ours, theirs = (statistics.median(each) * 1e6 for each in (row.ours, row.theirs))
        cells = (row.pair, row.work, f"{theirs:,.1f}", f"{ours:,.2f}", f"{row.ratio:,.1f}")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def measured(
    name: str, pair: Callable[[], tuple[Library, Library]], taken: inputs.Inputs, runs: int
) -> Iterator[Row]:
    """Measure one pair: parsing, first contact, one more answer, and many."""
    try:
        ours, theirs = pair()
    except (ImportError, OSError) as error:
        print(f"{name:24}is not there: {error}")
        return
    label = f"{name.strip()} {theirs.name}".strip()
    count = len(taken.contacts)
    hosts = [question.name.partition("_")[0] for question in taken.contacts]

    def works(make: Callable[[Library], Callable[[], object]], units: int) -> tuple[Any, Any]:
        both = {"ours": (make(ours), units), "theirs": (make(theirs), units)}
        found = measure.interleaved(both, runs)
        return found["ours"].runs, found["theirs"].runs

    yield Row(label, "parse", *works(lambda it: parsing(it, hosts, taken.bodies), count))
    yield Row(label, "first contact", *works(lambda it: contact(it, taken.contacts), count))
    yield Row(label, "one more answer", *works(lambda it: more(it, taken.contacts), count))
    for case in taken.cases:
        urls = case.urls[: enough(theirs, case)]
        work = f"many, {case.name}"
        yield Row(label, work, *works(partial(many, case=case, urls=urls), len(urls)))


def parsing(it: Library, hosts: Sequence[str], bodies: Sequence[bytes]) -> Callable[[], object]:
    """Parse every file, and forget it."""
    prepared = [it.prepare(host, body) for host, body in zip(hosts, bodies, strict=True)]
    parse = it.parse

    def work() -> None:
        for file in prepared:
            parse(file)

    return work


def contact(it: Library, questions: Sequence[inputs.Question]) -> Callable[[], object]:
    """Parse every file and ask it once."""
    prepared = [(it.prepare(q.name.partition("_")[0], q.body), q.url, q.token) for q in questions]
    parse, ask = it.parse, it.ask

    def work() -> None:
        for file, url, token in prepared:
            ask(parse(file), url, token)

    return work


def more(it: Library, questions: Sequence[inputs.Question]) -> Callable[[], object]:
    """Ask every file once more."""
    asked = []
    for q in questions:
        rules = it.parse(it.prepare(q.name.partition("_")[0], q.body))
        it.ask(rules, q.url, q.token)
        asked.append((rules, f"{q.url}?a", q.token))
    ask = it.ask

    def work() -> None:
        for rules, url, token in asked:
            ask(rules, url, token)

    return work


def many(it: Library, *, case: inputs.Case, urls: Sequence[str]) -> Callable[[], object]:
    """Ask one file about many URLs."""
    rules = it.parse(it.prepare(host_of(urls[0]), case.body))
    ask = it.ask

    def work() -> None:
        for url in urls:
            ask(rules, url, "ExampleBot")

    return work


def enough(it: Library, case: inputs.Case) -> int:
    """Return how many URLs of a case an original answers in the time of a run."""
    one = many(it, case=case, urls=case.urls[:10])
    return max(10, min(len(case.urls), int(SECONDS / (measure.seconds(one, 1) / 10))))


def host_of(url: str) -> str:
    """Return the host of a URL."""
    return url.split("/")[2]


# --- pairs --------------------------------------------------------------------------------


def text_of(_host: str, body: bytes) -> str:
    """Return a file as text."""
    return body.decode("utf-8", "replace")


def lines_of(_host: str, body: bytes) -> list[str]:
    """Return a file as lines."""
    return body.decode("utf-8", "replace").splitlines()


def robotparser(original: ModuleType) -> tuple[Library, Library]:
    """Return the drop-in and a `urllib.robotparser`."""
    from verger.compat import robotparser as ours

    is_newest = original.__name__ == originals.NEWEST
    version = "" if is_newest else ".".join(map(str, sys.version_info[:2]))
    return lines_library("", ours.RobotFileParser), lines_library(version, original.RobotFileParser)


def as_library(original: ModuleType) -> tuple[Library, Library]:
    """Return the drop-in with the dialect of the library, and the library."""
    from verger.compat import robotparser as ours

    kind = type("Parser", (ours.RobotFileParser,), {"dialect": ours.LIBRARY})
    return lines_library("", kind), lines_library("with LIBRARY", original.RobotFileParser)


def lines_library(name: str, kind: Any) -> Library:
    """Return a `RobotFileParser`, as `read` uses it."""

    def parse(lines: list[str]) -> Any:
        parser = kind()
        parser.parse(lines)
        return parser

    def ask(rules: Any, url: str, token: str) -> bool:
        return bool(rules.can_fetch(token, url))

    return Library(name, lines_of, parse, ask)


def protego() -> tuple[Library, Library]:
    """Return the drop-in for Protego and Protego."""
    ours = import_module("verger.compat.protego").Protego
    theirs = import_module("protego").Protego
    ask: Ask = lambda rules, url, token: rules.can_fetch(url, token)  # noqa: E731
    version = metadata.version("protego")
    return Library("", text_of, ours.parse, ask), Library(version, text_of, theirs.parse, ask)


def robotspy() -> tuple[Library, Library]:
    """Return the drop-in for robotspy and robotspy."""
    ours = import_module("verger.compat.robotspy").RobotsParser.from_string
    theirs = import_module("robots").RobotsParser.from_string
    ask: Ask = lambda rules, url, token: rules.can_fetch(token, url)  # noqa: E731
    version = metadata.version("robotspy")
    return Library("", text_of, ours, ask), Library(version, text_of, theirs, ask)


def reppy() -> tuple[Library, Library]:
    """Return the drop-in for reppy and reppy."""
    ours = import_module("verger.compat.reppy.robots").Robots
    theirs = originals.reppy().Robots
    ask: Ask = lambda rules, url, token: rules.allowed(url, token)  # noqa: E731

    def library(name: str, kind: Any) -> Library:
        parse = kind.parse
        return Library(name, with_url, lambda file: parse(*file), ask)

    return library("", ours), library("0.4.14", theirs)


def with_url(host: str, body: bytes) -> tuple[str, bytes]:
    """Return a file with its URL."""
    return f"https://{host}/robots.txt", body


PAIRS: dict[str, Callable[[], tuple[Library, Library]]] = {
    "robotparser": lambda: robotparser(import_module("urllib.robotparser")),
    "robotparser 3.15": lambda: robotparser(originals.robotparser()),
    "robotparser 3.15 ": lambda: as_library(originals.robotparser()),
    "protego": protego,
    "robotspy": robotspy,
    "reppy": reppy,
}


# --- advertools, which makes tables -------------------------------------------------------


def tables(taken: inputs.Inputs, runs: int) -> Iterator[Row]:
    """Measure the two functions of advertools on files of a disk, a frame at a time."""
    import logging

    try:
        theirs = import_module("advertools")
    except ImportError as error:
        print(f"{'advertools':24}is not there: {error}")
        return
    logging.getLogger().setLevel(logging.WARNING)
    ours = import_module("verger.compat.advertools")
    label = f"advertools {metadata.version('advertools')}"
    case = taken.cases[0]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robots.txt"
        path.write_bytes(case.body)
        url, agents = path.as_uri(), ["Googlebot", "ExampleBot"]
        for work, call in {
            "robotstxt_to_df, 51 rules": lambda it: it.robotstxt_to_df(url),
            "robotstxt_test, 2 x 1,000": lambda it: it.robotstxt_test(url, agents, case.urls),
        }.items():
            both = {"ours": (partial(call, ours), 1), "theirs": (partial(call, theirs), 1)}
            found = measure.interleaved(both, runs)
            yield Row(label, work, found["ours"].runs, found["theirs"].runs)


if __name__ == "__main__":
    sys.exit(main())
