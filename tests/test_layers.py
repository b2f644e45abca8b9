"""The tree keeps its order: imports go down, the core does no I/O, each knob has one reader.

In: the sources themselves. The table is the one of ARCHITECTURE.md, highest layer last.
"""

import ast
import re
from collections.abc import Container, Iterator
from dataclasses import fields
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import verger
from reference import Switches
from reference.access import AccessSwitches
from support import CHECKOUT

PACKAGE = CHECKOUT / "python" / "verger"
CORE = CHECKOUT / "crates" / "core"
LAYERS = (
    {"_core"},
    {"untrusted_text"},
    {"errors", "dialects", "findings", "grouping", "lazy"},
    {"options", "loop_thread", "lru_cache", "showing"},
    {"files", "crawlers"},
    {"access", "analysis"},
    {"fetching", "cache"},
    {"client", "captures"},
    {"loading", "snapshots"},
    {"bulk", "expectations", "integrations", "compat", "lint", "testing"},
    {"objects"},
    {"service", "serve", "watch"},
    {"cli"},
    {"__main__"},
)
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
# `verger` itself: what it gives to others is as high as the highest module that it names.
FACADE = "__init__"
MODULES = sorted(PACKAGE.rglob("*.py"))

# In the pure core: no Python, no file, no socket, no clock, no environment.
FORBIDDEN_IN_CORE = re.compile(
    r"pyo3|python|\bunsafe\s*\{|std::(fs|io|time|env|process|thread|os)\b"
    r"|Tcp(Stream|Listener)|UdpSocket|ToSocketAddrs|SystemTime|Instant\b",
    re.IGNORECASE,
)


@cache
def tree_of(module: Path) -> ast.Module:
    """Return what a module says; many tests look at all of them."""
    return ast.parse(module.read_text("utf-8"))


def name_of(module: Path) -> str:
    """Return the part of the package that a module belongs to, as the table names it."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(module: Path) -> Iterator[str]:
    """Yield the parts of the package that a module imports, under TYPE_CHECKING too."""
    for node in ast.walk(tree_of(module)):
        match node:
            case ast.Import(names=names):
                yield from (part_of(alias.name) for alias in names if is_ours(alias.name))
            case ast.ImportFrom(module=str(source), level=0, names=names) if is_ours(source):
                yield from (part_of(f"{source}.{alias.name}") for alias in used(names))


def used(names: list[ast.alias]) -> list[ast.alias]:
    """Return what an import brings to use; `x as x` tells types of a module that is a name of its
    package, and is imported when somebody asks for it."""
    return [alias for alias in names if alias.asname != alias.name]


def is_ours(name: str) -> bool:
    return name.split(".")[0] == "verger"


def part_of(name: str) -> str:
    """Return the part that a dotted name lies in; a name of the façade's own is the façade."""
    part = f"{name}.".split(".")[1]
    return part if part in HEIGHT else FACADE


