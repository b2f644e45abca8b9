"""Hadoop: files of HDFS, as a store of objects.

In: the beginning of an address. Out: what `objects` asks of a store of obstore: an object from a
place on, and an upload that is there at once. A file's version is when it was modified. Of an
upload that is killed, a hidden file may stay beside the place. Settings and identities are found as
Hadoop's own tools find them. Errors are those of hdfs-native, which `objects` tells.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

from hdfs_native import Client
from obstore.exceptions import PreconditionError

SETTINGS = {"dfs.client.failover.max.attempts": "4"}
"""A quarter of a minute until it is told that nobody is there."""


class HadoopStore:
    """One file system of HDFS; none named is the one that Hadoop's settings name."""

    def __init__(self, where: str) -> None:
        self._client = Client(where, SETTINGS)

    def get(self, key: str, *, options: Any = None) -> SimpleNamespace:
        """Return a file: what it is, and its bytes in a range."""
        path = f"/{key}"
        before, file, now = self._state(path), self._client.read(path), self._state(path)
        if before != now:
            raise PreconditionError("it was replaced")
        size, modified = now
        begin, end = (options or {}).get("range", (0, size))
        pieces = file.read_range_stream(begin, min(end, size) - begin)
        time = datetime.fromtimestamp(modified / 1000, UTC)
        meta = {"size": size, "e_tag": None, "last_modified": time}
        return SimpleNamespace(meta=meta, stream=lambda _: pieces)

    def _state(self, path: str) -> tuple[int, int]:
        status = self._client.get_file_info(path)
        return status.length, status.modification_time

    def put(self, key: str, parts: Iterable[bytes], **_options: object) -> None:
        """Make bytes a file, in one step. Raises what `parts` raises, too."""
        folder, _, name = f"/{key}".rpartition("/")
        place = f"{folder}/.{name}.{uuid4().hex}"
        try:
            with self._client.create(place) as file:
                for part in parts:
                    file.write(part)
            self._client.rename(place, f"/{key}", overwrite=True)
        except BaseException:
            self._client.delete(place)
            raise
