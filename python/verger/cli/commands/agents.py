"""`verger agents`: who may do what on one site, crawler by crawler, by purpose.

In: a robots.txt file, or the URL of a site. Out: on stdout or in a file, what the site says to
crawlers that no group names, to known crawlers, and to every name in its file, as text, JSON or
CSV; notes on stderr. The text has a block for each purpose, in which colour only repeats what the
words say; the JSON object follows `schemas/agents-1.schema.json`, in ASCII; a CSV record is for
each crawler, that of `*` first. Without a site, `--all` lists the registry.
"""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from time import time

from verger import Dialect, Line, RobotsTxt, parse
from verger._core import _VERDICTS
from verger.access.words import because, explanation, provenance
from verger.analysis import explain
from verger.cli import options
from verger.cli.live import fetch_site
from verger.cli.notes import notes_on
from verger.cli.output import (
    FINE,
    TextStream,
    csv_line,
    note,
    refuse_first,
    see_help,
)
from verger.cli.tokens import token_of
from verger.client import Site
from verger.crawlers import PURPOSES, agent_of, remark_on, survey_of
from verger.crawlers.binding import OWN, dialect_for
from verger.crawlers.registry import UNVERIFIED_NOTE
from verger.crawlers.survey import (
    UNLISTED,
    Posture,
    Standing,
    Survey,
    preferences,
    read_by_operators,
)
from verger.files.csv_text import Value
from verger.files.json_text import json_text
from verger.files.paths import STANDARD, input_name, is_url
from verger.files.robots_file import read_named
from verger.objects.agents import UseCell, survey_object, uses_told
from verger.showing.excerpt import words_of
from verger.showing.palette import Palette
from verger.showing.printing import at_most, row_of, widths_of
from verger.untrusted_text import lines_of, printable, rule_text, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

FORMATS = ("text", "json", "csv")

