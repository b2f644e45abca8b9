"""`verger agents`: who may do what on one site, crawler by crawler, by purpose.

In: a robots.txt file, or the URL of a site. Out: on stdout or in a file, what the site says to
crawlers that no group names, to known crawlers, and to every name in its file, as text, JSON or
CSV; notes on stderr.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from time import time

from verger import DIALECTS, RobotsTxt, parse
from verger.access.words import happened
from verger.cli import options
from verger.cli.commands.agents_output import survey_lines, survey_object, survey_records
from verger.cli.exit import FINE, Failure, refuse_if, see_help
from verger.cli.grammar import file, option, switch
from verger.cli.live import fetch_site
from verger.cli.notes import tell_notes
from verger.cli.output import BYTE_FOR_BYTE, Palette, TextStream, open_output
from verger.cli.tokens import token_of
from verger.client import Site
from verger.crawlers import PURPOSES, Survey, survey_of
from verger.crawlers.survey import UNLISTED
from verger.files.paths import STANDARD, input_name, is_url
from verger.files.robots_file import read_named
from verger.plain import quoted
from verger.snapshots.provenance import explanation, provenance

FORMATS = ("text", "json", "csv")

HELP = """\
usage: verger agents SITE [(--agent TOKEN | --purpose NAME)... | --all]
                     [--dialect NAME] [--format text|json|csv]
                     [--output FILE|-] [OPTION...]

What may each crawler fetch on one site, by purpose?

SITE is a robots.txt file, `-` for one on stdin, or a URL: then the robots.txt
file of its origin is fetched.

exit code:
  0    done, whatever the file says
  2    bad usage, or there is no file to read
  130  interrupted

examples:
  verger agents robots.txt
  verger agents https://example.com --purpose training --purpose ai-search
  verger agents robots.txt --agent GPTBot --agent CCBot --lines
  verger agents robots.txt --agent Googlebot --explain
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    site = args.site[0]
    options.expect_separate_outputs(args, [args.output or STANDARD], [site])
    encoding = None if args.format == "text" else "utf-8"
    errors = BYTE_FOR_BYTE if args.format == "csv" else "backslashreplace"
    with open_output(args.output, encoding, errors) as stream:
        if is_url(site):
            _survey_site(args, site, stream)
        else:
            _survey_file(args, site, stream)
    return FINE


def _survey_file(args: Namespace, site: str, stream: TextStream) -> None:
    dialect = DIALECTS[args.dialect]
    hint = f"pass `https://{site}` to ask the site" if "/" not in site else None
    data = read_named(site, [dialect], if_missing=hint)
    robots, about = parse(data, dialect=dialect), {"file": input_name(site)}
    _survey(args, robots, about, stream, is_open=True)


def _survey_site(args: Namespace, site: str, stream: TextStream) -> None:
    found, now = fetch_site(args, site, [args.dialect]), time()
    robots = found.robots
    if args.format == "text":
        stream.write_lines((*_how_fetched(found, now), ""))
    about = {"file": robots and found.last.url, "access": found.facts(now)}
    _survey(args, robots, about, stream, is_open=found.access.effect == "allow_all")


def _survey(
    args: Namespace,
    robots: RobotsTxt | None,
    about: Mapping[str, object],
    stream: TextStream,
    *,
    is_open: bool,
) -> None:
    if robots is not None and not args.quiet:
        tell_notes([robots], str(about["file"]))
    survey = survey_of(
        robots,
        is_open=is_open,
        crawlers=args.agent,
        purposes=args.purpose,
        with_unnamed=args.all,
    )
    about = {"site": args.site[0], "dialect": args.dialect, **about}
    stream.write_lines(_lines(args, survey, robots, about, stream))


def _lines(
    args: Namespace,
    survey: Survey,
    robots: RobotsTxt | None,
    about: Mapping[str, object],
    stream: TextStream,
) -> Iterator[str]:
    """Return the survey in the requested format."""
    if args.format == "json":
        return survey_object(survey, robots, about)
    if args.format == "csv":
        return survey_records(survey, is_terminal=stream.isatty())
    return survey_lines(
        survey,
        robots,
        Palette.of(stream),
        in_blocks=not args.agent,
        with_lines=args.lines,
        with_words=args.explain,
    )


OPTIONS = (
    option("site", nargs="*", type=file, metavar="SITE", help="a file, `-`, or a URL"),
    options.shared("--agent", more=options.REPEATED, unless="all that are known or named"),
    options.shared(
        "--purpose",
        choices=(*PURPOSES, UNLISTED),
        help="show only crawlers for these purposes; unlisted means unknown names"
        f"{options.REPEATED}: {', '.join((*PURPOSES, UNLISTED))}",
    ),
    switch("--all", help="also list known crawlers that no group names"),
    options.shared("--quiet"),
    options.shared("--dialect"),
    options.shared(
        "--format",
        choices=FORMATS,
        what="text for people, json for one object, csv for a table",
        unless=options.BY_NAME,
    ),
    options.shared("--output", what="where the report goes; `-` is stdout (default: -)"),
    switch("--lines", help="show the lines of the file, not only their numbers"),
    switch("--explain", help="explain in words what is open and what is closed"),
    options.shared("--cache", unless="none"),
    *options.NETWORK_OPTIONS,
)


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect, and set what depends on other options."""
    args.format = options.format_of(args, FORMATS)
    refuse_if(not args.site, "no site given", options.SITE_HINT)
    if len(args.site) > 1:
        why = f"one site at a time, and {quoted(args.site[1])} is a second"
        raise Failure(why, "pass one; `--agent` names crawlers")
    if args.agent and (args.purpose or args.all):
        other = "--purpose" if args.purpose else "--all"
        raise Failure(f"`--agent` and `{other}` cannot be combined", see_help("agents"))
    refuse_if(
        args.lines and args.format != "text",
        f"`--lines` is for text; `--format {args.format}` has the line numbers",
        "leave one of them out",
    )
    refuse_if(
        args.explain and args.format != "text",
        f"`--explain` is for text, and the format is {args.format}",
        "in Python, `verger.analysis.explain` gives the same as values",
    )
    tokens = [token_of("--agent", word, [args.dialect]) for word in args.agent]
    args.agent = [token for token in dict.fromkeys(tokens) if token != "*"]
    if not is_url(args.site[0]):
        options.expect_no_network(args)


# Where the file comes from


def _how_fetched(site: Site, now: float) -> Iterator[str]:
    if site.access.effect == "rules":
        first, *rest = provenance(site, now)
        yield first
    else:
        rest = list(explanation(site, now))
        yield f"{happened(site.last)} ({site.access.section})"
    for remark in rest:
        yield f"  = {remark}"
