"""The store at an address, whether it exists, and whether it can be used.

In: an address, or None for the user's own cache. Out: the store, which opens its file or connects
on first use. A command that only reads a cache needs a file with content, and creates none.
"""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from verger.cache.address import HINT, Address, is_server
from verger.cache.sqlite import SqliteStore, default_path
from verger.cache.store import Store
from verger.errors import CacheError, UnusableInput
from verger.files.formats import DATABASE
from verger.files.input_errors import unreadable
from verger.loop_thread import run_to_end
from verger.untrusted_text import printable

if TYPE_CHECKING:
    from verger.cache.redis import RedisStore

NOBODY = "https://verger.invalid"
"""An origin that no store has."""

__all__ = ["existing_store"]


@asynccontextmanager
async def existing_store(
    address: Address | None = None, *, read_only: bool = False
) -> "AsyncIterator[SqliteStore | RedisStore]":
    """Open the store in a file or on a server, and close it at the end of the block.

    address:    the path of the file, or the URL of a Redis server; None for the user's own file,
                `verger.cache.sqlite.default_path()`.
    read_only:  whether to write nothing, not even files next to the cache.
    Raises:     UnusableInput if it is not a file, or empty; CacheError, at the first read, if it is
                not a cache.
    """
    if address is None or not is_server(address):
        address = _existing(default_path() if address is None else Path(address))
    store = store_at(address, read_only=read_only)
    try:
        yield store
    finally:
        await store.close()


def store_at(address: Address, *, read_only: bool = False) -> "SqliteStore | RedisStore":
    """Return the store at an address.

    read_only:  whether to write nothing, not even files next to the cache.
    Raises CacheError for the URL of anything but a Redis server; MissingExtra.
    """
    if is_server(address):
        from verger.cache.redis import RedisStore

        return RedisStore(str(address))
    return SqliteStore(address, read_only=read_only)


def usable_store(address: str | None) -> Store | None:
    """Return the store at an address, for a client; None without an address.

    A server is not asked: it may come back, and a client works around it until then.
    Raises CacheError for an address of no store, and for a file that cannot be a cache.
    """
    if address is None:
        return None
    store = store_at(address)
    if not is_server(address):
        probe_and_close(store)
    return store


def probe_and_close(store: Store) -> None:
    """Probe a store on a separate event loop, and close it; the loop that uses it opens it again.

    Raises what `probe` raises.
    """

    async def probe_once() -> None:
        try:
            await probe(store)
        finally:
            await store.close()

    run_to_end(probe_once())


async def probe(store: Store) -> None:
    """Read from a store, so that an unusable one is an error before any other work.

    Raises CacheError.
    """
    await store.load((NOBODY,))


def _existing(path: Path) -> Path:
    """Return the path of a file with content. Raises UnusableInput."""
    try:
        if path.is_dir():
            raise UnusableInput(f"`{path}` is a folder, not a cache", "pass the path of a file")
        if not path.is_file():
            how = "`verger filter` and `verger check --cache FILE` make one"
            raise UnusableInput(f"no cache at `{path}`", how)
        if not path.stat().st_size:
            why = f"`{path}` is an empty file, not a cache"
            raise UnusableInput(why, "pass the path of another")
    except OSError as error:
        raise unreadable(str(path), error) from None
    return path


def expect_cache(address: Address) -> None:
    """Raise CacheError for the path of a folder, or of a file that is not a database."""
    if is_server(address):
        return
    name = printable(os.fsdecode(address))
    try:
        if Path(address).is_dir():
            raise CacheError(f"`{name}` is a folder, not a cache", HINT)
        with Path(address).open("rb") as file:
            beginning = file.read(len(DATABASE))
    except (OSError, ValueError):
        return  # it is not there yet, or cannot be read, which a client works around
    if beginning and beginning != DATABASE:
        raise CacheError(f"`{name}` is not a cache", "name another file")
