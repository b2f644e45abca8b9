"""Completion, as the shells themselves complete: what they offer behind a beginning.

In: the scripts that `verger completion` prints, and beginnings of commands. Out: what bash, zsh and
fish would show behind the Tab key. A shell that is not installed is skipped.
"""

import fcntl
import os
import pty
import shutil
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path

import pytest
from tools import command_tree as tree

from patience import LONG
from verger import DIALECTS
from verger.cli.app import COMMANDS
from verger.cli.commands.check import FORMATS
from verger.cli.commands.completion import SHELLS
from verger.crawlers import CRAWLERS

from .conftest import Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shells of POSIX")

COMMON = "check --robots r --agent A"
OFFERED = {
    "": {*COMMANDS, "help"},
    "ch": {"check"},
    "nothing": set(),
    "help ca": {"cache"},
    "help cache pu": {"purge"},
    "check --robots-": {"--robots-url"},
    "check --format ": set(FORMATS),
    f"{COMMON} --dialect ": {*DIALECTS, "own", "all"},
    f"{COMMON} --dialect google --dialect yand": {"yandex"},
    "agents r --dialect all": set(),
    "agents r --purpose training --purpose ai-s": {"ai-search"},
    "check --agent GPTB": {"GPTBot"},
    "check --agent A --agent GPTB": {"GPTBot"},
    "check --agent A GPTB": set(),
    "check --agent A / GPTB": set(),
    "scan a --agent A GPTB": set(),
    "check --robots to": {"to here.txt", "to-there"},
    "check --timeout ": set(),
    "audit --robots r --by ": {"crawler", "rule"},
    "filter to-": {"to-there"},
    "cache ": {"list", "show", "refresh", "export", "purge"},
    "cache list --dia": {"--dialect"},
    "cache list --dialect koster-1": {"koster-1996"},
    "cache export --output to-": {"to-there"},
    "completion ": {*SHELLS},
}
"""What is offered behind `verger ` and a beginning."""


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """Lay down what can be named."""
    for name in ("to here.txt", "to-there"):
        (folder / name).touch()


def offered(shell: str, begun: Sequence[str], run: Run, folder: Path) -> list[set[str]]:
    """Return what a shell offers behind each beginning."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = folder / f"script.{shell}"
    script.write_text(run("completion", shell).out)
    return {"bash": in_bash, "zsh": in_zsh, "fish": in_fish}[shell](begun, script)


BASH = r"""
source "$1"
while IFS= read -r line; do
    IFS=' ' read -ra COMP_WORDS <<<"$line"
    case $line in *' ') COMP_WORDS+=('') ;; esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _shtab_verger
    printf '%s\n' "${COMPREPLY[@]}" =
done
"""


def in_bash(begun: Sequence[str], script: Path) -> list[set[str]]:
    """Call the function as bash does; its words part at `=`, too."""
    lines = "".join(f"verger {each.replace('=', ' = ')}\n" for each in begun)
    done = subprocess.run(
        ["bash", "--norc", "-c", BASH, "bash", script],
        input=lines.encode(),
        capture_output=True,
        check=True,
    )
    assert b"" == done.stderr
    return parts(done.stdout.decode())


def in_fish(begun: Sequence[str], script: Path) -> list[set[str]]:
    """Ask fish, which shows a description behind a tabulator."""
    calls = (f"complete -C 'verger {each}'; echo =" for each in begun)
    call = "; ".join([f"source {script}", *calls])
    done = subprocess.run(["fish", "-N", "-c", call], capture_output=True, check=True)
    assert b"" == done.stderr
    lines = (line.partition("\t")[0] for line in done.stdout.decode().splitlines())
    return parts("\n".join(lines))


ZSHRC = r"""
fpath+=($ZDOTDIR/.zfunc)
autoload -U compinit
compinit -u -D
compadd() {  # options O, A and D fill arrays, and offer nothing
    if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
        local -a hits
        builtin compadd -A hits "$@"
        found+=($hits)
    fi
    builtin compadd "$@"
}
complete_line() {
    _main_complete
    compstate[insert]=
    compstate[list]=
}
zle-line-init() {
    local -a found
    for BUFFER in ${(f)VERGER_LINES}; do
        found=()
        CURSOR=$#BUFFER
        zle complete_here
        print -rl -- $found = >>$VERGER_OUT
    done
    exit
}
zle -C complete_here complete-word complete_line
zle -N zle-line-init
"""


def in_zsh(begun: Sequence[str], script: Path) -> list[set[str]]:
    """Let an interactive zsh complete, and write down what it was about to offer."""
    folder = script.parent
    (folder / ".zshrc").write_text(ZSHRC)
    (folder / ".zfunc").mkdir(exist_ok=True)
    shutil.copy(script, folder / ".zfunc" / "_verger")
    lines = "\n".join(f"verger {each}" for each in begun)
    told = {"VERGER_LINES": lines, "VERGER_OUT": folder / "offered"}
    environment = os.environ | {"ZDOTDIR": folder, "TERM": "dumb"} | told
    terminal, side = pty.openpty()
    subprocess.run(
        ["zsh", "-d", "-i"],
        stdin=side,
        stdout=side,
        stderr=side,
        env={name: str(value) for name, value in environment.items()},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(side, termios.TIOCSCTTY, 0),
        timeout=LONG,
        check=True,
    )
    os.close(terminal)
    os.close(side)
    return parts((folder / "offered").read_text())


def parts(text: str) -> list[set[str]]:
    """Return what stands before each `=`, unquoted."""
    found: list[set[str]] = [set()]
    for line in text.replace("\\ ", " ").splitlines():
        if line == "=":
            found.append(set())
        elif line:
            found[-1].add(line)
    return found[:-1]


@pytest.mark.parametrize("shell", SHELLS)
def test_offers(shell: str, run: Run, folder: Path) -> None:
    """Behind a beginning each shell offers what the grammar allows, and nothing else."""
    begun = list(OFFERED)

    assert OFFERED == dict(zip(begun, offered(shell, begun, run, folder), strict=True))


@pytest.mark.parametrize("shell", SHELLS)
def test_every_option(shell: str, run: Run, folder: Path) -> None:
    """All options of a command are offered, and nobody else's."""
    expected = {
        f"{command.name} --": {
            name
            for option in command.options
            for name in option.option_strings
            if name.startswith("--")
        }
        or {"--help"}
        for command in tree.commands()
    }
    found = [
        {name.removesuffix("=") for name in names if name.startswith("--")}
        for names in offered(shell, list(expected), run, folder)
    ]

    assert expected == dict(zip(expected, found, strict=True))


def test_scripts_start_nothing(run: Run) -> None:
    """The words stand in the scripts: completing costs no start of Python."""
    for shell in SHELLS:
        script = run("completion", shell).out

        assert "$(verger" not in script
        assert "(verger" not in script


def test_no_word_acts_in_a_shell() -> None:
    """What the scripts quote once needs no other care."""
    words = {word for each in tree.commands() for option in each.options
             for word in (option.choices or ())}  # fmt: skip

    assert all(word.replace("-", "").isalnum() for word in words)
    assert all(each.token.replace("-", "").replace("_", "").replace(".", "").isalnum()
               for each in CRAWLERS)  # fmt: skip
