"""`verger compare`: where do the dialects answer one file differently?

In: a robots.txt file from disk, from a site, or from git. Out: on stdout or in a file, for each
other dialect, the crawlers and URLs for which its answers differ, each with a URL that proves it
and the deciding lines, as text or JSON; a closing line on stderr.
"""

from argparse import Namespace
from collections.abc import Sequence

from verger import DIALECTS
from verger.analysis import DialectDiff, compare
from verger.cli import options
from verger.cli.commands.diff_output import (
    Between,
    compare_lines,
    summary_line,
)
from verger.cli.notes import notes_on
from verger.cli.output import DISALLOWED, FINE, TextStream, note, refuse_if
from verger.cli.tokens import tokens_named
from verger.cli.versions import FoundFile, expect_separate_output, read_version
from verger.crawlers.binding import dialect_for
from verger.files.json_text import json_text
from verger.objects.diff import about_file, compare_object
from verger.showing.palette import Palette

FORMATS = ("text", "json")

VERBS = ("disallows", "allows")

HELP = """\
usage: verger compare FILE [--agent TOKEN]... [--purpose NAME]...
                      [--dialect NAME] [--with NAME]... [--format text|json]
                      [--output FILE|-] [OPTION...]

Where do the dialects answer one file differently?

FILE is a robots.txt file, `-` for stdin, a version in git such as
`HEAD~1:robots.txt`, a site in a snapshot such as `june.warc.gz::example.com`,
or a URL: then the robots.txt file of its origin is fetched. Differences are
proved for all URLs, not found by trying some.

exit code:
  0    the dialects give the same answers to all crawlers
  1    an answer differs, or a difference could not be ruled out
  2    bad usage, or the file cannot be read
  130  interrupted

examples:
  verger compare robots.txt
  verger compare robots.txt --with google --with yandex \\
                 --agent Googlebot
  verger compare https://example.com --dialect google --with googlebot-cpp
"""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    expect_separate_output(args, args.file)
    with TextStream(args.output, args.format) as stream:
        version = read_version(args, args.file[0], [args.dialect, *args.others])
        found = _compare(args, version, stream)
    note(args, *(f"{each.dialect.name}: {summary_line(each, 'differ')}" for each in found))
    return DISALLOWED if any(each.changes_answers for each in found) else FINE


def _compare(args: Namespace, version: FoundFile, stream: TextStream) -> Sequence[DialectDiff]:
    """Write how the dialects read a file."""
    first = version.read(args.dialect)
    others = [dialect_for(name) for name in args.others]
    found = compare(first, others, crawlers=args.agent)
    note(args, *notes_on([first, *(each.robots for each in found)], version.name))
    palette = Palette.of(stream)
    readings = [
        Between(
            first,
            each.robots,
            each,
            palette,
            args.verbose,
            labels=(args.dialect, each.dialect.name),
            verbs=VERBS,
        )
        for each in found
    ]
    if args.format == "json":
        about = {**about_file(version.name, version.site), "dialect": args.dialect}
        named = ((each.dialect.name, each) for each in found)
        lines = iter([json_text(compare_object(named, about))])
    else:
        lines = compare_lines(readings)
    stream.write_lines(lines)
    return found


OPTIONS = (
    options.option(
        "file",
        nargs="*",
        type=options.file,
        metavar="FILE",
        help="a file, `-`, REVISION:PATH in git, SNAPSHOT::HOST, or a URL",
    ),
    options.shared("--robots", more=", in place of FILE"),
    *options.CRAWLERS,
    options.option(
        "--with",
        action="append",
        default=[],
        metavar="DIALECT",
        choices=(*DIALECTS, "all"),
        type=options.dialect_name,
        dest="others",
        help=f"the dialects to compare with it, or all{options.REPEATED} (default: all others)",
    ),
    options.shared(
        "--format",
        choices=FORMATS,
        what="text for people, json for programs",
    ),
    options.shared("--output", what="where the comparison goes; `-` is stdout (default: -)"),
    options.shared("--verbose", what="show every region and every crawler, however many"),
    options.shared("--quiet"),
    options.shared("--cache", unless="none"),
    *options.NETWORK_OPTIONS,
)


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect, and set what depends on other options."""
    args.file += [args.robots] if args.robots else []
    args.format = options.format_of(args, FORMATS)
    options.expect_verbose_fits(args, "text")
    options.expect_one(
        args.file,
        ("no file given", options.SITE_HINT),
        (
            "one file is read in several dialects, and {} is a second",
            "`verger diff OLD NEW` compares two files",
        ),
    )
    refuse_if(
        args.others == [args.dialect],
        f"`{args.dialect}` is compared with itself",
        "name another with `--with`",
    )
    is_all = not args.others or "all" in args.others
    names = DIALECTS if is_all else dict.fromkeys(args.others)
    args.others = [name for name in names if name != args.dialect]
    args.agent = tokens_named(args, (args.dialect, *args.others))
    options.expect_network_use(args, args.file)
