"""`verger fmt`: format robots.txt files in one style.

In: files, folders or stdin. Out: the files, formatted in place; with `--diff`, what would change.
A file that is not a robots.txt file is refused and unchanged.
"""

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from functools import partial

from verger.cli import options
from verger.cli.commands.lint_output import done_with
from verger.cli.inputs import LintInput, inputs_of
from verger.cli.lint_formats.tally import LintTally
from verger.cli.output import (
    FINE,
    Failure,
    TextStream,
    note,
    refuse_first,
    tell_failures,
    write_bytes,
)
from verger.cli.patch import patch, shown_diff
from verger.files.paths import STANDARD, is_url
from verger.files.same_file import expect_no_overwriting
from verger.files.writing import rewrite
from verger.lint.fmt import formatted, unparted, why_not_formatted
from verger.untrusted_text import counted, printable

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


OPTIONS = (
    options.option(
        "files",
        nargs="*",
        type=options.file,
        metavar="FILE",
        help="a file, a folder, or `-` for stdin",
    ),
    options.switch("--check", help="name the files that are not formatted, and write nothing"),
    options.switch("--diff", help="show what would change as a diff, and write nothing"),
    options.shared("--quiet"),
)


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    inputs = inputs_of(args, args.files, "format")
    expect_no_overwriting([STANDARD], inputs=[each.path for each in inputs])
    is_dry, tally = args.check or args.diff, LintTally()
    with TextStream(None, "diff" if args.diff else "text") as stream:
        work = partial(_format, is_dry=is_dry, diff=args.diff)
        for done in done_with(args, work, inputs, stream):
            tally.add(done)
            stream.write(shown_diff(done.text, is_terminal=stream.isatty()))
            write_bytes(done.body or b"")
    tell_failures(tally.failures)
    changed = tally.counts["changed"]
    if tally.files:
        word = "to format" if is_dry else "formatted"
        kept = "" if is_dry or not changed else "; 0 URLs and 0 uses changed"
        note(args, f"{counted(changed, 'file')} {word}, {tally.files - changed:,} unchanged{kept}")
    return tally.code("error") if is_dry or tally.failures else FINE


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    refuse_first(
        (
            any(map(is_url, args.files)),
            "`verger fmt` is for files",
            "pass a robots.txt file, or `-` for stdin",
        ),
        (
            STANDARD in args.files and len(args.files) > 1,
            "stdin goes to stdout, which can hold nothing else",
            "pass `-` alone",
        ),
    )


def _format(each: LintInput, *, is_dry: bool, diff: bool) -> LintTally:
    """Format a file.

    is_dry:  whether to leave the file unchanged.
    """
    body = each.read()
    if (found := why_not_formatted(body)) is not None:
        why, hint = found
        raise Failure(f"`{each.name}` cannot be formatted: {printable(why)}", hint)
    new = formatted(body)
    done = LintTally(files=1, counts=Counter(changed=new != body))
    done.notes = tuple(_notes(each.name, body))
    if diff:
        done.text = patch(each.name, body, new)
    elif is_dry:
        done.text = "" if new == body else f"{each.name} is not formatted\n"
    elif each.path == STANDARD:
        done.body = new
    else:
        rewrite(each.path, body, new)
    return done


def _notes(name: str, body: bytes) -> Iterator[str]:
    """Yield where no blank line is written before a start-group line, and why."""
    for number, dialect in unparted(body).items():
        yield f"{name}:{number}: no blank line is added above: in {dialect}, it would end the group"
