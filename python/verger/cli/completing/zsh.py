"""Completion in zsh.

In: the tree of commands. Out: functions that use `_arguments`; they contain all words and do not
run verger.
"""

from argparse import Action
from collections.abc import Iterable, Iterator

from verger.cli import tree
from verger.cli.completing.template import filled, offer, script_of
from verger.cli.tree import Command

PARENT = r"""_verger_@NAME@() {
    local -a commands=(
@COMMANDS@
    )
    local curcontext=$curcontext state line
    _arguments -C '(- *)'{-h,--help}'[show help]' '1:command:->command' '*::argument:->argument'
    case $state in
        command) _describe -t commands command commands ;;
        argument) (( $+functions[_verger_@NAME@_$words[1]] )) && _verger_@NAME@_$words[1] ;;
    esac
}
"""


def script() -> str:
    """Return the script."""
    all_ = list(tree.commands())
    top = [(each.name, each.what) for each in all_ if len(each.words) == 1]
    help_ = ("help", "show the help of a command")
    parts = {
        "COMMANDS": _described([*top, help_]),
        "FUNCTIONS": "\n".join(_function(each, all_) for each in all_),
    }
    return script_of("zsh", parts)


def _function(command: Command, all_: Iterable[Command]) -> str:
    if command.grammar is None:
        subs = [(sub.words[1], sub.what) for sub in all_ if sub.words[:-1] == command.words]
        return filled(PARENT, {"NAME": command.name, "COMMANDS": _described(subs)})
    name = "_".join(command.words)
    specs = " \\\n        ".join(_specs(command))
    return f"_verger_{name}() {{\n    _arguments \\\n        {specs}\n}}\n"


def _specs(command: Command) -> Iterator[str]:
    for option in command.options:
        about = f"[{_plain(tree.in_short(option))}]{_value(option)}"
        for spelt in option.option_strings:
            equals = "=" if tree.has_value(option) and spelt.startswith("--") else ""
            yield _quoted(f"*{spelt}{equals}{about}")
    if command.positional is not None:
        offers = _offer(command.positional)
        yield _quoted(f"*:{_plain(str(command.positional.metavar))}:{offers}")


def _value(option: Action) -> str:
    return f":{_plain(str(option.metavar))}:{_offer(option)}" if tree.has_value(option) else ""


def _offer(action: Action) -> str:
    """Return the action that offers the values of an option, or positional arguments."""
    return offer(action, file="_files", crawler="_verger_crawlers", words="compadd - {}")


def _described(words: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"        {_quoted(f'{word}:{what}')}" for word, what in words)


def _plain(text: str) -> str:
    """Return a text with the characters escaped that end a description."""
    return "".join(f"\\{each}" if each in r"\[]:" else each for each in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"
