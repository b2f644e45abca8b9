"""`verger minimise`: the same file with fewer rules and groups.

In: a robots.txt file. Out: the new file, and on stderr what was saved, with the proof that no URL
and no use changed for any crawler; or both as JSON.
"""

from argparse import Namespace

from verger import DIALECTS
from verger.analysis import minimise
from verger.cli import options
from verger.cli.commands.block import (
    EDIT_OPTIONS,
    check_edit,
    expect_own_output,
    finish,
    read_file,
)
from verger.cli.output import refuse_if, see_help

HELP = """\
usage: verger minimise (--robots FILE|URL|- | FILE)
                       [--output FILE|- | --in-place] [--dialect NAME]...
                       [--format text|json] [OPTION...]

Write a robots.txt file with fewer rules and groups that says the same.

Rules and groups that change no answer are left out, and groups that say the
same become one. Comments stay. verger proves for every known crawler that no
URL and no use changed in any dialect, or in those given, and reports it on
stderr.

exit code:
  0    the new file is written, and it is proved that nothing changed
  2    bad usage, or there is no file to read
  130  interrupted

examples:
  verger minimise --robots robots.txt --output smaller.txt
  verger minimise --robots robots.txt --in-place
"""

OPTIONS = (
    options.shared(
        "--dialect",
        action="append",
        default=[],
        help="a dialect in which no answer may change, and the first is how the file is read; "
        f"repeat the option for several: {', '.join(DIALECTS)} (default: all, read as rfc9309)",
    ),
    options.option(
        "paths", nargs="*", type=options.file, metavar="FILE", help="the same as --robots FILE"
    ),
    *EDIT_OPTIONS,
)


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    args.dialect, *others = args.dialect or ["rfc9309", *DIALECTS]
    options.take_robots(args, args.paths, bool)  # here, no word is a pattern
    check_edit(args, "minimise")
    refuse_if(args.paths, "one file at a time, and a second is given", see_help("minimise"))
    expect_own_output(args)
    robots = read_file(args)
    return finish(args, robots, minimise(robots, dialects=others))
