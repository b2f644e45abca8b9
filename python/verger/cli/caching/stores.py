"""The store of a command: found, opened, closed.

In: the word behind `--cache`. Out: a store that is there; a command that looks into a cache makes
none.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import time

from verger.cache.sqlite import SqliteStore, default_path
from verger.cli.exit import Failure


@asynccontextmanager
async def opened(named: str | None, *, read_only: bool = False) -> AsyncIterator[SqliteStore]:
    """Open the store in a file, or the user's own; raise `Failure` where there is none.

    read_only:  whether to look alone: nothing is written, not even beside the file.
    """
    path = default_path() if named is None else Path(named)
    if path.is_dir():
        raise Failure(f"`{path}` is a folder, not a cache")
    if not path.is_file():
        raise Failure(
            f"no cache at `{path}`", "`verger filter` and `verger check --cache FILE` make one"
        )
    if not path.stat().st_size:
        raise Failure(f"`{path}` is an empty file, not a cache")
    store = SqliteStore(path, clock=time, read_only=read_only)
    try:
        yield store
    finally:
        await store.close()
