"""`verger fmt`: format robots.txt files in one style.

In: files, folders or stdin. Out: the files, formatted in place; with `--diff`, what would change.
A file that is not a robots.txt file is refused and unchanged.
"""

import sys
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from verger.cli import options
from verger.cli.exit import DISALLOWED, FAILED, FINE, refuse_if
from verger.cli.grammar import file, option, switch
from verger.cli.inputs import LintInput, inputs_of
from verger.cli.output import encode, tell, tell_failures
from verger.cli.patch import patch, shown_diff
from verger.errors import RobotsError
from verger.files.paths import STANDARD, is_url
from verger.files.same_file import expect_no_overwriting
from verger.files.stdio import plain_on
from verger.files.workers import each_of
from verger.files.writing import rewrite
from verger.lint.fmt import formatted, unparted, why_not_formatted
from verger.plain import counted, printable

HELP = """\
usage: verger fmt [--check] [--diff] [--quiet] [FILE|FOLDER|- ...]

Format robots.txt files in one style, without changing any decision.

Field names are written as in their specifications, with one space after the
colon and one blank line before each group. Comments and values do not change.
For a folder, formats all robots.txt files in it (default: those below the
current folder); stdin goes to stdout.

exit code:
  0    all files are now formatted; with --check or --diff, they already were
  1    with --check or --diff: at least one is not
  2    bad usage, or something cannot be read, formatted or written
  130  interrupted

examples:
  verger fmt robots.txt
  verger fmt --check
  verger fmt - < robots.txt > new.txt
"""


@dataclass(frozen=True, slots=True)
class Formatted:
    """The result for one file."""

    name: str = ""
    changes: bool = False
    text: str = ""
    """The changes as a diff, if requested."""
    body: bytes | None = None
    """The new file, if it goes to stdout."""
    failure: tuple[str, str | None] | None = None
    notes: tuple[str, ...] = ()
    """Where the format is left out, and why."""


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    inputs = inputs_of(args, args.files, "format")
    expect_no_overwriting([STANDARD], inputs=[each.path for each in inputs])
    encode(sys.stdout, None, "surrogateescape")
    changed = unchanged = 0
    failures: dict[tuple[str, str | None], None] = {}
    work = partial(_format, is_dry=args.check or args.diff, diff=args.diff)
    for done in each_of(work, inputs):
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
        sys.stdout.write(shown_diff(done.text, is_terminal=sys.stdout.isatty()))
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


OPTIONS = (
    option(
        "files", nargs="*", type=file, metavar="FILE", help="a file, a folder, or `-` for stdin"
    ),
    switch("--check", help="name the files that are not formatted, and write nothing"),
    switch("--diff", help="show what would change as a diff, and write nothing"),
    options.shared("--quiet"),
)


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    refuse_if(
        any(map(is_url, args.files)),
        "`verger fmt` is for files",
        "pass a robots.txt file, or `-` for stdin",
    )
    refuse_if(
        STANDARD in args.files and len(args.files) > 1,
        "stdin goes to stdout, which can hold nothing else",
        "pass `-` alone",
    )


def _format(each: LintInput, *, is_dry: bool, diff: bool) -> Formatted:
    """Format a file; a failure becomes a part of the result.

    is_dry:  whether to leave the file unchanged.
    """
    try:
        return _formatted(each, is_dry=is_dry, diff=diff)
    except RobotsError as error:
        return Formatted(failure=(error.message, error.hint or "name another file"))


def _formatted(each: LintInput, *, is_dry: bool, diff: bool) -> Formatted:
    body = each.read()
    if (why := why_not_formatted(body)) is not None:
        message = f"`{each.name}` cannot be formatted: {printable(why)}"
        return Formatted(failure=(message, "pass a robots.txt file in UTF-8"))
    new = formatted(body)
    done = Formatted(each.name, new != body, notes=tuple(_notes(each.name, body)))
    if diff:
        return replace(done, text=patch(each.name, body, new))
    if is_dry:
        return done
    if each.path == STANDARD:
        return replace(done, body=new)
    rewrite(each.path, body, new)
    return done


def _notes(name: str, body: bytes) -> Iterator[str]:
    """Yield where no blank line is written before a start-group line, and why."""
    for number, dialect in unparted(body).items():
        yield f"{name}:{number}: no blank line is added above: in {dialect}, it would end the group"
