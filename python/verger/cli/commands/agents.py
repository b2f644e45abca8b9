"""`verger agents`: who may do what on one site, crawler by crawler, by purpose.

In: a robots.txt file, or the URL of a site. Out: on stdout what the site says to crawlers that no
group names, to those that are known, and to every name in its file: as text, JSON or CSV; notes on
stderr. Exit code 0 where that is told, 2 where it cannot be.
"""

import sys
from argparse import HelpFormatter, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Mapping, Sequence

from verger import DIALECTS, RobotsTxt, origin, parse
from verger.cli.exit import FINE, Failure, reason_of
from verger.cli.fetching import NETWORK, add_network
from verger.cli.limits import how_cut, is_absent
from verger.cli.options import Parser, is_url, one_of
from verger.cli.plain import printable
from verger.cli.streams import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.cli.agents.survey import Survey
    from verger.cli.fetched import Fetched

    class Writer(Protocol):
        """What writes a survey in one format."""

        def write(self, survey: Survey, robots: RobotsTxt | None, /) -> None:
            """Write what a file says, or its absence."""
            ...


FORMATS = ("text", "json", "csv")
HELP_WIDTH = 80

SEVERAL = ("--crawler", "--purpose")
"""The options that take several values."""

USAGE = """verger agents SITE [--crawler TOKEN... | --purpose NAME... | --all]
                     [--dialect NAME] [--format text|json|csv] [OPTION...]"""

DESCRIPTION = """\
Who may do what on one site, crawler by crawler, by purpose.

SITE is a robots.txt file, `-` for one on stdin, or a URL: then the robots.txt
file of its origin is fetched."""

EPILOG = """\
exit code:
  0  it is told who may do what, whatever that is
  2  bad usage, or there is no file to read

examples:
  verger agents robots.txt
  verger agents https://example.com --purpose training ai-search
  verger agents robots.txt --crawler GPTBot CCBot --lines"""


def run(words: Sequence[str]) -> int:
    """Tell what the words ask, and return the exit code."""
    asked = parser().read(words, many=SEVERAL)
    _check_usage(asked)
    site, dialect = asked.urls[0], DIALECTS[asked.dialect]
    if _is_fetched(site):
        _tell_fetched(asked, site)
        return FINE
    limit = -1 if dialect.parse_limit is None else dialect.parse_limit + 1
    octets = _stdin_file(limit) if site == "-" else _named_file(site, limit)
    name = "stdin" if site == "-" else site
    robots = _read(octets, asked.dialect)
    _tell(asked, robots, {"file": name}, is_open=True)
    return FINE


def _tell_fetched(asked: Namespace, site: str) -> None:
    from verger.cli.json_lines import access as facts_of

    fetched = _fetched(asked, site)
    robots = fetched.site.robots
    if robots is not None:
        robots = _read(robots.octets, asked.dialect, robots.url)
    if asked.format == "text":
        encode(sys.stdout, None, "backslashreplace")
        for line in _how_fetched(fetched):
            print(line)
        print()
    about = {"file": robots and fetched.rests_on.url, "access": facts_of(fetched)}
    _tell(asked, robots, about, is_open=fetched.allowed)


def _tell(
    asked: Namespace, robots: RobotsTxt | None, about: Mapping[str, object], *, is_open: bool
) -> None:
    from verger.cli.agents.survey import survey_of

    if robots is not None and robots.truncated:
        _note_what_is_cut(robots, str(about["file"]))
    survey = survey_of(
        robots,
        is_open=is_open,
        crawlers=asked.crawler,
        purposes=asked.purpose,
        with_unnamed=asked.all,
    )
    _writer(asked, {"site": asked.urls[0], "dialect": asked.dialect, **about}).write(survey, robots)


def parser() -> Parser:
    """Return the grammar of the command."""
    from verger.crawlers import PURPOSES

    grammar = Parser(
        prog="verger agents",
        usage=USAGE,
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=_help_formatter,
        allow_abbrev=False,
    )
    grammar.add_argument("urls", nargs="*", metavar="SITE", help="a file, `-`, or a URL")
    grammar.add_argument(
        "--crawler",
        action="append",
        default=[],
        metavar="TOKEN",
        help="product tokens: tell of these alone, known or not",
    )
    grammar.add_argument(
        "--purpose",
        action="append",
        default=[],
        metavar="NAME",
        help=f"tell of crawlers for these purposes alone: {', '.join(PURPOSES)}, or unlisted for "
        "names that are not known",
    )
    grammar.add_argument(
        "--all", action="store_true", help="list known crawlers that no group names, too"
    )
    _add_output(grammar)
    grammar.add_argument(
        "--cache",
        metavar="FILE",
        help="keep what is fetched there, and use what is fresh (default: no cache)",
    )
    add_network(grammar)
    return grammar


def _add_output(grammar: Parser) -> None:
    grammar.add_argument(
        "--dialect",
        default="rfc9309",
        metavar="NAME",
        help=f"how the file is read: {', '.join(DIALECTS)} (default: rfc9309)",
    )
    grammar.add_argument(
        "--format",
        default="text",
        metavar="FORMAT",
        help="text for people, json for one object, csv for a table (default: text)",
    )
    grammar.add_argument(
        "--lines", action="store_true", help="show the lines of the file, not their numbers alone"
    )


