"""`verger check`: may these crawlers fetch these URLs, and which lines say so?

In: a robots.txt file, a snapshot of many, or the network; crawlers, dialects and URLs. Out: answers
on stdout or in a file as text, JSON Lines or CSV; problems, progress and the closing summary on
stderr.
"""

import os
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from verger._core import DIALECTS, _is_robots_txt, origin
from verger.access.answer import Question, Told, Unanswered, told_of
from verger.cli import options
from verger.cli.commands.check_output import (
    CheckTotals,
    csv_lines,
    explained,
    json_lines,
    matrix,
    summary_lines,
)
from verger.cli.notes import notes_on, noting
from verger.cli.output import (
    DISALLOWED,
    FINE,
    SILENT,
    UNANSWERED,
    TextStream,
    refuse_first,
    see_help,
)
from verger.cli.progress import Progress
from verger.cli.tokens import binding_notes, crawlers_of, one_crawler_notes
from verger.cli.urls import Urls
from verger.crawlers.binding import dialect_for
from verger.files.paths import STANDARD, input_name, is_terminal, is_url
from verger.files.robots_file import read_named
from verger.showing.palette import Palette
from verger.snapshots.sources import FetchedFile, RobotsFile, SnapshotFiles, dialects_of, rows_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.live import Live


FORMATS = ("text", "jsonl", "csv")

SEE_HELP = see_help("check")

NO_CRAWLER = "pass its product token, such as `--agent ExampleBot`"

