"""Names of packages that are imported when first asked for."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

import pytest

import verger.analysis
import verger.lint


@pytest.mark.parametrize("package", [verger.analysis, verger.lint], ids=lambda each: each.__name__)
def test_no_module_stands_in_place_of_a_name(package: ModuleType) -> None:
    """Whatever is imported first, a name of the package is what it says."""
    for module in iter_modules(package.__path__):
        import_module(f"{package.__name__}.{module.name}")

    assert [] == [
        name for name in package.__all__ if isinstance(getattr(package, name), ModuleType)
    ]
