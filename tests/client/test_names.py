"""What fetches has its names in `verger`, and is loaded when one of them is asked for."""

import ast

import pytest

import verger
from programs import printed
from support import CHECKOUT
from verger import client

FACADE = ast.parse((CHECKOUT / "python" / "verger" / "__init__.py").read_text("utf-8"))


def names_for_types() -> set[str]:
    """Return the names that type checkers see, and the interpreter does not."""
    (guarded,) = (node for node in FACADE.body if isinstance(node, ast.If))
    return {
        alias.name
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_names_for_types() -> None:
    """Type checkers know exactly the names that are loaded when asked for."""
    assert names_for_types() == {*verger._LATER, *verger._PACKAGES}


@pytest.mark.parametrize("name", sorted(verger._LATER))
def test_name(name: str) -> None:
    """Each is that of `verger.client`, is listed by `dir`, and is the same whenever asked for."""
    assert getattr(verger, name) is getattr(verger, name)
    assert getattr(verger, name) is getattr(client, name, getattr(verger, name))
    assert name in dir(verger)


def test_loaded_when_asked_for() -> None:
    """`dir` lists the names and loads nothing; a name loads the client, but no HTTP library."""
    told = printed(
        "import sys, verger\n"
        "modules = ('asyncio', 'verger.client', 'aiohttp')\n"
        "def loaded(): print(*(name in sys.modules for name in modules))\n"
        "names = dir(verger)\n"
        "loaded()\n"
        "print('Client' in names, len(names) == len(set(names)))\n"
        "verger.Client\n"
        "loaded()\n"
    )

    assert told.split() == ["False"] * 3 + ["True"] * 2 + ["True", "True", "False"]


def test_star() -> None:
    """`from verger import *` brings all that `__all__` lists, and nothing of its own making."""
    told = printed(
        "before = set(globals())\n"
        "from verger import *\n"
        "import verger\n"
        "print(set(globals()) - before - {'before', 'verger'} == set(verger.__all__))\n"
    )

    assert told == "True\n"


def test_no_such_name() -> None:
    """A slip is told as for any module."""
    with pytest.raises(AttributeError, match=r"^module 'verger' has no attribute 'Clint'$"):
        verger.Clint  # noqa: B018
