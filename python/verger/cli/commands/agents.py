"""`verger agents`: who may do what on one site, crawler by crawler, by purpose.

In: a robots.txt file, or the URL of a site. Out: on stdout or in a file, what the site says to
crawlers that no group names, to known crawlers, and to every name in its file, as text, JSON or
CSV; notes on stderr. The JSON object follows `schemas/agents-1.schema.json`, in ASCII. Without a
site, `--all` lists the registry.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from time import time

from verger import Dialect, RobotsTxt, parse
from verger.access.words import because, explanation, provenance
from verger.cli import options
from verger.cli.commands.agents_output import (
    COLUMNS,
    CRAWLERS_SCHEMA,
    csv_lines,
    fields_of,
    joined,
    registry_lines,
    survey_lines,
)
from verger.cli.live import fetch_site
from verger.cli.notes import notes_on
from verger.cli.output import (
    FINE,
    TextStream,
    note,
    refuse_first,
    see_help,
)
from verger.cli.tokens import token_of
from verger.client import Site
from verger.crawlers import PURPOSES, survey_of
from verger.crawlers.binding import OWN, dialect_for
from verger.crawlers.survey import (
    UNLISTED,
    Survey,
)
from verger.files.json_text import json_text
from verger.files.paths import STANDARD, input_name, is_url
from verger.files.robots_file import read_named
from verger.objects.agents import UseCell, survey_object, surveyed
from verger.showing.excerpt import words_of
from verger.showing.palette import Palette

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
    site, access = args.site[0], None
    dialect, own = dialect_for(args.dialect), args.dialect.startswith(OWN)
    if is_url(site):
        found, now = fetch_site(args, site, [dialect]), time()
        if args.format == "text":
            stream.write_lines((*_how_fetched(found, now), ""))
        robots, access = found.robots, found.access
        about: dict[str, object] = {"file": robots and found.last.url, "access": found.facts(now)}
    else:
        robots, about = _read(site, dialect), {"file": input_name(site)}
    if robots is not None:
        about_use = (
            [f"note: {each}" for each in map(words_of, robots._unread_of_use())] if args.use else []
        )
        note(args, *notes_on([robots], str(about["file"])), *about_use)
    survey, uses = surveyed(
        robots,
        access,
        crawlers=args.agent,
        purposes=args.purpose,
        with_unnamed=args.all,
        use=args.use,
        own=own,
    )
    about = {"site": site, "dialect": args.dialect, **about}
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
        rows = ((*fields_of(each), *uses.get(each.token, ())) for each in everyone)
        return csv_lines((header, *rows), stream)
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
    records = ([joined(value) for value in each.values()] for each in facts)
    return csv_lines(([*facts[0]], *records), stream)


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
