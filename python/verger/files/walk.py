"""Walk: the files of a project in and below a folder.

In: a folder, and which names are wanted. Out: paths of regular files, those of a folder before
those below it, each sorted by name. Hidden folders, virtual environments, installed packages and
unreadable folders are skipped; links to folders are not followed.
"""

# Messages show paths as they were given; `pathlib` would change them.
# ruff: noqa: PTH110, PTH113, PTH118

import os
from collections.abc import Callable, Iterator

from verger.files.input_errors import unreadable
from verger.options import AnyPath

SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages", "venv"})


def project_files(folder: AnyPath, is_wanted: Callable[[str], bool]) -> Iterator[str]:
    """Yield the paths of the files whose names are wanted.

    Raises UnusableInput if the folder itself cannot be read.
    """
    top = os.fspath(folder)
    try:
        os.scandir(top).close()  # `os.walk` ignores a folder that it cannot read
    except OSError as error:
        raise unreadable(top, error, what="folder") from None
    for above, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if _is_searched(above, name))
        for name in sorted(filter(is_wanted, names)):
            path = os.path.join(above, name)
            if os.path.isfile(path):  # opening a pipe would block
                yield path.removeprefix(f"{os.curdir}{os.sep}")


def _is_searched(above: str, name: str) -> bool:
    is_left_out = name.startswith(".") or name in SKIPPED
    return not is_left_out and not os.path.exists(os.path.join(above, name, "pyvenv.cfg"))
