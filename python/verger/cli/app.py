"""The command `verger`: find the sub-command, run it, end with its exit code.

In: the words of the command line. Out: an exit code (see `verger.cli.exit`).
A sub-command's module is imported only when needed, so that no command pays for another.
"""

import sys
from collections.abc import Sequence
from importlib import import_module

from verger.cli.dispatch import Commands
from verger.cli.exit import FINE, Failure, guarded

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
    "block": "stop crawlers from fetching these paths, and change nothing else",
    "allow": "let crawlers fetch these paths, and change nothing else",
    "minimise": "the same file with fewer rules and groups",
    "scan": "what do these captured robots.txt files say, as a table?",
    "report": "who may fetch what, as one page with charts",
    "cache": "show, refresh, export and remove the cached robots.txt files",
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
    match words:
        case ["--version"]:
            from verger import __version__

            print(f"verger {__version__}")
            return FINE
        case ["--version", word, *_]:
            raise Failure(f"unexpected argument `{word}`", "`verger --help` lists the options")
    version = "  --version   show the version\n"
    known = Commands("verger", ABOUT, COMMANDS, _start, options=version, elsewhere=ELSEWHERE)
    return known.run(words)


def _start(name: str, words: Sequence[str]) -> int:
    code: int = import_module(f"verger.cli.commands.{name}").run(words)
    return code