def _help_formatter(prog: str) -> HelpFormatter:
    """Return argparse's formatter with a width; asking the terminal costs 6 ms at every start."""
    return RawDescriptionHelpFormatter(prog, width=HELP_WIDTH)


def _check_usage(asked: Namespace) -> None:
    """Refuse what argparse cannot see."""
    help_hint = "`verger agents --help` shows the options"
    one_of("format", asked.format, FORMATS)
    one_of("dialect", asked.dialect, list(DIALECTS))
    if not asked.urls:
        raise Failure("no site given", _hint_without_site(asked))
    if len(asked.urls) > 1:
        raise Failure(
            f"one site at a time, and `{printable(asked.urls[1])}` is a second", help_hint
        )
    if asked.crawler and (asked.purpose or asked.all):
        other = "--purpose" if asked.purpose else "--all"
        raise Failure(f"`--crawler` names all that is told of, and `{other}` more", help_hint)
    if asked.lines and asked.format != "text":
        raise Failure(f"`--lines` is for text; `--format {asked.format}` has their numbers")
    _check_names(asked)
    if not _is_fetched(asked.urls[0]):
        _refuse_network(asked)


def _check_names(asked: Namespace) -> None:
    from verger.cli.agents.survey import PLACES

    for purpose in asked.purpose:
        one_of("purpose", purpose, list(PLACES))
    nothing = parse(b"", dialect=asked.dialect)
    for token in asked.crawler:
        nothing.agent(token)
    asked.crawler = [token for token in dict.fromkeys(asked.crawler) if token != "*"]


def _hint_without_site(asked: Namespace) -> str:
    """Return what to do about a missing site; it may be among the values of an option."""
    for values, what in ((asked.purpose, "purpose"), (asked.crawler, "crawler")):
        if values:
            last = printable(values[-1])
            return f"`{last}` was taken for a {what}; put the site first: `verger agents SITE ...`"
    return "pass a robots.txt file, or a URL such as `https://example.com`"


def _refuse_network(asked: Namespace) -> None:
    for name in ("cache", *NETWORK):
        if getattr(asked, name) is not None:
            option = name.replace("_", "-")
            raise Failure(f"`--{option}` is for the network, and a file is read without it")


# Where the file comes from


def _is_fetched(site: str) -> bool:
    return is_url(site) and "://" in site


def _fetched(asked: Namespace, site: str) -> "Fetched":
    """Return what became of fetching the file of a URL's origin."""
    from verger.cli.answers import Question
    from verger.cli.live import Live
    from verger.cli.progress import Progress

    name = origin(site)
    asked.agent = ["*"]
    questions = [Question(("*",), asked.dialect)]
    with Live(asked, questions, Progress(sys.stderr, shown=False)) as source:
        (answer,) = source.file_for(name).answers(f"{name}/", questions)
    assert answer.fetched is not None, "it was fetched"
    return answer.fetched


def _how_fetched(fetched: "Fetched") -> Iterator[str]:
    from verger.cli.outcome import explanation, happened, provenance

    if fetched.policy.effect == "rules":
        first, *rest = provenance(fetched)
        yield first
    else:
        rest = list(explanation(fetched))
        yield f"{happened(fetched.last)} ({fetched.policy.section})"
    for remark in rest:
        yield f"  = {remark}"


def _stdin_file(limit: int) -> bytes:
    from verger.cli.urls import stdin_octets

    try:
        return stdin_octets("robots.txt").read(limit)
    except OSError as error:
        raise Failure(f"cannot read robots.txt from stdin: {reason_of(error)}") from None


def _named_file(path: str, limit: int) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 -- `pathlib` costs more than the rest
            return file.read(limit)
    except FileNotFoundError:
        hint = f"pass `https://{path}` to ask the site" if "/" not in path else None
        raise Failure(f"no such file: `{path}`", hint) from None
    except OSError as error:
        raise Failure(f"cannot read `{path}`: {reason_of(error)}") from None


def _read(octets: bytes, name: str, url: str | None = None) -> RobotsTxt:
    """Read a file, and `Content-Usage` too where the dialect reads signals of its kind."""
    dialect = DIALECTS[name]
    if "content-signal" in dialect.extensions:
        dialect = dialect.replace(extensions=(*dialect.extensions, "content-usage"))
    return parse(octets, dialect=dialect, url=url)


def _note_what_is_cut(robots: RobotsTxt, name: str) -> None:
    """Say that a part of the file only is read (RFC 9309 section 2.5)."""
    cut = f"is {how_cut(robots)}"
    if is_absent(robots):
        cut = f"has more than {robots.dialect.parse_limit:,} octets and counts as absent"
    print(f"note: `{printable(name)}` {cut}", file=sys.stderr)


def _writer(asked: Namespace, about: Mapping[str, object]) -> "Writer":
    """Return what writes the format; a format that is not asked for is not imported."""
    stream = sys.stdout
    if asked.format == "text":
        from verger.cli.agents.text import Text

        encode(stream, None, "backslashreplace")
        return Text(stream, in_blocks=not asked.crawler, with_lines=asked.lines)
    from verger.cli.agents.tables import CsvTable, JsonObject

    if asked.format == "json":
        encode(stream, "utf-8", "strict")
        return JsonObject(stream, about)
    encode(stream, "utf-8", "surrogateescape")
    return CsvTable(stream)
