"""What `help()` shows of the native half: arguments, errors and examples, as its stub has them.

In: the built extension, and `python/verger/_core.pyi`. Out: examples that do what they say.
"""

import ast
import doctest
import inspect
import itertools
import subprocess
import sys
from collections.abc import Iterator
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
)
"""Where people look first."""


def public() -> Iterator[object]:
    """Yield every class and function of the extension, and what classes have."""
    for name, found in vars(verger._core).items():
        if not name.startswith("_") and (inspect.isclass(found) or callable(found)):
            yield found
            if inspect.isclass(found):
                yield from (each for key, each in vars(found).items() if not key.startswith("_"))


WITH_EXAMPLES = [each for each in public() if ">>> " in (each.__doc__ or "")]


@pytest.mark.parametrize("found", WITH_EXAMPLES, ids=lambda found: found.__name__)
def test_examples(found: object) -> None:
    """What is shown is what happens."""
    names = vars(verger._core)
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


WITH_FIELDS = [
    (name, each)
    for name, classes in {
        "access/policy.py": "AccessPolicy SiteFacts",
        "access/result.py": "AccessResult",
        "bulk/filter/run.py": "Filtered",
        "bulk/filter/work.py": "Network",
        "client/site.py": "Answer Site",
        "crawlers/registry.py": "Crawler",
        "crawlers/survey.py": "Standing Survey",
        "fetching/limits.py": "FetchLimits",
    }.items()
    for each in classes.split()
]


@pytest.mark.parametrize(("module", "name"), WITH_FIELDS)
def test_fields_say_what_they_hold(module: str, name: str) -> None:
    """Each field of a value that people meet is explained below it."""
    tree = ast.parse((CHECKOUT / "python" / "verger" / module).read_text("utf-8"))
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    unexplained = [
        node.target.id
        for node, behind in itertools.pairwise([*found.body, ast.Pass()])
        if isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and not (isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant))
    ]

    assert set(unexplained) <= {"_"}


def test_stub_and_extension_say_the_same() -> None:
    """The stub is the source; `tools/docstrings.py` writes the comments of the Rust code."""
    command = [sys.executable, str(CHECKOUT / "tools" / "docstrings.py"), "--check"]

    assert 0 == subprocess.run(command, check=False).returncode
