"""`verger completion`: a script that completes verger's commands in a shell.

In: the name of a shell. Out: its script on stdout, as `make docs` has written it from the grammars
of all commands. Exit code 0, or 2 for bad usage.
"""

from argparse import Namespace
from importlib.resources import files

from verger.cli import options
from verger.cli.output import FINE

SHELLS = ("bash", "zsh", "fish")

HELP = """\
usage: verger completion bash|zsh|fish

Print a script that completes commands, options and their values in a shell.

The shell reads the script when it starts. Print it again after an update of
verger.

exit code:
  0    the script is printed
  2    bad usage, or it cannot be written
  130  interrupted

where the script goes:
  bash  verger completion bash \\
            > ~/.local/share/bash-completion/completions/verger
  zsh   verger completion zsh > ~/.zfunc/_verger
        with `fpath+=(~/.zfunc)` before `compinit` in ~/.zshrc
  fish  verger completion fish > ~/.config/fish/completions/verger.fish
"""


OPTIONS = (
    options.option("shell", nargs="*", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS)),
)


def run(args: Namespace) -> int:
    """Print the script for the named shell."""
    options.expect_one(
        args.shell,
        ("no shell given", f"choose from {', '.join(f'`{each}`' for each in SHELLS)}"),
        ("unexpected argument {}", "`verger completion --help` says where its output goes"),
    )
    script = files("verger.cli") / "completing" / f"verger.{args.shell[0]}"
    print(script.read_text("utf-8"), end="")
    return FINE
