"""verger beside Protego in the functions of data tools: `make bench-data-tools`.

In: the real files that `make corpus` fetches, and rows of URLs of them, in no order. Each tool adds
a column of answers, once with verger as docs/guides/data-tools.md shows, and once with Protego, in
a function that looks up the host's parsed file in a dict and asks it, row by row. Files are parsed
before; in Ray Data each job starts one worker that parses them, so that there is a row for
the whole job, and one for the calls of the function alone. Out: a table on stdout, medians of rows
a second and of the rounds' ratios, and `build/bench/data_tools.json`. Exit code 0 when everything
was measured; 2 when there is nothing to measure with.
"""

from __future__ import annotations

import argparse
import os
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from protego import Protego

from benchmarks.bulk_case import joined, numbers, real_files, urls_of
from benchmarks.files import CORPUS, ROOT, no_corpus, write_run
from benchmarks.measure import Figure, interleaved
from benchmarks.report import machine
from verger.bulk import Snapshot, decide_table

RESULT = ROOT / "build" / "bench" / "data_tools.json"
TOKEN = "ExampleBot"
ROWS = 200_000
ROUNDS = 5
PACKAGES = ("protego", "polars", "duckdb", "pandas", "ray", "pyarrow")

Column = Sequence[bool | None]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files as a table, and the URLs that are asked about."""

    files: pa.Table
    urls: pa.Array


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds of each round, of one tool."""

    tool: str
    verger: Sequence[float]
    protego: Sequence[float]
    agree: float
    """The part of the rows that both answer alike."""

    def shown(self, rows: int) -> str:
        """Return a line of a table."""
        ours, theirs = (rows / statistics.median(each) for each in (self.verger, self.protego))
        pairs = zip(self.protego, self.verger, strict=True)
        ratio = statistics.median(other / own for other, own in pairs)
        return f"| {self.tool} | {ours:,.0f} | {theirs:,.0f} | {ratio:.1f} | {self.agree:.2%} |"


# --- what decides a column ----------------------------------------------------------------


class WithVerger:
    """Whole columns."""

    def __init__(self, files: pa.Table, threads: int | None = None) -> None:
        self.snapshot, self.threads = Snapshot.from_table(files), threads

    def column(self, urls: Any) -> pa.ChunkedArray:
        """Decide a column of any library."""
        decisions = decide_table(urls, self.snapshot, TOKEN, threads=self.threads)
        return pa.table(decisions)["allowed"]


class WithProtego:
    """One row after the other."""

    def __init__(self, files: pa.Table) -> None:
        hosts = [urlsplit(origin).netloc for origin in files["origin"].to_pylist()]
        texts = [body.decode("utf-8", "replace") for body in files["body"].to_pylist()]
        self.files = {h: Protego.parse(text) for h, text in zip(hosts, texts, strict=True)}

    def row(self, url: str | None) -> bool | None:
        """Decide one URL."""
        file = None if url is None else self.files.get(urlsplit(url).netloc)
        return None if file is None else file.can_fetch(url, TOKEN)


NAMES = ("verger", "Protego")

Asked = Callable[[], Column]


def in_polars(inputs: Inputs, ours: WithVerger, theirs: WithProtego) -> tuple[Asked, Asked]:
    """Return both ways to add the column."""
    pages, url = pl.DataFrame({"url": inputs.urls}), pl.col("url")

    def decide(urls: pl.Series) -> pl.Series:
        return pl.Series(ours.column(urls))

    whole = url.map_batches(decide, return_dtype=pl.Boolean, is_elementwise=True)
    by_row = url.map_elements(theirs.row, return_dtype=pl.Boolean)
    return (
        lambda: pages.select(allowed=whole)["allowed"],
        lambda: pages.select(allowed=by_row)["allowed"],
    )


def in_duckdb(inputs: Inputs, ours: WithVerger, theirs: WithProtego) -> tuple[Asked, Asked]:
    """Return both ways to add the column."""
    database = duckdb.connect()
    database.register("given", pa.table({"url": inputs.urls}))
    database.execute("CREATE TABLE pages AS SELECT url FROM given")
    kinds: tuple[list[str], str] = ["VARCHAR"], "BOOLEAN"
    nulls = "special"
    database.create_function("verger", ours.column, *kinds, type="arrow", null_handling=nulls)
    database.create_function("protego", theirs.row, *kinds, type="native", null_handling=nulls)

    def asked(function: str) -> Column:
        answers = database.sql(f"SELECT {function}(url) AS allowed FROM pages").to_arrow_table()
        return answers["allowed"]

    return lambda: asked("verger"), lambda: asked("protego")


def in_pandas(inputs: Inputs, ours: WithVerger, theirs: WithProtego) -> tuple[Asked, Asked]:
    """Return both ways to add the column."""
    frame = pd.DataFrame({"url": inputs.urls.to_pandas()})
    return (
        lambda: pd.array(ours.column(frame), dtype="boolean"),
        lambda: frame["url"].map(theirs.row).astype("boolean"),
    )


TOOLS = {"polars": in_polars, "DuckDB": in_duckdb, "pandas": in_pandas}


# --- Ray Data, whose workers begin with nothing -------------------------------------------


