"""Testing: every file with expectations, one after another.

In: the arguments of `verger test`. Out: a `Report`, written in the requested format. A file that
cannot be read does not stop the others.
"""

# Messages show paths as they were given; `pathlib` would change them.
# ruff: noqa: PTH112, PTH118, PTH120

import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from io import StringIO

from verger import DIALECTS, RobotsError, RobotsTxt
from verger.cli.exit import Failure
from verger.cli.files import read_named
from verger.cli.notes import tell_notes
from verger.cli.options import cache_files, expect_no_network
from verger.cli.streams import encode, tell
from verger.cli.testing.report import Report, TestedFile
from verger.expectations.expectation import ExpectationFile
from verger.expectations.folders import ENDING, files_below
from verger.expectations.judging import judge
from verger.expectations.reading import load
from verger.expectations.subject import Subject, subject_of
from verger.files.apart import expect_apart
from verger.files.places import STANDARD, is_url
from verger.files.reading import unreadable
from verger.plain import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, TextIO

    class Writer(Protocol):
        """Writes a report in one format."""

        def __call__(self, report: Report, stream: TextIO, /, *, verbose: bool) -> None:
            """Write the report."""
            ...


def run(args: Namespace) -> Report:
    """Test the named files, and write the report. Raises InvalidExpectations."""
    output = args.output or STANDARD
    paths = list(dict.fromkeys(_paths(args.files)))
    subjects = _Subjects(args, [load(path) for path in paths])
    if not subjects.are_fetched:
        expect_no_network(args)
    _expect_apart(args, output, [*paths, *subjects.paths])
    report = Report([_test(file, subjects) for file in subjects.files])
    _write(args, output, report)
    if not args.quiet:
        tell(closing(report))
    return report


def closing(report: Report) -> str:
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
        try:
            found = [os.fspath(path) for path in files_below(word)]
        except OSError as error:
            raise unreadable(word, error, what="folder") from None
        if not found:
            where = "here" if word == os.curdir else f"in `{word}`"
            hint = "name a file, or write one: `verger test --record --robots robots.txt`"
            raise Failure(f"no `*{ENDING}` files {where} or below", hint)
        yield from found


def _expect_apart(args: Namespace, output: str, paths: Sequence[str]) -> None:
    bundles = [args.ca_bundle] if args.ca_bundle else []
    expect_apart([output], inputs=[*paths, *bundles], stores=cache_files(args))


def _test(file: ExpectationFile, subjects: "_Subjects") -> TestedFile:
    try:
        subject = subjects.of(file)
    except (RobotsError, Failure) as error:
        if subjects.are_one:
            raise
        return TestedFile(file.name, subjects.named(file), error=(error.message, error.hint))
    outcomes = list(judge(file, subject, dialect=subjects.dialect))
    return TestedFile(file.name, subject.name, outcomes)


class _Subjects:
    """The robots.txt files that are tested, each read once, in all dialects that need it."""

    def __init__(self, args: Namespace, files: Sequence[ExpectationFile]) -> None:
        self.files = files
        self.dialect: str = args.dialect
        self.are_one = args.robots is not None
        self._args = args
        self._known: dict[str, Subject] = {}
        self._dialects: dict[str | None, dict[str, None]] = {}
        for file in files:
            usual = file.dialect or self.dialect
            names = (each.dialect or usual for each in file.expectations)
            self._dialects.setdefault(self.named(file), {}).update(dict.fromkeys(names))

    @property
    def paths(self) -> list[str]:
        """The paths of the robots.txt files."""
        return [name for name in self._dialects if name is not None and not is_url(name)]

    @property
    def are_fetched(self) -> bool:
        """Whether any robots.txt file is fetched."""
        return any(name is not None and is_url(name) for name in self._dialects)

    def named(self, file: ExpectationFile) -> str | None:
        """Return the path or URL of the robots.txt file that a file with expectations is about."""
        if self._args.robots:
            robots: str = self._args.robots
            return robots
        if file.robots is None or is_url(file.robots):
            return file.robots
        folder = os.path.dirname(file.name)
        if file.robots == STANDARD:  # a file of that name, not stdin
            folder = folder or os.curdir
        return os.path.join(folder, file.robots)

    def of(self, file: ExpectationFile) -> Subject:
        """Return the robots.txt file that a file with expectations is about."""
        robots = self.named(file)
        if robots is None:
            hint = 'pass `--robots FILE`, or write `robots = "robots.txt"` at its top'
            raise Failure(f"`{file.name}` names no robots.txt file", hint)
        known = self._known.get(robots)
        if known is None:
            dialects = list(self._dialects[robots])
            known = self._known[robots] = subject_for(self._args, robots, dialects)
            if not self._args.quiet:
                tell_of(known, dialects[0])
        return known


def subject_for(args: Namespace, robots: str, dialects: Sequence[str]) -> Subject:
    """Return the subject that a word names: a file, stdin or a site."""
    if robots == STANDARD:
        known = [DIALECTS[name] for name in dialects]
        return Subject.of_bytes(read_named(robots, known), name="stdin")
    if not is_url(robots):
        return subject_of(robots, dialects=dialects)
    from verger.cli.live import fetch_site

    entry = fetch_site(args, robots, dialects).entry
    return Subject.of_entry(entry, name=entry.last.url)


def tell_of(subject: Subject, dialect: str) -> None:
    """Report on stderr the problems of a file as a whole, or the result of fetching it."""
    read = subject.read(dialect)
    if isinstance(read, RobotsTxt):
        tell_notes([read], subject.name)
    elif subject.entry is not None:
        from verger.cli.outcome import happened

        tell(f"note: {happened(subject.entry.last)}")


def _write(args: Namespace, output: str, report: Report) -> None:
    write = _writer(args.format)
    if output == STANDARD:
        encode(sys.stdout, "utf-8" if args.format != "text" else None, "backslashreplace")
        write(report, sys.stdout, verbose=args.verbose)
        return
    from verger.files.writing import writing

    text = StringIO()
    write(report, text, verbose=args.verbose)
    with writing(output) as stream:
        stream.write(text.getvalue().encode("utf-8", "backslashreplace"))


def _writer(format: str) -> "Writer":
    """Return the writer of the format; other formats are not imported."""
    if format == "json":
        from verger.cli.testing.json_object import write_json

        return write_json
    if format == "junit":
        from verger.cli.testing.junit import write_junit

        return write_junit
    from verger.cli.testing.text import write_text

    return write_text