HELP = """\
usage: verger agents SITE [(--agent TOKEN | --purpose NAME)... | --all]
                     [--use NAME] [--dialect NAME] [--format text|json|csv]
                     [--output FILE|-] [OPTION...]
       verger agents --all [--purpose NAME]... [--format text|json|csv]
                     [--output FILE|-]

What may each crawler fetch on one site, by purpose?

SITE is a robots.txt file, `-` for one on stdin, or a URL: then the robots.txt
file of its origin is fetched. Without SITE, `--all` lists all crawlers that
verger knows.

exit code:
  0    done, whatever the file says
  2    bad usage, or there is no file to read
  130  interrupted

examples:
  verger agents robots.txt
  verger agents https://example.com --purpose training --purpose ai-search
  verger agents robots.txt --agent GPTBot --agent CCBot --lines
  verger agents robots.txt --agent Googlebot --explain
  verger agents --all --purpose training
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    options.expect_separate_outputs(args, [args.output or STANDARD], args.site)
    with TextStream(args.output, args.format) as stream:
        if args.site:
            _survey(args, stream)
        else:
            stream.write_lines(_registry(args, stream))
    return FINE


def _survey(args: Namespace, stream: TextStream) -> None:
    """Write what the site says."""
    site, why_closed = args.site[0], None
    dialect, own = dialect_for(args.dialect), args.dialect.startswith(OWN)
    if is_url(site):
        found, now = fetch_site(args, site, [dialect]), time()
        if args.format == "text":
            stream.write_lines((*_how_fetched(found, now), ""))
        robots, access = found.robots, found.access
        why_closed = None if access.effect == "allow_all" else access.reason
        about: dict[str, object] = {"file": robots and found.last.url, "access": found.facts(now)}
    else:
        robots, about = _read(site, dialect), {"file": input_name(site)}
    if robots is not None:
        about_use = (
            [f"note: {each}" for each in map(words_of, robots._unread_of_use())] if args.use else []
        )
        note(args, *notes_on([robots], str(about["file"])), *about_use)
    survey = survey_of(
        robots,
        is_open=why_closed is None,
        crawlers=args.agent,
        purposes=args.purpose,
        with_unnamed=args.all,
        own=own,
    )
    about = {"site": site, "dialect": args.dialect, **about}
    uses = uses_told(survey, robots, args.use, why_closed, own=own) if args.use else {}
    stream.write_lines(_lines(args, survey, robots, about, stream, uses))


def _read(site: str, dialect: Dialect) -> RobotsTxt:
    hint = f"pass `https://{site}` to ask the site" if "/" not in site else None
    return parse(read_named(site, [dialect], if_missing=hint), dialect=dialect)


def _lines(
    args: Namespace,
    survey: Survey,
    robots: RobotsTxt | None,
    about: Mapping[str, object],
    stream: TextStream,
    uses: Mapping[str, UseCell],
) -> Iterator[str]:
    """Return the survey in the requested format."""
    if args.format == "json":
        return iter([json_text(survey_object(survey, robots, about, uses))])
    if args.format == "csv":
        header = (*COLUMNS, *(("use", "use_allowed", "use_reason", "use_line") if uses else ()))
        everyone = (survey.default, *survey.standings)
        rows = ((*_fields(each), *uses.get(each.token, ())) for each in everyone)
        return _csv((header, *rows), stream)
    return survey_lines(
        survey,
        robots,
        Palette.of(stream),
        uses=uses,
        in_blocks=not args.agent,
        with_lines=args.lines,
        with_words=args.explain,
    )


def _registry(args: Namespace, stream: TextStream) -> Iterator[str]:
    """Return all known crawlers for the purposes, in the requested format."""
    survey = survey_of(None, purposes=args.purpose, with_unnamed=True)
    if args.format == "text":
        return registry_lines(survey, Palette.of(stream))
    known = [one.crawler for one in survey.standings if one.crawler]
    facts = [asdict(each) for each in known]
    if args.format == "json":
        honours = ({"honours": [asdict(one) for one in each.honours]} for each in known)
        rows = [each | more for each, more in zip(facts, honours, strict=True)]
        return iter([json_text({"schema": CRAWLERS_SCHEMA, "crawlers": rows})])
    records = ([_joined(value) for value in each.values()] for each in facts)
    return _csv(([*facts[0]], *records), stream)


OPTIONS = (
    options.option(
        "site", nargs="*", type=options.file, metavar="SITE", help="a file, `-`, or a URL"
    ),
    options.shared("--robots", more=", in place of SITE"),
    options.shared("--agent", more=options.REPEATED, unless="all that are known or named"),
    options.shared(
        "--purpose",
        choices=(*PURPOSES, UNLISTED),
        help="show only crawlers for these purposes; unlisted means unknown names"
        f"{options.REPEATED}: {', '.join((*PURPOSES, UNLISTED))}",
    ),
    options.switch(
        "--all",
        help="also list known crawlers that no group names; without SITE, list all that are known",
    ),
    options.shared("--use", what="what no pattern matches specifically", more=": another column"),
    options.shared("--quiet"),
    options.shared("--dialect", choices=options.OR_OWN, more=options.EACH_ITS_OWN),
    options.shared(
        "--format",
        choices=FORMATS,
        what="text for people, json for one object, csv for a table",
    ),
    options.shared("--output", what="where the report goes; `-` is stdout (default: -)"),
    options.switch("--lines", help="show the lines of the file, not only their numbers"),
    options.switch("--explain", help="explain in words what is open and what is closed"),
    options.shared("--cache", unless="none"),
    *options.NETWORK_OPTIONS,
)


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect, and set what depends on other options."""
    args.site += [args.robots] if args.robots else []
    args.format = options.format_of(args, FORMATS)
    hint = options.SITE_HINT
    if args.site or not args.all:
        options.expect_one(
            args.site,
            ("no site given", f"{hint}; `--all` alone lists all known crawlers"),
            ("one site at a time, and {} is a second", "pass one; `--agent` names crawlers"),
        )
    other = "--purpose" if args.purpose else "--all"
    refuse_first(
        *(
            (given and not args.site, f"`{name}` is about a site, and none is given", hint)
            for name, given in (
                ("--lines", args.lines),
                ("--explain", args.explain),
                ("--use", args.use),
                ("--dialect", args.dialect != "rfc9309"),
                (f"--purpose {UNLISTED}", UNLISTED in args.purpose),
            )
        ),
        (
            args.agent and (args.purpose or args.all),
            f"`--agent` and `{other}` cannot be combined",
            see_help("agents"),
        ),
        (
            args.dialect.startswith(f"{OWN}+"),
            "knobs cannot follow `own` here: the crawlers of other operators stand beside them",
            "name one dialect, as in `--dialect yandex+content-signal`",
        ),
        (
            args.lines and args.format != "text",
            f"`--lines` is for text; `--format {args.format}` has the line numbers",
            "leave one of them out",
        ),
        (
            args.explain and args.format != "text",
            f"`--explain` is for text, and the format is {args.format}",
            "in Python, `verger.analysis.explain` gives the same as values",
        ),
    )
    tokens = [token_of("--agent", word, [args.dialect]) for word in args.agent]
    args.agent = [token for token in dict.fromkeys(tokens) if token != "*"]
    options.expect_network_use(args, args.site)


# Where the file comes from


def _how_fetched(site: Site, now: float) -> Iterator[str]:
    if site.access.effect == "rules":
        first, *rest = provenance(site, now)
        yield first
    else:
        rest = list(explanation(site, now))
        yield because(site)
    for remark in rest:
        yield f"  = {remark}"


