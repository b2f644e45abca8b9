"""Run what a page shows: the files, the commands and the output of its fenced blocks.

In: Markdown. A block marked `text file=NAME` is a file; a block marked `console` is a command
behind `$ ` and all that it prints, in the order of a terminal. Out: the page as it would be if
it were printed now. Times differ from run to run, and are left out of comparisons.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

FENCED = re.compile(r"^```(?P<kind>\w+)(?: file=(?P<name>\S+))?\n(?P<text>.*?)^```$", re.M | re.S)
TIME = re.compile(r"^time .*$", re.M)


def transcripts(page: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Lay a page's files down in `folder`; yield its consoles as shown and as printed now."""
    for block in FENCED.finditer(page):
        kind, name, text = block["kind"], block["name"], block["text"]
        if name:
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif kind == "console":
            yield text, console(text, folder)


def console(shown: str, folder: Path) -> str:
    """Return a console block with what its one command prints in `folder`."""
    command = shown.partition("\n")[0].removeprefix("$ ")
    done = subprocess.run(
        ["sh", "-c", f"exec 2>&1; {command}"],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return f"$ {command}\n{done.stdout.decode()}"


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which `verger` is this one, without colour, in UTF-8."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_COLOR")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return kept | {"PATH": path, "PYTHONIOENCODING": "utf-8"} | more


def timeless(text: str) -> str:
    """Return a transcript without the time it took."""
    return TIME.sub("time", text)
