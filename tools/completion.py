"""Write the scripts that complete the command line in bash, fish and zsh: `make docs`.

In: the grammars of all commands. Out: the scripts as shtab writes them, beside the module of
`verger completion`, which prints them. `--check` says which are stale.
"""

import sys
from argparse import Action, ArgumentParser
from pathlib import Path
from typing import Any

import command_tree as tree
import shtab

from verger.cli.app import ABOUT
from verger.cli.options import crawler, file
from verger.crawlers import CRAWLERS
from verger.lint import all_checks

FOLDER = Path(__file__).parent.parent / "python" / "verger" / "cli" / "completing"

KNOWN = " ".join(crawler.token for crawler in CRAWLERS)

CRAWLER = {
    "bash": "_verger_crawlers",
    "zsh": "_verger_crawlers",
    "fish": "$__verger_crawlers",
    "preamble": {
        "bash": f'_verger_crawlers() {{\n  compgen -W "{KNOWN}" -- $1\n}}\n',
        "zsh": f"_verger_crawlers() {{\n  compadd - {KNOWN}\n}}\n",
        "fish": f"set -g __verger_crawlers {KNOWN}\n",
    },
}
"""How each shell completes the name of a crawler."""

CHECKS = " ".join(word for check in all_checks().values() for word in (check.code, check.name))

SEVERAL_CHECKS = {
    "bash": "_verger_checks",
    "zsh": "_verger_checks",
    "fish": "(__fish_append , $__verger_checks)",
    "preamble": {
        "bash": (
            "_verger_checks() {\n"
            '  local before=""\n'
            '  [[ $1 == *,* ]] && before="${1%,*},"\n'
            f'  compgen -P "$before" -W "{CHECKS}" -- "${{1##*,}}"\n}}\n'
        ),
        "zsh": f"_verger_checks() {{\n  _sequence compadd - {CHECKS}\n}}\n",
        "fish": f"set -g __verger_checks {CHECKS}\n",
    },
}
"""How each shell completes several checks, with commas between them."""


def scripts() -> dict[str, str]:
    """Return every script by the name of its file."""
    return {f"verger.{shell}": _script(shell) for shell in ("bash", "fish", "zsh")}


def _script(shell: str) -> str:
    text: str = shtab.complete(_grammar(), shell=shell)
    lines = (line.rstrip() for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines).rstrip("\n") + "\n"


def _grammar() -> ArgumentParser:
    """Return one grammar for all commands, as argparse nests them."""
    whole = ArgumentParser("verger", description=ABOUT)
    whole.add_argument("--version", action="version", version="", help="show the version")
    commands = whole.add_subparsers()
    asked = commands.add_parser("help", help="show the help of a command").add_subparsers()
    of: dict[tuple[str, ...], tuple[Any, Any]] = {(): (commands, asked)}
    for each in tree.commands():
        *parent, name = each.words
        place, help_of = of[tuple(parent)]
        if each.grammar is None:
            below = [one.add_parser(name, help=each.what) for one in (place, help_of)]
            of[each.words] = below[0].add_subparsers(), below[1].add_subparsers()
            continue
        for action in each.grammar._actions:
            _complete(action)
        place.add_parser(name, help=each.what, parents=[each.grammar], add_help=False)
        help_of.add_parser(name, help=each.what, add_help=False)
    return whole


def _complete(action: Action) -> None:
    """Say what the values of an option or argument are, beside those that it lists."""
    known: dict[object, object] = {file: shtab.FILE, crawler: CRAWLER}
    how = known.get(action.type, SEVERAL_CHECKS if str(action.metavar)[:5] == "CHECK" else None)
    if how:
        setattr(action, "complete", how)  # noqa: B010


def main() -> int:
    """Write the scripts, or with `--check` say which are stale."""
    stale = [
        (FOLDER / name, text)
        for name, text in scripts().items()
        if not (FOLDER / name).exists() or (FOLDER / name).read_text("utf-8") != text
    ]
    for path, text in stale:
        if "--check" in sys.argv:
            print(f"error: `{path.name}` is stale\nhint: run `make docs`", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    raise SystemExit(main())
