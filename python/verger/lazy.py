"""Names that a package imports on first use (PEP 562), and what `dir` lists.

In: a package's globals, and the module of each of its names. Out: the value of a name.
"""

from collections.abc import Callable, Collection, Mapping


def load_attribute(
    package: dict[str, object],
    places: Mapping[str, str],
    name: str,
    modules: Collection[str] = (),
) -> object:
    """Return the value of a name from its module, and keep it in the package.

    modules:  those below the package that are names of it, too.
    """
    if name not in places and name not in modules:
        raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
    from importlib import import_module

    if name in modules:
        return import_module(f"{package['__name__']}.{name}")
    module = import_module(f"{package['__name__']}.{places[name]}")
    value: object = getattr(module, name)
    package[name] = value
    return value


def public_names(module: dict[str, object], others: Collection[str] = ()) -> list[str]:
    """Return what `dir` shows of a module: its `__all__`, and nothing that it imports for itself.

    others:  what it has as names, too, such as modules below it.
    """
    public = module["__all__"]
    assert isinstance(public, list)
    own = (name for name in module if name.startswith("__"))
    return sorted({*own, *public, *others})


def moved(former: str, module: str) -> Callable[[str], object]:
    """Return the `__getattr__` of a module's former name: each name comes from where it is now,
    with a DeprecationWarning."""

    def attribute(name: str) -> object:
        from importlib import import_module
        from warnings import warn

        value: object = getattr(import_module(module), name)
        if not name.startswith("__"):
            warn(f"{former} is {module} now", DeprecationWarning, stacklevel=2)
        return value

    return attribute