def height_of(part: str) -> int:
    if part != FACADE:
        return HEIGHT[part]
    return max(HEIGHT[below] for below in imported(PACKAGE / "__init__.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(module: Path) -> None:
    """A module imports from layers below its own, and from its own part."""
    own = name_of(module)
    parts = {part for part in imported(module) if part != own}

    assert own == FACADE or own in HEIGHT
    assert not {part for part in parts if own != FACADE and height_of(part) >= height_of(own)}


def test_imports_are_absolute() -> None:
    """No relative import, which the layers could not be told from."""
    relative = [
        f"{module.relative_to(PACKAGE)}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ImportFrom) and node.level
    ]

    assert not relative


# The core


@cache
def rust_sources() -> list[Path]:
    return sorted((CORE / "src").rglob("*.rs"))


@cache
def without_tests(source: Path) -> str:
    return source.read_text("utf-8").partition("#[cfg(test)]")[0]


@pytest.mark.parametrize("source", rust_sources(), ids=lambda path: str(path.name))
def test_core_is_pure(source: Path) -> None:
    """The core names neither Python nor anything that reads the world."""
    found = [
        f"{number}: {line.strip()}"
        for number, line in enumerate(without_tests(source).splitlines(), start=1)
        if FORBIDDEN_IN_CORE.search(line)
    ]

    assert not found


def test_core_forbids_unsafe_code() -> None:
    """The compiler is told so, and the core depends on no binding."""
    assert "#![forbid(unsafe_code)]" in (CORE / "src" / "lib.rs").read_text("utf-8")
    assert "pyo3" not in (CORE / "Cargo.toml").read_text("utf-8")


def test_core_has_one_namespace() -> None:
    """Its modules are private but for three topics; what other crates alone need is hidden."""
    source = (CORE / "src" / "lib.rs").read_text("utf-8")

    topics = ["dialect", "analysis", "record", "internal"]
    assert re.findall(r"^pub mod (\w+)", source, re.MULTILINE) == topics
    assert "#[doc(hidden)]\npub mod internal {" in source


RUST_COMMENT = re.compile(r"^\s*//.*", re.MULTILINE)
RUST_NAME = re.compile(r"\bcrate::((?:\w+::)*)\{?(\w+)")


def rust_modules(crate: Path) -> dict[tuple[str, ...], Path]:
    """Return the modules of a crate by their paths in it, the root as ()."""
    modules = {}
    for source in (crate / "src").rglob("*.rs"):
        parts = source.relative_to(crate / "src").with_suffix("").parts
        modules[parts[:-1] if parts[-1] in ("lib", "mod") else parts] = source
    return modules


def rust_imports(crate: Path) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """Return for each module of a crate the others that it names, but for those that gather it."""
    modules = rust_modules(crate)
    named: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for own, source in modules.items():
        paths = [
            (*before.split("::")[:-1], last)
            for before, last in RUST_NAME.findall(RUST_COMMENT.sub("", without_tests(source)))
        ]
        found = {longest for path in paths if (longest := module_in(path, modules))}
        named[own] = {other for other in found if own[: len(other)] != other}
    return named


def module_in(path: tuple[str, ...], modules: Container[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the module that the longest beginning of a path names."""
    lengths = range(len(path), 0, -1)
    return next((path[:length] for length in lengths if path[:length] in modules), ())


@pytest.mark.parametrize("crate", ["core", "bulk", "cdata", "python", "wasm"])
def test_modules_of_a_crate_stand_on_each_other(crate: str) -> None:
    """No two modules of a crate name each other, by whatever way round."""
    named = rust_imports(CHECKOUT / "crates" / crate)
    sorter = TopologicalSorter(named)

    assert sum(map(len, named.values())) > (crate != "cdata")
    assert set(named) <= set(sorter.static_order())


def python_imports() -> dict[str, set[str]]:
    """Return for each module the others that it imports, under TYPE_CHECKING and in functions too.

    The faces of packages gather names, and import as their packages do.
    """
    names = {dotted_name(path): path for path in MODULES}
    named: dict[str, set[str]] = {}
    for own, path in names.items():
        named[own] = set()
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.module and is_ours(node.module):
                paths = [f"{node.module}.{alias.name}" for alias in used(node.names)]
                named[own] |= {each if each in names else node.module for each in paths}
        named[own] -= {own, "verger", "verger._core"}
    return named


def dotted_name(module: Path) -> str:
    """Return the name by which a module is imported."""
    parts = module.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == FACADE else parts)


def test_modules_of_the_package_stand_on_each_other() -> None:
    """No two modules of the package import each other, by whatever way round."""
    named = python_imports()

    assert "verger.snapshots.opening" in named["verger.snapshots.sources"]
    assert set(named) <= set(TopologicalSorter(named).static_order())


SCRIPT_IMPORT = re.compile(
    r'^(?:import|export) (?!type )[^;"]*"(\./[^"]+|\.\./[^"]+)"', re.MULTILINE
)


def script_imports(folder: Path) -> dict[Path, set[Path]]:
    """Return for each file of TypeScript the others of which it needs a value when it is loaded;
    types alone are erased, and may name each other."""
    sources = {path for end in ("*.ts", "*.tsx") for path in folder.rglob(end)}
    named = {}
    for own in sources:
        bases = [
            (own.parent / name).resolve() for name in SCRIPT_IMPORT.findall(own.read_text("utf-8"))
        ]
        paths = {base.with_name(f"{base.stem}{end}") for base in bases for end in (".ts", ".tsx")}
        named[own] = paths & sources
    return named


@pytest.mark.parametrize("folder", ["npm/src", "web/src"])
def test_files_of_typescript_stand_on_each_other(folder: str) -> None:
    """No two files need a value of each other, by whatever way round."""
    named = script_imports(CHECKOUT / folder)

    assert sum(map(len, named.values())) > len(named)
    assert set(named) <= set(TopologicalSorter(named).static_order())


# Knobs

CORE_KNOBS = [field.name for field in fields(Switches)]
ACCESS_KNOBS = [field.name for field in fields(AccessSwitches)]
# What the core reads of a file is also what is worth fetching of it, and reading from a disk.
FETCHED = {"parse_limit": {"access/policy.py: bytes_read", "files/robots_file.py: read_robots"}}

# Tells in which dialect's groups a crawler is named; it decides nothing.
SURVEY = PACKAGE / "crawlers" / "survey.py"

FUNCTION = re.compile(r"\bfn (\w+)")


def readers_in_core(knob: str) -> set[str]:
    """Return the functions of the core that read a knob off a dialect, but for those that tell
    people about it."""
    read = re.compile(rf"\bdialect(?:\(\))?\s*\.\s*{knob}\b")
    return {
        f"{source.name}: {FUNCTION.findall(text[: found.start()])[-1]}"
        for source in rust_sources()
        if source.name not in ("dialect.rs", "explanation.rs")
        for text in [without_tests(source)]
        for found in read.finditer(text)
    }


def readers_in_python(knob: str) -> set[str]:
    """Return the functions that read a knob off a dialect, but for those that tell people about
    it."""
    return all_readers_in_python().get(knob, set())


@cache
def all_readers_in_python() -> dict[str, set[str]]:
    """Return them for every knob: what the modules say is walked once."""
    found: dict[str, set[str]] = {}
    for module in MODULES:
        if name_of(module) not in ("cli", "showing") and module != SURVEY:
            for attribute, function in readings(tree_of(module)):
                place = f"{module.relative_to(PACKAGE)}: {function}"
                found.setdefault(attribute, set()).add(place)
    return found


def readings(tree: ast.AST, function: str = "") -> Iterator[tuple[str, str]]:
    """Yield each `….dialect.knob`, with the innermost function around it, or nothing's name."""
    for node in ast.iter_child_nodes(tree):
        match node:
            case ast.Attribute(value=ast.Name("dialect") | ast.Attribute(attr="dialect")):
                yield node.attr, function
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield from readings(node, name)
                continue
        yield from readings(node, function)


@pytest.mark.parametrize("knob", CORE_KNOBS)
def test_knob_of_the_core_has_one_reader(knob: str) -> None:
    """Each knob is read in exactly one function, so that one place says what it does."""
    assert len(readers_in_core(knob)) == 1, readers_in_core(knob)
    assert readers_in_python(knob) == FETCHED.get(knob, set())


@pytest.mark.parametrize("knob", ACCESS_KNOBS)
def test_knob_of_access_has_one_reader(knob: str) -> None:
    """What a fetch or a kept copy hangs on is read in Python, in exactly one function."""
    assert len(readers_in_python(knob)) == 1, readers_in_python(knob)
    assert not readers_in_core(knob)


def test_every_knob_is_of_the_core_or_of_access() -> None:
    """The two lists are those of the reference, and together all there is."""
    assert CORE_KNOBS + ACCESS_KNOBS == [knob.name for knob in verger.KNOBS]


def test_readers_are_found() -> None:
    """A read counts wherever the dialect hangs, and in the innermost function around it."""
    tree = ast.parse(
        "dialect.a\n"
        "def f():\n"
        "    async def g(): return self.x.dialect.a\n"
        "    return dialect.b, other.a, dialect.a.b\n"
    )

    assert [("a", ""), ("a", "g"), ("b", "f"), ("a", "f")] == list(readings(tree))


ASKED_NAME = re.compile(r"dialect(\(\))?\.name\s*(==|!=|in\b)|match dialect(\(\))?\.name")


def test_names_are_for_printing() -> None:
    """No code asks which dialect it is in: that is what knobs are for."""
    asked = [
        f"{source.name}: {line.strip()}"
        for source in [*rust_sources(), *MODULES]
        if source.name != "dialect.rs"
        for line in without_tests(source).splitlines()
        if ASKED_NAME.search(line)
    ]

    assert not asked
