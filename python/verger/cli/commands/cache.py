"""`verger cache`: show, refresh, export and remove cached robots.txt files.

In: the name of a sub-command, the address of a store, and its arguments. Out: entries or a file on
stdout, counts and problems on stderr.
"""

from argparse import Namespace
from collections.abc import Callable, Coroutine, Sequence

from verger import origin
from verger.cli import options
from verger.cli.dispatch import Commands
from verger.cli.exit import Failure, see_help
from verger.cli.grammar import Parser
from verger.cli.tokens import crawler_of
from verger.files.formats import expect_format

ABOUT = "The cached robots.txt files, and what is known about each origin."

FORMATS = ("text", "jsonl")

EXITS = """\
0    done
2    bad usage, or a cache that cannot be used"""

EXITS_OF_SHOW = """\
0    there is a file
1    no file is cached for this site; stderr says why
2    bad usage, nothing known, or a cache that cannot be used"""

EXITS_OF_REFRESH = """\
0    all are fetched, or there are none to fetch
1    at least one could not be reached
2    bad usage, or a cache that cannot be used"""

Work = Coroutine[object, object, int]
"""The work of a command after its words are parsed; it returns the exit code."""


def run(words: Sequence[str]) -> int:
    """Run the command, and return the exit code."""
    known = {name: what for name, (what, _, _) in COMMANDS.items()}
    return Commands("verger cache", ABOUT, known, _start).run(words)


def _start(name: str, words: Sequence[str]) -> int:
    _, grammar, command = COMMANDS[name]
    args = grammar().read(words)
    import asyncio  # help ends before

    _expect_no_overwriting(args, [getattr(args, "output", None) or "-"])
    return asyncio.run(command(args))


# The commands


def _list(args: Namespace) -> Work:
    from verger.cli.caching.looking import list_entries

    return list_entries(args.cache, dialect=args.dialect, format_name=args.format, quiet=args.quiet)


def _show(args: Namespace) -> Work:
    from verger.cli.caching.looking import show_entry

    _expect_one(args)
    (name,) = _origins(args)
    return show_entry(
        args.cache, name, dialect=args.dialect, format_name=args.format, quiet=args.quiet
    )


def _refresh(args: Namespace) -> Work:
    from verger.cli.caching.refreshing import refresh

    _expect_one_way(args, "refresh", "URLs", all=args.all, stale=args.stale)
    return refresh(args, crawler_of(args, args.dialect), _origins(args))


def _export(args: Namespace) -> Work:
    from verger.cli.caching.looking import export

    if not args.output:
        raise Failure("no `--output` given", "name the file to write: `--output robots.parquet`")
    expect_format(args.output, "parquet", "Parquet")
    return export(args.cache, args.output, quiet=args.quiet)


def _purge(args: Namespace) -> Work:
    from verger.cli.caching.looking import purge

    older = args.older_than is not None
    _expect_one_way(args, "purge", "origins", all=args.all, older_than=older)
    if args.older_than == 0:
        raise Failure("`--older-than 0` would remove every entry", "pass `--all`")
    return purge(args.cache, _origins(args), older_than=args.older_than, quiet=args.quiet)


# Usage


def _expect_no_overwriting(args: Namespace, outputs: Sequence[str]) -> None:
    """Refuse an output that is the cache or belongs to it."""
    from verger.cache.sqlite import default_path

    if options.cache_of(args, default_path) is None:
        raise Failure("this command needs a cache", "pass the path of one")
    options.expect_outputs_apart(args, outputs, default_cache=default_path)


def _origins(args: Namespace) -> list[str]:
    return list(dict.fromkeys(map(origin, args.origins)))


def _expect_one(args: Namespace) -> None:
    hint = see_help("cache show")
    if not args.origins:
        raise Failure("no origin given", hint)
    if len(args.origins) > 1:
        raise Failure(f"unexpected argument `{args.origins[1]}`", hint)


