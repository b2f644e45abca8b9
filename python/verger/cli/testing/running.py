"""Testing: every file with expectations, one after another.

In: the arguments of `verger test`. Out: a `SuiteReport`, written in the requested format. A file
that cannot be read does not stop the others.
"""

# Messages show paths as they were given; `pathlib` would change them.
# ruff: noqa: PTH112

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from functools import partial

from verger import DIALECTS, RobotsTxt
from verger.cli.exit import Failure
from verger.cli.notes import tell_notes
from verger.cli.options import expect_no_network, expect_outputs_apart
from verger.cli.streams import fail_with, tell
from verger.cli.writers import WriterFormat, open_output
from verger.expectations.folders import ENDING, files_below
from verger.expectations.subject import Subject, subject_of
from verger.expectations.suite import Suite, SuiteReport
from verger.files.named import read_named
from verger.files.places import STANDARD, input_name, is_url
from verger.plain import counted

_HERE = __name__.rpartition(".")[0]

WRITERS = {
    "text": WriterFormat(f"{_HERE}.text", "write_text"),
    "verbose": WriterFormat(f"{_HERE}.text", "write_all"),
    "json": WriterFormat(f"{_HERE}.json_object", "write_json", "utf-8"),
    "junit": WriterFormat(f"{_HERE}.junit", "write_junit", "utf-8"),
}
"""`verbose` is text with the expectations that hold."""


def run(args: Namespace) -> SuiteReport:
    """Test the named files, and write the report."""
    output = args.output or STANDARD
    paths = list(dict.fromkeys(_paths(args.files)))
    suite = Suite(paths, robots=args.robots, dialect=args.dialect, option="--robots FILE")
    if args.format == "text" and len(suite.unread) == len(paths):
        fail_with(suite.unread)
    on_disk = [robots for robots in suite.robots if not is_url(robots)]
    if not suite.unread and len(on_disk) == len(suite.robots):
        expect_no_network(args)
    expect_outputs_apart(args, [output], [*paths, *on_disk])
    report = suite.judge(partial(_told_subject, args))
    form = WRITERS["verbose" if args.verbose else args.format]
    with open_output(output, form) as stream:
        form.load()(report, stream)
    if not args.quiet:
        tell(closing(report))
    return report


def closing(report: SuiteReport) -> str:
    """Return the closing line."""
    count = report.passed + report.failed
    hold = "holds" if 1 in (report.passed, count) else "hold"
    parts = [f"{report.passed:,} of {counted(count, 'expectation')} {hold}"]
    if report.errors:
        parts.append(f"{report.errors:,} cannot be tested")
    return "; ".join(parts)


def _paths(words: Sequence[str]) -> Iterator[str]:
    """Yield the paths of files with expectations; for a folder, all files below it."""
    for word in words or [os.curdir]:
        if not os.path.isdir(word):
            yield word
            continue
        found = [os.fspath(path) for path in files_below(word)]
        if not found:
            where = "here" if word == os.curdir else f"in `{word}`"
            record = f"verger test --record --robots robots.txt --output site{ENDING}"
            hint = f"name a file, or write one: `{record}`"
            raise Failure(f"no `*{ENDING}` files {where} or below", hint)
        yield from found


def _told_subject(args: Namespace, robots: str, dialects: Sequence[str]) -> Subject:
    subject = subject_for(args, robots, dialects)
    tell_of(args, subject, dialects[0])
    return subject


def subject_for(args: Namespace, robots: str, dialects: Sequence[str]) -> Subject:
    """Return the subject that a word names."""
    if robots == STANDARD:
        known = [DIALECTS[name] for name in dialects]
        return Subject.of_bytes(read_named(robots, known), name=input_name(robots))
    if not is_url(robots):
        return subject_of(robots, dialects=dialects)
    from verger.cli.live import fetch_site

    entry = fetch_site(args, robots, dialects).entry
    return Subject.of_entry(entry, name=entry.last.url)


def tell_of(args: Namespace, subject: Subject, dialect: str) -> None:
    """Report on stderr the problems of a file as a whole, or the result of fetching it."""
    if args.quiet:
        return
    read = subject.read(dialect)
    if isinstance(read, RobotsTxt):
        tell_notes([read], subject.name)
    elif subject.entry is not None:
        tell(f"note: {subject.describe_fetch()}")
