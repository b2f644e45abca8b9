"""The output of `verger lint` and `verger fmt`: the work of each file, the formats, the checks.

In: the inputs, and what to do with each. Out: what was done, in order, with progress on stderr; the
formats by their names; what `--checks` and `--explain` show.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import partial
from inspect import cleandoc

from verger.cli.inputs import LintInput
from verger.cli.lint_formats.github import github_of_file
from verger.cli.lint_formats.lint_format import LintFormat
from verger.cli.lint_formats.lint_json import json_closing, json_of_file
from verger.cli.lint_formats.markdown import markdown_closing, markdown_of_file
from verger.cli.lint_formats.sarif import SARIF_OPENING, sarif_closing, sarif_of_file
from verger.cli.lint_formats.tally import LintTally
from verger.cli.lint_formats.text import HOW, statistics, text_of_file
from verger.cli.output import Failure, TextStream
from verger.cli.progress import Progress
from verger.errors import RobotsError
from verger.files.workers import each_of
from verger.lint import all_checks
from verger.lint.check import expect_known
from verger.objects.lint import LINT_SCHEMA


def tried(work: Callable[[LintInput], LintTally], each: LintInput) -> LintTally:
    """Return the result for a file; if it could not be read or written, with the failure."""
    try:
        return work(each)
    except RobotsError as error:
        return LintTally(failures={(error.message, error.hint or "name another file"): None})


SOON = 2.0
"""Seconds until the progress is shown."""


def done_with(
    args: Namespace,
    work: Callable[[LintInput], LintTally],
    inputs: Sequence[LintInput],
    stream: TextStream,
) -> Iterator[LintTally]:
    """Yield what is done with each file, in order, and tell its notes; show the progress."""
    # A bar would be mixed with findings on the same terminal.
    with closing(Progress(shown=not stream.isatty(), quiet=args.quiet, after=SOON)) as progress:
        for number, done in enumerate(each_of(partial(tried, work), inputs), start=1):
            yield done
            progress.note(*done.notes)
            progress.count(number, "files", share=number / len(inputs))


LINT_FORMATS = {
    "text": LintFormat(text_of_file, between="\n", fixes="together"),
    "json": LintFormat(
        json_of_file,
        f'{{"schema": "{LINT_SCHEMA}", "files": [\n',
        json_closing,
        ",\n",
        is_whole=True,
        fixes="one-by-one",
    ),
    "jsonl": LintFormat(lambda *of_file: f"{json_of_file(*of_file)}\n", fixes="one-by-one"),
    "sarif": LintFormat(
        sarif_of_file, SARIF_OPENING, sarif_closing, ",\n", is_whole=True, fixes="one-by-one"
    ),
    "github": LintFormat(github_of_file, fixes="together"),
    "markdown": LintFormat(
        markdown_of_file, "### verger lint\n\n", markdown_closing, "\n", fixes="together"
    ),
    "statistics": LintFormat(closing=statistics),
    "diff": LintFormat(),
}
"""`diff` and `statistics` are text, chosen by options of their own."""


# The checks


def checks_table() -> str:
    """Return a line for each check."""
    checks = all_checks().values()
    wide = max(len(each.name) for each in checks)
    head = f"{'code':<6} {'name':<{wide}} {'severity':<8} {'fix':<7}  finds\n"
    return head + "".join(
        f"{each.code:<6} {each.name:<{wide}} {each.severity:<8} {HOW[each.fix]:<7}  "
        f"{each.summary}\n"
        for each in checks
    )


def check_page(word: str) -> str:
    """Return the documentation of a check, by its code or name. Raises UnknownName, Failure."""
    known = expect_known(word)
    each = next((one for one in all_checks().values() if known in (one.code, one.name)), None)
    if each is None:
        raise Failure(f"`{known}` is the prefix of several codes", "pass a code, such as RT304")
    return (
        f"{each.code} {each.name}\n\n{cleandoc(each.doc)}\n\n"
        f"severity  {each.severity}\nfix       {HOW[each.fix] or 'none'}\nwhy       {each.why}\n"
    )
