"""Names that a package imports when they are first asked for (PEP 562).

In: a package's globals, and in which of its modules its names are. Out: what a name stands for.
"""

from collections.abc import Mapping


def attribute(package: dict[str, object], places: Mapping[str, str], name: str) -> object:
    """Return what stands in the module of a name, and keep it in the package."""
    if name not in places:
        raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{package['__name__']}.{places[name]}")
    value: object = getattr(module, name)
    package[name] = value
    return value
