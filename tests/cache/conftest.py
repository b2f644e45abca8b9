"""Stores to test: in memory, in a file, and on a real Redis server started for the run."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memory_store import MemoryStore
from patience import LONG, until
from verger.cache.redis import RedisStore
from verger.cache.sqlite import SqliteStore
from verger.cache.store import Store


@dataclass(frozen=True)
class Server:
    """A Redis server, and the process that it is."""

    url: str
    process: subprocess.Popen[bytes]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a file of SQLite will be."""
    return tmp_path / "store.sqlite3"


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Server]:
    """A server for the whole run, which keeps nothing."""
    with started_redis() as server:
        yield server


class started_redis:  # noqa: N801
    """Start a server on a free port; end it, and remove its folder."""

    def __enter__(self) -> Server:
        binary = shutil.which("redis-server") or shutil.which("valkey-server")
        if binary is None:
            if os.environ.get("CI") == "true":
                pytest.fail("redis-server is needed where CI=true")
            pytest.skip("redis-server is not installed")
        self._folder = tempfile.mkdtemp(prefix="verger-redis-")
        for _ in range(5):  # another program may take the port in between
            port = free_port()
            options = {"port": port, "bind": "127.0.0.1", "save": "", "appendonly": "no"}
            words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
            self._process = subprocess.Popen(
                [binary, *words, "--dir", self._folder], stdout=subprocess.DEVNULL
            )
            if answers(port, self._process):
                return Server(f"redis://127.0.0.1:{port}/0", self._process)
        pytest.fail("redis-server does not start")

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def answers(port: int, process: subprocess.Popen[bytes]) -> bool:
    """Whether the server comes up, rather than ending at once."""

    def has_begun() -> bool:
        return is_at(port, process.pid) or process.poll() is not None

    until(has_begun)
    return process.poll() is None


def is_at(port: int, pid: int) -> bool:
    """Whether a port is that of this server, and not of one that took it first."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=LONG) as client:
            client.sendall(b"INFO server\r\nQUIT\r\n")
            with client.makefile("rb") as answer:
                return b"process_id:%d\r\n" % pid in answer.read()
    except OSError:
        return False


@pytest.fixture
def prefix(request: pytest.FixtureRequest) -> str:
    """Keys of this test alone, with what means something in a pattern."""
    return f"verger*[{request.node.name}]:"


@pytest.fixture(params=["memory", "sqlite", "redis"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path, prefix: str) -> Callable[[], Store]:
    """A function that opens a store, each time on the same entries."""
    if request.param == "memory":
        kept = MemoryStore()  # which ends with its process, and so has no other door
        return lambda: kept
    if request.param == "sqlite":
        return lambda: SqliteStore(tmp_path / "folder" / "store.sqlite3", patience=LONG)
    url = request.getfixturevalue("redis_server").url
    return lambda: RedisStore(url, prefix=prefix, patience=LONG)


@pytest.fixture
def store(open_store: Callable[[], Store]) -> Store:
    """One store of each kind."""
    return open_store()
