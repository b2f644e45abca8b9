"""The wheel, installed without extras, with each of them alone, and with all that commands need.

In: the wheel that `make test-wheel` built, and `probes.toml`. Out: of each install, that all works
for which its packages are there, and that the rest names the extra of the first that is lacking.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from timeit import timeit
from typing import Any

import pytest

from cli.console import FENCED, console, environment, timeless
from cli.web import Web, web
from patience import LONG
from shown_python import run_again
from support import CHECKOUT
from test_docs import to_copy
from test_exports import PUBLIC
from verger.cli.app import COMMANDS
from verger.errors import MissingExtra

from .samples import README, write_samples

WHEEL = Path(os.environ["VERGER_WHEEL"]).resolve()
PROBES = tomllib.loads(Path(__file__).with_name("probes.toml").read_text("utf-8"))
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]

PINNED = {
    **dict.fromkeys(("scrapy", "crawlee", "crawl4ai"), "frameworks"),
    **dict.fromkeys(("scrapling", "datatrove", "niquests"), "extractors"),
}
"""The extras whose packages are pinned elsewhere than in `requirements/dev.txt`."""

NEEDING = {name: tuple(row["needs"]) for row in PROBES["module"] for name in row["names"]}
MODULES = {
    name: NEEDING.get(name, ())
    for name in sorted(
        {
            *PUBLIC,
            *NEEDING,
            *(
                f"verger.{room}.{path.stem}"
                for room in ("compat", "integrations")
                for path in (CHECKOUT / "python" / "verger" / room).iterdir()
                if not path.stem.startswith("_")
            ),
        }
    )
}
"""The modules that a user imports, and what they need."""


STARTS = 9


class Install:
    """An environment with the wheel and the packages of an extra, or of none."""

    def __init__(self, extra: str | None, folder: Path) -> None:
        self.python = folder / "bin" / "python"
        self.path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        uv = [sys.executable, "-m", "uv"]
        subprocess.run([*uv, "venv", "-q", "--python", sys.executable, folder], check=True)
        pinned = CHECKOUT / "requirements" / f"{PINNED.get(extra or '', 'dev')}.txt"
        wanted = f"verger{f'[{extra}]' if extra else ''} @ {WHEEL.as_uri()}"
        install = ["pip", "install", "-q", "--python", self.python, "--constraint", pinned, wanted]
        subprocess.run([*uv, *install], check=True)
        names = {name for need in self._needs() for name in need.partition(":")[0].split("|")}
        self.has = set(self.printed(FOUND, *names).split())

    @staticmethod
    def _needs() -> Iterator[str]:
        for rows in PROBES.values():
            for row in rows:
                yield from row.get("needs", ())

    def lacking(self, needs: Sequence[str]) -> str | None:
        """Return the extra of the first package that is not installed."""
        for need in needs:
            names, _, extra = need.partition(":")
            if not self.has.intersection(names.split("|")):
                return extra
        return None

    def printed(self, code: str, *arguments: str) -> str:
        """Return what code prints, in isolation from everything outside of the environment."""
        command = [self.python, "-I", "-c", code, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def run(self, words: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
        """Run `verger` in a folder, as a user does, without stdin."""
        return subprocess.run(
            [self.python.with_name("verger"), *words],
            cwd=folder,
            env=environment(XDG_CACHE_HOME=str(folder)),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONG,
            check=False,
        )


FOUND = """
import sys
from importlib.util import find_spec
for name in sys.argv[1:]:
    try:
        if find_spec(name): print(name)
    except ImportError: pass
"""

IMPORTS = """
import sys, json
for name in sys.argv[1:]:
    try:
        __import__(name)
        print(json.dumps([name, None]))
    except ImportError as error:
        print(json.dumps([name, getattr(error, "hint", None) or repr(error)]))
"""

CALLS = """
import sys, json, verger
for code in sys.argv[1:]:
    try:
        print(json.dumps([code, str(eval(code))]))
    except Exception as error:
        print(json.dumps([code, f"{type(error).__name__}: {getattr(error, 'hint', None)}"]))
