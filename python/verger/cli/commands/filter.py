"""`verger filter`: which of these URLs may this crawler fetch?

In: URLs from files or stdin as text, JSON Lines, CSV or Parquet; a crawler. Out: the allowed URLs,
or every decision with its reason, on stdout or in a file that is there complete or not at all;
problems, progress and a closing table on stderr. Exit code 0 where every row has been read, 2 for
bad usage and what cannot be read or written, 130 where ctrl-C ended it.
"""

from argparse import ArgumentTypeError, HelpFormatter, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from verger import DIALECTS, __version__, parse, product_token
from verger.cli.exit import FINE, Failure
from verger.cli.fetching import EXAMPLE, TIMEOUT, add_route, seconds
from verger.cli.filtering.formats import FORMATS, format_named, require_pyarrow
from verger.cli.filtering.inputs import FORMATS as INPUT_FORMATS
from verger.cli.filtering.inputs import Input, guessed, inputs_of
from verger.cli.filtering.journal import VERSION, Journal, Question
from verger.cli.filtering.meter import Meter
from verger.cli.filtering.readers import blocks_of, check_column
from verger.cli.filtering.sinks import packed_sink_on, sink_on, stdout_for
from verger.cli.filtering.tally import closing_lines
from verger.cli.filtering.window import AsTheyCome, Ordered
from verger.cli.filtering.work import Work, filter_offline
from verger.cli.options import Parser, one_of
from verger.cli.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from verger.cli.filtering.formats import Format
    from verger.cli.filtering.window import Output, Sink

Tokens = tuple[str, ...]

HELP_WIDTH = 80
HELP_HINT = "`verger filter --help` shows the options"

CONNECTIONS = 1_000
OTHER_FILES = 64
"""Files that are open besides the connections, and some to spare."""

NETWORK_OPTIONS = (
    "cache",
    "connections",
    "per_address",
    "connect_to",
    "proxy",
    "ca_bundle",
    "public_only",
    "timeout",
)

USAGE = """verger filter --agent STRING [--snapshot PATH] [--format FORMAT]
                     [--output FILE] [OPTION...] [FILE... | -]"""

DESCRIPTION = """\
Which of these URLs may this crawler fetch?

A FILE holds URLs: one a line, or in a column of JSON Lines, CSV or Parquet, as
its name says; text behind `.gz` is unpacked. Without FILE, or for `-`, URLs
come from stdin."""

EPILOG = f"""\
exit code:
  0    every row was read: its URL is allowed, or not, or it is none
  2    bad usage, or something cannot be read or written
  130  interrupted; with --output, the same command goes on where this stopped

example:
  verger filter --agent "{EXAMPLE}" \\
                --output decisions.csv urls.txt.gz"""


def run(words: Sequence[str]) -> int:
    """Filter what the words ask, and return the exit code."""
    asked = parser().read(words, many=())
    _check_usage(asked)
    tokens = _tokens(asked)
    inputs = inputs_of(asked.urls, asked.input_format)
    for source in inputs:
        _check_input(source, asked)
    if asked.snapshot is not None:
        return _filter_by_snapshot(asked, inputs, tokens)
    return _filter_by_network(asked, inputs, tokens)


def _filter_by_snapshot(asked: Namespace, inputs: Sequence[Input], tokens: Tokens) -> int:
    from verger.cli.filtering.snapshots import snapshot_at

    source = snapshot_at(asked.snapshot, tokens, DIALECTS[asked.dialect])
    try:
        work = _work(asked, inputs, tokens)
        with _ending_well(work):
            filter_offline(work, source)
    finally:
        source.close()
    _close_with_table(asked, work, fetched=None)
    return FINE


def _filter_by_network(asked: Namespace, inputs: Sequence[Input], tokens: Tokens) -> int:
    from verger.cli.filtering.network import Network, Options, enough_files

    options = Options(
        user_agent=asked.agent,
        tokens=tokens,
        dialect=asked.dialect,
        cache=asked.cache,
        connections=enough_files(asked.connections or CONNECTIONS, OTHER_FILES),
        per_address=asked.per_address,
        connect_to=asked.connect_to or (),
        proxy=asked.proxy,
        ca_bundle=asked.ca_bundle,
        public_only=bool(asked.public_only),
        timeout=asked.timeout or TIMEOUT,
    )
    network = Network(options)
    work = _work(asked, inputs, tokens)
    with _ending_well(work):
        network.filter(work)
    _close_with_table(asked, work, fetched=network.fetched)
    return FINE


