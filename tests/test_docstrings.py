"""What `help()` shows of the native half: arguments, errors and examples, as its stub has them.

In: the built extension, and `python/verger/_core.pyi`. Out: examples that do what they say.
"""

import doctest
import importlib
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import ModuleType

import pytest

import verger
import verger.bulk
from support import CHECKOUT

EXPLAINED = (
    verger.parse,
    verger.RobotsTxt,
    verger.RobotsTxt.allowed,
    verger.RobotsTxt.allowed_many,
    verger.RobotsTxt.decide,
    verger.RobotsTxt.agent,
    verger.Agent,
    verger.Agent.allowed,
    verger.Agent.allowed_many,
    verger.Agent.decide,
    verger.Decision,
    verger.Dialect,
    verger.Dialect.replace,
    verger.origin,
    verger.requested_url,
    verger.product_token,
    verger.check_product_token,
    verger.Client,
    verger.AsyncClient,
    verger.Pacer,
    verger.FindingCode,
    verger.load,
    verger.fetch,
)
"""Where people look first."""


def public() -> Iterator[object]:
    """Yield every class and function of the extension, and what classes have."""
    for name, found in vars(verger._core).items():
        if not name.startswith("_") and (inspect.isclass(found) or callable(found)):
            yield found
            if inspect.isclass(found):
                yield from (each for key, each in vars(found).items() if not key.startswith("_"))


WITH_EXAMPLES = [
    *(each for each in public() if ">>> " in (each.__doc__ or "")),
    *(verger.Client, verger.AsyncClient, verger.Pacer, verger.FindingCode),
]


@pytest.mark.parametrize("found", WITH_EXAMPLES, ids=lambda found: found.__name__)
def test_examples(found: object) -> None:
    """What is shown is what happens."""
    names = vars(verger) | vars(verger._core)
    text = found.__doc__ or ""
    test = doctest.DocTestParser().get_doctest(text, dict(names), "example", None, 0)
    flags = doctest.IGNORE_EXCEPTION_DETAIL | doctest.REPORT_ONLY_FIRST_FAILURE

    assert 0 == doctest.DocTestRunner(optionflags=flags).run(test).failed


@pytest.mark.parametrize("module", [verger, verger.bulk], ids=lambda module: module.__name__)
def test_modules_begin_with_an_example(module: ModuleType) -> None:
    """`help()` of the packages that people import shows what they do."""
    done = doctest.testmod(module)

    assert 0 == done.failed
    assert 0 < done.attempted


@pytest.mark.parametrize("found", EXPLAINED, ids=lambda found: found.__qualname__)
def test_help(found: object) -> None:
    """Each has an example, and a function its arguments and errors."""
    text = inspect.getdoc(found) or ""

    assert ">>> " in text
    if not inspect.isclass(found):
        arguments = [name for name in inspect.signature(found).parameters if name != "self"]

        assert arguments
        if len(arguments) > 1:
            assert [] == [name for name in arguments if f"{name}:" not in text]


def test_signatures() -> None:
    """Names, kinds and defaults are there to be asked."""
    parameters = inspect.signature(verger.parse).parameters

    assert "(body, *, dialect='rfc9309', url=None)" == str(inspect.signature(verger.parse))
    assert inspect.Parameter.KEYWORD_ONLY == parameters["url"].kind
    assert "(self, /, url, token)" == str(inspect.signature(verger.RobotsTxt.decide))


PUBLIC = (
    "verger",
    "verger.access.entry",
    "verger.analysis",
    "verger.bulk.audit",
    "verger.bulk.changes",
    "verger.bulk.filter",
    "verger.bulk.report",
    "verger.bulk.scan",
    "verger.client.refresh",
    "verger.crawlers",
    "verger.expectations",
    "verger.fetching.transport",
    "verger.lint",
)
"""The modules that people import values from."""


def with_fields() -> Iterator[type]:
    """Yield each public dataclass once."""
    modules = map(importlib.import_module, PUBLIC)
    found = (getattr(module, name) for module in modules for name in dir(module))
    yield from dict.fromkeys(each for each in found if inspect.isclass(each) and is_dataclass(each))


@pytest.mark.parametrize("found", list(with_fields()), ids=lambda found: found.__qualname__)
def test_fields_say_what_they_hold(found: type) -> None:
    """`help()` explains each field of a value that people meet."""
    text = inspect.getdoc(found) or ""
    told = {
        name
        for names in re.findall(r"^((?:\w+, )*\w+):  ", text, re.M)
        for name in names.split(", ")
    }

    names = {field.name for field in fields(found) if not field.name.startswith("_")}
    assert set() == names - told


NATIVE = [each for each in map(vars(verger).get, dir(verger)) if inspect.isclass(each)]


@pytest.mark.parametrize("found", NATIVE, ids=lambda found: found.__name__)
def test_native_fields_say_what_they_hold(found: type) -> None:
    """So does that of the native half, whose fields have texts of their own."""
    told = set(re.findall(r"^(\w+):  ", inspect.getdoc(found) or "", re.M))
    untold = {
        name
        for name, each in vars(found).items()
        if inspect.isgetsetdescriptor(each) and not name.startswith("_") and not each.__doc__
    }

    assert set() == untold - told


def test_stub_and_extension_say_the_same() -> None:
    """The stub is the source; `tools/docstrings.py` writes the comments of the Rust code."""
    command = [sys.executable, str(CHECKOUT / "tools" / "docstrings.py"), "--check"]

    assert 0 == subprocess.run(command, check=False).returncode
