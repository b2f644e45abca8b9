"""A name leads where the system says, and nowhere else."""

import os
from itertools import product
from pathlib import Path

import pytest

from verger.errors import UnusableOutput
from verger.files.paths import descriptor_in, place_of, place_to_make
from verger.files.writing import writing

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links and descriptors of POSIX")

PARTS = ("", ".", "..", "file", "dir", "no", "to-file", "to-dir", "to-no", "to-up", "loop")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay down a folder in a folder: a file, a folder, links to each, to nothing and in a loop."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    for around in (tmp_path, here):
        (around / "file").touch()
        (around / "dir").mkdir()
        for name, target in {
            "to-file": "dir/../file",
            "to-dir": "dir",
            "to-no": "no",
            "to-up": "../here",
            "loop": "./loop",
        }.items():
            (around / name).symlink_to(target)
    return here


def opened(name: str) -> os.stat_result | None:
    """Return what the system opens or makes under a name; None where it refuses."""
    with_file = os.O_CREAT | os.O_WRONLY
    for flags in (with_file, os.O_RDONLY):
        try:
            descriptor = os.open(name, flags)
        except OSError:
            continue
        try:
            return os.fstat(descriptor)
        finally:
            os.close(descriptor)
    return None


def test_names_lead_where_the_system_says(folder: Path) -> None:
    """Of all names of three parts, those lead somewhere that can be opened, and to what is."""
    wrong: list[str] = []
    for parts in product(PARTS, repeat=3):
        name = "/".join(parts).lstrip("/")
        try:
            place: str | None = place_of(name)
        except OSError:
            place = None
        found = opened(name)
        is_right = place is None if found is None else place == found_at(place, found)
        if not is_right:
            wrong.append(name)
        for made in (
            folder / "no",
            folder.parent / "no",
            folder / "dir/no",
            folder.parent / "dir/no",
        ):
            made.unlink(missing_ok=True)

    assert [] == wrong


def found_at(place: str | None, found: os.stat_result) -> str | None:
    """Return the place itself, where the file is there that was opened, and no link on the way."""
    if place is None or os.path.realpath(place) != place:
        return None
    return place if os.path.samestat(Path(place).stat(), found) else None


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_file_can_have(name: str) -> None:
    """They are refused like any other, not by a traceback."""
    with pytest.raises(OSError, match="Invalid argument"):
        place_of(name)
    with pytest.raises(UnusableOutput), writing(name):
        pass


def test_folders_that_will_be_made(folder: Path) -> None:
    """Missing folders do not prevent a place where they are made; the way out of one does."""
    assert str(folder / "no/new/x") == place_to_make("dir/../no/new/x")
    for name in ("no/../x", "no/../../x", "file/x", "no/", "no/.", "loop/x"):
        with pytest.raises(OSError, match=r"No such|Not a|Too many"):
            place_to_make(name)


@pytest.mark.parametrize(
    "name", ["/no/../dev/fd/1", "/dev/fd/01", f"/dev/fd/{'9' * 20}", f"/dev/fd/{'1' * 5000}"]
)
def test_names_that_are_no_descriptors(name: str) -> None:
    """A descriptor is what the system calls so; a file is not made among them."""
    assert descriptor_in(name) is None
    with pytest.raises(UnusableOutput), writing(name):
        pass
