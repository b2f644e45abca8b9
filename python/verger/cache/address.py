"""The address of a cache: the path of an SQLite file, or the URL of a Redis server.

In: an address, from a person or a program. Out: the store there, which opens its file or connects
on first use. Each kind of store is imported only when it is needed.
"""

import os
from collections.abc import Callable
from time import time

from verger.errors import CacheError
from verger.files.places import is_url
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cache.redis import RedisStore
    from verger.cache.sqlite import SqliteStore

    AnyStore = SqliteStore | RedisStore

SERVERS = ("redis://", "rediss://", "unix://")
"""How the URLs of Redis servers begin."""

HINT = "pass the path of a file, or a URL such as `redis://localhost:6379/0`"

DATABASE = b"SQLite format 3\0"
"""How the files begin."""

Address = str | os.PathLike[str]


def is_server(address: Address) -> bool:
    """Whether a cache is on a Redis server. Raises CacheError for the URL of anything else."""
    if not isinstance(address, str) or not is_url(address):
        return False
    if address.startswith(SERVERS):
        return True
    raise CacheError("the address of a cache is not the URL of a Redis server", HINT)


def store_at(
    address: Address, *, clock: Callable[[], float] = time, read_only: bool = False
) -> "AnyStore":
    """Return the store at an address.

    read_only:  whether to write nothing, not even files next to the cache.
    Raises CacheError for the URL of anything but a Redis server; MissingExtra.
    """
    if isinstance(address, str) and is_server(address):
        from verger.cache.redis import RedisStore

        return RedisStore(address)
    from verger.cache.sqlite import SqliteStore

    return SqliteStore(address, clock=clock, read_only=read_only)


def expect_cache(address: Address) -> None:
    """Raise CacheError for the path of a folder, or of a file that is not a database."""
    if is_server(address):
        return
    from pathlib import Path

    try:
        if Path(address).is_dir():
            raise CacheError(f"`{_shown(address)}` is a folder, not a cache", HINT)
        with Path(address).open("rb") as file:
            beginning = file.read(len(DATABASE))
    except (OSError, ValueError):
        return  # it is not there yet, or cannot be read, which a client works around
    if beginning and beginning != DATABASE:
        raise CacheError(f"`{_shown(address)}` is not a cache", "name another file")


def _shown(address: Address) -> str:
    return printable(os.fsdecode(address))
