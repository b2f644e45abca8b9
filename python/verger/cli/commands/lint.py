"""`verger lint`: which mistakes are in these robots.txt files?

In: files, folders, URLs or stdin. Out: the findings, on stdout or in a file, as text or for
machines; with `--fix`, the fixed files.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from verger.cli import options
from verger.cli.exit import FINE, Failure, see_help
from verger.cli.grammar import Parser
from verger.cli.linting.inputs import LintInput, inputs_of
from verger.cli.linting.one_file import Linter, Task
from verger.cli.linting.tally import LintTally
from verger.cli.linting.writers import FORMATS, WRITERS
from verger.cli.palette import Palette
from verger.cli.streams import fail_with, tell, tell_failures
from verger.cli.writers import open_output
from verger.files.many import each_of
from verger.files.places import STANDARD, is_url
from verger.files.standard import plain_on
from verger.lint import SEVERITIES, Settings, read_settings
from verger.lint.settings import files_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.writers import Writer
    from verger.cli.writers import TextStream
    from verger.lint.modes import Mode

OF_RUNS = ("select", "ignore", "target", "config", "guard", "fix", "unsafe_fixes", "output")
"""Options that have no effect with `--list` and `--about`."""

USAGE = """verger lint [--select CHECK,...] [--ignore CHECK,...] [--target NAME,...]
                   [--fix [--unsafe-fixes] | --diff | --guard] [--format FORMAT]
                   [OPTION...] [FILE|FOLDER|URL|- ...]
       verger lint --list | --about CHECK"""

DESCRIPTION = """\
Which mistakes are in these robots.txt files?

