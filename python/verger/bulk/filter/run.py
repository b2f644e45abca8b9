"""Runs: inputs, a snapshot or a network, and an output.

In: paths, a crawler and options. Out: the filtered table, and the totals of the run.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from verger._core import KNOBS, Dialect, __version__, _dialect_of
from verger.bulk.filter.decide import BySnapshot
from verger.bulk.filter.journal import VERSION, Journal, Manifest
from verger.bulk.filter.network import Fetching, Network
from verger.bulk.filter.reading import UrlInput, blocks_of, check_column
from verger.bulk.filter.streamed import Streamed
from verger.bulk.filter.work import Tally, Watcher, Work
from verger.bulk.filter.writing import FORMATS, RowFormat, format_named, sink_on
from verger.cache.address import is_server
from verger.crawlers.binding import Bindings, expect_bindings
from verger.errors import InvalidOption
from verger.files.formats import is_packed, output_format
from verger.files.parquet import require_pyarrow
from verger.files.paths import STANDARD, is_stream
from verger.files.same_file import expect_no_overwriting
from verger.files.writing import writing
from verger.options import AnyPath, expect_tokens, one_or_several, path_of
from verger.snapshots.stored import Stored


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


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run, as `filter_urls` documents them."""

    inputs: Sequence[UrlInput]
    user_agent: str
    tokens: tuple[str, ...]
    bindings: Bindings
    dialect: Dialect
    snapshot: str | None
    column: str
    format: str
    output: str
    restart: bool
    unordered: bool


