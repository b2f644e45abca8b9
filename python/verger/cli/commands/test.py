"""`verger test`: do robots.txt files say what is expected of them?

In: files with expectations; or with `--record`, a robots.txt file, crawlers and URLs. Out: which
expectations do not hold and why, as text, JSON or JUnit XML; or with `--record`, expectations that
hold today, as TOML. A file that cannot be read does not stop the others.
"""

# ruff: noqa: PTH112

import os
import re
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias

from verger import RobotsTxt, parse
from verger.access.answer import Unanswered
from verger.analysis import Outcome, Refused
from verger.cli import options
from verger.cli.commands.block import edit_lines
from verger.cli.commands.test_output import json_lines, junit_lines, summary_line, text_lines
from verger.cli.live import fetch_site
from verger.cli.notes import MOST_NOTED, notes_on
from verger.cli.output import (
    DISALLOWED,
    FAILED,
    FINE,
    Failure,
    TextStream,
    fail_with,
    note,
    plain_lines,
    refuse_first,
    refuse_if,
    see_help,
    tell_failures,
)
from verger.cli.patch import patch, shown_diff
from verger.cli.tokens import tokens_for, tokens_of
from verger.cli.urls import Urls
from verger.crawlers.binding import dialect_for
from verger.expectations.fixing import fix
from verger.expectations.judging import Suite, SuiteReport
from verger.expectations.reading import ENDING, files_below
from verger.expectations.recording import name_below, record, text_of, toml_of
from verger.expectations.stances import STANCES, stance
from verger.expectations.subject import DEFAULT_DIALECT, Subject, subject_of
from verger.files.formats import expect_format
from verger.files.paths import STANDARD, input_name, is_stream, is_terminal, is_url
from verger.files.robots_file import read_named, read_whole
from verger.files.writing import rewrite_all, writing
from verger.grouping import by_key
from verger.options import DialectName
from verger.showing.palette import Palette
from verger.untrusted_text import counted, is_unicode, printable, quoted

Edit: TypeAlias = tuple[str, RobotsTxt, Outcome]
"""The name of a file, what is in it, and its edit."""

FORMATS = ("text", "json", "junit")
"""The formats of results; recorded expectations are TOML."""

EXCLUSIVE = (
    ("fix", "diff", "record", "stance"),
    ("fingerprint", "fix", "diff", "record", "stance"),
    ("diff", "record", "stance", "verbose"),
    ("stance", "agent", "purpose", "dialect", "format", "verbose"),
)
"""Options that exclude each other: each with those after it."""

HELP = """\
usage: verger test [FILE...] [--robots FILE|URL|-] [--dialect NAME]
                   [--format text|json|junit] [--output FILE|-] [OPTION...]
       verger test --fix | --diff [FILE...] [--robots FILE] [OPTION...]
       verger test --record --robots FILE|URL|- [--agent TOKEN]...
                   [--purpose NAME]... [--dialect NAME] [--output FILE|-]
                   [URL... | -]
       verger test --fingerprint TEXT --robots FILE|URL|- [--dialect NAME]
       verger test --stance NAME [--record] [--output FILE|-]

Do robots.txt files say what is expected of them?

Expectations are TOML: FILE is a TOML file, or a folder to search for
`*.robots.toml` files; by default the current folder.

With --fix, edits the robots.txt files until all expectations hold, and proves
that nothing else changes; if that cannot be, says why and writes nothing.

With --record, writes what a robots.txt file says today as expectations: for the
given crawlers and URLs; by default for every crawler that the file names, with
a URL for each rule that decides at least one. `-` reads URLs from stdin.

With --stance, writes a ready robots.txt file; with --record as well, the
expectations that prove it.

exit code:
  0    all expectations hold; with --diff, without an edit
  1    at least one does not; with --diff, there is something to edit
  2    bad usage, or something cannot be read
  130  interrupted

examples:
  verger test
  verger test shop.robots.toml --robots https://staging.example.com
  verger test --format junit --output results.xml
  verger test --fix shop.robots.toml
  verger test --stance no-training --output robots.txt
  verger test --record --robots robots.txt --output shop.robots.toml
"""


