"""`verger filter`: which of these URLs may this crawler fetch?

In: URLs from files or stdin as text, JSON Lines, CSV or Parquet; a crawler. Out: the allowed URLs,
or every decision with its reason, on stdout or in a file that is written completely or not at all;
problems, progress and a closing table on stderr.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence

from verger.bulk.filter.formats import FORMATS
from verger.bulk.filter.network import CONNECTIONS, Network
from verger.bulk.filter.rows import FORMATS as INPUT_FORMATS
from verger.bulk.filter.rows import inputs_of
from verger.bulk.filter.run import filter_urls
from verger.cli import options
from verger.cli.commands.filter_output import SOME_PROBLEMS, FilterMeter, summary_lines
from verger.cli.exit import FINE, UNANSWERED, Failure, see_help
from verger.cli.grammar import Parser, file
from verger.cli.live import identification, silence_log
from verger.cli.output import expect_no_terminal
from verger.cli.tokens import EXAMPLE, crawler_of
from verger.files.paths import STANDARD, is_stream
from verger.plain import quoted

INCOMPLETE = 1
"""The exit code of a strict run in which a site is missing."""

FETCHING = (*options.FETCHING, "connections", "per_address", "public_only")
"""Options that `--snapshot` has no use for; `--user-agent` still names the crawler there."""

USAGE = """verger filter (--user-agent STRING | --snapshot PATH --agent TOKEN)
                     [--format FORMAT] [--output FILE] [OPTION...] [FILE... | -]"""

DESCRIPTION = """\
Which of these URLs may this crawler fetch?

A FILE holds URLs: one per line, or in a column of JSON Lines, CSV or Parquet,
depending on its name; text files may be compressed (`.gz`). Without FILE, or
for `-`, URLs come from stdin."""

EXITS = """\
0    every row has an answer
1    with --strict: every row has an answer, but a site could not be reached, or
     something of the snapshot could not be used
2    bad usage, something cannot be read or written, or at least one row has no
     answer; the output is then complete
130  interrupted; with --output, the same command resumes"""

EXAMPLES = f"""\
verger filter --user-agent "{EXAMPLE}" \\
              --output decisions.csv urls.txt.gz"""


def run(words: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    args = parser().read(words)
    _check_usage(args)
    tokens = crawler_of(args, args.dialect)
    inputs = inputs_of(args.files, args.input_format)
    if args.column and all(source.format == "text" for source in inputs):
        why = f"`--column` is for tables, and {quoted(inputs[0].name)} is text"
        raise Failure(why, "leave it out, or pass `--input-format`")
    are_plain = all(source.is_plain for source in inputs)
    if args.format == "parquet":
        expect_no_terminal(args.output, "Parquet")
    silence_log()
    _collect_rarely()
    meter = FilterMeter(
        total=sum(source.size for source in inputs) if are_plain else 0,
        quiet=args.quiet,
        to_stdout=args.output == STANDARD,
        problems=_problems_to_name(args),
    )
    done = filter_urls(
        inputs,
        user_agent=args.user_agent or identification(tokens),
        tokens=tokens,
        bindings=args.bindings,
        dialect=args.dialect,
        snapshot=args.snapshot,
        network=_network(args) if args.snapshot is None else None,
        column=args.column or "url",
        format=args.format,
        output=args.output,
        restart=args.restart,
        unordered=args.unordered,
        watcher=meter,
    )
    meter.report_remaining()
    if not args.quiet:
        for note in done.notes:
            meter.say(f"note: {note}\n")
        lines = summary_lines(done.tally, done.seconds, done.fetched)
        meter.say("".join(f"{line}\n" for line in lines))
    if done.tally.unanswered:
        return UNANSWERED
    return INCOMPLETE if args.strict and (done.tally.unreachable or done.notes) else FINE


def _problems_to_name(args: Namespace) -> int:
    """Return how many rows without a URL to name on stderr; tables have them all."""
    if args.quiet or args.format != "text":
        return 0
    return sys.maxsize if args.verbose else SOME_PROBLEMS


def _network(args: Namespace) -> Network:
    headers = options.headers_of(args)
    return Network(
        cache=_cache(args),
        connections=args.connections or CONNECTIONS,
        per_address=args.per_address,
        connect_to=args.connect_to or (),
        proxy=args.proxy,
        ca_bundle=args.ca_bundle,
        public_only=bool(args.public_only),
        timeout=args.timeout or options.TIMEOUT,
        headers=headers.pop(""),
        origin_headers=headers,
    )


def _collect_rarely() -> None:
    """Make Python collect garbage less often than by default.

    A thousand fetches in progress, and the ends of thousands of rows, are many young objects that
    stay alive: scanning them repeatedly took a tenth of the time of a crawl on loopback.
    """
    import gc

    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


# Usage


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect, and set what depends on other options."""
    args.format = options.format_of(args, FORMATS, packs=True)
    options.expect_verbose_fits(args, "text")
    if args.restart and is_stream(args.output):
        raise Failure(
            "`--restart` starts an `--output` over, but there is none", see_help("filter")
        )
    if args.snapshot is not None:
        options.expect_no_network(args, FETCHING, "which is not used with `--snapshot`")


