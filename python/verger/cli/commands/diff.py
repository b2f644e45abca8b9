"""`verger diff`: what does a new version of a file change, and for whom?

In: two versions of a robots.txt file: from disk, from a site, or from git. Out: on stdout, the
crawlers and URLs that were closed or opened, each with a URL that proves it and both deciding
lines, as text, Markdown or JSON; a closing line on stderr. With `--output`, two snapshots of many
sites, and a table of changes.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence

from verger.cli import options
from verger.cli.diffing.versions import FoundFile, inputs, on_disk, read_version, versions_of_git
from verger.cli.exit import DISALLOWED, FINE, Failure, see_help
from verger.cli.grammar import Parser
from verger.cli.notes import tell_notes
from verger.cli.streams import encode, tell
from verger.cli.tokens import taken_for_value, tokens_named
from verger.files.formats import TABLES
from verger.files.places import STANDARD, is_url
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.analysis import FileDiff
    from verger.cli.diffing.between import Between

    class Writer(Protocol):
        """Writes a difference in one format."""

        def write(self, between: Between, found: FileDiff, /) -> None:
            """Write what changed."""
            ...


FORMATS = ("text", "markdown", "json")

USAGE = """verger diff OLD NEW [--agent TOKEN...] [--purpose NAME...]
                   [--dialect NAME] [--format text|markdown|json] [OPTION...]
       verger diff OLD NEW --output FILE|- [--agent TOKEN...]
                   [--purpose NAME...] [--dialect NAME]
                   [--format parquet|csv|jsonl] [--quiet]"""

DESCRIPTION = """\
What does a new version of a file change, and for whom?

OLD and NEW are robots.txt files, `-` for stdin, versions in git such as
`HEAD~1:robots.txt`, sites in a snapshot such as `june.warc.gz::example.com`,
or URLs: then the robots.txt file of the origin is fetched. Changes are proved
for all URLs, not found by trying some.

With --output, OLD and NEW are snapshots of many sites: folders of files named
by host, tables (Parquet, CSV, JSON Lines), WARC archives, or caches. The table
has a row for each site and the crawlers for which it changed."""

EXITS = """\
0    no answer changes for any crawler
1    an answer changes, or a change could not be ruled out
2    bad usage, or a file cannot be read"""

EXAMPLES = """\
verger diff old.txt new.txt
verger diff HEAD:robots.txt robots.txt --format markdown
verger diff https://example.com robots.txt --purpose training
verger diff june.warc.gz july.warc.gz --output changes.parquet"""


def run(words: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    args = parser().read(words)
    if args.git:
        return _run_for_git(args)
    _check_usage(args)
    if args.output is not None:
        from verger.cli.changing.snapshots import run as run_for_snapshots

        return run_for_snapshots(args)
    from verger.cli.changing.snapshots import expect_no_snapshot

    _check_format(args)
    expect_no_snapshot(on_disk(args.files))
    options.expect_outputs_apart(args, [STANDARD], inputs(args.files))
    versions = [read_version(args, word, [args.dialect]) for word in args.files]
    return _compare(args, versions)


def _run_for_git(args: Namespace) -> int:
    """Write the changes between two files from git, and return the exit code it expects."""
    if args.output is not None:
        hint = "git reads stdout; leave one of them out"
        raise Failure("`--git` and `--output` cannot be combined", hint)
    options.expect_no_network(args)
    _check_format(args)
    args.agent = tokens_named(args, [args.dialect])
    versions = versions_of_git(args.files, args.dialect)
    if versions is None:
        print(f"{printable(args.files[0])}: not merged yet")
        return FINE
    args.quiet = True  # git shows only stdout
    _compare(args, versions)
    return FINE


def _compare(args: Namespace, versions: Sequence[FoundFile]) -> int:
    from verger.analysis import diff
    from verger.cli.diffing.between import Between, closing

    old, new = (version.read(args.dialect) for version in versions)
    for version, robots in zip(versions, (old, new), strict=True):
        if not args.quiet:
            tell_notes([robots], version.name)
    found = diff(old, new, crawlers=args.agent)
    _writer(args, versions).write(Between(old, new, found), found)
    if not args.quiet and args.format != "markdown":  # whose text includes the closing line
        tell(closing(found))
    return DISALLOWED if found.changes_answers else FINE


def parser() -> Parser:
    """Return the grammar of the command."""
    several = ("--agent", "--purpose")
    grammar = Parser("verger diff", USAGE, DESCRIPTION, EXITS, EXAMPLES, many=several)
    kinds = "a file, `-`, REVISION:PATH in git, SNAPSHOT::HOST, or a URL"
    what = f"the old version, then the new one: {kinds}"
    grammar.add_files("files", "OLD NEW", help=what)
    options.add_crawlers(grammar)
    options.add_output(grammar, "compare two snapshots, and write the table of changes here")
    what = "text for people, markdown for a pull request, json for programs; a table with --output"
    options.add_format(grammar, (*FORMATS, *TABLES), what, None)
    options.add_verbose(grammar, "show every region, every record and every crawler, however many")
    options.add_quiet(grammar)
    grammar.add_switch("--git", help="take the arguments that git passes to a diff driver")
    options.add_network(grammar, cache="none")
    return grammar


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    if len(args.files) < 2:
        raise Failure("two versions are compared: OLD and NEW", _hint_without_files(args))
    if len(args.files) > 2:
        why = f"two versions are compared, and `{printable(args.files[2])}` is a third"
        raise Failure(why, see_help("diff"))
    if args.files.count(STANDARD) > 1:
        raise Failure("stdin cannot hold both versions", "pass a file for one of them")
    args.agent = tokens_named(args, [args.dialect])
    if not any(map(is_url, args.files)):
        options.expect_no_network(args)


def _check_format(args: Namespace) -> None:
    """Refuse formats and options that a comparison of two files has no use for."""
    args.format = args.format or "text"
    if args.format not in FORMATS:
        hint = "two snapshots of many sites make a table: pass `--output FILE`"
        raise Failure(f"cannot write {args.format} for two files", hint)
    options.expect_verbose_fits(args, "text", "markdown")


def _hint_without_files(args: Namespace) -> str:
    """Return a hint for a missing version; it may have been taken for the value of an option."""
    taken = taken_for_value(args, "put the files first: `verger diff OLD NEW ...`")
    if taken is not None:
        return taken
    if args.files and not is_url(args.files[0]) and args.files[0] != STANDARD:
        name = printable(args.files[0])
        return f"to compare it with the version in git: `verger diff HEAD:./{name} {name}`"
    return "pass two files, such as `verger diff old.txt new.txt`"


def _writer(args: Namespace, versions: Sequence[FoundFile]) -> "Writer":
    """Return the writer of the format; other formats are not imported."""
    stream = sys.stdout
    if args.format == "json":
        from verger.cli.diffing.json_object import JsonObject, about_versions

        encode(stream, "utf-8", "strict")
        return JsonObject(stream, {**about_versions(versions), "dialect": args.dialect})
    encode(stream, None, "backslashreplace")
    if args.format == "markdown":
        from verger.cli.diffing.markdown import Markdown
        from verger.cli.markdown import code

        old, new = (code(version.name) for version in versions)
        title = f"Changes of {new}" if args.git else f"Changes from {old} to {new}"
        return Markdown(stream, title, all_of_it=args.verbose)
    from verger.cli.diffing.text import Text

    return Text(stream, versions[1].name if args.git else None, all_of_it=args.verbose)
