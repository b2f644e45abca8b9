"""Without their packages, transports say which extra to install."""

import importlib
import sys

import pytest

from verger.errors import MissingExtra


@pytest.mark.parametrize(
    ("package", "module", "extra"),
    [("aiohttp", "verger.fetch.aio", "http"), ("httpcore2", "verger.fetch.httpx", "httpx")],
)
def test_missing_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, module: str, extra: str
) -> None:
    """The import of the module fails, and the hint is the command."""
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, module, raising=False)

    with pytest.raises(MissingExtra) as raised:
        importlib.import_module(module)

    assert f"pip install 'verger[{extra}]'" == raised.value.hint
