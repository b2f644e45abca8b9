"""Folders of robots.txt files named by host, as a crawl or an archive leaves them.

In: the path of a folder, and origins. Out: the path of the file that governs each. A host name,
which is untrusted, never leads out of the folder.
"""

# Importing pathlib would take a tenth of the command's start-up time.
# ruff: noqa: PTH116, PTH118, PTH208

import os
import stat

from verger._core import Origin
from verger.errors import InvalidTarget
from verger.files.formats import CAPTURED, format_by_name
from verger.files.reading import unreadable

DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{device}{number}" for device in ("com", "lpt") for number in range(10)]
)
"""Names that open no file on Windows, whatever follows a dot in them."""


def expect_folder(path: str) -> None:
    """Raise UnusableInput for a folder that cannot be listed or entered."""
    try:
        os.scandir(path).close()
        os.stat(os.path.join(path, os.curdir))  # which listing alone does not need
    except OSError as error:
        hint = "let this user list and enter it, or name another folder"
        raise unreadable(path, error, what="folder", hint=hint) from None


def origins_in(folder: str) -> list[str]:
    """Return the origins that files are named by, with https: names have no scheme.

    Files with other names are skipped.
    """
    return sorted({found for name in os.listdir(folder) if (found := origin_of_name(name))})


def origin_of_name(name: str) -> str | None:
    """Return the https origin whose file may have this name, or None."""
    name = name.removesuffix(".txt")
    host, mark, port = name.rpartition("_")
    place = f"{host}:{port}" if mark and port.isdecimal() else name
    try:
        found = Origin(f"https://{place}/")
    except InvalidTarget:
        return None
    return str(found) if name in names_of(found) else None


def file_of(folder: str, origin: Origin) -> str | None:
    """Return the path of an origin's file; None if the folder has none."""
    names = (f"{name}{ending}" for name in names_of(origin) for ending in ("", ".txt"))
    return next(filter(_is_file, (os.path.join(folder, name) for name in names)), None)


def _is_file(path: str) -> bool:
    """Whether a path is that of a file; true if it may not be looked at, so that reading fails."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


def site_of(origin: Origin) -> str:
    """Return the host, and the port if it is not the scheme's default."""
    return str(origin).removeprefix(f"{origin.scheme}://")


def names_of(origin: Origin) -> list[str]:
    """Return the names that the file of an origin may have, most likely first, without `.txt`."""
    if not is_file_name(origin.host, on_windows=os.name == "nt"):
        return []
    bare = [origin.host] if site_of(origin) == origin.host else []
    return [*bare, f"{origin.host}:{origin.port}", f"{origin.host}_{origin.port}"]


def is_file_name(host: str, *, on_windows: bool) -> bool:
    """Whether a host is a plain file name; `..`, hidden files, archives and tables are not."""
    if (on_windows and host.partition(".")[0] in DEVICES) or format_by_name(host) in CAPTURED:
        return False
    return not host.startswith(".") and not any(mark in host for mark in "/\\\0")
