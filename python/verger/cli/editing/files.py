"""The file of a command that edits: read completely, and written completely or not at all.

In: the words of the command. Out: the parsed file, or a `Failure`; and the new file in its place.
"""

from argparse import Namespace
from pathlib import Path

from verger import DIALECTS, RobotsTxt, parse
from verger.analysis.whole import why_not_editable
from verger.cli import options
from verger.cli.exit import Failure, see_help
from verger.cli.grammar import Parser
from verger.errors import UnusableOutput
from verger.files.formats import expect_format
from verger.files.named import expect_size, read_whole
from verger.files.places import STANDARD, input_name, is_stream, is_url
from verger.files.standard import plain_on
from verger.files.writing import rewrite, writing
from verger.plain import printable, quoted

FORMATS = ("text", "json")


def add_options(grammar: Parser) -> None:
    """Add the options of all commands that edit a file."""
    options.add_robots(grammar)
    options.add_output(grammar, "where the new file goes; `-` is stdout (default: -)")
    grammar.add_switch(
        "--in-place",
        help="replace the old file with the new one when it is complete",
    )
    options.add_format(
        grammar,
        FORMATS,
        "text for the file, and its proof on stderr; json for one object with both",
    )
    options.add_quiet(grammar)
    options.add_dialect(grammar)
    options.add_network(grammar)


def check_usage(args: Namespace, command: str) -> None:
    """Refuse usage that argparse cannot detect."""
    if not args.robots:
        paths = getattr(args, "paths", ())
        name = next((word for word in paths if not word.startswith(("/", "*"))), "FILE")
        hint = f"pass one: `verger {command} --robots {printable(name)}`"
        raise Failure("no robots.txt file given", hint)
    if args.in_place and args.output is not None:
        raise Failure("pass `--output` or `--in-place`, not both", see_help(command))
    if args.in_place and (args.robots == STANDARD or _is_fetched(args)):
        raise Failure("`--in-place` is for files", "pass `--output FILE`")
    if args.output is not None:
        expect_format(args.output, "text", "a robots.txt file")
    if not _is_fetched(args):
        options.expect_no_network(args)


def expect_own_output(args: Namespace) -> None:
    """Refuse an output that is also an input."""
    outputs = [args.output or STANDARD]
    if args.format == "json" and outputs != [STANDARD]:
        outputs.append(STANDARD)
    try:
        options.expect_outputs_apart(args, outputs, [args.robots])
    except UnusableOutput as error:
        if not _is_own(args):
            raise
        raise Failure(error.message, "pass `--in-place` to replace the file") from None
    if args.in_place and is_stream(args.robots):
        raise Failure(f"{quoted(args.robots)} is not a regular file", "pass `--output FILE`")


def read(args: Namespace) -> RobotsTxt:
    """Return the file to edit; raise `Failure` if there is none."""
    dialect = DIALECTS[args.dialect]
    if _is_fetched(args):
        from verger.cli.live import fetch_file

        robots = fetch_file(args, args.robots, [args.dialect], "edit")
        expect_size(robots.body, args.robots)
    else:
        robots = parse(read_whole(args.robots), dialect=dialect)
    if (why := why_not_editable(robots)) is not None:
        hint = "pass a robots.txt file in UTF-8"
        raise Failure(f"`{_name(args)}` cannot be edited: {printable(why)}", hint)
    return robots


def write(args: Namespace, old: bytes, new: bytes) -> None:
    """Write the new file, in place of the old one if that is wanted."""
    if args.in_place:
        rewrite(args.robots, old, new)
        return
    with writing(args.output or STANDARD) as output:
        plain_on(output).write(new)


def is_written_apart(args: Namespace) -> bool:
    """Whether the new file goes elsewhere than to stdout."""
    return args.in_place or args.output not in (None, STANDARD)


def _is_own(args: Namespace) -> bool:
    """Whether the new file is to be written over the old one."""
    names = args.robots, args.output or STANDARD
    try:
        return STANDARD not in names and Path(args.robots).samefile(args.output)
    except OSError:  # one of them does not exist
        return False


def _is_fetched(args: Namespace) -> bool:
    return is_url(args.robots)


def _name(args: Namespace) -> str:
    return printable(input_name(args.robots))
