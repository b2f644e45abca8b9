"""Building the adapters, each with its language's own client.

In: the sources beside this module. Out: the command of an adapter, or `Missing`, which says what
this machine lacks. What is installed is pinned by Cargo.lock, go.sum, pom.xml, package-lock.json
and requirements/dropins.txt.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from benchmarks.languages.protocol import ROOT
from benchmarks.languages.toolchains import Toolchain, built

HERE = Path(__file__).resolve().parent
WORK = ROOT / "build" / "scoreboard"
PYTHON = ROOT / "build" / "dropins-venv" / "bin" / "python"


def build(side: str) -> None:
    """Build the adapter of one language, or raise `Missing`, which says why not."""
    built(TOOLCHAINS[side], WORK / side)


def command_for(side: str, peer: str) -> list[str]:
    """Return what starts the adapter of a parser."""
    return [*TOOLCHAINS[side].start(WORK / side), peer]


def build_python(_: Path) -> list[tuple[list[str], Path]]:
    """See that the environment is there: `make scoreboard` makes it."""
    return [([str(PYTHON), "--version"], ROOT)] if PYTHON.exists() else [(["false"], ROOT)]


def build_rust(folder: Path) -> list[tuple[list[str], Path]]:
    command = ["cargo", "build", "--release", "--locked", "--target-dir", str(folder / "target")]
    return [(command, HERE / "rust")]


def build_go(folder: Path) -> list[tuple[list[str], Path]]:
    return [(["go", "build", "-o", str(folder / "adapter"), "."], HERE / "go")]


def build_java(folder: Path) -> list[tuple[list[str], Path]]:
    goals = ["compile", "dependency:copy-dependencies"]
    return [(["mvn", "--batch-mode", "--quiet", f"-Dout={folder}", *goals], HERE / "java")]


def start_java(folder: Path) -> list[str]:
    path = os.pathsep.join([str(folder / "classes"), str(folder / "dependency" / "*")])
    return ["java", "-cp", path, "Adapter"]


def build_node(folder: Path) -> list[tuple[list[str], Path]]:
    """Install beside a copy of the sources: what is installed stays out of them."""
    copies = [str(path) for path in sorted((HERE / "node").iterdir()) if path.is_file()]
    return [
        (["cp", *copies, str(folder)], folder),
        (["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"], folder),
    ]


def start(*words: str) -> Callable[[Path], list[str]]:
    """Return what makes a command of words, with the folder for `{}`."""
    return lambda folder: [word.replace("{}", str(folder)) for word in words]


TOOLCHAINS: dict[str, Toolchain] = {
    "python": Toolchain((), build_python, start(str(PYTHON), str(HERE / "python_side.py"))),
    "rust": Toolchain(("cargo", "rustc"), build_rust, start("{}/target/release/adapter")),
    "go": Toolchain(("go",), build_go, start("{}/adapter")),
    "java": Toolchain(("java", "mvn"), build_java, start_java),
    "node": Toolchain(("node", "npm"), build_node, start("node", "{}/adapter.js")),
}
