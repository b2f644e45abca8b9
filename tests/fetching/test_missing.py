"""Without their packages, or with older ones, transports and stores say what to install."""

import importlib
import re
import sys
import tomllib

import pytest

from support import CHECKOUT
from verger.cache.redis import RedisStore
from verger.errors import MissingExtra

FLOORS = [
    ("aiohttp", "aiohttp", "verger.fetching.aiohttp_transport", "http"),
    ("aiohttp", "aiohttp", "verger.integrations.aiohttp", "http"),
    ("requests", "requests", "verger.integrations.requests", "requests"),
    ("requests", "requests", "verger.fetching.requests_session", "requests"),
]
"""Packages, what pyproject.toml calls them, who needs them, and the extra."""


@pytest.mark.parametrize(
    ("package", "module", "extra"),
    [
        ("aiohttp", "verger.fetching.aiohttp_transport", "http"),
        ("requests", "verger.fetching.requests_session", "requests"),
    ],
)
def test_missing_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, module: str, extra: str
) -> None:
    """The import of the module fails, and the hint is the command."""
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, module, raising=False)

    with pytest.raises(MissingExtra) as raised:
        importlib.import_module(module)

    assert MissingExtra.remedy(extra) == raised.value.hint


def floor(extra: str, package: str) -> str:
    """Return the oldest version of a package that an extra allows."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    (wanted,) = [
        line
        for line in project["optional-dependencies"][extra]
        if line.partition(">=")[0] == package
    ]
    return str(wanted.partition(">=")[2].partition(",")[0])


def before(version: str) -> str:
    """Return a version that is a little older."""
    *first, last = version.split(".")
    return ".".join([*first, str(int(last) - 1), "99"])


@pytest.mark.parametrize(("package", "name", "module", "extra"), FLOORS)
def test_older_package(
    monkeypatch: pytest.MonkeyPatch, package: str, name: str, module: str, extra: str
) -> None:
    """What is older than pyproject.toml allows is told at import; a fetch would blame the site."""
    least = floor(extra, name)
    monkeypatch.setattr(importlib.import_module(package), "__version__", before(least))
    monkeypatch.delitem(sys.modules, module, raising=False)

    with pytest.raises(MissingExtra, match=f"{package} {least} or later, not ") as raised:
        importlib.import_module(module)

    assert MissingExtra.remedy(extra, "--upgrade") == raised.value.hint


@pytest.mark.parametrize(("package", "name", "module", "extra"), FLOORS)
def test_oldest_package(
    monkeypatch: pytest.MonkeyPatch, package: str, name: str, module: str, extra: str
) -> None:
    """The oldest version that pyproject.toml allows is enough."""
    folder, _, file = module.rpartition(".")
    # as it is: what the import changes is put back afterwards
    monkeypatch.setattr(importlib.import_module(folder), file, importlib.import_module(module))
    monkeypatch.setattr(importlib.import_module(package), "__version__", floor(extra, name))
    monkeypatch.delitem(sys.modules, module, raising=False)

    assert module == importlib.import_module(module).__name__


def test_older_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """A store on a client library that is too old is none, before anything is asked."""
    least = floor("redis", "redis")
    monkeypatch.setattr("redis.__version__", before(least))

    with pytest.raises(MissingExtra, match=f"redis {least} or later, not "):
        RedisStore("redis://localhost:6379/0")

    monkeypatch.setattr("redis.__version__", least)
    assert repr(RedisStore("redis://localhost:6379/0"))


def test_readme_installs_what_the_hints_do() -> None:
    """A release says in both that pip knows verger; the guides name extras, and no command."""
    first = [CHECKOUT / "README.md", CHECKOUT / "docs" / "README.md"]
    all_ = {*(CHECKOUT / "docs").rglob("*.md"), *(CHECKOUT / "editors").glob("*/README.md")}
    written = "pip install verger" if MissingExtra.is_published else "pip install ./verger"

    for page in first:
        text = page.read_text("utf-8")
        assert [written] == re.findall(r"pip install (?:\./)?verger\b", text)
        assert MissingExtra.is_published is not ("is not published" in text)
    others = all_ - set(first)
    assert [] == [page for page in others if re.search(r"pip install .*verger", page.read_text())]
    assert [] == [page for page in all_ | set(first) if "OWNER" in page.read_text()]