def filter_urls(
    inputs: AnyPath | Iterable[AnyPath | UrlInput],
    *,
    tokens: str | Sequence[str],
    user_agent: str = "",
    bindings: Bindings = "operators",
    dialect: str | Dialect = "rfc9309",
    snapshot: AnyPath | None = None,
    network: Network | None = None,
    column: str = "url",
    format: str | None = None,
    output: AnyPath = STANDARD,
    restart: bool = False,
    unordered: bool = False,
    watcher: Watcher | None = None,
) -> Filtered:
    """Decide every URL of the inputs, and write the answers to the output.

    inputs:     the path of a file, or several, with formats by their names; `-` for stdin.
    tokens:     the crawler's product token, or several: some dialects, such as rfc9309, combine
                the groups of all, others take those of the first that is named.
    user_agent: its identification string, which requests carry.
    bindings:   whose groups the crawler follows: `operators`, what its operator says, or `file`,
                what the names in the file say.
    dialect:    how files are read, a name from `verger.DIALECTS` or a `Dialect` of your own.
    snapshot:   the path of a folder of robots.txt files named by host, of a table with the columns
                origin (or url, host), body and perhaps status and time, of a WARC archive, or of a
                cache.
    network:    how files are fetched; pass either this or `snapshot`.
    column:     the column of JSON Lines, CSV or Parquet that has the URL.
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
    output = path_of("output", output)
    expect_bindings(bindings)
    options = Options(
        [_input(each) for each in one_or_several("inputs", inputs)],
        user_agent,
        _several_tokens(tokens),
        bindings,
        _dialect_of(dialect),
        None if snapshot is None else path_of("snapshot", snapshot),
        column,
        output_format(output, format, FORMATS, packs=True),
        output,
        restart,
        unordered,
    )
    began = monotonic()
    _check(options, network)
    watcher = watcher or Watcher()
    fetched: int | None = None
    notes: tuple[str, ...] = ()
    if options.snapshot is not None:
        with closing(Stored(options.snapshot)) as stored, _open_work(options, watcher) as work:
            _decide(work, stored, options)
            notes = tuple(stored.notes)
    elif network is not None:
        fetching = Fetching(
            network, options.user_agent, options.tokens, options.bindings, options.dialect
        )
        with _open_work(options, watcher) as work:
            fetched = fetching.filter(work)
    return Filtered(work.tally, fetched, monotonic() - began, notes)


def _decide(work: Work, stored: Stored, options: Options) -> None:
    """Decide every block with a snapshot."""
    judge = BySnapshot(
        stored,
        options.tokens,
        options.dialect,
        work.format.text_of,
        bindings=options.bindings,
        by_rule=work.format.tells_rules,
    )
    for block in work.unfinished_blocks():
        judge.decide(block)
        work.finish(block)
    work.complete()


def _input(given: AnyPath | UrlInput) -> UrlInput:
    return given if isinstance(given, UrlInput) else UrlInput(path_of("inputs", given), None)


def _several_tokens(tokens: str | Sequence[str]) -> tuple[str, ...]:
    several = (tokens,) if isinstance(tokens, str) else tokens
    expect_tokens("tokens", several)
    return tuple(several)


def _check(options: Options, network: Network | None) -> None:
    """Refuse what can be refused before an output is opened."""
    if options.snapshot is not None and network is not None:
        raise InvalidOption("both a snapshot and a network to fetch from", "pass one of them")
    if options.snapshot is None and network is None:
        raise InvalidOption("neither a snapshot nor a network to fetch from", "pass one of them")
    for source in options.inputs:
        if source.format == "parquet":
            require_pyarrow("reading Parquet")
        check_column(source, options.column)
    store, ca_bundle = (network.cache, network.ca_bundle) if network else (None, None)
    expect_no_overwriting(
        [options.output],
        inputs=[
            *(source.path for source in options.inputs),
            *(path for path in (options.snapshot, ca_bundle) if path),
        ],
        folders=[options.snapshot] if options.snapshot else [],
        stores=[] if options.snapshot or not store or is_server(store) else [store],
    )


@contextmanager
def _open_work(options: Options, watcher: Watcher) -> Iterator[Work]:
    """Yield the work; close its output at the end, and say what an interrupted run leaves."""
    format_ = format_named(options.format)
    is_resumable = not is_stream(options.output)
    with ExitStack() as at_end:
        output = _journal(options, format_) if is_resumable else _streamed(at_end, options, format_)
        at_end.callback(output.close)
        at_end.callback(watcher.end)
        blocks = blocks_of(options.inputs, options.column, prompt=not is_resumable)
        try:
            yield Work(blocks, format_, output, watcher)
        except KeyboardInterrupt:
            if isinstance(output, Journal) and output.finished:
                watcher.interrupted(output.folder, output.rows)
            raise


def _streamed(at_end: ExitStack, options: Options, format_: RowFormat) -> Streamed:
    file = at_end.enter_context(writing(options.output))
    sink = sink_on(file, format_, is_packed=is_packed(options.output))
    return Streamed(sink, is_ordered=not options.unordered)


def _journal(options: Options, format_: RowFormat) -> Journal:
    packs = is_packed(options.output)
    return Journal(
        options.output,
        _manifest_of(options),
        lambda file: sink_on(file, format_, is_packed=packs),
        restart=options.restart,
    )


def _manifest_of(options: Options) -> Manifest:
    """Return everything that the output depends on."""
    inputs = options.inputs
    return {
        "version of the journal": VERSION,
        "version of verger": __version__,
        "input": [[source.path, source.size, source.mtime_ns] for source in inputs],
        "input format": [source.format for source in inputs],
        "column": options.column,
        "user agent": options.user_agent,
        "token": list(options.tokens),
        "bindings": options.bindings,
        "dialect": [options.dialect.name, _knobs(options.dialect)],
        "format": options.format,
        "snapshot": options.snapshot and [options.snapshot, *_state(options.snapshot)],
    }


def _knobs(dialect: Dialect) -> dict[str, object]:
    """Return the knobs of a dialect: derived dialects may share a name."""
    return {knob.name: getattr(dialect, knob.name) for knob in KNOBS}


def _state(path: str) -> list[int]:
    """Return what changes with a file; a folder is identified by its name only."""
    status = Path(path).stat()
    return [] if Path(path).is_dir() else [status.st_size, status.st_mtime_ns]
