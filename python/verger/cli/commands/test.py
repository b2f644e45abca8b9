"""`verger test`: do robots.txt files say what is expected of them?

In: files with expectations; or with `--record`, a robots.txt file, crawlers and URLs. Out: which
expectations do not hold and why, as text, JSON or JUnit XML; or with `--record`, expectations that
hold today.
"""

from argparse import Namespace
from collections.abc import Sequence

from verger.cli import options
from verger.cli.exit import DISALLOWED, FAILED, FINE, Failure
from verger.cli.grammar import Parser
from verger.files.places import STANDARD, is_url

FORMATS = ("text", "json", "junit")
"""The formats of results; recorded expectations are TOML."""

USAGE = """verger test [FILE...] [--robots FILE|URL|-] [--dialect NAME]
                   [--format text|json|junit] [--output FILE|-] [OPTION...]
       verger test --record --robots FILE|URL|- [--agent TOKEN...]
                   [--purpose NAME...] [--dialect NAME] [--output FILE|-]
                   [URL... | -]"""

DESCRIPTION = """\
Do robots.txt files say what is expected of them?

Expectations are TOML: FILE is a TOML file, or a folder to search for
`*.robots.toml` files; by default the current folder.

With --record, writes what a robots.txt file says today as expectations: for the
given crawlers and URLs; by default for every crawler that the file names, with
a URL for each rule that decides at least one. `-` reads URLs from stdin."""

EXITS = """\
0    all expectations hold
1    at least one does not
2    bad usage, or something cannot be read"""

EXAMPLES = """\
verger test
verger test shop.robots.toml --robots https://staging.example.com
verger test --format junit --output results.xml
verger test --record --robots robots.txt --output shop.robots.toml"""


def run(words: Sequence[str]) -> int:
    """Test or record, and return the exit code."""
    args = parser().read(words)
    if args.record:
        from verger.cli.testing.recording import run as record

        return record(args)
    _check_usage(args)
    from verger.cli.testing.running import run as test

    report = test(args)
    if report.errors:
        return FAILED
    return DISALLOWED if report.failed else FINE


def parser() -> Parser:
    """Return the grammar of the command."""
    several = ("--agent", "--purpose")
    grammar = Parser("verger test", USAGE, DESCRIPTION, EXITS, EXAMPLES, many=several)
    what = "files with expectations, or folders that have them; with --record, URLs"
    grammar.add_files("files", "FILE|URL", help=what)
    options.add_robots(grammar, " to test, whatever the files with expectations name")
    grammar.add_switch("--record", help="write what the robots.txt file says today")
    options.add_agent(grammar, "with --record, all that the file names, and `*`", options.SEVERAL)
    options.add_purpose(grammar, f"with --record, {options.PURPOSE}")
    options.add_dialect(grammar)
    what = "text for people, json for programs, junit for CI servers"
    options.add_format(grammar, FORMATS, what, None)
    options.add_output(grammar, "where to write, `-` for stdout (default)")
    options.add_verbose(grammar, "also list the expectations that hold")
    options.add_quiet(grammar)
    options.add_network(grammar, cache="none")
    return grammar


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    args.format = options.format_of(args, FORMATS)
    options.expect_verbose_fits(args, "text")
    for option, values in (("--agent", args.agent), ("--purpose", args.purpose)):
        if values:
            why = f"`{option}` says what to record; expectations name their crawlers themselves"
            raise Failure(why, "pass `--record` as well, or leave it out")
    for word in args.files:
        if word == STANDARD:
            raise Failure("expectations are not read from stdin", "name a file or a folder")
        if is_url(word):
            hint = f"to test that site, pass `--robots {word}`; to record it, `--record` as well"
            raise Failure(f"`{word}` is not a file with expectations", hint)
    if args.robots and not is_url(args.robots):
        options.expect_no_network(args)