# The output


HEADER = ("crawler", "operator", "may fetch", "by", "named in")

WIDEST = 40
"""The most columns of a cell: untrusted text may be longer."""

MOST_NUMBERS = 4
"""The most entries in a list of line numbers, `3 more` included; `--lines` shows all."""

MOST_LINES = 200
"""The most lines of the explanation for one crawler."""

COLOURS: dict[Posture, str] = {
    "all": "green",
    "some": "yellow",
    "none": "red",
    "unknown": "magenta",
    "default": "cyan",
}

MEANINGS = {**PURPOSES, UNLISTED: "names of the file that the registry does not know"}


def survey_lines(
    survey: Survey,
    robots: RobotsTxt | None,
    palette: Palette,
    *,
    in_blocks: bool,
    with_lines: bool,
    with_words: bool,
    uses: Mapping[str, UseCell] | None = None,
) -> Iterator[str]:
    """Yield a survey of a file, or of a site without one.

    in_blocks:    whether to group crawlers by purpose.
    with_lines:   whether to show the lines of the file, not only their numbers.
    with_words:   whether to explain in words what is open and what is closed.
    uses:         what the site says about a use, by token: another column.
    """
    uses = uses or {}
    has_file = robots is not None

    def cells_of(standing: Standing) -> tuple[str, ...]:
        use = uses.get(standing.token)
        return *_cells(standing, has_file=has_file), *([_use_cell(use)] if use else [])

    header = (*HEADER, *(f"may be used for {one.purpose}" for one in list(uses.values())[:1]))
    widths = widths_of([header, *map(cells_of, (survey.default, *survey.standings))])
    lines = robots.lines if robots and with_lines else ()
    explained = robots if with_words else None

    def rows(standings: Sequence[Standing]) -> Iterator[str]:
        """Yield a row for each crawler, with its remarks below."""
        for standing in standings:
            cells = list(cells_of(standing))
            cells[2] = palette.paint(cells[2], COLOURS[standing.posture])
            yield row_of(cells, widths).rstrip()
            remarks = _remarks(standing, is_asked=not in_blocks)
            yield from (f"{palette.paint('  =', 'cyan')} {remark}" for remark in remarks)
            yield from _lines_of_file(standing, lines)
            yield from _in_words(explained, standing) if explained else ()

    yield palette.paint(row_of(header, widths).rstrip(), "bold")
    yield from rows([survey.default])
    yield from _blocks(survey, rows, palette) if in_blocks else rows(survey.standings)
    yield from _footnote(survey)


def registry_lines(survey: Survey, palette: Palette) -> Iterator[str]:
    """Yield the crawlers of a survey, with their operators, in a block for each purpose."""
    widths = widths_of([HEADER[:2], *map(_names, survey.standings)])

    def rows(standings: Sequence[Standing]) -> Iterator[str]:
        return (row_of(_names(one), widths).rstrip() for one in standings)

    yield palette.paint(row_of(HEADER[:2], widths).rstrip(), "bold")
    yield from _blocks(survey, rows, palette)
    yield from _footnote(survey)


def _names(standing: Standing) -> tuple[str, str]:
    return _cell(standing.token), _cell(_operator(standing))


def _cells(standing: Standing, *, has_file: bool) -> tuple[str, ...]:
    if standing.posture == "default":
        return *_names(standing), "default", "", ""
    numbers = standing.group_lines
    return (
        *_names(standing),
        _extent(standing),
        _by(standing) if has_file else "no file",
        lines_of(numbers, most=MOST_NUMBERS) if numbers else "",
    )


def _use_cell(use: UseCell) -> str:
    word = _VERDICTS[use.allowed]
    return word if use.line is None else f"{word}, line {use.line}"


def _remarks(standing: Standing, *, is_asked: bool) -> Iterator[str]:
    if standing.follows is not None:
        yield f"follows the groups of {standing.follows}"
    remark = remark_on(standing.token)
    if remark is not None and (is_asked or _is_remarkable(standing)):
        yield remark
    if standing.differs and (own := standing.own_reading) is not None:
        yield f"in its operator's own reading: {_extent(own)} ({own.dialect})"
    if standing.posture != "default" and (said := preferences(standing)):
        yield ", ".join(f"{name}={value}" for name, value in said.items())


