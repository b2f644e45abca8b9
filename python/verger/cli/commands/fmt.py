"""`verger fmt`: format robots.txt files in one style.

In: files, folders or stdin. Out: the files, formatted in place; with `--diff`, what would change.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence

from verger.cli.exit import DISALLOWED, FAILED, FINE, Failure
from verger.cli.grammar import Parser
from verger.cli.linting.formatting import Formatted, Formatter
from verger.cli.linting.inputs import inputs_of
from verger.cli.linting.patch import shown_diff
from verger.cli.options import add_quiet
from verger.cli.streams import encode, tell, tell_failures
from verger.files.many import each_of
from verger.files.overwriting import expect_no_overwriting
from verger.files.places import STANDARD, is_url
from verger.files.standard import plain_on
from verger.plain import counted

USAGE = "verger fmt [--check] [--diff] [--quiet] [FILE|FOLDER|- ...]"

DESCRIPTION = """\
Format robots.txt files in one style, without changing any decision.

Field names are written as in their specifications, with one space after the
colon and one blank line before each group. Comments and values do not change.
For a folder, formats all robots.txt files in it (default: those below the
current folder); stdin goes to stdout."""

EXITS = """\
0    all files are now formatted; with --check or --diff, they already were
1    with --check or --diff: at least one is not
2    bad usage, or something cannot be read, formatted or written"""

EXAMPLES = """\
verger fmt robots.txt
verger fmt --check
verger fmt - < robots.txt > new.txt"""


def run(words: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    args = parser().read(words)
    _check_usage(args)
    inputs = inputs_of(args, args.files, "format")
    expect_no_overwriting([STANDARD], inputs=[each.path for each in inputs])
    encode(sys.stdout, None, "surrogateescape")
    changed = unchanged = 0
    failures: dict[tuple[str, str | None], None] = {}
    for done in each_of(Formatter(is_dry=args.check or args.diff, diff=args.diff), inputs):
        if done.failure is not None:
            failures.setdefault(done.failure)
            continue
        changed, unchanged = changed + done.changes, unchanged + (not done.changes)
        _write(args, done)
        if done.notes and not args.quiet:
            tell("\n".join(done.notes))
    _close(args, changed, unchanged, failures)
    if failures:
        return FAILED
    return DISALLOWED if changed and (args.check or args.diff) else FINE


def _write(args: Namespace, done: Formatted) -> None:
    if done.body is not None:
        sys.stdout.flush()
        plain_on(sys.stdout.buffer).write(done.body)
    elif args.diff:
        sys.stdout.write(shown_diff(done.text, sys.stdout))
    elif args.check and done.changes:
        print(f"{done.name} is not formatted")


def _close(
    args: Namespace, changed: int, unchanged: int, failures: dict[tuple[str, str | None], None]
) -> None:
    tell_failures(failures)
    if args.quiet or not changed + unchanged:
        return
    word = "to format" if args.check or args.diff else "formatted"
    tell(f"{counted(changed, 'file')} {word}, {unchanged:,} unchanged")


def parser() -> Parser:
    """Return the grammar of the command."""
    grammar = Parser("verger fmt", USAGE, DESCRIPTION, EXITS, EXAMPLES)
    grammar.add_files("files", "FILE", help="a file, a folder, or `-` for stdin")
    grammar.add_switch("--check", help="name the files that are not formatted, and write nothing")
    grammar.add_switch("--diff", help="show what would change as a diff, and write nothing")
    add_quiet(grammar)
    return grammar


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    if any(map(is_url, args.files)):
        raise Failure("`verger fmt` is for files", "pass a robots.txt file, or `-` for stdin")
    if STANDARD in args.files and len(args.files) > 1:
        raise Failure("stdin goes to stdout, which can hold nothing else", "pass `-` alone")
