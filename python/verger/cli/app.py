"""The command `verger`: find the sub-command, run it, end with its exit code.

In: the words of the command line. Out: an exit code (see `verger.cli.output`).
A sub-command's module is imported only when needed, so that no command pays for another. It has a
`HELP`, a table of `OPTIONS`, and `run`, which takes what argparse read. `verger cache` finds its
own sub-commands in the same way.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

from verger.cli.interrupts import guarded
from verger.cli.output import FINE, Failure
from verger.files.paths import go_anonymous
from verger.untrusted_text import close_hint

COMMANDS = {
    "check": "may this crawler fetch this URL, and which line says so?",
    "agents": "what may each crawler fetch on this site?",
    "diff": "what does a new version of a file change, and for whom?",
    "compare": "where do the dialects answer one file differently?",
    "test": "does this file say what is expected of it?",
    "lint": "which mistakes are in these robots.txt files?",
    "fmt": "format these robots.txt files in one style",
    "filter": "which of these URLs may this crawler fetch?",
    "audit": "which crawlers fetched disallowed URLs?",
    "watch": "which sites have changed their minds, for whom, and since when?",
    "history": "what did this site say at which time?",
    "block": "stop crawlers from fetching these paths, and change nothing else",
    "allow": "let crawlers fetch these paths, and change nothing else",
    "minimise": "the same file with fewer rules and groups",
    "scan": "what do these captured robots.txt files say, as a table?",
    "report": "who may fetch what, as one page with charts",
    "cache": "show, refresh, export and remove the cached robots.txt files",
    "serve": "answer crawlers in any language, over HTTP",
    "mcp": "answer and fetch for AI agents, over the Model Context Protocol",
    "lsp": "answer editors over the Language Server Protocol",
    "completion": "print a script that completes these commands in a shell",
}

ELSEWHERE = {"changes": "verger diff", "explain": "verger agents --explain"}
"""Names that people try, and the commands that do the same."""

ABOUT = "The Robots Exclusion Protocol, decided and explained."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code; `arguments` default to those of the process."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    return guarded(lambda: _run(words))


def _run(words: list[str]) -> int:
    if words[:1] == ["--version"]:
        from verger import __version__

        if len(words) > 1:
            raise Failure(f"unexpected argument `{words[1]}`", "`verger --help` lists the options")
        print(f"verger {__version__}")
        return FINE
    version = "  --version   show the version\n"
    return dispatch("verger", ABOUT, COMMANDS, _start, words, options=version)


def _start(name: str, words: Sequence[str]) -> int:
    command = import_module(f"verger.cli.commands.{name}")
    from verger.cli.grammar import grammar_of  # with argparse, which only commands need

    # `cache` has sub-commands, and a grammar for each
    args = words if name == "cache" else grammar_of(name).read(words)
    if getattr(args, "anonymous", False):
        go_anonymous()
    code: int = command.run(args)
    return code


HELP = """\
usage: {prog} COMMAND [ARGUMENT...]

{about}

commands:
{commands}

options:
  -h, --help  show this help; that of a command: `{prog} help COMMAND`
{options}"""


def dispatch(
    prog: str,
    about: str,
    known: Mapping[str, str],
    start: Callable[[str, Sequence[str]], int],
    words: Sequence[str],
    *,
    options: str = "",
) -> int:
    """Run the sub-command that the first word names, or print the help; return the exit code.

    prog:     the command.
    about:    what it does, for its help.
    known:    what each sub-command does, by its name.
    start:    runs one of them, and returns its exit code.
    options:  the lines of the help on further options.
    """
    match words:
        case [] | ["-h" | "--help", *_] | ["help"] | ["help", "help", *_]:
            width = max(map(len, known))
            lines = "\n".join(f"  {name:<{width}}  {what}" for name, what in known.items())
            print(HELP.format(prog=prog, about=about, commands=lines, options=options), end="")
            return FINE
        case ["help", *rest]:
            return dispatch(prog, about, known, start, [*rest, "--help"], options=options)
        case [name, *rest] if name in known:
            return start(name, rest)
    raise _unknown(prog, words[0], known)


def _unknown(prog: str, name: str, known: Mapping[str, str]) -> Failure:
    if name.startswith("-"):
        return Failure(f"unknown option `{name}`", f"`{prog} --help` lists the options")
    shown = f"{prog} {name}".removeprefix("verger ")
    does = ELSEWHERE.get(shown)
    hint = f"`{does}` does this" if does else close_hint(name, known)
    return Failure(f"unknown command `{shown}`", hint or f"`{prog} --help` lists the commands")