Each finding has the line, the reason why it matters and, if possible, a URL
that shows it and a fix. For a folder, reads all robots.txt files in it
(default: those below the current folder); for a URL, fetches the robots.txt
file of its origin."""

EXITS = """\
0    no findings at or above --fail-on; with --diff, no fix to make
1    findings; with --diff, fixes to make
2    bad usage, or something cannot be read or written"""

EXAMPLES = """\
verger lint robots.txt
verger lint --fix robots.txt
verger lint --guard https://example.com
verger lint --format sarif --output lint.sarif
verger lint --about RT207"""


def run(words: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    args = parser().read(words)
    _check_usage(args)
    if args.list or args.about:
        from verger.cli.linting import checks

        sys.stdout.write(checks.table() if args.list else checks.page(args.about))
        return FINE
    task = _task(args)
    inputs = inputs_of(args, args.files, "lint")
    _expect_no_overwriting(args, inputs)
    with open_output(args.output, WRITERS[task.writer]) as stream:
        tally = _lint(task, inputs, stream)
    return _close(args, tally)


def _lint(task: Task, inputs: Sequence[LintInput], stream: "TextStream") -> LintTally:
    """Write the findings of each input, in order."""
    form = WRITERS[task.writer]
    writer: Writer = form.load()(coloured=task.coloured)
    tally = LintTally()
    opening, has_begun = writer.opening(), False
    for result in each_of(Linter(task), inputs):
        tally.add(result)
        if result.body is not None:
            sys.stdout.flush()
            plain_on(sys.stdout.buffer).write(result.body)
        elif result.text:
            stream.write(writer.between if has_begun else opening)
            stream.write(_shown(result.text, task, stream))
            has_begun = True
    if not (tally.files or writer.is_whole):
        fail_with(tally.failures)
    stream.write("" if has_begun else opening)
    stream.write(writer.closing(tally))
    return tally


def _shown(text: str, task: Task, stream: "TextStream") -> str:
    if task.writer != "diff":
        return text
    from verger.cli.linting.patch import shown_diff

    return shown_diff(text, stream)


def _close(args: Namespace, tally: LintTally) -> int:
    """Report the totals over all files, and return the exit code."""
    tell_failures(tally.failures)
    if tally.files and not args.quiet:
        say = tally.fixable_in if args.diff else tally.fixed if args.fix else tally.found
        tell(say())
    return tally.code(args.fail_on)


def parser() -> Parser:
    """Return the grammar of the command."""
    grammar = Parser("verger lint", USAGE, DESCRIPTION, EXITS, EXAMPLES)
    grammar.add_files("files", "FILE", help="a file, a folder, a URL, or `-` for stdin")
    _add_choice(grammar)
    _add_fixing(grammar)
    _add_output(grammar)
    options.add_network(grammar)
    return grammar


def _add_choice(grammar: Parser) -> None:
    """Add the options that choose which findings count."""
    for name, what in (("select", "run only these checks"), ("ignore", "skip these checks")):
        grammar.add_argument(
            f"--{name}",
            action="append",
            metavar="CHECK,...",
            help=f"{what}: codes, prefixes of codes, or names, such as RT3 or shadowed-rule",
        )
    grammar.add_argument(
        "--target",
        action="append",
        metavar="NAME,...",
        help="the dialects that matter (default: rfc9309,google,bing,yandex)",
    )
    grammar.add_file(
        "--config",
        "FILE",
        help="the settings: a verger.toml or pyproject.toml file (default: the nearest above "
        "each file)",
    )
    grammar.add_choice(
        "--fail-on",
        "SEVERITY",
        SEVERITIES,
        default="warning",
        help="exit with 1 for findings of this severity or above: error, warning or note "
        "(default: warning)",
    )
    grammar.add_switch(
        "--guard",
        help="report only what stops a deployment: a site that is closed to search engines, "
        "or a file that is not a robots.txt file",
    )


def _add_fixing(grammar: Parser) -> None:
    grammar.add_switch(
        "--fix",
        help="apply all safe fixes, which change no decision, to the files; stdin goes to stdout",
    )
    grammar.add_switch(
        "--unsafe-fixes",
        help="with --fix or --diff: also make fixes that change decisions",
    )
    grammar.add_switch(
        "--diff",
        help="show what --fix would write as a diff, and write nothing",
    )


def _add_output(grammar: Parser) -> None:
    what = "text for people, json for one object, sarif, github for annotations, or markdown"
    options.add_format(grammar, FORMATS, what, None)
    options.add_output(grammar, "where the findings go; `-` is stdout (default: -)")
    grammar.add_switch(
        "--statistics",
        help="show how often each check fired instead of the findings",
    )
    grammar.add_switch("--list", help="list all checks")
    grammar.add_argument("--about", metavar="CHECK", help="explain a check, by code or name")
    options.add_quiet(grammar)


# Usage


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    args.format = options.format_of(args, FORMATS)
    _expect_one_of(args, "list", "about", "statistics", "diff")
    for option in OF_RUNS:
        _expect_one_of(args, "list", option)
        _expect_one_of(args, "about", option)
    for option in ("select", "ignore", "fix", "diff"):
        _expect_one_of(args, "guard", option)
    _expect_one_of(args, "fix", "diff")
    if args.unsafe_fixes and not (args.fix or args.diff):
        raise Failure("`--unsafe-fixes` is for `--fix` and `--diff`", "pass one of them as well")
    for option in ("statistics", "diff", "list", "about"):
        if getattr(args, option) and args.format != "text":
            why = f"`--{option}` is text, and the format is {args.format}"
            raise Failure(why, "leave one of them out")
    if (args.list or args.about) and args.files:
        option = "--list" if args.list else "--about"
        raise Failure(f"`{option}` reads no files", "leave one of them out")
    if not any(map(is_url, args.files)):
        options.expect_no_network(args)
    if args.fix:
        _expect_fixable(args)


def _expect_one_of(args: Namespace, *names: str) -> None:
    """Refuse options that exclude each other."""
    given = [f"`--{name.replace('_', '-')}`" for name in names if getattr(args, name)]
    if len(given) > 1:
        raise Failure(f"{given[0]} and {given[1]} cannot be combined", see_help("lint"))


def _expect_fixable(args: Namespace) -> None:
    if any(map(is_url, args.files)):
        raise Failure("`--fix` is for files", "pass `--diff` to see what it would write")
    if STANDARD in args.files and (len(args.files) > 1 or args.format != "text" or args.output):
        why = "with `--fix`, stdin goes to stdout, which can hold nothing else"
        raise Failure(why, "name files, or pass `-` alone")


def _task(args: Namespace) -> Task:
    config = None
    if args.config:
        config = read_settings(args.config)
        if config is None:
            table = "tool.verger.lint" if args.config.endswith("pyproject.toml") else "lint"
            raise Failure(f"`{args.config}` has no table `{table}`", "add it, or name another file")
    chosen = {
        "select": _words(args.select),
        "ignore": _words(args.ignore),
        "targets": _words(args.target),
    }
    Settings().updated(**chosen)  # wrong names are refused before anything is read
    is_to_stdout = args.output in (None, STANDARD)
    return Task(
        next((name for name in ("diff", "statistics") if getattr(args, name)), args.format),
        _mode(args),
        **chosen,
        config=config,
        coloured=is_to_stdout and Palette.of(sys.stdout).is_coloured,
    )


def _mode(args: Namespace) -> "Mode":
    if args.guard:
        return "guard"
    if args.fix or args.diff:
        return "fix-unsafe" if args.unsafe_fixes else "fix"
    return "lint"


def _words(values: Sequence[str] | None) -> tuple[str, ...]:
    """Return the words of comma-separated lists."""
    return tuple(word.strip() for value in values or () for word in value.split(","))


def _expect_no_overwriting(args: Namespace, inputs: Sequence[LintInput]) -> None:
    """Refuse an output that is also an input, or a configuration file of one."""
    read = [each.path for each in inputs]
    folders = {str(Path(path).parent): path for path in read if not is_url(path)}
    settings = [args.config] if args.config else chain(*map(files_above, folders.values()))
    options.expect_outputs_apart(args, [args.output or STANDARD], [*read, *settings])
