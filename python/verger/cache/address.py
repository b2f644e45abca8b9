"""The address of a cache: the path of an SQLite file, or the URL of a Redis server.

In: an address, from a person or a program. Out: which of both it is.
"""

import os

from verger.errors import CacheError
from verger.files.paths import is_url

SERVERS = ("redis://", "rediss://", "unix://")
"""How the URLs of Redis servers begin."""

HINT = "pass the path of a file, or a URL such as `redis://localhost:6379/0`"

Address = str | os.PathLike[str]


def is_server(address: Address) -> bool:
    """Whether a cache is on a Redis server. Raises CacheError for the URL of anything else."""
    if not isinstance(address, str) or not is_url(address):
        return False
    if address.startswith(SERVERS):
        return True
    raise CacheError("the address of a cache is not the URL of a Redis server", HINT)
