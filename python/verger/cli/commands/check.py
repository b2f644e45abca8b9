"""`verger check`: may these crawlers fetch these URLs, and which lines say so?

In: a robots.txt file, a folder of them named by host, or the network; crawlers, dialects and URLs.
Out: answers on stdout as text, JSON Lines or CSV; what went wrong, progress and the closing
summary on stderr. Exit code 0 where all may be fetched, 1 where any may not, 2 where any
question has no answer.
"""

import sys
from argparse import HelpFormatter, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterable, Sequence

from verger import DIALECTS, parse
from verger.cli.answers import Question, Row, Unanswered, rows_of
from verger.cli.exit import Failure
from verger.cli.fetching import NETWORK, add_network, tokens_of
from verger.cli.files import OneFile, Snapshot
from verger.cli.limits import how_cut, is_absent
from verger.cli.options import Parser, one_of
from verger.cli.plain import printable
from verger.cli.progress import Progress
from verger.cli.streams import encode
from verger.cli.summary import Tally, summary_lines
from verger.cli.urls import Urls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.cli.live import Live

    class Writer(Protocol):
        """What writes answers in one format."""

        def write(self, row: Row) -> None:
            """Write the answers to one URL."""
            ...


FORMATS = ("text", "json", "csv")
HELP_WIDTH = 80

SEVERAL = ("--agent", "--dialect")
"""The options that take several values."""

VALUES_END = "values end at the first word that begins with `/` or a scheme, at `-`, or at `--`"

USAGE = """verger check [--robots FILE | --robots-dir DIR] --agent TOKEN...
                    [--dialect NAME...] [--format text|json|csv] [OPTION...]
                    (URL... | -)"""

DESCRIPTION = """\
May these crawlers fetch these URLs, and which lines say so?

A URL is absolute, or with --robots a path that begins with `/`; `-` reads URLs
from stdin, one a line. Without --robots and --robots-dir the robots.txt file of
each URL's origin is fetched."""

EPILOG = """\
exit code:
  0  every URL may be fetched by every crawler, or there are no URLs
  1  at least one may not
  2  bad usage, or at least one question has no answer

examples:
  verger check --robots robots.txt --agent GPTBot CCBot https://example.com/page
  verger check --agent "ExampleBot/1.0 (+https://example.com/bot)" \\
               https://example.com/page"""


def run(words: Sequence[str]) -> int:
    """Answer what the words ask, and return the exit code."""
    asked = parser().read(words, many=SEVERAL)
    _check_usage(asked)
    questions = _questions(asked)
    progress = Progress(sys.stderr, shown=sys.stderr.isatty() and not sys.stdout.isatty())
    if _fetches(asked):
        return _fetch_and_answer(asked, questions, progress)
    source = _source(asked, questions)
    urls = Urls(asked.urls)
    if isinstance(source, OneFile):
        _note_what_is_cut(source, progress)
    return _answer(asked, questions, source, urls, urls, progress)


def _fetch_and_answer(asked: Namespace, questions: Sequence[Question], progress: Progress) -> int:
    from verger.cli.live import Ahead, Live

    urls = Urls(asked.urls, in_thread=True)
    with Live(asked, questions, progress) as source:
        return _answer(asked, questions, source, urls, Ahead(urls, source), progress)


def _answer(
    asked: Namespace,
    questions: Sequence[Question],
    source: "OneFile | Snapshot | Live",
    urls: Urls,
    taken: Iterable[str | Unanswered],
    progress: Progress,
) -> int:
    """Answer URLs as they are taken, and return the exit code."""
    tally = Tally(questions, by_site=asked.summary, of_folder=not asked.robots)
    writer = _writer(asked, questions, progress, source.last_line)
    for row in progress.over(rows_of(taken, source, questions), urls):
        tally.add(row)
        writer.write(row)
    if urls.is_stdin_empty:
        progress.say("note: no URLs on stdin\n")
    if asked.summary:
        progress.say("".join(f"{line}\n" for line in summary_lines(tally, progress.seconds)))
    return tally.exit_code


def parser() -> Parser:
    """Return the grammar of the command."""
    grammar = Parser(
        prog="verger check",
        usage=USAGE,
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=_help_formatter,
        allow_abbrev=False,
    )
    _add_subject(grammar)
    _add_output(grammar)
    grammar.add_argument(
        "--cache",
        metavar="FILE",
        help="keep what is fetched there, and use what is fresh (default: no cache)",
    )
    add_network(grammar)
    return grammar


def _help_formatter(prog: str) -> HelpFormatter:
    """Return argparse's formatter with a width; asking the terminal costs 6 ms at every start."""
    return RawDescriptionHelpFormatter(prog, width=HELP_WIDTH)


def _add_subject(grammar: Parser) -> None:
    grammar.add_argument("urls", nargs="*", metavar="URL", help="what to ask about")
    grammar.add_argument("--robots", metavar="FILE", help="the robots.txt file; `-` for stdin")
    grammar.add_argument(
        "--robots-dir",
        metavar="DIR",
        help="a folder of robots.txt files named by host: example.com, example.com:8080, "
        "example.com_8080, each with or without .txt",
    )
    grammar.add_argument(
        "--robots-url",
        metavar="URL",
        help="where FILE was fetched: URLs of other origins are then not answered",
    )
    grammar.add_argument(
        "--agent",
        action="append",
        default=[],
        metavar="TOKEN",
        help="product tokens of the crawlers; `a,b` is one crawler that prefers a to b; where "
        f"files are fetched also identification strings; {VALUES_END}",
    )
    grammar.add_argument(
        "--dialect",
        action="append",
        default=[],
        metavar="NAME",
        help=f"{', '.join(DIALECTS)}, or all (default: rfc9309); {VALUES_END}",
    )