def _lines_of_file(standing: Standing, lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines that say something to a crawler; nothing if `lines` is empty."""
    if lines and standing.posture != "default":
        for number in sorted(
            {*standing.group_lines, *([standing.rule.line] if standing.rule else [])}
        ):
            line = lines[number - 1]
            text = shortened(f"{line.key}: {line.value or ''}".rstrip(), 2 * WIDEST)
            yield f"  {number:>4} | {printable(text)}"


def _blocks(
    survey: Survey, rows: Callable[[Sequence[Standing]], Iterator[str]], palette: Palette
) -> Iterator[str]:
    was_long = True
    for purpose in filter(survey.purposes.__contains__, MEANINGS):
        standings = [one for one in survey.standings if purpose in one.purposes]
        hidden = survey.unlisted_hidden if purpose == UNLISTED else 0
        more = survey.unnamed.get(purpose, hidden)
        unbound, differing = survey.unbound.get(purpose, 0), survey.differing.get(purpose, 0)
        but = f", which does not bind {unbound:,}" if unbound else ""
        if differing:
            but += f"; otherwise for {differing:,} in their operators' own reading"
        if not standings and not more:
            continue
        if standings or was_long:
            yield ""
        was_long = bool(standings)
        name = palette.paint(purpose, "bold")
        if not standings:
            yield f"{name}: {more:,}, none named: default{but}"
            continue
        yield f"{name}: {MEANINGS[purpose]}"
        yield from rows(standings)
        if more:
            which = "" if purpose == UNLISTED else f", not named: default{but}"
            yield f"{more:,} more{which}"


def _in_words(robots: RobotsTxt, standing: Standing) -> Iterator[str]:
    """Yield what is open and what is closed to a crawler."""
    if standing.posture == "default":
        yield "    as for `*`"
        return
    [(read, _)] = read_by_operators(robots, [standing.token])
    is_own = standing.dialect == read.dialect.name
    found = explain(agent_of(read if is_own else robots, standing.token))
    most = 1 + MOST_LINES  # with a heading
    yield from at_most(
        found.lines, most, lambda line: f"    {printable(line)}", lambda n: f"    and {n:,} more"
    )
    if not found.is_exact:
        yield "    there are too many rules to find out which could be left out"


def _operator(standing: Standing) -> str:
    """Return whose a crawler is, with a `?` if that was not looked up."""
    if standing.token == "*":
        return "(default)"
    crawler = standing.crawler
    if crawler is None:
        return ""
    return f"{crawler.operator or ''}{'?' if crawler.is_unverified else ''}"


def _footnote(survey: Survey) -> Iterator[str]:
    """Yield what `?` means, if it is shown."""
    if any(one.crawler is not None and one.crawler.is_unverified for one in survey.standings):
        yield ""
        yield UNVERIFIED_NOTE


def _extent(standing: Standing) -> str:
    """Return how much a crawler may fetch: of a part, whether pages without a rule are in it."""
    if standing.extent != "some":
        return standing.extent
    return "part of the site" if standing.elsewhere else "only some pages"


def _is_remarkable(standing: Standing) -> bool:
    """Whether the row of a crawler would mislead without a remark."""
    is_policy_token = standing.crawler is not None and standing.crawler.kind == "policy-token"
    return is_policy_token or not standing.bound


def _by(standing: Standing) -> str:
    rule = standing.rule
    if rule is None:
        is_told_nothing = standing.token != "*" and not standing.named
        return "no group" if is_told_nothing else "no rule"
    return _cell(f"line {rule.line}, {rule_text(rule.allow, rule.pattern)}")


def _cell(text: str) -> str:
    return printable(shortened(text, WIDEST))


# JSON and CSV


CRAWLERS_SCHEMA = "verger.crawlers/1"

COLUMNS = (
    "token",
    "operator",
    "purposes",
    "posture",
    "extent",
    "elsewhere",
    "line",
    "rule",
    "group_lines",
    "preferences",
    "respects",
    "url",
    "kind",
    "follows",
    "bound",
    "sources",
)


def _csv(rows: Iterable[Sequence[Value]], stream: TextStream) -> Iterator[str]:
    return (csv_line(fields, is_terminal=stream.isatty()) for fields in rows)


def _joined(value: str | tuple[str, ...] | None) -> str | None:
    return " ".join(value) if isinstance(value, tuple) else value


def _fields(standing: Standing) -> tuple[Value, ...]:
    crawler, rule = standing.crawler, standing.rule
    return (
        standing.token,
        crawler.operator if crawler else None,
        " ".join(crawler.purposes) if crawler else None,
        standing.posture,
        standing.extent,
        standing.elsewhere,
        rule.line if rule else None,
        rule_text(rule.allow, rule.pattern) if rule else None,
        " ".join(map(str, standing.group_lines)),
        " ".join(f"{name}={value}" for name, value in preferences(standing).items()),
        crawler.respects if crawler else None,
        crawler.url if crawler else None,
        crawler.kind if crawler else None,
        standing.follows,
        standing.bound,
        " ".join(crawler.sources) if crawler else None,
    )
