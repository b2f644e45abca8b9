"""Scripts that complete the command line in bash (3.2 on), fish (3 on) and zsh.

In: the tree of commands, and a file `verger.SHELL` next to this one, in which `@NAME@` is the place
of a part. Out: a script that contains all words and does not run verger.
"""

from argparse import Action
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from verger.cli import tree
from verger.cli.tree import Command
from verger.crawlers import CRAWLERS


def script_of(shell: str, parts: Mapping[str, str]) -> str:
    """Return the template of a shell, filled with its parts and the known crawlers."""
    text = files("verger.cli.completing").joinpath(f"verger.{shell}").read_text("utf-8")
    return filled(text, {"CRAWLERS": " ".join(each.token for each in CRAWLERS), **parts})


def filled(text: str, parts: Mapping[str, str]) -> str:
    """Return the text with each part in its place."""
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def offer(action: Action | None, *, file: str, crawler: str, words: str, nothing: str = "") -> str:
    """Return the code that offers the values of an option, or positional arguments.

    words:  the code that offers known words, which replace its `{}`.
    """
    if tree.names_a_file(action):
        return file
    if tree.names_a_crawler(action):
        return crawler
    known = " ".join(tree.words_of(action))
    return words.format(known) if known else nothing


# bash


def bash_script() -> str:
    """Return the script."""
    all_ = list(tree.commands())
    parts = {
        "VALUES": _cases(_bash_values(all_)),
        "OPTIONS": _cases(_bash_options(all_)),
        "ARGUMENTS": _cases(_bash_arguments(all_)),
        "PARENTS": " | ".join(each.name for each in all_ if each.grammar is None),
    }
    return script_of("bash", parts)


def _bash_values(all_: Iterable[Command]) -> Iterator[tuple[str, str]]:
    for command in all_:
        for option in filter(tree.has_value, command.options):
            for name in option.option_strings:
                yield f"'{command.name} {name}'", _bash_offer(option)


def _bash_options(all_: Iterable[Command]) -> Iterator[tuple[str, str]]:
    yield "''", "echo '-h --help --version'"
    for command in all_:
        names = [name for option in command.options for name in option.option_strings]
        yield f"'{command.name}'", f"echo '{' '.join(names or ('-h', '--help'))}'"


def _bash_arguments(all_: Iterable[Command]) -> Iterator[tuple[str, str]]:
    names = [each.name for each in all_ if len(each.words) == 1]
    yield "''", f"_verger_offer '{' '.join([*names, 'help'])}'"
    for command in all_:
        subs = [sub.words[1] for sub in all_ if sub.words[:-1] == command.words]
        offers = f"_verger_offer '{' '.join(subs)}'" if subs else _bash_offer(command.positional)
        yield f"'{command.name}'", offers


def _bash_offer(action: Action | None) -> str:
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


# fish


def fish_script() -> str:
    """Return the script."""
    lines = (line for each in tree.commands() for line in _fish_lines(each))
    return script_of("fish", {}) + "".join(f"{line}\n" for line in lines)


def _fish_lines(command: Command) -> Iterator[str]:
    *parents, name = command.words
    needed = _fish_quoted(" ".join(["__verger_needs_command", *parents]))
    yield f"complete -c verger -n {needed} -a {name} -d {_fish_quoted(command.what)}"
    if command.grammar is None:
        needed = _fish_quoted(f"__verger_needs_command {command.name}")
        yield f"complete -c verger -n {needed} -s h -l help -d 'show help'"
    here = f"__verger_in {command.name}"
    for option in command.options:
        offers = f"{_fish_names(option)}{_fish_value(option)}"
        yield f"complete -c verger -n {_fish_quoted(here)} {offers}"
    if offers := _fish_offer(command.positional):
        yield f"complete -c verger -n {_fish_quoted(here)}{offers}"


def _fish_names(option: Action) -> str:
    names = (
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
        for name in option.option_strings
    )
    return f"{' '.join(names)} -d {_fish_quoted(tree.in_short(option))}"


def _fish_value(option: Action) -> str:
    if not tree.has_value(option):
        return ""
    return " -r" + _fish_offer(option) if tree.names_a_file(option) else " -x" + _fish_offer(option)


def _fish_offer(action: Action | None) -> str:
    """Return the flags that offer the values of an option, or positional arguments."""
    return offer(action, file=" -F", crawler=" -a '$__verger_crawlers'", words=" -a '{}'")


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", r"\\").replace("'", r"\'") + "'"


# zsh


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


def zsh_script() -> str:
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
    specs = " \\\n        ".join(_zsh_specs(command))
    return f"_verger_{name}() {{\n    _arguments \\\n        {specs}\n}}\n"


def _zsh_specs(command: Command) -> Iterator[str]:
    for option in command.options:
        about = f"[{_plain(tree.in_short(option))}]{_zsh_value(option)}"
        for spelt in option.option_strings:
            equals = "=" if tree.has_value(option) and spelt.startswith("--") else ""
            yield _zsh_quoted(f"*{spelt}{equals}{about}")
    if command.positional is not None:
        offers = _zsh_offer(command.positional)
        yield _zsh_quoted(f"*:{_plain(str(command.positional.metavar))}:{offers}")


def _zsh_value(option: Action) -> str:
    return f":{_plain(str(option.metavar))}:{_zsh_offer(option)}" if tree.has_value(option) else ""


def _zsh_offer(action: Action) -> str:
    """Return the action that offers the values of an option, or positional arguments."""
    return offer(action, file="_files", crawler="_verger_crawlers", words="compadd - {}")


def _described(words: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"        {_zsh_quoted(f'{word}:{what}')}" for word, what in words)


def _plain(text: str) -> str:
    """Return a text with the characters escaped that end a description."""
    return "".join(f"\\{each}" if each in r"\[]:" else each for each in text)


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"
