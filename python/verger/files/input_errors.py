"""Errors for inputs that cannot be read.

In: the path of an input as a user wrote it, and the system's error; or the columns of a table. Out:
an `UnusableInput` whose hint says what to do.
"""

# `check` may import this module; `pathlib` would take a tenth of its start-up time.
# ruff: noqa: PTH114, PTH115, PTH117, PTH118, PTH120, PTH208

import os
from collections.abc import Sequence
from errno import EACCES, EISDIR, ENOENT, ENOTDIR, EPERM

from verger.errors import InvalidTable, UnusableInput
from verger.files.paths import SCHEMES, STANDARD, is_url, scheme_of
from verger.untrusted_text import closest, listed, printable, quoted, reason_of, visible

MOST_NAMES = 1_000
"""The most names in a folder to compare with a missing one."""

SHOWN = 20
"""The most columns that a hint lists."""

WIDEST = 40
"""The most characters of a name in a hint."""

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
    if error.errno in (ENOENT, ENOTDIR) and is_url(path):
        why = f"cannot read {shown}: {quoted(scheme_of(path))} is not read"
        return kind(why, f"addresses begin with {listed([f'{each}://' for each in SCHEMES])}")
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


def no_column(
    shown: str, column: str, present: Sequence[str], *, option: str = "", needs: str | None = None
) -> InvalidTable:
    """Return the error for a missing column.

    shown:   what the message calls the table, such as `` `urls.csv` ``.
    option:  the option that names another column on the command line, such as `--column `.
    needs:   a hint that says which columns are needed, instead of listing those present.
    """
    message = f"no column {quoted(column)} in {shown}"
    if needs is not None:
        return InvalidTable(message, needs)
    other = next((each for each in ";\t" if len(present) == 1 and each in present[0]), None)
    if other is not None:
        return InvalidTable(message, f"{quoted(other)} separates its columns: save it with commas")
    if (near := closest(column, present)) is not None:
        return InvalidTable(message, f"did you mean `{option}{printable(near)}`?")
    names = ", ".join(f"`{visible(name, WIDEST)}`" for name in present[:SHOWN])
    return InvalidTable(message, f"the columns are {names}" if names else "it has no columns")


def _where_it_may_be(path: str) -> str:
    """Return a hint for a file that does not exist."""
    if os.path.islink(path):
        return f"it is a link to {quoted(os.readlink(path))}, which does not exist"
    folder, name = os.path.split(path)
    try:
        names = os.listdir(folder or os.curdir)
    except OSError:
        return f"there is no folder {quoted(folder)}"
    alike = [each for each in names[:MOST_NAMES] if _may_be(name, each)]
    near = closest(name, alike) if name else None
    if near not in (None, name) and path != STANDARD:
        return f"did you mean {quoted(os.path.join(folder, near))}?"
    return _ANOTHER if os.path.isabs(path) else "relative paths start from the current folder"


def _may_be(name: str, known: str) -> bool:
    """Whether a name may stand for another: they end alike, or one begins with the other."""
    ends_alike = os.path.splitext(name)[1] == os.path.splitext(known)[1]  # noqa: PTH122
    return ends_alike or name.startswith(known) or known.startswith(name)
