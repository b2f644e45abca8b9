"""A pytest plugin: runs the tests of an original with its import replaced by the drop-in.

In: the environment variable VERGER_SUITE, a table of `upstream.toml`. Out: every test that is
listed there as failing is marked `xfail(strict)` with its reason; every one that is left out is
deselected. A name in the list that no test has is an error.
"""

import importlib.util
import os
import sys
import tomllib
import unittest
import urllib.request
import warnings
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
UPSTREAM = HERE.parents[1] / ".cache" / "upstream"
SUITE = tomllib.loads((HERE / "upstream.toml").read_text("utf-8"))[os.environ["VERGER_SUITE"]]


def replaced(name: str, module: ModuleType) -> None:
    """Let `import name` find the drop-in."""
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules.setdefault(parent, ModuleType(parent)), child, module)


def original(name: str, path: str) -> ModuleType:
    """Load a private module of the original, which its tests import beside the public ones."""
    spec = importlib.util.spec_from_file_location(name, UPSTREAM / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


dropin = import_module(SUITE["dropin"])
assert urllib.request  # the tests of the standard library rely on its being loaded
if "library" in SUITE:
    getattr(dropin, SUITE["library"]).dialect = dropin.LIBRARY
replaced(SUITE["replaces"], dropin)
for private, source in SUITE.get("private", {}).items():
    replaced(private, original(private, source))
# One failing URL fails the test that asks about it, as it does where tests have no parts.
unittest.TestCase.subTest = lambda *_args, **_kwargs: nullcontext()  # type: ignore[assignment]
warnings.simplefilter("ignore", pytest.PytestUnknownMarkWarning)


@pytest.fixture
def can_fetch():  # type: ignore[no-untyped-def]
    """The fixture of robotspy, whose source distribution lacks it."""
    kind = dropin.RobotsParser
    return lambda text, agent, url: kind.from_string(text).can_fetch(agent, url)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what fails, and leave out what says nothing about the drop-in."""
    failing, left_out = SUITE.get("failing", {}), SUITE.get("left_out", {})
    unused = {*failing, *left_out}
    kept, dropped = [], []
    for item in items:
        names = names_of(item)
        unused -= names
        is_out = names & left_out.keys()
        (dropped if is_out else kept).append(item)
        for name in names & failing.keys():
            item.add_marker(pytest.mark.xfail(reason=failing[name], strict=True))
    if unused:
        raise pytest.UsageError(f"upstream.toml names tests that do not exist: {sorted(unused)}")
    items[:] = kept
    config.hook.pytest_deselected(items=dropped)


def names_of(item: pytest.Item) -> set[str]:
    """Return the name of a test, and those of its function without parameters, its class and its
    file."""
    name = item.nodeid.split("/")[-1] if "[" not in item.nodeid else item.nodeid
    name = f"{item.path.name}::{name.split('::', 1)[1]}"
    function = name.partition("[")[0]
    parts = function.split("::")
    return {name, function, *("::".join(parts[:count]) for count in range(1, len(parts)))}
