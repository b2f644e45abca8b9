"""`verger completion`: a script that completes verger's commands in a shell.

In: the name of a shell. Out: the script on stdout, made from the grammars of all commands. Exit
code 0, or 2 for bad usage.
"""

from argparse import Namespace
from collections.abc import Sequence

from verger.cli.completing.scripts import bash_script, fish_script, zsh_script
from verger.cli.exit import FINE, Failure
from verger.cli.grammar import OneOf, Parser

SCRIPTS = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}
SHELLS = tuple(SCRIPTS)

HELP_HINT = "`verger completion --help` says where its output goes"

USAGE = "verger completion bash|zsh|fish"

DESCRIPTION = """\
Print a script that completes commands, options and their values in a shell.

The shell reads the script when it starts. Print it again after an update of
verger."""

EXITS = """\
0    the script is printed
2    bad usage, or it cannot be written"""

MORE = """\
where the script goes:
  bash  verger completion bash \\
            > ~/.local/share/bash-completion/completions/verger
  zsh   verger completion zsh > ~/.zfunc/_verger
        with `fpath+=(~/.zfunc)` before `compinit` in ~/.zshrc
  fish  verger completion fish > ~/.config/fish/completions/verger.fish"""


def run(words: Sequence[str]) -> int:
    """Print the script for the named shell."""
    args = parser().read(words)
    print(SCRIPTS[_shell(args)](), end="")
    return FINE


def _shell(args: Namespace) -> str:
    if not args.shell:
        raise Failure("no shell given", f"choose from {', '.join(f'`{each}`' for each in SHELLS)}")
    if len(args.shell) > 1:
        raise Failure(f"unexpected argument `{args.shell[1]}`", HELP_HINT)
    (shell,) = args.shell
    return str(shell)


def parser() -> Parser:
    """Return the grammar of the command."""
    grammar = Parser(
        prog="verger completion",
        usage=USAGE,
        description=DESCRIPTION,
        exits=EXITS,
        more=MORE,
    )
    grammar.add_argument(
        "shell", nargs="*", type=OneOf("shell", SHELLS), metavar="SHELL", help=", ".join(SHELLS)
    )
    return grammar
