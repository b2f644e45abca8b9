"""Without its framework an integration says with one error which extra brings it."""

import importlib
import sys

import pytest

from verger.errors import MissingExtra


@pytest.mark.parametrize("name", ["scrapy", "crawlee", "crawl4ai"])
def test_missing_framework(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The import fails, and the hint is the command."""
    module = f"verger.integrations.{name}"
    for loaded in [each for each in sys.modules if f"{each}.".startswith((f"{name}.", module))]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(MissingExtra) as raised:
        importlib.import_module(module)

    assert MissingExtra.remedy(name) == raised.value.hint


def test_import_of_the_package_brings_no_framework() -> None:
    """`verger.integrations` names none of them."""
    importlib.import_module("verger.integrations")

    assert not {"scrapy", "crawlee", "crawl4ai"} & set(vars(sys.modules["verger.integrations"]))