def _cache(args: Namespace) -> str | None:
    """Return the address of the cache; None for no cache."""
    from verger.cache.sqlite import default_path

    return options.cache_of(args, default_path)


# The grammar


def parser() -> Parser:
    """Return the grammar of the command."""
    instead = {"--robots": "`verger check --robots FILE -` answers for one file"}
    grammar = Parser("verger filter", USAGE, DESCRIPTION, EXITS, EXAMPLES, instead=instead)
    options.add_agent(grammar, "the one in --user-agent", options.SEVERAL_TOKENS)
    options.add_bindings(grammar)
    options.add_dialect(grammar)
    _add_rows(grammar)
    _add_source(grammar)
    return grammar


def _add_rows(grammar: Parser) -> None:
    grammar.add_argument(
        "files", nargs="*", type=file, metavar="FILE", help="the files with URLs; `-` for stdin"
    )
    options.add_input_format(
        grammar,
        INPUT_FORMATS,
        ", ".join(INPUT_FORMATS),
        "as the name of each file says, else text",
    )
    grammar.add_argument("--column", metavar="NAME", help="the column with the URL (default: url)")
    options.add_format(
        grammar,
        FORMATS,
        "text: the allowed URLs, one per line; jsonl, csv, parquet: every decision with its reason",
        None,
    )
    options.add_output(
        grammar,
        "the file that is written when the result is complete (default: `-` for stdout, "
        "row by row); finished blocks are kept next to it, and after a kill the same command "
        "resumes",
        STANDARD,
    )
    grammar.add_switch("--restart", help="discard what an interrupted run has kept")
    grammar.add_switch(
        "--unordered",
        help="write rows to stdout as they are decided; without it, and with --output, they keep "
        "the order of the input",
    )
    options.add_quiet(grammar)
    options.add_verbose(grammar, "name every row without a URL on stderr, not only the first ten")
    options.add_strict(
        grammar,
        "a site could not be reached, so that its rows are not allowed, or something of the "
        "snapshot could not be used, such as a row that names no site",
    )


def _add_source(grammar: Parser) -> None:
    options.add_snapshot(grammar)
    options.add_cache(grammar, options.OWN_CACHE)
    options.add_network(grammar)
    options.add_count(
        grammar, "--connections", f"how many origins to contact at once (default: {CONNECTIONS:,})"
    )
    options.add_count(
        grammar,
        "--per-address",
        "how many connections may be open to one IP address (default: no limit)",
    )
    grammar.add_argument(
        "--public-only",
        action="store_true",
        default=None,
        help="connect only to public addresses, for untrusted lists; redirects never "
        "lead to other addresses",
    )
