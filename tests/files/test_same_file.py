"""An output is never an input, nor another's store, whatever it is called."""

import os
from pathlib import Path

import pytest

from verger.errors import UnusableOutput
from verger.files.same_file import expect_no_overwriting

posix = pytest.mark.skipif(os.name != "posix", reason="links and descriptors of POSIX")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay down an input, a store, and links to them."""
    monkeypatch.chdir(tmp_path)
    for name in ("in.txt", "c.sqlite", "other"):
        Path(name).write_text(name)
    for name in ("sites", "sites/a"):
        Path(name).mkdir()
    Path("sites/e.com").touch()
    Path("link").symlink_to("in.txt")
    Path("dir").symlink_to("sites")
    Path("cache").symlink_to("c.sqlite")
    Path("dangling").symlink_to("new")
    Path("hard").hardlink_to("in.txt")
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
        ("c.sqlite-wal", "`c.sqlite-wal` is a file of the cache: it is"),
        ("sites/e.com", "`sites/e.com` lies in `sites`, which is read"),
        ("sites/new", "`sites/new` lies in `sites`, which is read"),
        ("sites/a/new", "`sites/a/new` lies in `sites`, which is read"),
        ("dir/new", "`dir/new` lies in `sites`, which is read"),
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
@pytest.mark.parametrize("output", ["new.sqlite", "./new.sqlite", "over"])
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
def test_descriptors() -> None:
    """A file that is open is the file."""
    with Path("in.txt").open("rb") as file:
        for name in (f"/dev/fd/{file.fileno()}", f"/proc/self/fd/{file.fileno()}"):
            with pytest.raises(UnusableOutput):
                expect_no_overwriting(["in.txt"], inputs=[name])
            with pytest.raises(UnusableOutput):
                expect_no_overwriting([name], inputs=["in.txt"])
