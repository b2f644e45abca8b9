"""Programs that no test runs, since each takes minutes, import what the package still has."""

import ast
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from verger.errors import MissingExtra

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    path for room in ("benchmarks", "tools") for path in sorted((ROOT / room).rglob("*.py"))
]


def taken_from_verger(program: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(program.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "verger":
            yield from ((node.module or "", alias.name) for alias in node.names)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_program_takes_exists(program: Path) -> None:
    """`make growth` had not begun since a function of the package had moved."""
    try:
        for module, name in taken_from_verger(program):
            assert hasattr(import_module(module), name) or find_spec(f"{module}.{name}")
    except MissingExtra as error:
        pytest.skip(error.message)


def test_programs_take_something() -> None:
    assert 50 < sum(len([*taken_from_verger(program)]) for program in PROGRAMS)
