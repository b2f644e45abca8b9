"""`verger cache`: the robots.txt files that were kept, looked at, renewed, exported, removed.

In: the name of a sub-command, an SQLite store, and what the sub-command asks for. Out: entries or
a file on stdout, counts and problems on stderr. Exit code 0 where all is done, 1 where a file is
not there or could not be reached, 2 for bad usage and a store that cannot be used.
"""

from argparse import (
    SUPPRESS,
    ArgumentTypeError,
    HelpFormatter,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Sequence

from verger import DIALECTS, origin, parse
from verger.cli.exit import FINE, Failure
from verger.cli.fetching import EXAMPLE, add_network, tokens_of
from verger.cli.options import Parser, closest, one_of

HELP_WIDTH = 80

HELP = """\
usage: verger cache COMMAND [ARGUMENT...]

The robots.txt files that were kept, and what is known of each origin.

commands:
{commands}

options:
  -h, --help  show this help; `verger cache COMMAND --help` shows that of a command
"""

SPANS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}

FORMATS = ("text", "json")


def run(words: Sequence[str]) -> int:
    """Do what the words ask, and return the exit code."""
    match list(words):
        case ["-h" | "--help", *_]:
            lines = [f"  {name:<8}  {what}" for name, (what, _, _) in COMMANDS.items()]
            print(HELP.format(commands="\n".join(lines)), end="")
            return FINE
        case [name, *rest] if name in COMMANDS:
            _, grammar, command = COMMANDS[name]
            return command(grammar().read(rest, many=()))
        case []:
            raise Failure("no command given", "`verger cache --help` lists the commands")
    near = closest(words[0], COMMANDS)
    hint = f"did you mean `{near}`?" if near else "`verger cache --help` lists the commands"
    raise Failure(f"unknown command `cache {words[0]}`", hint)


# The commands


def _list(asked: Namespace) -> int:
    import asyncio

    from verger.cli.caching.looking import list_entries

    _expect(asked, "list", least=0, most=0)
    dialect = DIALECTS[_dialect(asked)]
    one_of("format", asked.format, FORMATS)
    return asyncio.run(list_entries(asked.cache, dialect=dialect, format_name=asked.format))


def _show(asked: Namespace) -> int:
    import asyncio

    from verger.cli.caching.looking import show_entry

    _expect(asked, "show", least=1, most=1, what="origin")
    dialect, (name,) = DIALECTS[_dialect(asked)], _origins(asked)
    one_of("format", asked.format, FORMATS)
    shown = show_entry(asked.cache, name, dialect=dialect, format_name=asked.format)
    return asyncio.run(shown)


def _refresh(asked: Namespace) -> int:
    import asyncio

    from verger.cli.caching.refreshing import refresh

    _expect_one_way(asked, "refresh", "URLs", all=asked.all, stale=asked.stale)
    one_of("format", asked.format, FORMATS)
    if not asked.agent:
        hint = f'pass its identification string, such as `--agent "{EXAMPLE}"`'
        raise Failure("no crawler given", hint)
    parse(b"", dialect=_dialect(asked)).agent(tokens_of(asked.agent[0]))
    return asyncio.run(refresh(asked, _origins(asked)))


def _export(asked: Namespace) -> int:
    import asyncio

    from verger.cli.caching.export import export

    _expect(asked, "export", least=1, most=1, what="file")
    return asyncio.run(export(asked.cache, asked.urls[0]))


def _purge(asked: Namespace) -> int:
    import asyncio

    from verger.cli.caching.purging import purge

    older = asked.older_than is not None
    _expect_one_way(asked, "purge", "origins", all=asked.all, older_than=older)
    return asyncio.run(purge(asked.cache, _origins(asked), older_than=asked.older_than))


# From words to parts


def _origins(asked: Namespace) -> list[str]:
    return list(dict.fromkeys(map(origin, asked.urls)))


def _dialect(asked: Namespace) -> str:
    return one_of("dialect", asked.dialect, list(DIALECTS))


def _expect(asked: Namespace, name: str, *, least: int, most: int, what: str = "") -> None:
    hint = f"`verger cache {name} --help` shows the options"
    if len(asked.urls) < least:
        raise Failure(f"no {what} given", hint)
    if len(asked.urls) > most:
        raise Failure(f"unexpected argument `{asked.urls[most]}`", hint)


def _expect_one_way(asked: Namespace, name: str, what: str, **ways: bool) -> None:
    """Refuse none of several ways to say which entries are meant, and more than one."""
    options = [f"`--{way.replace('_', '-')}`" for way in ways]
    given = sum(ways.values()) + bool(asked.urls)
    if given != 1:
        said = "nothing says which entries" if not given else "pass one of these alone"
        hint = f"pass {what}, {' or '.join(options)}"
        raise Failure(f"`verger cache {name}`: {said}", hint)