def _expect_one_way(args: Namespace, name: str, what: str, **ways: bool) -> None:
    """Refuse anything but exactly one way to choose entries."""
    named = [f"`--{way.replace('_', '-')}`" for way in ways]
    given = sum(ways.values()) + bool(args.origins)
    if given != 1:
        said = "no entries chosen" if not given else "these cannot be combined"
        hint = f"pass {what}, {' or '.join(named)}"
        raise Failure(f"`verger cache {name}`: {said}", hint)


# The grammars


def list_parser() -> Parser:
    """Return the grammar of `list`."""
    grammar = _grammar("list", "[OPTION...]", "Every entry, one per line, ordered by origin.")
    _add_reading(grammar)
    return grammar


def show_parser() -> Parser:
    """Return the grammar of `show`."""
    grammar = _grammar(
        "show",
        "[OPTION...] (ORIGIN | URL)",
        "The cached file of one origin on stdout, and what is known about it on stderr.",
        EXITS_OF_SHOW,
    )
    grammar.add_argument("origins", nargs="*", metavar="ORIGIN", help="an origin, or any URL on it")
    _add_reading(grammar, ("text", "json"), "text for people, json for one object")
    return grammar


def refresh_parser() -> Parser:
    """Return the grammar of `refresh`."""
    grammar = _grammar(
        "refresh",
        "--user-agent STRING (URL... | --all | --stale)\n                            [OPTION...]",
        "Fetch files now, fresh or not, and keep the results.",
        EXITS_OF_REFRESH,
    )
    grammar.add_argument("origins", nargs="*", metavar="URL", help="an origin, or any URL on it")
    grammar.add_switch("--all", help="every origin of the cache")
    grammar.add_switch("--stale", help="every origin whose file should be fetched again")
    options.add_agent(grammar, "the one in --user-agent", options.SEVERAL_TOKENS)
    _add_reading(grammar)
    options.add_network(grammar, needs_user_agent=True)
    return grammar


def export_parser() -> Parser:
    """Return the grammar of `export`."""
    grammar = _grammar(
        "export", "--output FILE [OPTION...]", "Every entry as a row of a Parquet file."
    )
    options.add_output(grammar, "the file, replaced when it is complete")
    _add_cache(grammar)
    options.add_quiet(grammar)
    return grammar


def purge_parser() -> Parser:
    """Return the grammar of `purge`."""
    grammar = _grammar(
        "purge",
        "(ORIGIN... | --all | --older-than SPAN) [OPTION...]",
        "Remove entries, without confirmation.",
    )
    grammar.add_argument("origins", nargs="*", metavar="ORIGIN", help="an origin, or any URL on it")
    grammar.add_switch("--all", help="every entry")
    grammar.add_argument(
        "--older-than",
        type=options.span,
        metavar="SPAN",
        help="entries last fetched more than SPAN ago, such as 30d or 12h",
    )
    _add_cache(grammar)
    options.add_quiet(grammar)
    return grammar


def _grammar(name: str, usage: str, description: str, exits: str = EXITS) -> Parser:
    prog = f"verger cache {name}"
    return Parser(prog, f"{prog} {usage}", description, exits)


def _add_reading(
    grammar: Parser,
    formats: Sequence[str] = FORMATS,
    what: str = "text for people, jsonl for one object per line",
) -> None:
    _add_cache(grammar)
    options.add_dialect(grammar)
    options.add_format(grammar, formats, what)
    options.add_quiet(grammar)


def _add_cache(grammar: Parser) -> None:
    grammar.add_file(
        "--cache",
        "PATH|URL",
        help=f"the cache, {options.A_CACHE} (default: {options.OWN_CACHE})",
    )


Command = tuple[str, Callable[[], Parser], Callable[[Namespace], Work]]

COMMANDS: dict[str, Command] = {
    "list": ("every entry, one per line", list_parser, _list),
    "show": ("the file of one origin, and what is known about it", show_parser, _show),
    "refresh": ("fetch files now", refresh_parser, _refresh),
    "export": ("every entry as a row of a Parquet file", export_parser, _export),
    "purge": ("remove entries", purge_parser, _purge),
}
"""For each command: what it does, its grammar, and the function that returns its work."""