def _add_output(grammar: Parser) -> None:
    grammar.add_argument(
        "--format",
        default="text",
        metavar="FORMAT",
        help="text for people, json for one object a line, csv for tables (default: text)",
    )
    grammar.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="explain every answer, and name the rules that were beaten",
    )
    grammar.add_argument(
        "--summary",
        action="store_true",
        default=None,
        help="close with a summary on stderr (default with --robots-dir)",
    )
    grammar.add_argument("--no-summary", action="store_false", dest="summary", help="no summary")


def _check_usage(asked: Namespace) -> None:
    """Refuse what argparse cannot see, and settle what depends on other options."""
    help_hint = "`verger check --help` shows the options"
    one_of("format", asked.format, FORMATS)
    if asked.robots and asked.robots_dir:
        raise Failure("pass `--robots` or `--robots-dir`, not both", help_hint)
    if not asked.agent:
        raise Failure("no crawler given", "pass its product token, such as `--agent ExampleBot`")
    if not asked.urls:
        raise Failure("no URL given", _hint_without_urls(asked))
    if asked.robots == "-" and "-" in asked.urls:
        raise Failure("stdin cannot hold both the robots.txt file and the URLs", help_hint)
    if asked.robots_url and asked.robots_dir:
        raise Failure("`--robots-url` is the URL of one file, not of a folder", help_hint)
    if asked.robots_url and not asked.robots:
        hint = "pass `--robots FILE` as well"
        raise Failure("`--robots-url` says where a file was fetched, and there is none", hint)
    if not _fetches(asked):
        _refuse_network(asked)
    if asked.summary is None:
        asked.summary = asked.robots_dir is not None


def _fetches(asked: Namespace) -> bool:
    """Whether files come from the network."""
    return not asked.robots and not asked.robots_dir


def _refuse_network(asked: Namespace) -> None:
    for name in ("cache", *NETWORK):
        if getattr(asked, name) is not None:
            option = name.replace("_", "-")
            why = "which `--robots` and `--robots-dir` leave alone"
            raise Failure(f"`--{option}` is for the network, {why}")


def _hint_without_urls(asked: Namespace) -> str:
    """Return what to do about missing URLs; the likeliest one may be among the values."""
    for values, what in ((asked.dialect, "dialect"), (asked.agent, "crawler")):
        for value in reversed(values):
            if "." in value:
                return f"`{value}` was taken for a {what}; a URL begins with `/` or `https://`"
    return "pass URLs, or `-` to read them from stdin"


def _questions(asked: Namespace) -> list[Question]:
    """Return a question for every crawler in every dialect; refuse what the core would."""
    known = [*DIALECTS, "all"]
    names = [one_of("dialect", name, known) for name in asked.dialect or ["rfc9309"]]
    names = list(DIALECTS if "all" in names else dict.fromkeys(names))
    crawlers = list(dict.fromkeys(map(tokens_of if _fetches(asked) else _tokens, asked.agent)))
    for name in names:
        nothing = parse(b"", dialect=name)
        for tokens in crawlers:
            nothing.agent(tokens)
    return [Question(tokens, name) for tokens in crawlers for name in names]


def _tokens(agent: str) -> tuple[str, ...]:
    """Return the tokens of `a,b`; the commas of an identification string part nothing.

    The core refuses such a string whole, and can then name the token in it.
    """
    return (agent,) if "(" in agent else tuple(agent.split(","))


def _source(asked: Namespace, questions: Sequence[Question]) -> OneFile | Snapshot:
    if asked.robots_dir:
        return Snapshot(asked.robots_dir, questions)
    return OneFile(asked.robots, questions, asked.robots_url)


def _note_what_is_cut(source: OneFile, progress: Progress) -> None:
    """Say which dialects read a part of the file only (RFC 9309 section 2.5)."""
    for robots in source.truncated:
        name, dialect = printable(source.name), robots.dialect
        cut = f"is {how_cut(robots)}"
        if is_absent(robots):
            cut = f"has more than {dialect.parse_limit:,} octets and counts as absent"
        progress.say(f"note: `{name}` {cut} for {dialect.name}\n")


def _writer(
    asked: Namespace, questions: Sequence[Question], progress: Progress, last_line: int | None
) -> "Writer":
    """Return what writes the format; a format that is not asked for is not imported."""
    stream = sys.stdout
    if asked.format == "json":
        from verger.cli.json_lines import JsonLines

        encode(stream, "utf-8", "strict")
        return JsonLines(stream, verbose=asked.verbose)
    if asked.format == "csv":
        from verger.cli.csv_table import CsvTable

        encode(stream, "utf-8", "surrogateescape")
        return CsvTable(stream, of_fetches=_fetches(asked))
    encode(stream, None, "backslashreplace")
    if len(questions) > 1 and not asked.verbose:
        from verger.cli.matrix import Matrix

        urls = [url for url in asked.urls if url != "-"]
        return Matrix(stream, progress, questions, last_line=last_line, urls=urls)
    from verger.cli.render import Explained

    several = len(asked.urls) > 1 or "-" in asked.urls
    return Explained(stream, progress, questions, several_urls=several, verbose=asked.verbose)
