"""`verger cache`: show, refresh, export and remove cached robots.txt files.

In: the name of a sub-command, the address of a store, and its arguments. Out: entries or a file on
stdout, counts and problems on stderr. An entry is a row for people, in which the origin comes last,
so that its width need not be known in advance; or an object that follows
`schemas/cache-1.schema.json`. `verger.cache` and `verger.client.refresh` do the work.
"""

import asyncio
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import aclosing

from verger import origin
from verger.access.times import span, timestamp
from verger.access.words import EFFECTS, happened, how_it_came
from verger.cache.opening import existing_store
from verger.cache.purging import purge
from verger.cache.sqlite import default_path
from verger.cli import options
from verger.cli.app import dispatch
from verger.cli.grammar import Parser
from verger.cli.live import client, network_of
from verger.cli.output import (
    DISALLOWED,
    FINE,
    Failure,
    encode,
    expect_no_terminal,
    note,
    refuse_if,
    see_help,
    write_bytes,
)
from verger.cli.tokens import crawler_of
from verger.client import Event, refresh
from verger.client.refresh import StoredFile
from verger.files.formats import expect_format
from verger.files.json_text import json_text
from verger.files.paths import STANDARD
from verger.files.stdio import plain_on
from verger.objects.cache import entry_object
from verger.showing.palette import Palette
from verger.showing.printing import row_of
from verger.untrusted_text import counted, printable

ABOUT = "The cached robots.txt files, and what is known about each origin."

FORMATS = ("text", "jsonl")

EXITS = """\
exit code:
  0    done
  2    bad usage, or a cache that cannot be used
  130  interrupted"""

KINDS = ("successful", "unavailable", "unreachable")
"""The kinds of access, in the order of the summary."""

Work = Coroutine[object, object, int]
"""The work of a command after its words are parsed; it returns the exit code."""


