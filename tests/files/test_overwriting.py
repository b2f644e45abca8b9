"""An output is never an input, nor another's store, whatever it is called."""

import os
from pathlib import Path

import pytest

from verger.errors import UnusableOutput
from verger.files.overwriting import expect_no_overwriting

posix = pytest.mark.skipif(os.name != "posix", reason="links and descriptors of POSIX")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay down an input, a store with its log, and links to them."""
    monkeypatch.chdir(tmp_path)
    for name in ("in.txt", "c.sqlite", "c.sqlite-wal", "other"):
        Path(name).write_text(name)
    for name in ("sites", "sites/a"):
        Path(name).mkdir()
    Path("sites/e.com").touch()
    Path("link").symlink_to("in.txt")
    Path("dir").symlink_to("sites")
    Path("cache").symlink_to("c.sqlite")
    Path("dangling").symlink_to("new")
    Path("hard").hardlink_to("in.txt")
    Path("to-log").symlink_to("c.sqlite-wal")
    Path("to-memory").symlink_to("c.sqlite-shm")
    Path("hard-log").hardlink_to("c.sqlite-wal")
    Path("member").touch()
    Path("sites/to-member").symlink_to("../member")
    Path("hard-member").hardlink_to("sites/e.com")
    return tmp_path


@posix
@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("in.txt", "`in.txt` is both input and output"),
        ("./sites/../in.txt", "is both input and output: it is `in.txt`"),
        ("link", "`link` is both input and output: it is `in.txt`"),
        ("hard", "`hard` is both input and output: it is `in.txt`"),
        ("c.sqlite", "`c.sqlite` is the cache itself"),
        ("cache", "`cache` is the cache itself: it is `c.sqlite`"),
        ("c.sqlite-wal", "`c.sqlite-wal` belongs to `c.sqlite`"),
        ("c.sqlite-shm", "`c.sqlite-shm` belongs to `c.sqlite`"),
        ("c.sqlite-journal", "`c.sqlite-journal` belongs to `c.sqlite`"),
        ("in.txt-wal", "`in.txt-wal` belongs to `in.txt`"),
        ("sites/e.com", "`sites/e.com` lies in `sites`, which is read"),
        ("sites/new", "`sites/new` lies in `sites`, which is read"),
        ("sites/a/new", "`sites/a/new` lies in `sites`, which is read"),
        ("dir/new", "`dir/new` lies in `sites`, which is read"),
        ("to-log", "`to-log` belongs to `c.sqlite`"),
        ("to-memory", "`to-memory` belongs to `c.sqlite`"),
        ("hard-log", "`hard-log` belongs to `c.sqlite`"),
        ("member", "`member` is both input and output: it is `sites/to-member`"),
        ("hard-member", "`hard-member` is both input and output: it is `sites/e.com`"),
    ],
)
def test_refused(output: str, said: str) -> None:
    """Every way to name what is read or kept; before anything is touched."""
    with pytest.raises(UnusableOutput) as caught:
        expect_no_overwriting([output], inputs=["in.txt"], folders=["sites"], stores=["c.sqlite"])

    assert said in caught.value.message
    assert "name another file for the output" == caught.value.hint


@posix
@pytest.mark.parametrize(
    "output",
    ["other", "new", "sites.csv", "in.txt2", "c.sqlite-waltz", "-", "/dev/null", "./other"],
)
def test_let_through(output: str) -> None:
    """Anything else is an output."""
    expect_no_overwriting([output], inputs=["in.txt"], folders=["sites"], stores=["c.sqlite"])


@posix
@pytest.mark.parametrize("output", ["new.sqlite", "./new.sqlite", "new.sqlite-wal", "over"])
def test_store_that_is_not_there_yet(output: str) -> None:
    """A store is what it will be, under every name that leads there."""
    Path("over").symlink_to("new.sqlite")

    with pytest.raises(UnusableOutput):
        expect_no_overwriting([output], stores=["new.sqlite"])


@posix
@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("a", "a"),
        ("a", "./a"),
        ("new", "dangling"),
        ("hard", "link"),
    ],
)
def test_two_outputs(one: str, two: str) -> None:
    """Two outputs are two files."""
    with pytest.raises(UnusableOutput, match="are the same file"):
        expect_no_overwriting([one, two])


def test_store_that_is_an_input() -> None:
    """A cache is written, so that it is not an input either."""
    with pytest.raises(UnusableOutput, match=r"`in\.txt` is both input and cache") as caught:
        expect_no_overwriting(["-"], inputs=["in.txt"], stores=["in.txt"])

    assert "name another file for the cache" == caught.value.hint


@posix
@pytest.mark.parametrize("read", ["in.txt-wal", "to-journal", "hard-journal"])
def test_input_that_belongs_to_a_store(read: str) -> None:
    """What lies beside a database under the names of SQLite's own files, SQLite deletes."""
    Path("in.txt").unlink()
    for name in ("in.txt-wal", "in.txt-journal"):
        Path(name).touch()
    Path("to-journal").symlink_to("in.txt-journal")
    Path("hard-journal").hardlink_to("in.txt-journal")

    with pytest.raises(UnusableOutput, match=r"is read, and belongs to the cache `in\.txt`"):
        expect_no_overwriting(["-"], inputs=[read], stores=["in.txt"])


@posix
@pytest.mark.parametrize("name", ["in.txt/.", "in.txt/../new", "no/../in.txt", "no/new", "loop"])
def test_names_that_lead_nowhere(name: str) -> None:
    """What the system would refuse is refused, before a folder that is made gives it a meaning."""
    Path("loop").symlink_to("loop")

    for outputs in ([name], ["new", name]):
        with pytest.raises(UnusableOutput, match=r"^cannot write "):
            expect_no_overwriting(outputs, inputs=["in.txt"])


@posix
@pytest.mark.parametrize("name", ["in.txt/.", "in.txt/../new", "no/../in.txt", "no/../no/new"])
def test_stores_that_lead_nowhere(name: str) -> None:
    """Folders are made for a store, and none for the sake of the way back out of it."""
    with pytest.raises(UnusableOutput, match=r"^cannot write "):
        expect_no_overwriting(["-"], stores=[name])
    expect_no_overwriting(["-"], stores=["no/new/new"])


@posix
def test_descriptors() -> None:
    """A file that is open is the file."""
    with Path("in.txt").open("rb") as file:
        for name in (f"/dev/fd/{file.fileno()}", f"/proc/self/fd/{file.fileno()}"):
            with pytest.raises(UnusableOutput):
                expect_no_overwriting(["in.txt"], inputs=[name])
            with pytest.raises(UnusableOutput):
                expect_no_overwriting([name], inputs=["in.txt"])