@contextmanager
def _ending_well(work: Work) -> Iterator[None]:
    """Let go of the output however the work ends; say what an interrupted run has kept."""
    try:
        yield
    except KeyboardInterrupt:
        output = work.output
        if isinstance(output, Journal) and output.finished:
            work.meter.say(
                f"note: interrupted; {output.rows:,} rows are kept in "
                f"`{printable(str(output.folder))}`, the same command goes on there\n"
            )
        raise
    finally:
        work.meter.end()
        work.output.close()


def _close_with_table(asked: Namespace, work: Work, *, fetched: int | None) -> None:
    if not asked.quiet:
        lines = closing_lines(work.tally, work.meter.seconds, fetched)
        work.meter.say("".join(f"{line}\n" for line in lines))


# From words to parts


def _check_usage(asked: Namespace) -> None:
    """Refuse what argparse cannot see, and settle what depends on other options."""
    if not asked.agent:
        hint = f'pass its identification string, such as `--agent "{EXAMPLE}"`'
        raise Failure("no crawler given", hint)
    one_of("dialect", asked.dialect, list(DIALECTS))
    if asked.format is None:
        guess = guessed(asked.output or "")
        asked.format = "urls" if guess == "text" else guess
    one_of("format", asked.format, FORMATS)
    if asked.restart and not asked.output:
        raise Failure("`--restart` begins an `--output` anew, and there is none", HELP_HINT)
    if asked.snapshot is not None:
        for name in NETWORK_OPTIONS:
            if getattr(asked, name) is not None:
                option = name.replace("_", "-")
                raise Failure(f"`--{option}` is for the network, which `--snapshot` leaves alone")


def _tokens(asked: Namespace) -> Tokens:
    """Return the product tokens: those given, else those that name the crawler."""
    given: str = asked.token or asked.agent
    is_string = not asked.token and any(mark in given for mark in " /(")
    named = product_token(given) if is_string else given
    if named is None:
        raise Failure(
            f"`{printable(given)}` names no product token (RFC 9309 section 2.2.1)",
            f'pass `--token`, or an identification string such as "{EXAMPLE}"',
        )
    tokens = tuple(named.split(","))
    parse(b"", dialect=asked.dialect).agent(tokens)  # raises for what is no token
    return tokens


def _check_input(source: Input, asked: Namespace) -> None:
    if source.format == "parquet":
        require_pyarrow("reading Parquet")
    check_column(source, asked.column)
    if asked.output and _is_same_file(source.path, asked.output):
        raise Failure(f"`{printable(asked.output)}` is both input and output")