def run(args: Namespace) -> int:
    """Test, record or write a stance, and return the exit code."""
    _expect_one_task(args)
    if args.stance:
        return _write_stance(args)
    if args.record:
        return _record(args)
    if args.fingerprint:
        return _compare(args)
    _check_usage(args)
    if args.diff:
        return _show_diff(args)
    report = _test(args)
    if report.errors:
        return FAILED
    return DISALLOWED if report.failed else FINE


OPTIONS = (
    options.option(
        "files",
        nargs="*",
        type=options.file,
        metavar="FILE|URL",
        help="files with expectations, or folders that have them; with --record, URLs",
    ),
    options.shared("--robots", more=" to test, whatever the files with expectations name"),
    options.switch("--record", help="write what the robots.txt file says today"),
    options.option(
        "--fingerprint",
        metavar="TEXT",
        help="test only whether the robots.txt file says what one with this fingerprint says, as "
        "`verger check --format jsonl` shows it",
    ),
    options.switch("--fix", help="edit the robots.txt files so that all expectations hold"),
    options.switch("--diff", help="show what --fix would write as a diff, and write nothing"),
    options.option(
        "--stance",
        choices=STANCES,
        metavar="NAME",
        help=f"write a ready robots.txt file: {', '.join(STANCES)}",
    ),
    options.shared(
        "--agent",
        more=options.REPEATED,
        unless="with --record, all that the file names, and `*`",
    ),
    options.shared("--purpose", more="with --record, "),
    options.shared("--dialect", default=None),  # `--stance` refuses it, if it is given
    options.shared(
        "--format",
        choices=FORMATS,
        what="text for people, json for programs, junit for CI servers",
    ),
    options.shared("--output", what="where to write, `-` for stdout (default)"),
    options.shared("--verbose", what="also list the expectations that hold"),
    options.shared("--quiet"),
    options.shared("--cache", unless="none"),
    *options.NETWORK_OPTIONS,
)


def _expect_one_task(args: Namespace) -> None:
    """Refuse options of different tasks."""
    options.expect_exclusive(args, "test", *EXCLUSIVE)
    refuse_if(
        args.stance and args.files,
        "`--stance` reads no files",
        "leave one of them out",
    )
    if args.stance:
        refuse_if(
            args.robots and not args.record,
            "`--stance` writes a robots.txt file, and `--robots` names one",
            "pass `--output` for where to write it; with `--record`, `--robots` is what is tested",
        )
        options.expect_no_network(args, why="and stances are in verger")
    args.dialect = args.dialect or DEFAULT_DIALECT
    refuse_if(
        args.diff and args.format not in (None, "text"),
        f"`--diff` is text, and the format is {args.format}",
        "leave one of them out",
    )


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    args.format = options.format_of(args, FORMATS)
    options.expect_verbose_fits(args, "text")
    for name, values in (("--agent", args.agent), ("--purpose", args.purpose)):
        refuse_if(
            values,
            f"`{name}` says what to record; expectations name their crawlers themselves",
            "pass `--record` as well, or leave it out",
        )
    for word in args.files:
        refuse_first(
            (word == STANDARD, "expectations are not read from stdin", "name a file or a folder"),
            (
                is_url(word),
                f"`{word}` is not a file with expectations",
                f"to test that site, pass `--robots {word}`; to record it, `--record` as well",
            ),
        )
    if args.robots:
        options.expect_network_use(args, [args.robots])


def _compare(args: Namespace) -> int:
    """Say whether the file is the one that was approved, and return the exit code."""
    refuse_if(not args.robots, "`--fingerprint` is for one file", "pass `--robots FILE` as well")
    refuse_if(
        not re.fullmatch("[0-9a-fA-F]{32}", args.fingerprint),
        f"{quoted(args.fingerprint, 40)} is not a fingerprint",
        "`verger check --format jsonl` shows that of a file: 32 hexadecimal digits",
    )
    refuse_if(args.files, "`--fingerprint` takes the place of expectations", see_help("test"))
    subject = subject_for(args, args.robots, [args.dialect])
    read = subject.read(args.dialect)
    if not isinstance(read, RobotsTxt):
        why = f"there is no file to compare with what was approved: {read.reason}"
        raise Failure(f"{quoted(subject.name)}: {why}", "`verger check --robots` says more")
    found = read.fingerprint()
    is_same = found == args.fingerprint.lower()
    said = "is as approved" if is_same else f"says something else than approved: {found}"
    print(f"{printable(subject.name)} {said}")
    return FINE if is_same else DISALLOWED


# Testing: every file with expectations, one after another


