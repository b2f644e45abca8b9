"""Errors for inputs that the system cannot read.

In: the path of an input as a user wrote it, and the system's error. Out: an `UnusableInput` whose
hint says what to do.
"""

# `check` may import this module; `pathlib` would take a tenth of its start-up time.
# ruff: noqa: PTH114, PTH115, PTH117, PTH118, PTH120, PTH208

import os
from errno import EACCES, EISDIR, ENOENT, ENOTDIR, EPERM

from verger.errors import InvalidTable, UnusableInput
from verger.files.paths import STANDARD
from verger.plain import closest, quoted, reason_of

MOST_NAMES = 1_000
"""The most names in a folder to compare with a missing one."""

_ANOTHER = "name another file"
_NO_RIGHT = "make it readable for this user, or name another file"
_HINTS = {EACCES: _NO_RIGHT, EPERM: _NO_RIGHT}


def unreadable(
    path: str,
    error: OSError,
    *,
    what: str = "file",
    hint: str | None = None,
    kind: type[UnusableInput] = UnusableInput,
) -> UnusableInput:
    """Return the error for an input.

    what:  what was expected: a file, a folder, either.
    hint:  what to do, if the caller knows better than the system's error.
    kind:  the class of the error.
    """
    shown = quoted(path)
    if error.errno == ENOENT:
        return kind(f"no such {what}: {shown}", hint or _where_it_may_be(path))
    if error.errno == EISDIR:
        return kind(f"{shown} is a folder, not a {what}", hint or "name a file in it")
    if error.errno == ENOTDIR:
        hint = hint or f"{quoted(os.path.dirname(path))} is not a folder"
    return kind(
        f"cannot read {shown}: {reason_of(error)}",
        hint or _HINTS.get(error.errno or 0, _ANOTHER),
    )


def damaged(name: str, error: Exception) -> UnusableInput:
    """Return what to tell of a table or an archive that cannot be read, perhaps not to its end."""
    if isinstance(error, OSError) and error.errno:
        return unreadable(name, error, kind=InvalidTable)
    why = f"cannot read {quoted(name)}: {reason_of(error)}"
    return InvalidTable(why, "is it damaged, or cut off?")


def _where_it_may_be(path: str) -> str:
    """Return a hint for a file that does not exist."""
    if os.path.islink(path):
        return f"it is a link to {quoted(os.readlink(path))}, which does not exist"
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return f"there is no folder {quoted(folder)}"
    near = closest(name, names[:MOST_NAMES]) if name else None
    if near not in (None, name) and path != STANDARD:
        return f"did you mean {quoted(os.path.join(folder, near))}?"
    return _ANOTHER if os.path.isabs(path) else "relative paths start from the current folder"