def _is_same_file(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except OSError:
        return False


def _work(asked: Namespace, inputs: Sequence[Input], tokens: Tokens) -> Work:
    format_ = format_named(asked.format)
    is_resumable = asked.output is not None
    are_plain = all(source.is_plain for source in inputs)
    return Work(
        blocks_of(inputs, asked.column, prompt=not is_resumable),
        format_,
        _output(asked, format_, inputs, tokens),
        Meter(
            total=sum(source.size for source in inputs) if are_plain else 0,
            quiet=asked.quiet,
            to_stdout=not is_resumable,
        ),
        tells_problems=asked.format == "urls" and not asked.quiet,
    )


def _output(
    asked: Namespace, format_: "Format", inputs: Sequence[Input], tokens: Tokens
) -> "Output":
    if asked.output is not None:
        question = _question(asked, inputs, tokens)
        return Journal(
            asked.output,
            question,
            lambda file: _file_sink(file, asked, format_),
            restart=asked.restart,
        )
    sink = sink_on(stdout_for(asked.format), asked.format, format_)
    return AsTheyCome(sink) if asked.unordered else Ordered(sink)


def _file_sink(file: "IO[bytes]", asked: Namespace, format_: "Format") -> "Sink":
    if asked.output.endswith(".gz") and asked.format != "parquet":
        return packed_sink_on(file, format_)
    return sink_on(file, asked.format, format_)


def _question(asked: Namespace, inputs: Sequence[Input], tokens: Tokens) -> Question:
    """Return all that decides what the output is."""
    return {
        "version of the journal": VERSION,
        "version of verger": __version__,
        "input": [[source.path, source.size, source.mtime_ns] for source in inputs],
        "input format": [source.format for source in inputs],
        "column": asked.column,
        "agent": asked.agent,
        "token": list(tokens),
        "dialect": asked.dialect,
        "format": asked.format,
        "snapshot": asked.snapshot and [asked.snapshot, *_state(asked.snapshot)],
    }


def _state(path: str) -> list[int]:
    """Return what changes with a file; a folder is known by its name alone."""
    status = Path(path).stat()
    return [] if Path(path).is_dir() else [status.st_size, status.st_mtime_ns]


# The grammar


def parser() -> Parser:
    """Return the grammar of the command."""
    grammar = Parser(
        prog="verger filter",
        usage=USAGE,
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=_help_formatter,
        allow_abbrev=False,
    )
    _add_crawler(grammar)
    _add_rows(grammar)
    _add_source(grammar)
    return grammar


def _help_formatter(prog: str) -> HelpFormatter:
    """Return argparse's formatter with a width; asking the terminal costs 6 ms at every start."""
    return RawDescriptionHelpFormatter(prog, width=HELP_WIDTH)


def _add_crawler(grammar: Parser) -> None:
    grammar.add_argument(
        "--agent",
        metavar="STRING",
        help="the crawler's identification string, which requests carry; with --snapshot its "
        "product token is enough",
    )
    grammar.add_argument(
        "--token",
        metavar="TOKEN",
        help="the product token, or `a,b` for a crawler that prefers a to b (default: the one in "
        "the identification string)",
    )
    grammar.add_argument(
        "--dialect",
        default="rfc9309",
        metavar="NAME",
        help=f"{', '.join(DIALECTS)} (default: rfc9309)",
    )


def _add_rows(grammar: Parser) -> None:
    grammar.add_argument(
        "urls", nargs="*", metavar="FILE", help="where the URLs are; `-` for stdin"
    )
    grammar.add_argument(
        "--input-format",
        metavar="FORMAT",
        help=f"{', '.join(INPUT_FORMATS)} (default: as the name of each file says, else text)",
    )
    grammar.add_argument(
        "--column", default="url", metavar="NAME", help="where a row has its URL (default: url)"
    )
    grammar.add_argument(
        "--format",
        metavar="FORMAT",
        help="urls: the allowed ones, one a line; jsonl, csv, parquet: every decision with its "
        "reason (default: as the name of the output says, else urls)",
    )
    grammar.add_argument(
        "--output",
        metavar="FILE",
        help="where the result goes when it is complete (default: stdout, as it comes); finished "
        "blocks are kept beside it, and after a kill the same command goes on there",
    )
    grammar.add_argument(
        "--restart", action="store_true", help="forget what an interrupted run has kept"
    )
    grammar.add_argument(
        "--unordered",
        action="store_true",
        help="write rows to stdout as they are decided; without it, and in an --output, they have "
        "the order of the input",
    )
    grammar.add_argument(
        "--quiet", action="store_true", help="no progress, no closing table, no notes on rows"
    )


def _add_source(grammar: Parser) -> None:
    grammar.add_argument(
        "--snapshot",
        metavar="PATH",
        help="answer without network: from a folder of robots.txt files named by host, a Parquet "
        "file with the columns origin (or url), body and perhaps status, or a cache",
    )
    grammar.add_argument(
        "--cache",
        metavar="FILE",
        help="keep fetched files there for later runs, and use what is fresh; `none` for no cache "
        "(default: verger/robots.sqlite3 below $XDG_CACHE_HOME or ~/.cache)",
    )
    grammar.add_argument(
        "--connections",
        type=_count,
        metavar="N",
        help=f"how many origins are asked at once (default: {CONNECTIONS:,})",
    )
    grammar.add_argument(
        "--per-address",
        type=_count,
        metavar="N",
        help="how many connections may be open to one IP address (default: no limit)",
    )
    add_route(grammar)
    grammar.add_argument(
        "--public-only",
        action="store_true",
        default=None,
        help="connect to public addresses alone, for lists that strangers wrote; redirects never "
        "lead to others",
    )
    grammar.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help=f"for one file with all its redirects (default: {TIMEOUT:g})",
    )


def _count(word: str) -> int:
    if word.isascii() and word.isdigit() and int(word):
        return int(word)
    raise ArgumentTypeError(f"`{word}` is no number from 1")
