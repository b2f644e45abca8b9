"""Names that a package imports on first use (PEP 562).

In: a package's globals, and the module of each of its names. Out: the value of a name.
"""

from collections.abc import Mapping


def attribute(package: dict[str, object], places: Mapping[str, str], name: str) -> object:
    """Return the value of a name from its module, and keep it in the package."""
    if name not in places:
        raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{package['__name__']}.{places[name]}")
    value: object = getattr(module, name)
    package[name] = value
    return value