HELP = """\
usage: verger check [--robots FILE|URL|- | FILE | --snapshot PATH]
                    [--agent TOKEN]... [--purpose NAME]...
                    [--user-agent STRING] [--use NAME] [--dialect NAME]...
                    [--format text|jsonl|csv] [--output FILE|-] [OPTION...]
                    (URL... | -)

May these crawlers fetch these URLs, and which lines say so? With --use: may
their content be used for this, such as to train AI models?

A URL is absolute, or with --robots a path that begins with `/`; `-` reads URLs
from stdin, one per line. Without --robots and --snapshot the robots.txt file of
each URL's origin is fetched.

exit code:
  0    every crawler may fetch every URL, or there are no URLs;
       with --use: every use is allowed
  1    at least one URL, or one use, is disallowed
  2    bad usage, or at least one question has no answer
  3    with --use: none is disallowed, but at least one use is not mentioned
  130  interrupted
  141  the reader of stdout has closed it, such as `head`

examples:
  verger check robots.txt --agent GPTBot --agent CCBot https://example.com/page
  verger check --user-agent "ExampleBot/1.0 (+https://example.com/bot)" \\
               https://example.com/page
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    questions = _questions(args)
    _expect_no_overwriting(args)
    # A bar would be mixed with answers on the same terminal.
    progress = Progress(shown=not is_terminal(args.output or STANDARD), quiet=args.quiet)
    with TextStream(args.output, args.format) as stream:
        by_operators = [each.tokens for each in questions if each.bindings == "operators"]
        crawlers = [each.tokens for each in questions]
        progress.note(*one_crawler_notes(crawlers), *binding_notes(by_operators))
        tally = _answer(args, questions, progress, stream)
    return _close(args, tally, progress)


def _answer(
    args: Namespace, questions: Sequence[Question], progress: Progress, stream: TextStream
) -> CheckTotals:
    """Write the answers."""
    urls = Urls(args.urls)
    overrides = options.overrides_of(args, dialects_of(questions))
    write = partial(_write, args, questions, progress, stream, urls)
    if _fetches(args):
        from verger.cli.live import Live

        site = origin(args.robots) if args.robots else None
        with Live(args, questions, progress, site, overrides) as source:
            return write(source, source.ahead_of(urls), noting(source.file_for, progress.note))
    if args.robots:
        file = _file(args, questions)
        progress.note(*notes_on(file.read, file.name))
        return write(file, urls, file.file_for)
    files = SnapshotFiles(args.snapshot, questions, overrides)
    try:
        progress.note(*(f"note: {each}" for each in files.notes))
        return write(files, urls, noting(files.file_for, progress.note))
    finally:
        files.close()


def _write(
    args: Namespace,
    questions: Sequence[Question],
    progress: Progress,
    stream: TextStream,
    urls: Urls,
    source: "RobotsFile | SnapshotFiles | Live",
    taken: Iterable[str | Unanswered],
    file_for: "Callable[[str], RobotsFile | FetchedFile]",
) -> CheckTotals:
    """Write the answers to URLs as they are taken, each by the file for it."""
    tally = CheckTotals(
        questions,
        by_site=args.summary,
        of_folder=not args.robots,
        overridden=[name for name, _ in args.override or ()],
    )
    answered = progress.over(rows_of(taken, file_for, questions), urls)
    rows = (tally.add(told_of(row, args.use)) for row in answered)
    stream.write_lines(_lines(args, questions, progress, source, stream, rows))
    if urls.is_stdin_empty:
        progress.note("note: no URLs on stdin")
    progress.note(
        *(f"note: no URL is of `{name}`, which `--override` names" for name in tally.unasked)
    )
    return tally


def _close(args: Namespace, tally: CheckTotals, progress: Progress) -> int:
    """Report the totals, and return the exit code."""
    if args.summary:
        progress.note(*summary_lines(tally, progress.seconds))
    if tally.unanswered:
        return UNANSWERED
    if any(tally.disallowed):
        return DISALLOWED
    return SILENT if any(tally.silent) else FINE


OPTIONS = (
    options.option(
        "urls",
        nargs="*",
        metavar="URL",
        help="what to ask about; a file may come first, in place of --robots",
    ),
    options.shared("--robots"),
    options.shared("--snapshot"),
    options.option(
        "--robots-url",
        metavar="URL",
        help="the URL that FILE was fetched from: URLs of other origins are then not answered",
    ),
    options.shared(
        "--agent",
        more=f"{options.REPEATED}{options.SEVERAL_TOKENS}",
        unless="the one in --user-agent",
    ),
    options.shared("--purpose"),
    options.shared("--use", what="the content"),
    options.shared("--bindings"),
    options.shared(
        "--dialect",
        action="append",
        default=[],
        choices=(*options.OR_OWN, "all"),
        more=f", all{options.EACH_ITS_OWN}{options.REPEATED}",
    ),
    options.shared(
        "--format",
        choices=FORMATS,
        what="text for people, jsonl for one object per line, csv for tables",
    ),
    options.shared("--output", what="where the answers go; `-` is stdout (default: -)"),
    options.shared("--verbose", what="explain every answer, and name the rules that were beaten"),
    options.shared("--anonymous"),
    options.shared("--quiet"),
    options.switch("--summary", help="close with a summary on stderr (default with --snapshot)"),
    options.switch("--no-summary", help="no summary"),
    options.shared("--override"),
    options.shared("--cache", unless="none"),
    *options.NETWORK_OPTIONS,
)


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect, and set what depends on other options."""
    args.format = options.format_of(args, FORMATS)
    options.take_robots(args, args.urls, _is_file)
    refuse_first(
        (args.robots and args.snapshot, "pass `--robots` or `--snapshot`, not both", SEE_HELP),
        (
            not args.agent and not args.purpose and args.user_agent is None,
            "no crawler given",
            NO_CRAWLER,
        ),
        (not args.urls, "no URL given", "pass URLs, or `-` to read them from stdin"),
        (
            args.robots == "-" and "-" in args.urls,
            "stdin cannot hold both the robots.txt file and the URLs",
            SEE_HELP,
        ),
        (
            args.override and args.robots and not is_url(args.robots),
            "`--override` is for the files of sites, and `--robots` gives one file for all",
            "leave one of them out",
        ),
    )
    _expect_url_of_file(args)
    refuse_first(
        (
            args.summary and args.no_summary,
            "`--summary` and `--no-summary` contradict each other",
            SEE_HELP,
        ),
        (
            args.summary and args.quiet,
            "`--summary` and `--quiet` contradict each other",
            SEE_HELP,
        ),
    )
    if not _fetches(args):
        # An identification string names the crawler even if nothing is fetched.
        why = "which is not used with `--robots FILE` or `--snapshot`"
        options.expect_no_network(args, options.FETCHING, why)
    options.expect_verbose_fits(args, "text", "jsonl")
    by_default = args.snapshot is not None and not args.quiet
    args.summary = args.summary or (by_default and not args.no_summary)


