"""Run what a page shows: the files, the commands and the output of its fenced blocks.

In: Markdown. A block marked `text file=NAME` is a file; one marked `diff` is two, `old.txt` and
`new.txt`; one marked `console` is a command behind `$ ` and all that it prints, in the order of a
terminal. Out: the page as it would be if it were printed now. Times differ from run to run, and are
left out of comparisons. A page may have a web of its own (see `web.py`): commands that fetch are
led there.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

from patience import LONG
from verger.cli.app import main

from .web import Web

FENCED = re.compile(r"^```(?P<kind>\w+)(?: file=(?P<name>\S+))?\n(?P<text>.*?)^```$", re.M | re.S)
TIMES = (
    (re.compile(r"^time .*$", re.M), "time"),
    (re.compile(r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "20yy-mm-ddThh:mm:ssZ"),
    (re.compile(r'"(age|elapsed)": [0-9.e-]+'), r'"\1": 0'),
    (re.compile(r"\b\w{3}, \d\d \w{3} 20\d\d [\d:]{8} GMT\b"), "www, dd mmm 20yy hh:mm:ss GMT"),
    (re.compile(r" *\b\d+(\.\d\d)? s\b"), " 0 s"),
)
"""What differs from run to run, and what stands for it."""

WRAPPER = """\
#!/bin/sh
case "$1 $2 $*" in
    *--help*|*"--robots "*|*"--snapshot "*) ;;
    "cache refresh "*) shift 2; set -- cache refresh {options} "$@" ;;
    "agents http"*) shift; set -- agents {options} "$@" ;;
    "diff "*http*|"compare "*http*) command=$1; shift; set -- $command {options} "$@" ;;
    "check "*) shift; set -- check {options} "$@" ;;
esac
exec ${{VERGER:-'{verger}'}} "$@"
"""
"""It finds the words of a command, and runs `$VERGER`, or else `verger`, with them."""

PLAIN = re.compile(r"verger [^|<>;&$`*~]*")
"""A command without pipes, files and variables, which needs no shell."""


def led_to(web: Web, folder: Path) -> dict[str, str]:
    """Return an environment in which the `verger` of a page finds the sites of a web.

    The folder is also the home of the page's cache.
    """
    wrapper = folder / "bin" / "verger"
    wrapper.parent.mkdir()
    verger = Path(sys.executable).with_name("verger")
    wrapper.write_text(WRAPPER.format(verger=verger, options=shlex.join(web.options)))
    wrapper.chmod(0o755)
    path = f"{wrapper.parent}{os.pathsep}{environment()['PATH']}"
    return {"PATH": path, "XDG_CACHE_HOME": str(folder)} | committing(folder)


def committing(folder: Path) -> dict[str, str]:
    """Return an environment in which git commits, whatever its settings are elsewhere."""
    somebody = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in WHO}
    nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return somebody | nowhere | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}


WHO = ("NAME", "EMAIL")


def transcripts(page: str, folder: Path, **more: str) -> Iterator[tuple[str, str]]:
    """Lay a page's files down in `folder`; yield its consoles as shown and as printed now.

    more:  variables of the environment.
    """
    for block in FENCED.finditer(page):
        kind, name, text = block["kind"], block["name"], block["text"]
        if name:
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif kind == "diff":
            lay_down_versions(text, folder)
        elif kind == "console":
            is_plain = "PATH" in more and PLAIN.fullmatch(command_of(text))
            yield text, (console_here if is_plain else console)(text, folder, **more)


def lay_down_versions(changed: str, folder: Path) -> None:
    """Write both versions of a file of which each line is kept (` `), removed or added."""
    lines = changed.splitlines(keepends=True)
    for name, sign in (("old.txt", "-"), ("new.txt", "+")):
        body = "".join(line[1:] for line in lines if line[:1] in (" ", "\n", sign))
        (folder / name).write_text(body, encoding="utf-8")


def command_of(shown: str) -> str:
    """Return the command of a console block."""
    return shown.partition("\n")[0].removeprefix("$ ")


def console(shown: str, folder: Path, **more: str) -> str:
    """Return a console block with what its one command prints in `folder`."""
    command = command_of(shown)
    done = subprocess.run(
        ["sh", "-c", f"exec 2>&1; {command}"],
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return f"$ {command}\n{done.stdout.decode()}"


def console_here(shown: str, folder: Path, **more: str) -> str:
    """Do as `console` does, in this process, whose imports are made: in a tenth of the time.

    The shell finds the words, and the wrapper of `led_to` those that lead to the page's web.
    """
    command = command_of(shown)
    words = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(**more, VERGER=r"printf %s\0"),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")[:-1]
    with tempfile.TemporaryFile() as output:
        run_here(words, folder, output.fileno(), **more)
        output.seek(0)
        return f"$ {command}\n{output.read().decode()}"


def run_here(
    words: Sequence[str], folder: Path, output: int, error: int | None = None, **more: str
) -> int:
    """Run `verger` in this process, and return its exit code.

    output:  the descriptor that stdout leads to, as it would in a process of its own.
    error:   that of stderr, if it is another.
    more:    variables of the environment.
    """
    before = [os.dup(number) for number in range(3)]
    nowhere = os.open(os.devnull, os.O_RDONLY)
    try:
        for number, leads_to in enumerate((nowhere, output, error or output)):
            os.dup2(leads_to, number)
        with (
            open(0, closefd=False) as stdin,
            open(1, "w", encoding="utf-8", closefd=False) as stdout,
            open(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False) as stderr,
            patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr),
            patch.dict(os.environ, environment(**more), clear=True),
            chdir(folder),
        ):
            try:
                return main(words)
            except SystemExit as ending:  # behind `--help`
                return int(ending.code or 0)
    finally:
        for number, kept in enumerate(before):
            os.dup2(kept, number)
        for descriptor in (*before, nowhere):
            os.close(descriptor)


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which `verger` is this one, without colour, in UTF-8."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith("_COLOR") and name != "COLUMNS"
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return kept | {"PATH": path, "PYTHONIOENCODING": "utf-8"} | more


def timeless(text: str) -> str:
    """Return a transcript without the time it took, and when it was made."""
    for pattern, standing in TIMES:
        text = pattern.sub(standing, text)
    return text


def talking_to(command: list[str]) -> "subprocess.Popen[bytes]":
    """Start a command with pipes to all its streams, which hears ctrl-C."""
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        preexec_fn=hear_interrupts,
    )


def hear_interrupts() -> None:
    """Undo what a shell does to the jobs in its background: they do not hear ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def after_a_line(command: "subprocess.Popen[bytes]") -> tuple[int, bytes]:
    """Read one line of what a command prints and go away; return its exit code and its stderr."""
    assert command.stdout is not None
    assert command.stderr is not None
    command.stdout.readline()
    command.stdout.close()
    with command.stderr:
        said = command.stderr.read()
    return command.wait(timeout=LONG), said