def _test(args: Namespace) -> SuiteReport:
    """Test the named files, and write the report."""
    output = args.output or STANDARD
    suite = _suite(args, output)
    if args.fix:
        _fix(args, suite)
    report = suite.judge(partial(_told_subject, args))
    with TextStream(output, args.format) as stream:
        text = partial(text_lines, palette=Palette.of(stream), verbose=args.verbose)
        lines_of: dict[str, Callable[[SuiteReport], Iterator[str]]] = {
            "text": text,
            "json": json_lines,
            "junit": junit_lines,
        }
        stream.write_lines(lines_of[args.format](report))
    note(args, *islice(_pattern_notes(report), MOST_NOTED), summary_line(report))
    return report


def _pattern_notes(report: SuiteReport) -> Iterator[str]:
    """Yield a note for each URL that looks like a pattern: it is compared as it is written."""
    yield from (
        f"note: line {each.expectation.at} of {quoted(file.name)}: "
        f"{quoted(url)} is one URL; `paths` has patterns"
        for file in report.files
        for each in file.judgements
        if "*" in (url := each.expectation.url or "") or url.endswith("$")
    )


def _suite(args: Namespace, output: str) -> Suite:
    """Return the files with expectations, once it is known that the output is none of them."""
    paths = list(dict.fromkeys(_paths(args.files)))
    suite = Suite(paths, robots=args.robots, dialect=args.dialect, option="--robots FILE")
    if args.format == "text" and len(suite.unread) == len(paths):
        fail_with(suite.unread)
    on_disk = [robots for robots in suite.robots if not is_url(robots)]
    if not suite.unread and len(on_disk) == len(suite.robots):
        options.expect_no_network(args)
    options.expect_separate_outputs(args, [output], [*paths, *on_disk])
    return suite


def _paths(words: Sequence[str]) -> Iterator[str]:
    """Yield the paths of files with expectations; for a folder, all files below it."""
    for word in words or [os.curdir]:
        if not os.path.isdir(word):
            yield word
            continue
        found = [os.fspath(path) for path in files_below(word)]
        where = "here" if word == os.curdir else f"in `{word}`"
        record = f"verger test --record --robots robots.txt --output site{ENDING}"
        refuse_if(
            not found,
            f"no `*{ENDING}` files {where} or below",
            f"name a file, or write one: `{record}`",
        )
        yield from found


def _told_subject(args: Namespace, robots: str, dialects: Sequence[DialectName]) -> Subject:
    subject = subject_for(args, robots, dialects)
    tell_of(args, subject, dialects[0])
    return subject


def subject_for(args: Namespace, robots: str, dialects: Sequence[DialectName]) -> Subject:
    """Return the subject that a word names."""
    if robots == STANDARD:
        known = [dialect_for(name) for name in dialects]
        return Subject.of_bytes(read_named(robots, known), name=input_name(robots))
    if not is_url(robots):
        return subject_of(robots, dialects=dialects)
    site = fetch_site(args, robots, dialects)
    assert site.entry is not None, "it was fetched"
    return Subject.of_entry(site.entry, name=site.last.url)


def tell_of(args: Namespace, subject: Subject, dialect: str) -> None:
    """Report on stderr the problems of a file as a whole, or the result of fetching it."""
    read = subject.read(dialect)
    if isinstance(read, RobotsTxt):
        note(args, *notes_on([read], subject.name))
    elif subject.entry is not None:
        note(args, f"note: {subject.describe_fetch()}")


# Fixing: the robots.txt files, so that all expectations hold


def _fix(args: Namespace, suite: Suite) -> None:
    """Replace the files; if one of them cannot be fixed, say why and replace none."""
    try:
        fixes = list(_fixes(args, suite))
    except Refused as refused:
        tell_failures([(refused.message, refused.hint)])
        return
    rewrite_all((robots, old.body, outcome.body) for robots, old, outcome in fixes)
    _tell_edits(args, fixes)


def _tell_edits(args: Namespace, fixes: Sequence[Edit]) -> None:
    """Say what the edits change, and that they change nothing else."""
    for robots, old, outcome in fixes:
        note(args, *(f"{printable(robots)}: {line}" for line in edit_lines(old, outcome)))


