"""The language server: how soon it is up, and how soon it answers a keystroke.

    python -m benchmarks.lsp [--keystrokes N] [--check]

In: `verger lsp`, driven over stdio by the client of pytest-lsp, and files of 1,000 lines: the
beginning of a real one, one of many groups, and one of a single group. Out: a table on stdout, and
`build/bench/lsp.json`. A keystroke is timed from `didChange` until the problems of that version of
the file are there, decoded by the client; the start, from the start of the process until it has
answered `initialize`. Most keystrokes leave a line that is not finished, as typing does. `CPU` is
the processor time of the server for one of them: compare that on a machine that does other work.
`--check` ends with 1 where the median keystroke takes more than 50 ms, or the start more than 1 s.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import sys
import time
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median, quantiles

from lsprotocol import types
from pytest_lsp import LanguageClient
from pytest_lsp.client import make_test_lsp_client

from benchmarks.inputs import LARGE_FILES, WORDS

ROOT = Path(__file__).resolve().parents[1]
SITES = ROOT / ".cache" / "protego-0.7.0" / "tests" / "test_data"
RESULT = ROOT / "build" / "bench" / "lsp.json"
COMMAND = (sys.executable, "-m", "verger", "lsp")
LINES = 1_000
STARTS = 15
MOST_MS, MOST_START_MS = 50.0, 1_000.0
URI = "file:///robots.txt"
TYPED = "Disallow: /a/new/page*?sort=\n"


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, in milliseconds."""

    times: list[float]
    cpu: float
    """Of all servers together."""


def main() -> int:
    """Measure and report."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lsp")
    parser.add_argument("--keystrokes", type=int, default=200, metavar="N", help="for each file")
    parser.add_argument("--check", action="store_true", help="fail above 50 ms, or 1 s")
    options = parser.parse_args()
    up = measured(starts())
    figures = {
        name: measured(keystrokes(text, options.keystrokes)) for name, text in files().items()
    }
    report(up, figures)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps({"start": asdict(up), **{n: asdict(figures[n]) for n in figures}}))
    slowest = max(median(each.times) for each in figures.values())
    is_slow = slowest > MOST_MS or median(up.times) > MOST_START_MS
    return 1 if options.check and is_slow else 0


def files() -> Mapping[str, str]:
    """Return the files: all of LINES lines."""
    found = {"many groups": grouped(40), "one group": grouped(1)}
    path = SITES / LARGE_FILES["1,208 rules"]
    if path.is_file():
        text = path.read_bytes().decode("utf-8", "replace")
        found = {"a real file": "\n".join(text.splitlines()[:LINES]), **found}
    return found


def grouped(groups: int) -> str:
    """Return a file of so many groups, with rules of real words."""
    chance = random.Random(f"lsp {groups}")
    each = LINES // groups
    lines: list[str] = []
    for number in range(groups):
        lines.append(f"User-agent: {f'Bot{chr(97 + number % 26)}-{number}' if number else '*'}")
        lines.extend(rule(chance) for _ in range(each - 2))
        lines.append("")
    return "\n".join(lines)


def rule(chance: random.Random) -> str:
    """Return a rule as sites write them."""
    path = "/".join(chance.choices(WORDS, k=chance.randint(1, 3)))
    end = chance.choice(("", "/", "/*", "*.pdf$", "?*sort="))
    return f"{chance.choice(('Disallow', 'Disallow', 'Allow'))}: /{path}{end}"


def measured(work: Coroutine[object, object, list[float]]) -> Figure:
    """Do the work, and add up what its servers took of the processor."""
    before = cpu()
    times = asyncio.run(work)
    return Figure(times, cpu() - before)


def cpu() -> float:
    """Return the processor time of the servers that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


async def starts() -> list[float]:
    """Return how long it takes to be up, in milliseconds."""
    return [await start() for _ in range(STARTS)]


async def start() -> float:
    """Start a server, and return how long it took to answer."""
    client = make_test_lsp_client()
    begin = time.perf_counter()
    await client.start_io(*COMMAND)
    await client.initialize_session(types.InitializeParams(types.ClientCapabilities()))
    taken = time.perf_counter() - begin
    await client.shutdown_session()
    await client.stop()
    return taken * 1e3


async def keystrokes(text: str, number: int) -> list[float]:
    """Return how long keystrokes take, in milliseconds, when somebody types in the middle."""
    client = make_test_lsp_client()
    await client.start_io(*COMMAND)
    await client.initialize_session(types.InitializeParams(types.ClientCapabilities()))
    document = types.TextDocumentItem(URI, "robots-txt", 0, text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    await told(client, 0)
    times = []
    for version, change in enumerate(typing(number), start=1):
        begin = time.perf_counter()
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version, URI), [change]
            )
        )
        await told(client, version)
        times.append((time.perf_counter() - begin) * 1e3)
    await client.shutdown_session()
    await client.stop()
    return times


def typing(number: int) -> Iterator[types.TextDocumentContentChangePartial]:
    """Yield keystrokes that write one line after the other."""
    line, character = LINES // 2, 0
    for index in range(number):
        key = TYPED[index % len(TYPED)]
        place = types.Position(line, character)
        yield types.TextDocumentContentChangePartial(types.Range(place, place), key)
        line, character = (line + 1, 0) if key == "\n" else (line, character + 1)


async def told(client: LanguageClient, version: int) -> None:
    """Wait until the problems of a version are there."""
    while True:
        found = await client.wait_for_notification("textDocument/publishDiagnostics")
        if found.version == version:
            return


def report(up: Figure, figures: Mapping[str, Figure]) -> None:
    """Print a table; a start stands in the processor time of each server, and is taken away."""
    print(f"{'ms':16}{'median':>8}{'p95':>8}{'most':>8}{'CPU':>8}")
    start_cpu = up.cpu / len(up.times)
    print_row("start", up.times, start_cpu)
    for name, each in figures.items():
        print_row(name, each.times, (each.cpu - start_cpu) / len(each.times))


def print_row(name: str, times: Sequence[float], cpu_time: float) -> None:
    """Print a line of the table."""
    p95 = quantiles(times, n=20)[-1]
    print(f"{name:16}{median(times):8.1f}{p95:8.1f}{max(times):8.1f}{cpu_time:8.1f}")


if __name__ == "__main__":
    sys.exit(main())
