"""Runs: inputs, a snapshot or a network, and an output.

In: paths, a crawler and options. Out: the filtered table, and the totals of the run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from time import monotonic

from verger._core import KNOBS, __version__, _dialect_of
from verger.bulk.filter.blocks import AskedUse, Block
from verger.bulk.filter.decide import STRIDE_ROWS, BySnapshot
from verger.bulk.filter.journal import VERSION, Journal, Manifest
from verger.bulk.filter.network import Fetching, Network, state_of
from verger.bulk.filter.progress import Streamed, Tally, Watcher, Work
from verger.bulk.filter.reading import UrlInput, blocks_of, check_column, others_of
from verger.bulk.filter.writing import (
    FORMATS,
    ROW_FORMATS,
    AllowedUrls,
    RowFormat,
    crawler_column,
)
from verger.cache.address import is_server
from verger.client.site import Override, named_overrides
from verger.crawlers.binding import Bindings, expect_bindings
from verger.crawlers.uses import asked_use
from verger.errors import InvalidOption
from verger.files.formats import UrlsFormat, is_packed, output_format
from verger.files.paths import STANDARD, is_stream
from verger.files.same_file import expect_no_overwriting
from verger.files.writing import writing
from verger.options import AnyDialect, AnyPath, expect_tokens, one_or_several, path_of
from verger.snapshots.opening import open_stored
from verger.untrusted_text import counted, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from verger._core import Purpose


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
    use: "Purpose | None" = None,
    silent: "Literal['allow', 'disallow'] | None" = None,
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
    sources = [
        each if isinstance(each, UrlInput) else UrlInput(path_of("inputs", each), None)
        for each in one_or_several("inputs", inputs)
    ]
    several = (tokens,) if isinstance(tokens, str) else tokens
    expect_tokens("tokens", several)
    several = tuple(several)
    further = [(each,) if isinstance(each, str) else tuple(each) for each in crawlers]
    for each in further:
        expect_tokens("crawlers", each)
    names = [",".join(each) for each in further]
    read_as = _dialect_of(dialect)
    output = path_of("output", output)
    stored_at = None if snapshot is None else path_of("snapshot", snapshot)
    written_as = output_format(output, format, FORMATS, packs=True)
    if written_as == "text" and columns not in (None, "none"):
        why = "columns are chosen, and the output is a list of URLs"
        hint = "write `csv`, `jsonl` or `parquet`, or leave `--columns` (in Python `columns`) out"
        raise InvalidOption(why, hint)
    if written_as == "text" and names:
        who = counted(1 + len(names), "crawler")
        why = f"a list holds a URL or does not, and {who} are asked about"
        raise InvalidOption(why, "write `csv`, `jsonl` or `parquet`, or ask about one")
    used = _use_of(several, use, silent, written_as)
    decided = named_overrides(overrides or {})
    _check(sources, column, stored_at, network, output)
    wanted = "none" if written_as == "text" else "all" if columns is None else columns
    others = others_of(sources, column, wanted, written_as)
    clashing = others and {*map(crawler_column, names)} & {*others.types}
    if clashing:
        why = f"the column {quoted(min(clashing))} is one of an input, too"
        raise InvalidOption(why, "leave it out with `--columns` (in Python `columns`)")
    fetched: int | None = None
    with ExitStack() as at_end:
        stored = (
            at_end.enter_context(closing(open_stored(stored_at))) if stored_at is not None else None
        )
        fetching = (
            Fetching(network, user_agent, several, bindings, read_as, decided)
            if network is not None
            else None
        )
        manifest: Manifest = {
            "version of the journal": VERSION,
            "version of verger": __version__,
            "input": [[source.path, source.size, source.mtime_ns] for source in sources],
            "input format": [source.format for source in sources],
            "column": column,
            "choice of columns": others and [others.is_open, *others.types],
            "crawler": several,  # before the user agent, which names it
            "further crawlers": further,
            "user agent": user_agent,
            "bindings": bindings,
            "use": used,
            # derived dialects may share a name
            "dialect": [read_as.name, {knob.name: getattr(read_as, knob.name) for knob in KNOBS}],
            "format": written_as,
            "override": {
                name: word if isinstance(word, str) else sha256(word).hexdigest()
                for name, word in decided.items()
            },
            "snapshot": stored_at and [stored_at, *state_of(stored_at)],
            **(network.plan() if network else {}),
        }
        work = at_end.enter_context(
            _open_work(
                ROW_FORMATS[written_as](others, used, names),
                output,
                partial(blocks_of, sources, column, others),
                manifest,
                watcher or Watcher(),
                restart=restart,
                unordered=unordered,
            )
        )
        work.crawlers = further
        work.is_prompt = is_stream(output) and not all(source.is_plain for source in sources)
        if stored is not None:
            decider = partial(
                BySnapshot, stored, dialect=read_as, bindings=bindings, overrides=decided
            )
            more = [decider(tokens=each, rows=AllowedUrls()) for each in further]
            _decide(work, decider(tokens=several, rows=work.format), more)
        elif fetching is not None:
            fetched = fetching.filter(work)
        work.complete()
    return Filtered(work.tally, fetched, monotonic() - began, tuple(stored.notes) if stored else ())


def _use_of(
    tokens: Sequence[str], use: "Purpose | None", silent: str | None, written_as: str
) -> AskedUse | None:
    """Return the use that is asked about; refuse a list without a word for silence."""
    asked = asked_use(tokens, use)
    word = "`silent` says what silence about a use means in a list of URLs"
    if use is None or written_as != "text":
        if silent is not None:
            which = "no use is asked about" if use is None else "tables have null"
            raise InvalidOption(f"{word}, and {which}", "leave it out")
    elif silent not in ("allow", "disallow"):
        raise InvalidOption(
            f"nobody may have said anything about {use}, and a list holds a URL or does not",
            "pass `silent`: `allow` or `disallow`",
        )
    return None if asked is None else AskedUse(asked, None if silent is None else silent == "allow")


def _decide(work: Work, snapshot: BySnapshot, others: Sequence[BySnapshot]) -> None:
    for blocks in work.strides(STRIDE_ROWS):
        for other in others:
            other.decide(*blocks)
            for block in blocks:
                block.also.append([written.kind[0] for written in block.answers])
        snapshot.decide(*blocks)
        for block in blocks:
            work.finish(block)


def _check(
    sources: Sequence[UrlInput],
    column: str,
    snapshot: str | None,
    network: Network | None,
    output: str,
) -> None:
    """Refuse what can be refused before an output is opened."""
    if (snapshot is None) == (network is None):
        which = "neither a snapshot nor" if network is None else "both a snapshot and"
        raise InvalidOption(f"{which} a network to fetch from", "pass one of them")
    for source in sources:
        check_column(source, column)
    store, ca_bundle = (network.cache, network.ca_bundle) if network else (None, None)
    expect_no_overwriting(
        [output],
        inputs=[
            *(source.path for source in sources),
            *(path for path in (snapshot, ca_bundle) if path),
        ],
        folders=[snapshot] if snapshot else [],
        stores=[] if not store or is_server(store) else [store],
    )


@contextmanager
def _open_work(
    rows: RowFormat,
    path: str,
    blocks: Callable[..., Iterator[Block | None]],
    manifest: Manifest,
    watcher: Watcher,
    *,
    restart: bool,
    unordered: bool,
) -> Iterator[Work]:
    """Yield the work; close its output at the end, and say what an interrupted run leaves."""
    has_no_name = is_stream(path)
    sink_on = partial(rows.sink_on, is_packed=is_packed(path))
    with ExitStack() as at_end:
        output: Journal | Streamed
        if has_no_name:
            file = at_end.enter_context(writing(path))
            output = Streamed(sink_on(file), is_ordered=not unordered)
        else:
            output = Journal(path, manifest, sink_on, restart=restart)
            at_end.callback(output.close)
        at_end.callback(watcher.end)
        try:
            yield Work(blocks(prompt=has_no_name), rows, output, watcher)
        except KeyboardInterrupt:
            if isinstance(output, Journal) and output.finished:
                rows_kept = sum(found.counts.total() for found in output.finished.values())
                watcher.interrupted(output.folder, rows_kept)
            raise