def _show_diff(args: Namespace) -> int:
    """Write what would be replaced, and return the exit code."""
    output = args.output or STANDARD
    try:
        fixes = list(_fixes(args, _suite(args, output)))
    except Refused as refused:
        tell_failures([(refused.message, refused.hint)])
        return DISALLOWED
    text = "".join(patch(robots, old.body, done.body) for robots, old, done in fixes)
    with TextStream(output, "diff") as stream:
        stream.write(shown_diff(text, is_terminal=stream.isatty()))
    _tell_edits(args, fixes)
    return DISALLOWED if text else FINE


def _fixes(args: Namespace, suite: Suite) -> Iterator[Edit]:
    """Yield the name of each robots.txt file, the file, and its edit. Raises Refused."""
    if suite.unread:  # what they expect may contradict the others
        fail_with(suite.unread)
    for robots in suite.robots:
        refuse_if(
            is_stream(robots) or is_url(robots),
            f"`--fix` is for files, and {quoted(robots)} is none",
            "save it, and pass `--robots FILE`",
        )
    for names in by_key((os.path.realpath(each), each) for each in suite.robots).values():
        files = [file for name in names for file in suite.about(name)]
        old = parse(read_whole(names[0]), dialect=args.dialect)
        yield names[0], old, fix(files, old.body, dialect=args.dialect)


# Stances: ready files


def _write_stance(args: Namespace) -> int:
    """Write a robots.txt file, or the expectations that prove it, and return the exit code."""
    output = args.output or STANDARD
    expect_format(output, *(("toml", "TOML") if args.record else ("text", "a robots.txt file")))
    ready = stance(args.stance)
    data = ready.expectations if args.record else ready.robots
    if args.robots:
        folder = os.path.dirname(output) if output != STANDARD else ""  # noqa: PTH120
        named = name_below(folder, args.robots) or "robots.txt"
        data = data.replace(b'"robots.txt"', text_of(named).encode(), 1)
    with writing(output) as stream:
        stream.write(data)
    return FINE


# Recording: what a robots.txt file says today, as expectations


def _record(args: Namespace) -> int:
    """Record, and return the exit code."""
    output = args.output or STANDARD
    _check_recording(args, output)
    urls = _urls(args.files)
    words = dict.fromkeys([*args.agent, *tokens_for(args)])
    crawlers = [tokens_of("--agent", word, [args.dialect]) for word in words]
    folder = os.path.dirname(output) if output != STANDARD else ""  # noqa: PTH120
    named = name_below(folder, args.robots)
    subject = subject_for(args, args.robots, [args.dialect])
    found = record(subject, crawlers=crawlers, urls=urls, dialect=args.dialect)
    tell_of(args, subject, args.dialect)  # not before: the error would say it again
    dialect = None if args.dialect == DEFAULT_DIALECT else args.dialect
    document = toml_of(found, robots=named, dialect=dialect)
    with writing(output) as stream:
        text = plain_lines(document) if is_terminal(output) else document
        stream.write(text.encode())
    count = sum(len(each.agents) * len(each.urls) for each in found)
    note(args, f"recorded {counted(count, 'expectation')}")
    return FINE


def _check_recording(args: Namespace, output: str) -> None:
    refuse_first(
        (not args.robots, "there is nothing to record", "pass `--robots FILE|URL`"),
        (
            args.format is not None,
            "expectations are TOML: `--format` is for results",
            "leave `--format` out",
        ),
        (
            args.verbose,
            "`--verbose` is for results, and `--record` has none",
            "leave `--verbose` out",
        ),
        (
            args.robots == STANDARD and STANDARD in args.files,
            "stdin cannot hold both the robots.txt file and the URLs",
            "name the file",
        ),
    )
    options.expect_network_use(args, [args.robots])
    stdin = (word for word in args.files if word == STANDARD)
    options.expect_separate_outputs(args, [output], [args.robots, *stdin])
    expect_format(output, "toml", "TOML")


def _urls(words: Sequence[str]) -> list[str]:
    """Return the URLs that words name, without duplicates."""
    found: dict[str, None] = {}
    for url in Urls(words):
        if isinstance(url, Unanswered):
            raise Failure(url.message, url.hint)
        refuse_if(
            not is_unicode(url),
            f"`{url}` is not UTF-8, and TOML is",
            "write its bytes as escapes, such as `%FF`",
        )
        found[url] = None
    refuse_if(words and not found, "no URLs on stdin", "leave `-` out to record one for each rule")
    return list(found)
