"""Completion in fish, from version 3 on.

In: the tree of commands. Out: a script that contains all words and does not run verger.
"""

from argparse import Action
from collections.abc import Iterator

from verger.cli import tree
from verger.cli.completing.template import offer, script_of
from verger.cli.tree import Command


def script() -> str:
    """Return the script."""
    lines = (line for each in tree.commands() for line in _lines(each))
    return script_of("fish", {}) + "".join(f"{line}\n" for line in lines)


def _lines(command: Command) -> Iterator[str]:
    *parents, name = command.words
    needed = _quoted(" ".join(["__verger_needs_command", *parents]))
    yield f"complete -c verger -n {needed} -a {name} -d {_quoted(command.what)}"
    if command.grammar is None:
        needed = _quoted(f"__verger_needs_command {command.name}")
        yield f"complete -c verger -n {needed} -s h -l help -d 'show help'"
    here = f"__verger_in {command.name}"
    for option in command.options:
        yield f"complete -c verger -n {_quoted(here)} {_names(option)}{_value(option)}"
    if offers := _offer(command.positional):
        yield f"complete -c verger -n {_quoted(here)}{offers}"


def _names(option: Action) -> str:
    names = (
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
        for name in option.option_strings
    )
    return f"{' '.join(names)} -d {_quoted(tree.in_short(option))}"


def _value(option: Action) -> str:
    if not tree.has_value(option):
        return ""
    return " -r" + _offer(option) if tree.names_a_file(option) else " -x" + _offer(option)


def _offer(action: Action | None) -> str:
    """Return the flags that offer the values of an option, or positional arguments."""
    return offer(action, file=" -F", crawler=" -a '$__verger_crawlers'", words=" -a '{}'")


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", r"\\").replace("'", r"\'") + "'"
