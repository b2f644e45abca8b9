"""The parameters that an editor sends, checked: no shape is taken for granted.

In: decoded JSON. Out: values of the expected type. Raises RpcError with the code for invalid
parameters and the name of the invalid one.
"""

from typing import TypeVar

from verger.service.lsp.rpc import INVALID_PARAMS, RpcError
from verger.service.lsp.text import Place

T = TypeVar("T")

MOST_COUNTED = (1 << 31) - 1
"""The largest `uinteger` of the protocol."""


def found(params: object, *path: str) -> object:
    """Return the value at a path of names; None if there is none."""
    for name in path:
        if not isinstance(params, dict):
            return None
        params = params.get(name)
    return params


def expected(kind: type[T], params: object, *path: str) -> T:
    """Return the value at a path of names, which has to be of a type."""
    value = found(params, *path)
    if not isinstance(value, kind):
        name = {str: "a string", list: "a list", int: "a number"}[kind]
        raise RpcError(INVALID_PARAMS, f"`{'.'.join(path)}` is not {name}")
    return value


def uri(params: object) -> str:
    """Return the document that a message is about."""
    return expected(str, params, "textDocument", "uri")


def place(params: object, *path: str) -> Place:
    """Return a position."""
    return _count(params, *path, "line"), _count(params, *path, "character")


def span(params: object, *path: str) -> tuple[Place, Place]:
    """Return a range, with its ends in order."""
    ends = place(params, *path, "start"), place(params, *path, "end")
    return min(ends), max(ends)


def version(params: object) -> int | None:
    """Return the version of a document, if the editor sends one."""
    value = found(params, "textDocument", "version")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def words(params: object, *path: str) -> tuple[str, ...]:
    """Return the texts of a list; an empty tuple if there is no list."""
    value = found(params, *path)
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _count(params: object, *path: str) -> int:
    value = expected(int, params, *path)
    if isinstance(value, bool) or not 0 <= value <= MOST_COUNTED:
        raise RpcError(
            INVALID_PARAMS, f"`{'.'.join(path)}` is not a number from 0 to {MOST_COUNTED}"
        )
    return value
