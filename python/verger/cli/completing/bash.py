"""Completion in bash, from version 3.2 on.

In: the tree of commands. Out: a script that contains all words and does not run verger.
"""

from argparse import Action
from collections.abc import Iterable, Iterator

from verger.cli import tree
from verger.cli.completing.template import offer, script_of
from verger.cli.tree import Command


def script() -> str:
    """Return the script."""
    all_ = list(tree.commands())
    parts = {
        "VALUES": _cases(_values(all_)),
        "OPTIONS": _cases(_options(all_)),
        "ARGUMENTS": _cases(_arguments(all_)),
        "PARENTS": " | ".join(each.name for each in all_ if each.grammar is None),
    }
    return script_of("bash", parts)


def _values(all_: Iterable[Command]) -> Iterator[tuple[str, str]]:
    for command in all_:
        for option in filter(tree.has_value, command.options):
            for name in option.option_strings:
                yield f"'{command.name} {name}'", _offer(option)


def _options(all_: Iterable[Command]) -> Iterator[tuple[str, str]]:
    yield "''", "echo '-h --help --version'"
    for command in all_:
        names = [name for option in command.options for name in option.option_strings]
        yield f"'{command.name}'", f"echo '{' '.join(names or ('-h', '--help'))}'"


def _arguments(all_: Iterable[Command]) -> Iterator[tuple[str, str]]:
    names = [each.name for each in all_ if len(each.words) == 1]
    yield "''", f"_verger_offer '{' '.join([*names, 'help'])}'"
    for command in all_:
        subs = [sub.words[1] for sub in all_ if sub.words[:-1] == command.words]
        offers = f"_verger_offer '{' '.join(subs)}'" if subs else _offer(command.positional)
        yield f"'{command.name}'", offers


def _offer(action: Action | None) -> str:
    """Return the call that offers the values of an option, or positional arguments."""
    return offer(
        action,
        file="_verger_files",
        crawler='_verger_offer "$_verger_crawlers"',
        words="_verger_offer '{}'",
        nothing=":",
    )


def _cases(cases: Iterable[tuple[str, str]]) -> str:
    """Return the branches of a `case`; patterns with the same action share a branch."""
    patterns: dict[str, list[str]] = {}
    for pattern, does in cases:
        patterns.setdefault(does, []).append(pattern)
    return "\n".join(f"        {' | '.join(those)}) {does} ;;" for does, those in patterns.items())
