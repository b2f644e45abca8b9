"""An existing store of a user, and whether a store can be used.

In: an address, or None for the user's own cache. Out: the store, open as long as it is needed. A
missing file is not created: commands that read a cache need one with content.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from verger.cache.address import Address, is_server, store_at
from verger.errors import UnusableInput
from verger.loop_thread import run_to_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cache.address import AnyStore
    from verger.cache.store import Store

NOBODY = "https://verger.invalid"
"""An origin that no store has."""

__all__ = ["existing_store"]


@asynccontextmanager
async def existing_store(
    address: Address | None = None, *, read_only: bool = False
) -> "AsyncIterator[AnyStore]":
    """Open the store in a file or on a server, and close it at the end of the block.

    address:    the path of the file, or the URL of a Redis server; None for the user's own file,
                `verger.cache.sqlite.default_path()`.
    read_only:  whether to write nothing, not even files next to the cache.
    Raises:     UnusableInput if it is not a file, or empty; CacheError, at the first read, if it is
                not a cache.
    """
    if address is None or not is_server(address):
        from verger.cache.sqlite import default_path

        address = _existing(default_path() if address is None else Path(address))
    store = store_at(address, read_only=read_only)
    try:
        yield store
    finally:
        await store.close()


def usable_store(address: str | None) -> "Store | None":
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


def probe_and_close(store: "Store") -> None:
    """Probe a store on a separate event loop, and close it; the loop that uses it opens it again.

    Raises what `probe` raises.
    """

    async def probe_once() -> None:
        try:
            await probe(store)
        finally:
            await store.close()

    run_to_end(probe_once())


async def probe(store: "Store") -> None:
    """Read from a store, so that an unusable one is an error before any other work.

    Raises CacheError.
    """
    await store.load((NOBODY,))


def _existing(path: Path) -> Path:
    """Return the path of a file that may be a cache. Raises UnusableInput."""
    try:
        _expect_content(path)
    except OSError as error:
        from verger.files.reading import unreadable

        raise unreadable(str(path), error) from None
    return path


def _expect_content(path: Path) -> None:
    """Raise UnusableInput unless a path leads to a file with content."""
    if path.is_dir():
        raise UnusableInput(f"`{path}` is a folder, not a cache", "pass the path of a file")
    if not path.is_file():
        raise UnusableInput(
            f"no cache at `{path}`", "`verger filter` and `verger check --cache FILE` make one"
        )
    if not path.stat().st_size:
        raise UnusableInput(f"`{path}` is an empty file, not a cache", "pass the path of another")
