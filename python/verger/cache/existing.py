"""The SQLite store of a user that is there already.

In: a path, or none for the user's own cache. Out: the store, open for as long as it is needed. A
file that is not there is not made: whoever looks into a cache wants one that something is in.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import time

from verger.cache.sqlite import SqliteStore, default_path
from verger.errors import UnusableInput


@asynccontextmanager
async def existing_store(
    path: str | os.PathLike[str] | None = None, *, read_only: bool = False
) -> AsyncIterator[SqliteStore]:
    """Open the store in a file, and close it at the end of the block.

    path:       the file; None for the user's own, `verger.cache.sqlite.default_path()`.
    read_only:  whether nothing is written, not even beside the file.
    Raises:     UnusableInput for what is not a file or is empty; CacheError for one that is not a
                cache, when it is first read.
    """
    path = default_path() if path is None else Path(path)
    if path.is_dir():
        raise UnusableInput(f"`{path}` is a folder, not a cache", "pass the path of a file")
    if not path.is_file():
        raise UnusableInput(
            f"no cache at `{path}`", "`verger filter` and `verger check --cache FILE` make one"
        )
    if not path.stat().st_size:
        raise UnusableInput(f"`{path}` is an empty file, not a cache", "pass the path of another")
    store = SqliteStore(path, clock=time, read_only=read_only)
    try:
        yield store
    finally:
        await store.close()