"""


@pytest.fixture(scope="module", params=[None, *EXTRAS], ids=lambda extra: extra or "bare")
def install(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Install:
    """Each install, one after another: those of frameworks are large."""
    return Install(request.param, tmp_path_factory.mktemp("install"))


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """The site on loopback."""
    shop = dict(_files(README))["shop.txt"].encode()
    with web({"shop.example": shop}, tmp_path_factory.mktemp("web")) as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_samples(tmp_path)
    return tmp_path


def _files(page: str) -> Iterator[tuple[str, str]]:
    return ((block["name"], block["text"]) for block in FENCED.finditer(page) if block["name"])


def test_commands(install: Install, stage: Web, folder: Path) -> None:
    """Each command does its work, or names the extra that it lacks and leaves nothing behind."""
    wrong = []
    for probe in PROBES["command"]:
        words = probe["run"].replace("WEB", " ".join(stage.options)).split()
        lacking = install.lacking(probe.get("needs", ()))
        before = set(folder.iterdir())
        done = install.run(words, folder)
        said = done.stderr.strip().splitlines()
        if lacking is None:
            is_right = done.returncode == probe.get("exit", 0) and "pip install" not in done.stderr
        else:
            is_right = (
                done.returncode == 2
                and said[-1] == f"hint: {MissingExtra.remedy(lacking)}"
                and before == set(folder.iterdir())
            )
        if not is_right or "Traceback" in done.stderr:
            wrong.append((probe["run"], lacking, done.returncode, done.stderr))

    assert "" == "\n".join(map(repr, wrong))


def test_modules(install: Install) -> None:
    """Each module that users import can be, or its error names the extra."""
    lacking = {name: install.lacking(needs) for name, needs in MODULES.items()}
    promised = {name: extra and MissingExtra.remedy(extra) for name, extra in lacking.items()}
    lines = install.printed(IMPORTS, *MODULES).splitlines()

    assert list(promised.items()) == list(map(tuple, map(json.loads, lines)))


def test_calls(install: Install, folder: Path) -> None:
    """Each function works, or its error names the extra."""
    calls: list[dict[str, Any]] = PROBES["call"]
    command = [install.python, "-I", "-c", CALLS, *(call["code"] for call in calls)]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, timeout=LONG
    )
    wrong = []
    for call, line in zip(calls, done.stdout.splitlines(), strict=True):
        code, printed = json.loads(line)
        lacking = install.lacking(call.get("needs", ()))
        if lacking is None:
            expected = call.get("prints") or f"{call['raises']}:"
        else:
            expected = f"MissingExtra: {MissingExtra.remedy(lacking)}"
        if not printed.startswith(expected):
            wrong.append((code, expected, printed))

    assert "" == "\n".join(map(repr, wrong))


BARE = pytest.mark.parametrize("install", [None], indirect=True, ids=["bare"])


@BARE
def test_help(install: Install, tmp_path: Path) -> None:
    """No command needs a package to say what it does."""
    helps = [install.run([name, "--help"], tmp_path) for name in COMMANDS]

    assert [(0, "")] * len(COMMANDS) == [(done.returncode, done.stderr) for done in helps]


@BARE
def test_start(
    install: Install, folder: Path, record_property: Callable[[str, object], None]
) -> None:
    """How long the first answer takes is told; the machine is as busy as it is."""
    check = ["check", "--robots", "shop.txt", "--agent", "ExampleBot", "/lamps"]
    starts: dict[str, Callable[[], object]] = {
        "python -c ''": lambda: install.printed(""),
        "python -c 'import verger'": lambda: install.printed("import verger"),
        f"verger {' '.join(check)}": lambda: install.run(check, folder),
    }
    for name, start in starts.items():
        seconds = median(timeit(start, number=1) for _ in range(STARTS))
        record_property(name, f"{1_000 * seconds:.0f} ms, median of {STARTS}")


@pytest.mark.parametrize("install", [None, "cli"], indirect=True, ids=lambda extra: extra or "bare")
def test_readme(install: Install, tmp_path: Path) -> None:
    """Its commands and its Python print what it shows, without any extra."""
    for name, text in _files(README):
        (tmp_path / name).write_text(text, "utf-8")
    shown = [block["text"] for block in FENCED.finditer(README) if block["kind"] == "console"]
    now = [console(text, tmp_path, PATH=install.path) for text in shown]

    assert list(map(timeless, shown)) == list(map(timeless, now))

    blocks = to_copy(CHECKOUT / "README.md")
    code = Path(run_again.__code__.co_filename).read_text("utf-8")
    program = f"{code}\nimport json, sys\nprint(json.dumps(run_again(json.loads(sys.argv[1]))))"
    assert blocks == json.loads(install.printed(program, json.dumps(blocks)))


def test_every_command_is_probed() -> None:
    """A new command says what it needs."""
    assert set(COMMANDS) == {probe["run"].split()[0] for probe in PROBES["command"]}
