"""Completion in fish, from version 3 on.

In: the tree of commands. Out: a script, which knows all words and starts no verger.
"""

from argparse import Action
from collections.abc import Iterator

from verger.cli import tree
from verger.cli.tree import Command
from verger.crawlers import CRAWLERS

HEAD = r"""# Completes `verger` in fish; written by `verger completion fish`.

set -g __verger_crawlers @CRAWLERS@

# The words before the cursor, behind `verger` and `help`.
function __verger_words
    set -l words (commandline -opc)
    set -e words[1]
    if test "$words[1]" = help
        set -e words[1]
    end
    test (count $words) -gt 0
    and printf '%s\n' $words
end

# Whether the next word names a command, or a sub-command of the one given.
function __verger_needs_command
    set -l words (__verger_words)
    test "$words" = "$argv"
end

function __verger_in
    set -l words (__verger_words)
    set -l first $words[1..(count $argv)]
    test "$first" = "$argv"
end

# Whether the cursor is behind a value of the option, which takes several.
function __verger_behind
    for word in (__verger_words)[-1..1]
        switch $word
            case $argv[1]
                return 0
            case '-?*' '/*' '*://*'
                return 1
        end
    end
    return 1
end

complete -c verger -f
complete -c verger -n __verger_needs_command -s h -l help -d 'show help'
complete -c verger -n __verger_needs_command -l version -d 'show the version'
complete -c verger -n __verger_needs_command -a help -d 'show the help of a command'
"""


def script() -> str:
    """Return the script."""
    head = HEAD.replace("@CRAWLERS@", " ".join(each.token for each in CRAWLERS))
    return "".join([head, *(f"{line}\n" for each in tree.commands() for line in _lines(each))])


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
        if command.takes_several(option):
            behind = f"{here}; and __verger_behind {option.option_strings[-1]}"
            yield f"complete -c verger -n {_quoted(behind)}{_offer(option)}"
    if offer := _offer(command.positional):
        yield f"complete -c verger -n {_quoted(here)}{offer}"


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
    """Return what offers the values of an option, or the words that are not one."""
    if tree.names_a_file(action):
        return " -F"
    words = ["$__verger_crawlers"] if tree.names_a_crawler(action) else tree.words_of(action)
    return f" -a {_quoted(' '.join(words))}" if words else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", r"\\").replace("'", r"\'") + "'"
