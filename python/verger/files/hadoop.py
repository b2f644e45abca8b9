"""Hadoop: files of HDFS, as a store of objects.

In: the beginning of an address. Out: what `objects` asks of a store of obstore: an object from a
place on, and an upload that is there at once. A file's version is when it was modified. Of an
upload that is killed, a hidden file may stay beside the place. Settings and identities are found as
Hadoop's own tools find them. Imported within `MissingExtra.unless_installed`.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from hdfs_native import Client
from obstore import exceptions

SETTINGS = {"dfs.client.failover.max.attempts": "4"}
"""A quarter of a minute until it is told that nobody is there."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that was found, and its bytes between two places."""

    meta: dict[str, Any]
    pieces: Any

    def stream(self, _: int) -> Iterator[bytes]:
        """Yield the bytes, as the servers send them."""
        with _told_as_of_obstore():
            yield from self.pieces


class HadoopStore:
    """One file system of HDFS; none named is the one that Hadoop's settings name."""

    def __init__(self, where: str) -> None:
        with _told_as_of_obstore():
            self._client = Client(where, SETTINGS)

    def get(self, key: str, *, options: Any = None) -> Found:
        """Return a file. Raises what obstore raises."""
        path = f"/{key}"
        with _told_as_of_obstore():
            before, file, now = self._state(path), self._client.read(path), self._state(path)
        if before != now:
            raise exceptions.PreconditionError("it was replaced")
        size, modified = now
        begin, end = (options or {}).get("range", (0, size))
        time = datetime.fromtimestamp(modified / 1000, UTC)
        meta = {"size": size, "e_tag": None, "last_modified": time}
        return Found(meta, file.read_range_stream(begin, min(end, size) - begin))

    def _state(self, path: str) -> tuple[int, int]:
        status = self._client.get_file_info(path)
        return status.length, status.modification_time

    def put(self, key: str, parts: Iterable[bytes], **_options: object) -> None:
        """Make bytes a file, in one step. Raises what obstore raises, and what `parts` does."""
        folder, _, name = f"/{key}".rpartition("/")
        place = f"{folder}/.{name}.{uuid4().hex}"
        with _told_as_of_obstore():
            try:
                with self._client.create(place) as file:
                    for part in parts:
                        file.write(part)
                self._client.rename(place, f"/{key}", overwrite=True)
            except BaseException:
                self._client.delete(place)
                raise


@contextmanager
def _told_as_of_obstore() -> Iterator[None]:
    """Give errors the classes of obstore's."""
    try:
        yield
    except (FileNotFoundError, InterruptedError):
        raise
    except OSError:
        raise exceptions.GenericError("error trying to connect") from None
    except RuntimeError as error:
        is_right = "AccessControlException" in str(error)
        kind = exceptions.PermissionDeniedError if is_right else exceptions.GenericError
        raise kind(str(error).partition("\\n")[0]) from None
