"""HDFS by its addresses, on Hadoop's own servers: `tools/hdfs.sh` starts them."""

import os
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest

pytest.importorskip("hdfs_native")
pytest.importorskip("obstore")

from hdfs_native import Client

from bulk.scan.archives import archive
from verger.bulk.scan import scan
from verger.errors import UnusableInput, UnusableOutput
from verger.files import hadoop, objects
from verger.files.addresses import open_input
from verger.files.writing import writing

DATA = random.Random(1).randbytes(5_000_000)


@pytest.fixture
def there() -> Iterator[str]:
    """An empty folder of HDFS."""
    if (server := os.environ.get("VERGER_HDFS")) is None:
        pytest.skip("VERGER_HDFS names no server")
    name = f"/{uuid4().hex}"
    client = Client(server)
    client.mkdirs(name, 0o700)
    yield server + name
    client.delete(name, recursive=True)


def names(there: str) -> list[str]:
    """Return the names of the files in a folder."""
    server, _, name = there.rpartition("/")
    found = Client(server).list_status(f"/{name}")
    return sorted(each.path.rpartition("/")[2] for each in found)


def test_what_is_written_is_read_at_any_place(there: str) -> None:
    for data in (DATA, b"", DATA[::-1]):
        with writing(f"{there}/a") as output:
            output.write(data)
        with open_input(f"{there}/a") as file:
            assert data == file.read()
            for at in (3_000_000, 17, 4_999_999):
                file.seek(at)
                assert data[at : at + 70_000] == file.read(70_000)

    assert ["a"] == names(there)


def test_nothing_is_left_of_what_was_given_up(there: str) -> None:
    with writing(f"{there}/a") as output:
        output.write(b"old")
    with suppress(KeyError), writing(f"{there}/a") as output:
        output.write(DATA)
        raise KeyError

    assert ["a"] == names(there)
    with open_input(f"{there}/a") as file:
        assert b"old" == file.read()


def test_a_scan_is_that_of_the_disk(there: str, tmp_path: Path) -> None:
    data = archive(20).data
    (tmp_path / "a.warc.gz").write_bytes(data)
    with writing(f"{there}/a.warc.gz") as output:
        output.write(data)
    scan(tmp_path / "a.warc.gz", tmp_path / "a.parquet")
    scan(f"{there}/a.warc.gz", f"{there}/a.parquet")

    with open_input(f"{there}/a.parquet") as file:
        assert (tmp_path / "a.parquet").read_bytes() == file.read()


def test_a_file_that_is_replaced_is_told(there: str) -> None:
    """Bytes are of one version."""
    with writing(f"{there}/a") as output:
        output.write(DATA * 3)
    with open_input(f"{there}/a") as file:
        file.read(10)
        with writing(f"{there}/a") as output:
            output.write(DATA[::-1] * 3)
        file.seek(14_000_000)
        with pytest.raises(UnusableInput, match="changed while it was read"):
            file.read()


def test_what_cannot_be_is_told(there: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with writing(f"{there}/a") as output:
        output.write(b"old")
    for name in ("none", ""):
        with pytest.raises(UnusableInput, match="no such object"):
            open_input(f"{there}/{name}")
    monkeypatch.setenv("HADOOP_USER_NAME", "somebody-else")
    with pytest.raises(UnusableInput, match="does not let you read it"):
        open_input(f"{there}/a")
    with pytest.raises(UnusableOutput, match="does not let you write it") as raised:
        objects.Upload(f"{there}/b")

    assert "HADOOP_USER_NAME" in (raised.value.hint or "")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("hdfs://127.0.0.1:9/x", "cannot be reached"),
        ("hdfs://nowhere/x", "no name node"),
        ("hdfs:///x", "no name node"),
        ("hdfs://a:1/", "names no object"),
    ],
)
def test_nobody_there_is_told(address: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hadoop, "SETTINGS", {"dfs.client.failover.max.attempts": "1"})

    with pytest.raises(UnusableInput, match=why):
        open_input(address)
