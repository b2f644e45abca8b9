"""Completion in bash, from version 3.2 on.

In: the tree of commands. Out: a script, which knows all words and starts no verger.
"""

from argparse import Action
from collections.abc import Iterable, Iterator

from verger.cli import tree
from verger.cli.tree import Command
from verger.crawlers import CRAWLERS

SCRIPT = r"""# Completes `verger` in bash; written by `verger completion bash`.

_verger_crawlers='@CRAWLERS@'

# Offer those of the words that begin as $word does.
_verger_offer() {
    local line
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen -W "$1" -- "$word")
}

_verger_files() {
    local line
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do
        COMPREPLY+=("$line")
    done < <(compgen -f -- "$word")
}

# Offer values of the option $2 of the command $1; fail where it takes none.
_verger_values() {
    case "$1 $2" in
@VALUES@
        *) return 1 ;;
    esac
}

_verger_takes_several() {
    case "$1 $2" in
@SEVERAL@
        *) return 1 ;;
    esac
}

_verger_options() {
    case $1 in
@OPTIONS@
    esac
}

# Offer what is not an option.
_verger_arguments() {
    case $1 in
@ARGUMENTS@
    esac
}

# Offer values of the option that the word before the cursor belongs to; fail where there is none.
_verger_values_here() {
    local at option
    for ((at = COMP_CWORD - 1; at > 0; at--)); do
        option=${COMP_WORDS[at]}
        case $option in
            -- | /* | *://*) return 1 ;;
            -?*) break ;;
        esac
    done
    ((at > 0)) || return 1
    case ${COMP_WORDS[*]:at+1:COMP_CWORD-at-1} in
        '' | '=') ;;
        *) _verger_takes_several "$1" "$option" || return 1 ;;
    esac
    _verger_values "$1" "$option"
}

_verger() {
    local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} first=2 at
    COMPREPLY=()
    [[ $word == '=' ]] && word=
    if [[ $command == help ]]; then
        command=${COMP_WORDS[2]}
        first=3
    fi
    case $command in
        @PARENTS@)
            if ((COMP_CWORD > first)); then
                command="$command ${COMP_WORDS[first]}"
                ((first++))
            fi
            ;;
    esac
    if ((COMP_CWORD < first)); then
        command=
    fi
    for ((at = first; at < COMP_CWORD; at++)); do
        if [[ ${COMP_WORDS[at]} == -- ]]; then
            _verger_arguments "$command"
            return
        fi
    done
    _verger_values_here "$command" && return
    if [[ $word != -* ]]; then
        _verger_arguments "$command"
    fi
    if [[ $word == -* || ( -z $word && ${#COMPREPLY[@]} -eq 0 ) ]]; then
        _verger_offer "$(_verger_options "$command")"
    fi
}

complete -F _verger verger
"""


def script() -> str:
    """Return the script."""
    all_ = list(tree.commands())
    parts = {
        "CRAWLERS": " ".join(each.token for each in CRAWLERS),
        "VALUES": _cases(_values(all_)),
        "SEVERAL": _cases(_several(all_)),
        "OPTIONS": _cases(_options(all_)),
        "ARGUMENTS": _cases(_arguments(all_)),
        "PARENTS": " | ".join(each.name for each in all_ if each.grammar is None),
    }
    text = SCRIPT
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _values(all_: Iterable[Command]) -> Iterator[tuple[str, str]]:
    for command in all_:
        for option in filter(tree.has_value, command.options):
            for name in option.option_strings:
                yield f"'{command.name} {name}'", _offer(option)


def _several(all_: Iterable[Command]) -> Iterator[tuple[str, str]]:
    for command in all_:
        for option in filter(command.takes_several, command.options):
            yield f"'{command.name} {option.option_strings[-1]}'", "return 0"


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
        offer = f"_verger_offer '{' '.join(subs)}'" if subs else _offer(command.positional)
        yield f"'{command.name}'", offer


def _offer(action: Action | None) -> str:
    """Return the call that offers the values of an option, or the words that are not one."""
    if tree.names_a_file(action):
        return "_verger_files"
    if tree.names_a_crawler(action):
        return '_verger_offer "$_verger_crawlers"'
    words = " ".join(tree.words_of(action))
    return f"_verger_offer '{words}'" if words else ":"


def _cases(cases: Iterable[tuple[str, str]]) -> str:
    """Return the branches of a `case`; patterns that do the same are one branch."""
    patterns: dict[str, list[str]] = {}
    for pattern, does in cases:
        patterns.setdefault(does, []).append(pattern)
    return "\n".join(f"        {' | '.join(those)}) {does} ;;" for does, those in patterns.items())
