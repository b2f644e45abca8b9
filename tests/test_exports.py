"""The public surface: `__all__`, the stub, and what is there at run time say the same."""

import ast
import importlib
import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import verger
from support import CHECKOUT
from verger import _core, bulk, dialects, errors

STUB = ast.parse((CHECKOUT / "python" / "verger" / "_core.pyi").read_text("utf-8"))
STUB_CLASSES = {
    node.name: node
    for node in STUB.body
    if isinstance(node, ast.ClassDef)
    and not node.name.startswith("_")
    and "TypedDict" not in map(ast.unparse, node.bases)
}
# Names for annotations only; they do not exist at run time.
FOR_ANNOTATIONS = {
    node.target.id
    for node in STUB.body
    if isinstance(node, ast.AnnAssign)
    and isinstance(node.target, ast.Name)
    and ast.unparse(node.annotation) == "TypeAlias"
} | {
    node.name
    for node in STUB.body
    if isinstance(node, ast.ClassDef)
    and node.name not in STUB_CLASSES
    and not node.name.startswith("_")
}


def names_in(body: list[ast.stmt]) -> set[str]:
    """Return the public names that statements of a stub declare."""
    assigned = {
        node.target.id
        for node in body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    defined = {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    return {name for name in assigned | defined if not name.startswith("_")}


def public_names(module: ModuleType | type) -> set[str]:
    for name in {*dir(module), *getattr(module, "__all__", ())}:
        getattr(module, name)  # what is loaded when first asked for
    return {
        name
        for name in vars(module)
        if not name.startswith("_") and not inspect.ismodule(vars(module)[name])
    }


PUBLIC = (
    "verger",
    "verger.analysis",
    "verger.bulk",
    "verger.bulk.audit",
    "verger.bulk.changes",
    "verger.bulk.filter",
    "verger.bulk.report",
    "verger.bulk.scan",
    "verger.cache.opening",
    "verger.cache.export",
    "verger.cache.purging",
    "verger.cache.redis",
    "verger.cache.sqlite",
    "verger.cache.store",
    "verger.client",
    "verger.client.refresh",
    "verger.crawlers",
    "verger.expectations",
    "verger.fetching.limits",
    "verger.fetching.transport",
    "verger.lint",
    "verger.loading",
    "verger.snapshots.opening",
    "verger.testing",
    "verger.testing.suite",
)
"""The modules that documentation imports from, but for drop-ins and integrations."""

FACADE = ast.parse((CHECKOUT / "python" / "verger" / "__init__.py").read_text("utf-8"))
EXPORTED = {
    alias.asname
    for node in ast.walk(FACADE)
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
    if alias.asname
}
"""The names of `verger` that type checkers see: those imported `as` themselves (PEP 484)."""

NAMES = {
    "verger": EXPORTED - {"__version__"},
    "verger.bulk": {*bulk.__all__, *bulk._LISTED},
}
"""The public names of a package, with the modules among them."""


def by_case(name: str) -> tuple[int, str]:
    """Return where a name stands in `__all__`: constants, classes, others, each in their order."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.parametrize("name", PUBLIC)
def test_all_is_sorted(name: str) -> None:
    """Each list of public names has an order in which they are found."""
    module = importlib.import_module(name)

    assert module.__all__ == sorted(module.__all__, key=by_case)


@pytest.mark.parametrize("name", NAMES)
def test_dir_lists_what_is_public(name: str) -> None:
    """`dir` shows a package's public names, and nothing that it imports for itself."""
    module = importlib.import_module(name)
    shown = {each for each in dir(module) if not each.startswith("__")}

    assert NAMES[name] == shown
    assert [] == [each for each in dir(module) if not hasattr(module, each)]


@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_is_documented(name: str) -> None:
    """Each class and function says what it is."""
    module = importlib.import_module(name)
    found = [getattr(module, each) for each in {*module.__all__, *NAMES.get(name, ())}]

    assert module.__doc__
    assert [] == [one for one in found if inspect.isroutine(one) and not inspect.getdoc(one)]


@pytest.mark.parametrize("module", [errors, dialects, bulk])
def test_all_is_what_is_exported(module: ModuleType) -> None:
    """`__all__` is sorted and lists the module's own public names, no more and no fewer."""
    listed = set(module.__all__)
    own = public_names(module) - ({"DIALECTS"} if module is dialects else set())

    assert own == listed
    assert sorted(listed) == sorted(module.__all__)


def test_everything_of_the_layers_below_is_exported() -> None:
    """Whatever a user can meet has a name in `verger`: no class is hidden in a private module."""
    below = public_names(_core) | set(errors.__all__) | set(dialects.__all__)

    assert below <= EXPORTED | set(bulk.__all__)


def test_help_is_short_and_leads_on() -> None:
    """`help(verger)` writes out the functions, and names classes and packages in a line each."""
    text = pydoc.plain(pydoc.render_doc(verger))
    functions = {name for name in dir(verger) if inspect.isroutine(getattr(verger, name))}
    public = {name for name in functions if not name.startswith("__")}
    named = set(re.findall(r"^    (?:verger\.)?([A-Za-z_]+)  ", text, re.M))

    assert public == set(verger.__all__)
    assert len(text.splitlines()) < 300
    assert named <= NAMES["verger"]
    assert {"RobotsTxt", "Client", "Answer", "RobotsError", "bulk", "crawlers", "lint"} <= named


def test_stub_declares_the_core() -> None:
    """The stub has every public name of the extension, and none that is not there."""
    assert names_in(STUB.body) - FOR_ANNOTATIONS == public_names(_core)


@pytest.mark.parametrize("name", sorted(STUB_CLASSES))
def test_class_is_as_the_stub_says(name: str) -> None:
    """A class has the members that its stub lists, is final, and says in its doc what it is."""
    found = getattr(_core, name)
    # The knobs of a dialect are looked up in its table, not laid down one by one.
    knobs = {knob.name for knob in verger.KNOBS} if found is verger.Dialect else set()

    assert names_in(STUB_CLASSES[name].body) == public_names(found) | knobs
    assert getattr(sys.modules[found.__module__], name) is found
    assert found.__module__ in ("verger", "verger.bulk")
    assert found.__doc__
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Derived", (found,), {})


@pytest.mark.parametrize("name", ["parse", "product_token"])
def test_function_has_a_docstring_and_a_signature(name: str) -> None:
    """`help(verger.parse)` is of use without the stub."""
    function = getattr(verger, name)

    assert function.__doc__
    assert inspect.signature(function).parameters


def test_version() -> None:
    """The version is that of the workspace."""
    cargo = (CHECKOUT / "Cargo.toml").read_text("utf-8")

    assert f'version = "{verger.__version__}"' in cargo


OWN_FETCH = """
import aiohttp, http.client, httpx
def judged(by_urllib: http.client.HTTPResponse, by_httpx: httpx.Response) -> None:
    site_of("", status=by_urllib.status, headers=by_urllib.headers, body=by_urllib.read())
    site_of("", headers=by_httpx.headers, body=bytearray(by_httpx.content))
    site_of("", headers=by_httpx.headers.raw, body=memoryview(b""), redirects=[by_httpx.url])
async def judged_by_aiohttp(response: aiohttp.ClientResponse) -> None:
    site_of("", headers=response.headers, body=await response.read(), failure=OSError())
"""
"""What clients return is what `site_of` takes."""


@pytest.mark.slow  # mypy reads all of verger
def test_type_checkers_know_every_name(tmp_path: Path) -> None:
    """A program may import each name from `verger` itself; a slip is an error."""
    names = sorted(NAMES["verger"])
    program = tmp_path / "program.py"
    slips = ["verger.Clint", "verger.bulk.scann", "verger.crawlers.CRAWLER", "verger.lint.fiks"]
    program.write_text(
        "\n".join([f"from verger import {', '.join(names)}", "import verger", *slips, OWN_FETCH])
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", program]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    told = re.findall(r'has no attribute "(\w+)"', run.stdout)

    assert [slip.rpartition(".")[2] for slip in slips] == told, run.stdout
    assert "Found 4 errors" in run.stdout