def run(words: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    return dispatch("verger cache", ABOUT, COMMANDS, _start, words)


def _start(name: str, words: Sequence[str]) -> int:
    args = grammar_of(name).read(words)
    refuse_if(
        options.cache_of(args, default_path) is None,
        "this command needs a cache",
        "pass the path of one",
    )
    output = getattr(args, "output", None) or STANDARD
    options.expect_separate_outputs(args, [output], default_cache=default_path)
    return asyncio.run(WORK[name](args))


# The commands


async def _list(args: Namespace) -> int:
    """Write every entry, and a count of them."""
    write = _writer(args)
    number = data = 0
    async with existing_store(args.cache, read_only=True) as store:
        async for kept in refresh.list_entries(store, dialect=args.dialect):
            write(kept)
            number += 1
            data += len(kept.entry.good.body) if kept.entry.good else 0
        sys.stdout.flush()  # the count comes after the rows
        note(args, f"{entries(number)}, {data:,} bytes of robots.txt", *_damage(store.problems))
    return FINE


async def _show(args: Namespace) -> int:
    """Write one file and its facts; return 1 if there is no file."""
    hint = see_help("cache show")
    options.expect_one(args.origins, ("no origin given", hint), ("unexpected argument {}", hint))
    (url,) = _origins(args)
    async with existing_store(args.cache, read_only=True) as store:
        kept = await refresh.find_entry(store, url, dialect=args.dialect)
    if kept is None:
        raise Failure(f"the cache has no entry for `{url}`", "`verger cache list` shows all")
    good = kept.entry.good
    if args.format == "json":
        print(json_text(entry_object(kept)))
    else:
        note(args, *described(kept))
        if good is not None:
            write_file(good.body)
    return DISALLOWED if good is None else FINE


async def _refresh(args: Namespace) -> int:
    """Fetch the files of some origins, or of those in the cache that the options select."""
    _expect_one_way(args, "refresh", "URLs", all=args.all, stale=args.stale)
    tokens, origins = crawler_of(args, args.dialect), _origins(args)
    write = _writer(args)
    counts: Counter[str] = Counter()
    problems: list[str] = []

    def notice(event: Event) -> None:
        if event.kind == "store-problem":
            problems.append(event.detail)

    async with existing_store(args.cache) as store:
        fetching = client(
            args,
            network_of(args, store),
            tokens=tokens,
            dialect=args.dialect,
            on_event=notice,
            memory_bytes=0,
        )
        fetched = refresh.refresh(fetching, store, origins or None, stale_only=args.stale)
        async with fetching, aclosing(fetched):
            async for kept in fetched:
                counts[kept.entry.last.access] += 1
                write(kept)
        note(args, *_damage(store.problems))
    return _close_refresh(args, counts, problems)


def _close_refresh(args: Namespace, counts: Counter[str], problems: Sequence[str]) -> int:
    """Report what was done; return 1 if a file could not be reached."""
    if problems:
        message, _, hint = problems[0].partition("\nhint: ")
        raise Failure(f"the cache failed during the run: {message}", hint or None)
    sys.stdout.flush()
    kinds = [f"{counts[kind]:,} {kind}" for kind in KINDS if counts[kind]]
    note(args, f"{counts.total():,} fetched{': ' if kinds else ''}{', '.join(kinds)}")
    return DISALLOWED if counts["unreachable"] else FINE


async def _export(args: Namespace) -> int:
    """Write every entry into a Parquet file, and report how many there were."""
    refuse_if(
        not args.output, "no `--output` given", "name the file to write: `--output robots.parquet`"
    )
    expect_format(args.output, "parquet", "Parquet")
    expect_no_terminal(args.output, "Parquet")
    from verger.cache.export import export_parquet  # with pyarrow, which no other command needs

    async with existing_store(args.cache, read_only=True) as store:
        number = await export_parquet(store, args.output)
        note(args, f"{entries(number)} in `{args.output}`", *_damage(store.problems))
    return FINE


async def _purge(args: Namespace) -> int:
    """Remove entries, and report how many there were."""
    older = args.older_than is not None
    _expect_one_way(args, "purge", "origins", all=args.all, older_than=older)
    refuse_if(args.older_than == 0, "`--older-than 0` would remove every entry", "pass `--all`")
    async with existing_store(args.cache) as store:
        number = await purge(store, _origins(args) or None, older_than=args.older_than)
        note(args, f"removed {entries(number)}", *_damage(store.problems))
    return FINE


def _writer(args: Namespace) -> Callable[[StoredFile], None]:
    """Return the function that writes an entry on stdout, the first one below a heading."""
    encode(sys.stdout, None, "backslashreplace")
    if args.format == "jsonl":
        return lambda kept: print(json_text(entry_object(kept)))
    heading = [Palette.of(sys.stdout).paint(row_of(HEADER, WIDTHS, LEFT), "bold")]

    def write(kept: StoredFile) -> None:
        print(*heading, row_of(_cells(kept), WIDTHS, LEFT), sep="\n")
        heading.clear()

    return write


def _damage(problems: int) -> Iterator[str]:
    """Yield how many entries could not be read."""
    if problems:
        yield f"note: {problems:,} damaged and left out; they will be fetched again"


# Usage


def _origins(args: Namespace) -> list[str]:
    return list(dict.fromkeys(map(origin, args.origins)))


def _expect_one_way(args: Namespace, name: str, what: str, **ways: bool) -> None:
    """Refuse anything but exactly one way to choose entries."""
    named = [f"`--{way.replace('_', '-')}`" for way in ways]
    given = sum(ways.values()) + bool(args.origins)
    said = "no entries chosen" if not given else "these cannot be combined"
    refuse_if(given != 1, f"`verger cache {name}`: {said}", f"pass {what}, {' or '.join(named)}")


# The grammars


CACHE = options.option(
    "--cache",
    type=options.file,
    metavar="PATH|URL",
    help=f"the cache, {options.A_CACHE} (default: {options.OWN_CACHE})",
)
QUIET = options.shared("--quiet")


def _origins_of(metavar: str) -> options.Option:
    return options.option("origins", nargs="*", metavar=metavar, help="an origin, or any URL on it")


def _reading(formats: Sequence[str], what: str) -> tuple[options.Option, ...]:
    """Return the options of commands that write entries."""
    form = options.shared("--format", choices=formats, default="text", what=what, unless="text")
    return CACHE, options.shared("--dialect"), form, QUIET


AS_ROWS = _reading(FORMATS, "text for people, jsonl for one object per line")

GRAMMARS: dict[str, tuple[str, Sequence[options.Option]]] = {
    "list": (
        f"""\
[OPTION...]

Every entry, one per line, ordered by origin.

{EXITS}""",
        AS_ROWS,
    ),
    "show": (
        """\
[OPTION...] (ORIGIN | URL)

The cached file of one origin on stdout, and what is known about it on stderr.

exit code:
  0    there is a file
  1    no file is cached for this site; stderr says why
  2    bad usage, nothing known, or a cache that cannot be used
  130  interrupted""",
        (
            _origins_of("ORIGIN"),
            *_reading(("text", "json"), "text for people, json for one object"),
        ),
    ),
    "refresh": (
        """\
--user-agent STRING (URL... | --all | --stale)
                            [OPTION...]

Fetch files now, fresh or not, and keep the results.

exit code:
  0    all are fetched, or there are none to fetch
  1    at least one could not be reached
  2    bad usage, or a cache that cannot be used
  130  interrupted""",
        (
            _origins_of("URL"),
            options.switch("--all", help="every origin of the cache"),
            options.switch("--stale", help="every origin whose file should be fetched again"),
            options.shared(
                "--agent", more=options.SEVERAL_TOKENS, unless="the one in --user-agent"
            ),
            *AS_ROWS,
            *options.NETWORK_WITH_NAME,
        ),
    ),
    "export": (
        f"""\
--output FILE [OPTION...]

Every entry as a row of a Parquet file.

{EXITS}""",
        (
            options.shared("--output", what="the file, replaced when it is complete"),
            CACHE,
            QUIET,
        ),
    ),
    "purge": (
        f"""\
(ORIGIN... | --all | --older-than SPAN) [OPTION...]

Remove entries, without confirmation.

{EXITS}""",
        (
            _origins_of("ORIGIN"),
            options.switch("--all", help="every entry"),
            options.option(
                "--older-than",
                type=options.span,
                metavar="SPAN",
                help="entries last fetched more than SPAN ago, such as 30d or 12h",
            ),
            CACHE,
            QUIET,
        ),
    ),
}
"""The help of each command after its name, and its options."""


def grammar_of(name: str) -> Parser:
    """Return the grammar of one of the commands."""
    text, known = GRAMMARS[name]
    prog = f"verger cache {name}"
    return Parser(prog, f"usage: {prog} {text}", known)


COMMANDS = {
    "list": "every entry, one per line",
    "show": "the file of one origin, and what is known about it",
    "refresh": "fetch files now",
    "export": "every entry as a row of a Parquet file",
    "purge": "remove entries",
}
"""What each command does."""

WORK: dict[str, Callable[[Namespace], Work]] = {
    "list": _list,
    "show": _show,
    "refresh": _refresh,
    "export": _export,
    "purge": _purge,
}


# The output

HEADER = ("age", "status", "access", "bytes", "fresh", "failing", "origin")
WIDTHS = (7, 19, 11, 9, 7, 7, 0)
LEFT = (False, True, True, False, False, False, True)


def _cells(kept: StoredFile) -> tuple[str, ...]:
    last, good = kept.entry.last, kept.entry.good
    failing_for = kept.failing_for
    return (
        span(kept.age),
        printable(last.failure or str(last.status)),
        printable(last.access),
        f"{len(good.body):,}" if good else "-",
        span(kept.fresh_until - kept.now) if kept.is_fresh else "stale",
        "-" if failing_for is None else span(failing_for),
        printable(kept.entry.origin),
    )


def described(kept: StoredFile) -> Iterator[str]:
    """Yield the facts about an origin, one per line."""
    entry, policy, now = kept.entry, kept.policy, kept.now
    last, copy = entry.last, entry.copy
    left = f"for {span(kept.fresh_until - now)}" if kept.is_fresh else "stale"
    yield f"{happened(last)}"
    yield f"  fetched  {timestamp(last.fetched_at)}, {span(kept.age)} ago"
    yield f"  means    {EFFECTS[policy.effect]} ({policy.section})"
    yield f"  fresh    until {timestamp(kept.fresh_until)}, {left} ({kept.dialect.name})"
    if entry.unreachable_since is not None:
        times = counted(entry.failures, "time")
        since, seen = timestamp(entry.unreachable_since), span(entry.unreachable_for)
        yield f"  failing  since {since}, {times} in a row, of which {seen} count"
    if copy is not None:
        ago = span(max(0.0, now - copy.fetched_at))
        yield f"  copy     of {timestamp(copy.fetched_at)}, {ago} ago"
    good = entry.good
    if good is not None:
        cut = ", and there was more" if good.truncated else ""
        yield f"  bytes    {len(good.body):,}{cut}; {good.wire_bytes:,} as received"
    for remark in how_it_came(good or last):
        yield f"  note     {remark}"
    for field, value in sorted((good or last).headers.items()):
        yield f"  header   {field}: {printable(value)}"


def entries(number: int) -> str:
    return f"{number:,} entr{'y' if number == 1 else 'ies'}"


def write_file(data: bytes, output: str | None = None) -> None:
    """Write a file to another, or to stdout unchanged; on a terminal, with control characters
    escaped."""
    if output and output != STANDARD:
        from verger.files.writing import writing

        with writing(output) as stream:
            plain_on(stream).write(data)
        return
    if sys.stdout.isatty():  # which ends each line in one way
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n") + b"\n"
    write_bytes(data)
