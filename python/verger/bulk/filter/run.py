"""Runs: inputs, a snapshot or a network, and an output.

In: paths, a crawler and options. Out: the filtered table, and the totals of the run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from time import monotonic
from typing import Literal

from verger._core import KNOBS, Dialect, __version__, _dialect_of
from verger.bulk.filter.blocks import AskedUse
from verger.bulk.filter.columns import OtherColumns
from verger.bulk.filter.decide import STRIDE_ROWS, BySnapshot
from verger.bulk.filter.journal import VERSION, Journal, Manifest
from verger.bulk.filter.network import Fetching
from verger.bulk.filter.progress import Streamed, Tally, Watcher, Work
from verger.bulk.filter.reading import UrlInput, blocks_of, check_column, others_of
from verger.bulk.filter.writing import (
    FORMATS,
    AllowedUrls,
    Csv,
    JsonLines,
    RowFormat,
    crawler_column,
)
from verger.cache.address import is_server
from verger.client.network import Network, identity_of
from verger.client.site import Override, named_overrides
from verger.crawlers.binding import Bindings, expect_bindings
from verger.crawlers.uses import asked_use
from verger.errors import InvalidOption, MissingExtra
from verger.files.formats import UrlsFormat, is_packed, output_format
from verger.files.paths import STANDARD, is_stream
from verger.files.same_file import expect_no_overwriting
from verger.files.writing import expect_writable, writing
from verger.options import AnyDialect, AnyPath, UseName, expect_tokens, one_or_several, path_of
from verger.snapshots.opening import open_stored
from verger.snapshots.stored import Stored
from verger.untrusted_text import counted, quoted, without_secrets


@dataclass(frozen=True, slots=True)
class Filtered:
    """The result of a run.

    tally:    the rows by decision and reason.
    fetched:  how many files were fetched; None without a network.
    seconds:  how long it took.
    notes:    what the snapshot contains that was not used, such as rows that name no site, or the
              first file that cannot be read.
    """

    tally: Tally
    fetched: int | None
    seconds: float
    notes: tuple[str, ...] = ()


def filter_urls(
    inputs: AnyPath | Iterable[AnyPath | UrlInput],
    *,
    tokens: str | Sequence[str],
    crawlers: Iterable[str | Sequence[str]] = (),
    user_agent: str = "",
    bindings: Bindings = "operators",
    use: UseName | None = None,
    silent: Literal["allow", "disallow"] | None = None,
    dialect: AnyDialect = "rfc9309",
    snapshot: AnyPath | None = None,
    network: Network | None = None,
    overrides: Mapping[str, Override] | None = None,
    column: str = "url",
    columns: str | Sequence[str] | None = None,
    format: UrlsFormat | None = None,
    output: AnyPath = STANDARD,
    restart: bool = False,
    unordered: bool = False,
    watcher: Watcher | None = None,
) -> Filtered:
    """Decide every URL of the inputs, and write the answers to the output.

    inputs:     the path of a file, or several, with formats by their names; `-` for stdin.
    tokens:     the crawler's product token, or several: some dialects, such as rfc9309, combine
                the groups of all, others take those of the first that is named.
    crawlers:   further crawlers, each by its token or tokens: tables have a column such as
                `allowed_GPTBot` for each. The totals are those of the first crawler.
    user_agent: its identification string, which requests carry.
    bindings:   whose groups the crawler follows: `operators`, what its operator says, or `file`,
                what the names in the file say.
    use:        also decide whether the content may be used for this: `search`, `ai-input` or
                `ai-train`. Tables have a column such as `use_ai_train`, null if no line mentions
                the use; lists hold URLs that may be fetched, and used.
    silent:     for a list: whether URLs whose use is not mentioned are in it, `allow`, or
                not, `disallow`. It has no default.
    dialect:    how files are read, a name from `verger.DIALECTS` or a `Dialect` of your own.
    snapshot:   the path of a folder of robots.txt files named by host, of a table with the columns
                origin (or url, host), body and perhaps status and time, of a WARC archive, or of a
                cache.
    network:    how files are fetched; pass either this or `snapshot`.
    overrides:  your own decisions, by origin: "allow" or "disallow" everything, or the bytes of a
                file to read in place of the site's.
    column:     the column of JSON Lines, CSV or Parquet that has the URL.
    columns:    which other columns of tables go on to an output with columns: `all`, `none`, or
                names; those that the output has itself get `input_` in front. By default all.
    format:     `text`: the allowed URLs, one per line; `jsonl`, `csv` or `parquet`: every decision;
                by default as the name of the output says, else text.
    output:     the path of the result, written when it is complete; `-` for stdout, row by row.
                Finished blocks are kept next to it, and the same call resumes after a kill.
    restart:    discard what an interrupted run has kept.
    unordered:  write rows to a stream as they are decided, in any order.
    watcher:    receives the progress.
    Raises UnknownName, InvalidOption, UnusableInput, UnusableOutput, MissingExtra; CacheError for a
    cache that cannot be opened.
    """
    began = monotonic()
    expect_bindings(bindings)
    plan = _Plan(
        sources=[
            each if isinstance(each, UrlInput) else UrlInput(path_of("inputs", each), None)
            for each in one_or_several("inputs", inputs)
        ],
        tokens=_one_crawler("tokens", tokens),
        further=[_one_crawler("crawlers", each) for each in crawlers],
        user_agent=user_agent,
        bindings=bindings,
        dialect=_dialect_of(dialect),
        overrides=named_overrides(overrides or {}),
        snapshot=None if snapshot is None else path_of("snapshot", snapshot),
        network=network,
        column=column,
        output=path_of("output", output),
        format=output_format(path_of("output", output), format, FORMATS, packs=True),
    )
    plan.expect_table(columns)
    used = plan.asked_use(use, silent)
    plan.expect_possible()
    others = plan.other_columns(columns)
    rows = _row_format(plan.format)(others, used, plan.names)
    with ExitStack() as at_end:
        decide, stored = plan.decider(rows, at_end)
        manifest = plan.manifest(others, used)
        opening = _open_work(plan, rows, others, manifest, watcher or Watcher(), restart, unordered)
        work = at_end.enter_context(opening)
        fetched = decide(work)
        work.complete()
    return Filtered(work.tally, fetched, monotonic() - began, tuple(stored.notes) if stored else ())


def _row_format(name: str) -> type[RowFormat]:
    if name != "parquet":
        return {"text": AllowedUrls, "jsonl": JsonLines, "csv": Csv}[name]
    with MissingExtra.unless_installed("parquet", "writing Parquet"):
        from verger.bulk.filter.parquet_rows import Parquet

    return Parquet


def _one_crawler(name: str, tokens: str | Sequence[str]) -> tuple[str, ...]:
    several = (tokens,) if isinstance(tokens, str) else tokens
    expect_tokens(name, several)
    return tuple(several)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """What is asked: the rows, the crawlers, where their files come from, and the output."""

    sources: Sequence[UrlInput]
    tokens: tuple[str, ...]
    further: Sequence[tuple[str, ...]]
    user_agent: str
    bindings: Bindings
    dialect: Dialect
    overrides: Mapping[str, Override]
    snapshot: str | None
    network: Network | None
    column: str
    output: str
    format: str

    @property
    def names(self) -> list[str]:
        """The names of the columns of further crawlers."""
        return [",".join(each) for each in self.further]

    def expect_table(self, columns: str | Sequence[str] | None) -> None:
        """Refuse to write columns to a list."""
        if self.format != "text":
            return
        if columns not in (None, "none"):
            why = "columns are chosen, and the output is a list of URLs"
            which = "leave `--columns` (in Python `columns`) out"
            raise InvalidOption(why, f"write `csv`, `jsonl` or `parquet`, or {which}")
        if self.further:
            who = counted(1 + len(self.further), "crawler")
            why = f"a list holds a URL or does not, and {who} are asked about"
            raise InvalidOption(why, "write `csv`, `jsonl` or `parquet`, or ask about one")

    def asked_use(self, use: UseName | None, silent: str | None) -> AskedUse | None:
        """Return the use that is asked about; refuse a list without a word for silence."""
        asked = asked_use(self.tokens, use)
        word = "`silent` says what silence about a use means in a list of URLs"
        if use is None or self.format != "text":
            if silent is not None:
                which = "no use is asked about" if use is None else "tables have null"
                raise InvalidOption(f"{word}, and {which}", "leave it out")
        elif silent not in ("allow", "disallow"):
            raise InvalidOption(
                f"nobody may have said anything about {use}, and a list holds a URL or does not",
                "pass `silent`: `allow` or `disallow`",
            )
        means = None if silent is None else silent == "allow"
        return None if asked is None else AskedUse(asked, means)

    def expect_possible(self) -> None:
        """Refuse what can be refused before an output is opened."""
        if (self.snapshot is None) == (self.network is None):
            which = "neither a snapshot nor" if self.network is None else "both a snapshot and"
            raise InvalidOption(f"{which} a network to fetch from", "pass one of them")
        for source in self.sources:
            check_column(source, self.column)
        stored_at = [self.snapshot] if self.snapshot else []
        bundle, store = (
            (self.network.ca_bundle, self.network.address) if self.network else (None,) * 2
        )
        expect_no_overwriting(
            [self.output],
            inputs=[
                *(source.path for source in self.sources),
                *stored_at,
                *([bundle] if bundle else []),
            ],
            folders=stored_at,
            stores=[] if not store or is_server(store) else [store],
        )
        expect_writable(self.output)

    def other_columns(self, columns: str | Sequence[str] | None) -> OtherColumns | None:
        """Return the other columns that are written. Raises InvalidOption, InvalidTable."""
        wanted = "none" if self.format == "text" else "all" if columns is None else columns
        others = others_of(self.sources, self.column, wanted, self.format)
        clashing = {*map(crawler_column, self.names)} & {*(others.types if others else ())}
        if clashing:
            why = f"the column {quoted(min(clashing))} is one of an input, too"
            raise InvalidOption(why, "leave it out with `--columns` (in Python `columns`)")
        return others

    def decider(
        self, rows: RowFormat, at_end: ExitStack
    ) -> tuple[Callable[[Work], int | None], Stored | None]:
        """Return what decides the rows, and says how many files it fetched; and the snapshot."""
        if self.network is not None:
            who = self.user_agent, self.tokens, self.bindings, self.dialect, self.overrides
            return Fetching(self.network, *who).filter, None
        assert self.snapshot is not None, "there is a snapshot or a network"
        stored = at_end.enter_context(closing(open_stored(self.snapshot)))
        by_snapshot = partial(
            BySnapshot,
            stored,
            dialect=self.dialect,
            bindings=self.bindings,
            overrides=self.overrides,
        )
        others = [by_snapshot(tokens=each, rows=AllowedUrls()) for each in self.further]
        first = by_snapshot(tokens=self.tokens, rows=rows)
        return partial(_decide, first, others), stored

    def manifest(self, others: OtherColumns | None, use: AskedUse | None) -> Manifest:
        """Return what a run must have in common with one that it resumes."""
        read_as = self.dialect
        return {
            "version of the journal": VERSION,
            "version of verger": __version__,
            "input": [[source.name, source.size, source.mtime_ns] for source in self.sources],
            "input format": [source.format for source in self.sources],
            "column": self.column,
            "choice of columns": others and [others.is_open, *others.types],
            "crawler": self.tokens,  # before the user agent, which names it
            "further crawlers": self.further,
            "user agent": self.user_agent,
            "bindings": self.bindings,
            "use": use,
            # derived dialects may share a name
            "dialect": [read_as.name, {knob.name: getattr(read_as, knob.name) for knob in KNOBS}],
            "format": self.format,
            "override": {
                name: word if isinstance(word, str) else sha256(word).hexdigest()
                for name, word in self.overrides.items()
            },
            "snapshot": self.snapshot
            and [without_secrets(self.snapshot), *identity_of(self.snapshot)],
            **(self.network.plan() if self.network else {}),
        }


def _decide(snapshot: BySnapshot, others: Sequence[BySnapshot], work: Work) -> None:
    for blocks in work.strides(STRIDE_ROWS):
        for other in others:
            other.decide(*blocks)
            for block in blocks:
                block.also.append([written.kind[0] for written in block.answers])
        snapshot.decide(*blocks)
        for block in blocks:
            work.finish(block)


@contextmanager
def _open_work(
    plan: _Plan,
    rows: RowFormat,
    others: OtherColumns | None,
    manifest: Manifest,
    watcher: Watcher,
    restart: bool,
    unordered: bool,
) -> Iterator[Work]:
    """Yield the work; close its output at the end, and say what an interrupted run leaves."""
    path, is_on_stream = plan.output, is_stream(plan.output)
    sink_on = partial(rows.sink_on, is_packed=is_packed(path))
    with ExitStack() as at_end:
        output: Journal | Streamed
        if is_on_stream:
            file = at_end.enter_context(writing(path))
            output = Streamed(sink_on(file), is_ordered=not unordered)
        else:
            output = Journal(path, manifest, sink_on, restart=restart)
            at_end.callback(output.close)
        at_end.callback(watcher.end)
        blocks = blocks_of(plan.sources, plan.column, others, prompt=is_on_stream)
        is_prompt = is_on_stream and not all(source.is_plain for source in plan.sources)
        try:
            yield Work(blocks, rows, output, watcher, is_prompt, plan.further)
        except KeyboardInterrupt:
            if isinstance(output, Journal) and output.finished:
                rows_kept = sum(found.counts.total() for found in output.finished.values())
                watcher.interrupted(output.folder, rows_kept)
            raise