def _expect_url_of_file(args: Namespace) -> None:
    """Refuse a URL of the file that there is not, or that is not one of a robots.txt file."""
    if not (url := args.robots_url):
        return
    refuse_first(
        (
            args.snapshot,
            "`--robots-url` is the URL of one file, not of many",
            SEE_HELP,
        ),
        (
            args.robots and is_url(args.robots),
            "`--robots-url` is for a file, and `--robots` is a URL",
            SEE_HELP,
        ),
        (
            not args.robots,
            "`--robots-url` says where a file was fetched, but there is no file",
            "pass `--robots FILE` as well",
        ),
        # no other file governs an origin (RFC 9309 section 2.3)
        (
            not _is_robots_txt(url),
            "`--robots-url` is not the URL of a robots.txt file",
            "such as `https://example.com/robots.txt`",
        ),
    )


def _is_file(word: str) -> bool:
    """Whether a word is the path of a file, and neither a path on a site nor `-`."""
    return word[:1] not in "/-" and os.path.isfile(word)  # noqa: PTH113


def _expect_no_overwriting(args: Namespace) -> None:
    read = [
        args.robots,
        args.snapshot,
        *options.files_of(args.override),
        *(word for word in args.urls if word == STANDARD),
    ]
    folders = [args.snapshot] if args.snapshot else []
    options.expect_separate_outputs(args, [args.output or STANDARD], read, folders)


def _fetches(args: Namespace) -> bool:
    """Whether files come from the network."""
    return is_url(args.robots) if args.robots else not args.snapshot


def _questions(args: Namespace) -> list[Question]:
    """Return a question for every crawler in every dialect; refuse invalid tokens."""
    names = list(dict.fromkeys(chain.from_iterable(map(_each_of, args.dialect or ["rfc9309"]))))
    crawlers = crawlers_of(args, names, hint=NO_CRAWLER)
    questions = (
        Question(tokens, dialect_for(name, tokens), args.bindings)
        for tokens in crawlers
        for name in names
    )
    return list(dict.fromkeys(questions))


def _each_of(word: str) -> list[str]:
    """Return the dialects that a word means: `all` are those with a name."""
    base, plus, changes = word.partition("+")
    return [f"{name}{plus}{changes}" for name in DIALECTS] if base == "all" else [word]


def _file(args: Namespace, questions: Sequence[Question]) -> RobotsFile:
    hint = f"pass `--snapshot {args.robots}` for a folder of files named by host"
    data = read_named(args.robots, dialects_of(questions), if_folder=hint)
    return RobotsFile(data, questions, name=input_name(args.robots), url=args.robots_url)


def _lines(
    args: Namespace,
    questions: Sequence[Question],
    progress: Progress,
    source: "RobotsFile | SnapshotFiles | Live",
    stream: TextStream,
    rows: Iterable[Sequence[Told]],
) -> Iterator[str]:
    """Return the lines of the answers in the requested format."""
    if args.format == "jsonl":
        return json_lines(rows, verbose=args.verbose)
    if args.format == "csv":
        return csv_lines(
            rows,
            of_fetches=source.records_fetches,
            of_use=args.use is not None,
            is_terminal=stream.isatty(),
        )
    if len(questions) > 1 and not args.verbose:
        urls = [url for url in args.urls if url != "-"]
        last_line = source.last_line if isinstance(source, RobotsFile) else None
        return matrix(rows, questions, progress, stream, last_line=last_line, urls=urls)
    several = len(args.urls) > 1 or "-" in args.urls
    palette = Palette.of(stream)
    return explained(
        rows,
        questions,
        progress,
        palette,
        several_urls=several,
        verbose=args.verbose,
    )
