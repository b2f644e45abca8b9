"""Building the harnesses, each with its language's own client.

In: the sources beside this module. Out: programs under a folder that git ignores, or `Missing`,
which says what a machine lacks. What is installed is pinned by Cargo.lock, go.sum, pom.xml and
package-lock.json; which registries it comes from is the machine's to know.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.languages.contestants import CONTESTANTS, Contestant, HarnessName
from benchmarks.languages.protocol import ROOT

HERE = Path(__file__).resolve().parent
MEMORY_LIMIT = 4 << 10
"""Mebibytes that a harness may take."""


class Missing(Exception):
    """A harness cannot be built here: the text says why, in words that follow a name."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """How the program of one language is built and started."""

    commands: tuple[str, ...]
    """What the machine must have."""
    build: Callable[[Path], list[tuple[list[str], Path]]]
    """Commands, each with the folder that it runs in."""
    start: Callable[[Path], list[str]]


def built(chain: Toolchain, folder: Path) -> None:
    """Build the program of one language, or say why not."""
    for needed in chain.commands:
        if shutil.which(needed) is None:
            raise Missing(f"`{needed}` is not there")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "build.log").open("w", encoding="utf-8") as log:
        for command, where in chain.build(folder):
            if subprocess.run(command, cwd=where, stdout=log, stderr=log, check=False).returncode:
                raise Missing(f"`{command[0]}` failed, see `{shown(folder)}/build.log`")


def all_built(folder: Path) -> tuple[list[Contestant], dict[str, str]]:
    """Build every harness; return who can run, and why the others cannot."""
    reasons: dict[HarnessName, str] = {}
    for name in TOOLCHAINS:
        try:
            built(TOOLCHAINS[name], folder / name)
        except Missing as why:
            reasons[name] = str(why)
    ready = [one for one in CONTESTANTS if one.harness not in reasons]
    missing = {o.title: reasons[o.harness] for o in CONTESTANTS if o.harness in reasons}
    return ready, missing


def command_for(contestant: Contestant, folder: Path, inputs: Path) -> list[str]:
    """Return what starts the harness of one contestant."""
    start = TOOLCHAINS[contestant.harness].start(folder / contestant.harness)
    return [*start, contestant.key, str(inputs)]


def compilers(contestants: Sequence[Contestant]) -> dict[str, str]:
    """Return the version of the compiler, for programs that do not know it themselves."""
    compiled = [one.key for one in contestants if one.harness == "rust"]
    if not compiled:
        return {}
    told = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=False)
    return dict.fromkeys(compiled, " ".join(told.stdout.split()[:2]))


def shown(path: Path) -> str:
    """Name a path as seen from the checkout, where it is in there."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


# --- languages ----------------------------------------------------------------------------


def limited(command: Sequence[str]) -> list[str]:
    """Bound the memory of a program that has no option for it."""
    return ["/bin/sh", "-c", f'ulimit -v {MEMORY_LIMIT << 10} && exec "$@"', "sh", *command]


def start_python(_: Path) -> list[str]:
    """Run the module beside this one."""
    return limited([sys.executable, "-m", "benchmarks.languages.python_side"])


def build_rust(folder: Path) -> list[tuple[list[str], Path]]:
    """In CI the lock file is the law; at a desk verger's own new dependencies may enter it."""
    locked = ["--locked"] if os.environ.get("CI") else []
    command = ["cargo", "build", "--release", *locked, "--target-dir", str(folder / "target")]
    return [(command, HERE / "rust")]


def start_rust(folder: Path) -> list[str]:
    """Run the program."""
    return limited([str(folder / "target" / "release" / "harness")])


def build_go(folder: Path) -> list[tuple[list[str], Path]]:
    """Build the program."""
    return [(["go", "build", "-o", str(folder / "harness"), "."], HERE / "go")]


def start_go(folder: Path) -> list[str]:
    """Run the program."""
    return limited([str(folder / "harness")])


def build_java(folder: Path) -> list[tuple[list[str], Path]]:
    """Compile the class, and lay what it needs beside it."""
    goals = ["compile", "dependency:copy-dependencies"]
    return [(["mvn", "--batch-mode", "--quiet", f"-Dout={folder}", *goals], HERE / "java")]


def start_java(folder: Path) -> list[str]:
    """Run the class."""
    path = os.pathsep.join([str(folder / "classes"), str(folder / "dependency" / "*")])
    return ["java", f"-Xmx{MEMORY_LIMIT}m", "-cp", path, "Harness"]


def build_node(folder: Path) -> list[tuple[list[str], Path]]:
    """Install beside a copy of the sources: what is installed stays out of them."""
    copies = [str(path) for path in sorted((HERE / "node").iterdir()) if path.is_file()]
    return [
        (["cp", *copies, str(folder)], folder),
        (["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"], folder),
    ]


def start_node(folder: Path) -> list[str]:
    """Run the script."""
    return ["node", f"--max-old-space-size={MEMORY_LIMIT}", str(folder / "harness.js")]


TOOLCHAINS: dict[HarnessName, Toolchain] = {
    "python": Toolchain((), lambda _: [], start_python),
    "rust": Toolchain(("cargo", "rustc"), build_rust, start_rust),
    "go": Toolchain(("go",), build_go, start_go),
    "java": Toolchain(("java", "mvn"), build_java, start_java),
    "node": Toolchain(("node", "npm"), build_node, start_node),
}
