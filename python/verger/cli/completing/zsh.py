"""Completion in zsh.

In: the tree of commands. Out: a function in the words of `_arguments`, which knows all words and
starts no verger.
"""

from argparse import Action
from collections.abc import Iterable, Iterator

from verger.cli import tree
from verger.cli.tree import Command
from verger.crawlers import CRAWLERS

SCRIPT = r"""#compdef verger
# Completes `verger` in zsh; written by `verger completion zsh`.

_verger_crawlers() {
    local -a tokens=(@CRAWLERS@)
    compadd "$@" -a tokens
}

_verger() {
    local -a commands=(
@COMMANDS@
    )
    local curcontext=$curcontext state line
    _arguments -C '(- *)'{-h,--help}'[show help]' '(- *)--version[show the version]' \
        '1:command:->command' '*::argument:->argument'
    case $state in
        command) _describe -t commands command commands ;;
        argument)
            local name=$words[1]
            if [[ $name == help ]]; then
                if (( CURRENT == 2 )); then
                    _describe -t commands command commands
                    return
                fi
                shift words
                (( CURRENT-- ))
                name=$words[1]
            fi
            (( $+functions[_verger_$name] )) && _verger_$name
            ;;
    esac
}

@FUNCTIONS@
if [[ $funcstack[1] == _verger ]]; then
    _verger "$@"
else
    compdef _verger verger
fi
"""

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

ARGUMENTS = r"""_verger_@NAME@_arguments() {
    local at
    for (( at = CURRENT - 1; at > 1; at-- )); do
        case $words[at] in
@SEVERAL@
            (-?*|/*|*://*) break ;;
        esac
    done
    @OFFER@
}
"""
"""Offers values of an option that takes several, else what is not an option."""


def script() -> str:
    """Return the script."""
    all_ = list(tree.commands())
    top = [(each.name, each.what) for each in all_ if len(each.words) == 1]
    help_ = ("help", "show the help of a command")
    parts = {
        "CRAWLERS": " ".join(each.token for each in CRAWLERS),
        "COMMANDS": _described([*top, help_]),
        "FUNCTIONS": "\n".join(_function(each, all_) for each in all_),
    }
    return _filled(SCRIPT, parts)


def _function(command: Command, all_: Iterable[Command]) -> str:
    if command.grammar is None:
        subs = [(sub.words[1], sub.what) for sub in all_ if sub.words[:-1] == command.words]
        return _filled(PARENT, {"NAME": command.name, "COMMANDS": _described(subs)})
    name = "_".join(command.words)
    specs = " \\\n        ".join(_specs(command, name))
    several = [
        f"            ({option.option_strings[-1]}) {_offer(option)}; return ;;"
        for option in command.options
        if command.takes_several(option)
    ]
    parts = {
        "NAME": name,
        "SEVERAL": "\n".join(several),
        "OFFER": (command.positional and _offer(command.positional)) or ":",
    }
    arguments = _filled(ARGUMENTS, parts) if several else ""
    return f"{arguments}_verger_{name}() {{\n    _arguments \\\n        {specs}\n}}\n"


def _specs(command: Command, name: str) -> Iterator[str]:
    for option in command.options:
        about = f"[{_plain(tree.in_short(option))}]{_value(option)}"
        for spelt in option.option_strings:
            behind = "=" if tree.has_value(option) and spelt.startswith("--") else ""
            yield _quoted(f"*{spelt}{behind}{about}")
    if command.positional is not None:
        several = any(map(command.takes_several, command.options))
        offer = f"_verger_{name}_arguments" if several else _offer(command.positional)
        yield _quoted(f"*:{_plain(str(command.positional.metavar))}:{offer}")


def _value(option: Action) -> str:
    return f":{_plain(str(option.metavar))}:{_offer(option)}" if tree.has_value(option) else ""


def _offer(action: Action) -> str:
    """Return the action that offers the values of an option, or the words that are not one."""
    if tree.names_a_file(action):
        return "_files"
    if tree.names_a_crawler(action):
        return "_verger_crawlers"
    words = " ".join(tree.words_of(action))
    return f"compadd - {words}" if words else ""


def _described(words: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"        {_quoted(f'{word}:{what}')}" for word, what in words)


def _plain(text: str) -> str:
    """Return a text in which nothing ends a description."""
    return "".join(f"\\{each}" if each in r"\[]:" else each for each in text)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"


def _filled(text: str, parts: dict[str, str]) -> str:
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text