def _age(word: str) -> float:
    """Return the seconds of `30d`, for argparse."""
    number, unit = word[:-1], word[-1:]
    if unit in SPANS and number.isascii() and number.isdigit() and len(number) < 10:
        return float(number) * SPANS[unit]
    units = ", ".join(f"`{unit}`" for unit in SPANS)
    raise ArgumentTypeError(f"`{word}` is no age such as `30d`: a number and one of {units}")


# The grammars


def list_parser() -> Parser:
    """Return the grammar of `list`."""
    grammar = _grammar("list", "[OPTION...]", "Every entry, a line each, ordered by origin.")
    grammar.add_argument("urls", nargs="*", help=SUPPRESS)
    _add_reading(grammar)
    return grammar


def show_parser() -> Parser:
    """Return the grammar of `show`."""
    grammar = _grammar(
        "show",
        "[OPTION...] (ORIGIN | URL)",
        "The kept file of one origin on stdout, and what is known of it on stderr.",
        "exit code:\n"
        "  0  there is a file\n"
        "  1  there is none: what is known says why\n"
        "  2  bad usage, nothing known, or a cache that cannot be used",
    )
    grammar.add_argument("urls", nargs="*", metavar="ORIGIN", help="whose file; any URL there")
    _add_reading(grammar)
    return grammar


def refresh_parser() -> Parser:
    """Return the grammar of `refresh`."""
    grammar = _grammar(
        "refresh",
        "--agent STRING (URL... | --all | --stale) [OPTION...]",
        "Fetch files now, fresh or not, and keep what comes.",
        "exit code:\n"
        "  0  all are fetched, or there are none to fetch\n"
        "  1  at least one could not be reached\n"
        "  2  bad usage, or a cache that cannot be used",
    )
    grammar.add_argument("urls", nargs="*", metavar="URL", help="whose file; any URL there")
    grammar.add_argument("--all", action="store_true", help="every origin of the cache")
    grammar.add_argument(
        "--stale", action="store_true", help="those whose file should be asked for again"
    )
    grammar.add_argument(
        "--agent",
        action="append",
        metavar="STRING",
        help="the crawler's identification string, which requests carry",
    )
    _add_reading(grammar)
    add_network(grammar)
    return grammar


def export_parser() -> Parser:
    """Return the grammar of `export`."""
    grammar = _grammar("export", "[OPTION...] OUT", "Every entry as a row of a Parquet file.")
    grammar.add_argument("urls", nargs="*", metavar="OUT", help="the file, replaced when complete")
    _add_cache(grammar)
    return grammar


def purge_parser() -> Parser:
    """Return the grammar of `purge`."""
    grammar = _grammar(
        "purge",
        "(ORIGIN... | --all | --older-than AGE) [OPTION...]",
        "Remove entries, without asking back.",
    )
    grammar.add_argument("urls", nargs="*", metavar="ORIGIN", help="whose entry; any URL there")
    grammar.add_argument("--all", action="store_true", help="every entry")
    grammar.add_argument(
        "--older-than",
        type=_age,
        metavar="AGE",
        help="those not asked about for so long, such as 30d; s, m, h, d, w",
    )
    _add_cache(grammar)
    return grammar


def _grammar(name: str, usage: str, description: str, epilog: str | None = None) -> Parser:
    return Parser(
        prog=f"verger cache {name}",
        usage=f"verger cache {name} {usage}",
        description=description,
        epilog=epilog,
        formatter_class=_help_formatter,
        allow_abbrev=False,
    )


def _help_formatter(prog: str) -> HelpFormatter:
    """Return argparse's formatter with a width; asking the terminal costs 6 ms at every start."""
    return RawDescriptionHelpFormatter(prog, width=HELP_WIDTH)


def _add_reading(grammar: Parser) -> None:
    _add_cache(grammar)
    grammar.add_argument(
        "--dialect",
        default="rfc9309",
        metavar="NAME",
        help=f"whose rules say what is fresh: {', '.join(DIALECTS)} (default: rfc9309)",
    )
    grammar.add_argument(
        "--format",
        default="text",
        metavar="FORMAT",
        help="text for people, json for one object a line (default: text)",
    )


def _add_cache(grammar: Parser) -> None:
    grammar.add_argument(
        "--cache",
        metavar="FILE",
        help="the cache (default: verger/robots.sqlite3 below $XDG_CACHE_HOME or ~/.cache)",
    )


Command = tuple[str, Callable[[], Parser], Callable[[Namespace], int]]

COMMANDS: dict[str, Command] = {
    "list": ("every entry, a line each", list_parser, _list),
    "show": ("the file of one origin, and what is known of it", show_parser, _show),
    "refresh": ("fetch files now", refresh_parser, _refresh),
    "export": ("every entry as a row of a Parquet file", export_parser, _export),
    "purge": ("remove entries", purge_parser, _purge),
}
"""For each command what it does, its grammar, and the function."""