class Worker:
    """Adds the column, and how long each call took."""

    def __init__(self, name: str, files: pa.Table) -> None:
        asker = WithVerger(files, threads=1) if name == "verger" else WithProtego(files)
        self.asker = asker
        if isinstance(asker, WithVerger):
            # Protego's files are parsed by now; a snapshot parses a file when it is asked about it.
            asker.column(pa.array([f"{origin}/" for origin in files["origin"].to_pylist()]))

    def __call__(self, batch: pa.Table) -> pa.Table:
        """Answer one batch."""
        start = time.perf_counter()
        answers = self.answers(batch["url"])
        spent = time.perf_counter() - start
        seconds = pa.array([spent / len(answers)] * len(answers))
        return batch.append_column("allowed", answers).append_column("seconds", seconds)

    def answers(self, urls: pa.ChunkedArray) -> Any:
        """Answer a column."""
        if isinstance(self.asker, WithVerger):
            return self.asker.column(urls)
        return pa.array([self.asker.row(url) for url in urls.to_pylist()], pa.bool_())


def in_ray(inputs: Inputs, rounds: int) -> Iterator[Row]:
    """Measure whole jobs, and the calls within them."""
    import ray

    found: dict[str, list[pa.Table]] = {name: [] for name in NAMES}

    def job(name: str) -> Callable[[], None]:
        return lambda: found[name].append(ray_job(ray, inputs, name))

    with workers(ray):
        figures = interleaved({name: (job(name), 1) for name in NAMES}, rounds)
    ours, theirs = (in_order(tables[0]) for tables in found.values())
    agree = agreement(ours, theirs)
    yield Row("Ray Data, whole job", *runs_of(figures), agree)
    # the first job of each is the one that warms up
    calls = ([sum(table["seconds"].to_pylist()) for table in found[name][1:]] for name in NAMES)
    yield Row("Ray Data, calls alone", *calls, agree)


def ray_job(ray: Any, inputs: Inputs, name: str) -> pa.Table:
    """Let one worker add the column."""
    number = pa.array(range(len(inputs.urls)))
    pages = ray.data.from_arrow(pa.table({"url": inputs.urls, "number": number}))
    decided = pages.map_batches(
        Worker,
        fn_constructor_args=(name, inputs.files),
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=1),
    )
    return pa.concat_tables(ray.get(decided.to_arrow_refs()))


def in_order(found: pa.Table) -> Column:
    """Return the answers in the order of the URLs."""
    answers: Column = found.sort_by("number")["allowed"].to_pylist()
    return answers


@contextmanager
def workers(ray: Any) -> Iterator[None]:
    """Start a Ray on this machine, with a token of its own; it reports to nobody."""
    with tempfile.TemporaryDirectory() as folder:
        token = Path(folder, "token")
        token.write_text(secrets.token_hex(), encoding="ascii")
        os.environ["RAY_AUTH_TOKEN_PATH"] = str(token)
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        ray.data.DataContext.get_current().enable_progress_bars = False
        yield
        ray.shutdown()


# --- the contest --------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every tool, and report it."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.data_tools")
    parser.add_argument("--rows", type=int, default=ROWS, metavar="N", help="URLs of the column")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="runs of each")
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="DIR", help="the real files")
    options = parser.parse_args(arguments)
    if not options.corpus.is_dir():
        return no_corpus(options.corpus)
    here = {**machine(), **{name: version(name) for name in PACKAGES}}
    print(", ".join(f"{name} {value}" for name, value in here.items()))
    print(f"{options.rows:,} rows, medians of {options.rounds} rounds\n")
    print("| tool | verger, rows a second | Protego, rows a second | ratio | same answers |")
    print("|---|---|---|---|---|")
    rows = []
    for row in measured(inputs_of(options.corpus, options.rows), options.rounds):
        print(row.shown(options.rows), flush=True)
        rows.append(asdict(row))
    write_run(RESULT, machine=here, rows=options.rows, tools=rows)
    return 0


def inputs_of(corpus: Path, rows: int) -> Inputs:
    """Give each real file an origin, and ask about origins in no order."""
    bodies, paths = real_files(corpus)
    origins = joined("https://site", numbers(np.arange(len(bodies))), ".example")
    places = np.random.default_rng(0).permutation(np.arange(rows) % len(bodies))
    urls = urls_of(places, paths, len(bodies)).column("url").cast(pa.string())
    return Inputs(pa.table({"origin": origins, "body": pa.array(bodies, pa.binary())}), urls)


def measured(inputs: Inputs, rounds: int) -> Iterator[Row]:
    """Measure each tool, both ways in turns."""
    ours, theirs = WithVerger(inputs.files), WithProtego(inputs.files)
    for tool, both in TOOLS.items():
        asked = both(inputs, ours, theirs)
        # the first answers also parse the files of the snapshot
        agree = agreement(*(list(ask()) for ask in asked))
        works = {name: (ask, 1.0) for name, ask in zip(NAMES, asked, strict=True)}
        yield Row(tool, *runs_of(interleaved(works, rounds)), agree)
    yield from in_ray(inputs, rounds)


def runs_of(figures: Mapping[str, Figure]) -> list[Sequence[float]]:
    """Return the seconds of each round, of both."""
    return [figures[name].runs for name in NAMES]


def agreement(ours: Column, theirs: Column) -> float:
    """Return the part of the rows that have the same answer."""
    return statistics.mean(bool(a == b) for a, b in zip(ours, theirs, strict=True))


if __name__ == "__main__":
    sys.exit(main())
