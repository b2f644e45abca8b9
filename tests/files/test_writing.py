"""Writing: complete or not at all, with the permissions before, and never over a device."""

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from verger.errors import UnusableOutput
from verger.files.writing import expect_writable, real_path, replacing, writing, writing_all

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and devices of POSIX")
as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root may give files away"
)
KINDS = ["without a name", "with a name"]


@pytest.fixture(params=KINDS, autouse=True)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run each test on systems with and without files that have no name yet."""
    if request.param == "with a name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    elif not hasattr(os, "O_TMPFILE"):
        pytest.skip("this system has no files without a name")
    return str(request.param)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_file(tmp_path: Path) -> None:
    """It is there when the block ends, and nothing else is."""
    with writing(tmp_path / "out") as output:
        output.write(b"one ")
        assert not (tmp_path / "out").exists()
        output.write(memoryview(b"two"))
        assert 7 == output.tell()

    assert b"one two" == (tmp_path / "out").read_bytes()
    assert {"out"} == names(tmp_path)


def test_old_file_stays_until_the_end(tmp_path: Path) -> None:
    """Readers see the one or the other, whole."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with path.open("rb") as reader, writing(path) as output:
        output.write(b"new")
        assert b"old" == path.read_bytes()
        assert b"old" == reader.read()

    assert b"new" == path.read_bytes()


def write_and_raise(path: Path, error: type[BaseException]) -> None:
    with writing(path) as output:
        output.write(b"half")
        raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, MemoryError])
def test_what_is_interrupted_leaves_nothing(error: type[BaseException], tmp_path: Path) -> None:
    """Neither half a file nor another beside it; the old one stays."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with pytest.raises(error):
        write_and_raise(path, error)

    assert b"old" == path.read_bytes()
    assert {"out"} == names(tmp_path)


@posix
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_umask_is_honoured(mask: int, mode: int, tmp_path: Path) -> None:
    """A new file has the permissions that any program's has."""
    with umask(mask), writing(tmp_path / "out") as output:
        output.write(b"x")

    assert mode == mode_of(tmp_path / "out")


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755, 0o4711])
def test_mode_is_kept(mode: int, tmp_path: Path) -> None:
    """A file keeps its permissions, and nobody else reads it while it is written."""
    path = tmp_path / "out"
    path.touch()
    path.chmod(mode)
    with umask(0o022), writing(path) as output:
        output.write(b"x")
        beside = names(tmp_path) - {"out"}
        assert {mode} >= {mode_of(tmp_path / name) for name in beside}

    assert mode == mode_of(path)


@as_root
def test_owner_is_kept(tmp_path: Path) -> None:
    """Root writes a user's file, and it stays the user's."""
    path = tmp_path / "out"
    path.touch(mode=0o640)
    os.chown(path, 1234, 5678)
    with writing(path) as output:
        output.write(b"x")
    status = path.stat()

    assert (1234, 5678, 0o640) == (status.st_uid, status.st_gid, mode_of(path))


@posix
@pytest.mark.parametrize("there", [True, False])
def test_link_stays_a_link(tmp_path: Path, *, there: bool) -> None:
    """What a link names is written, in its own folder, be it there or not."""
    (tmp_path / "far").mkdir()
    target = tmp_path / "far" / "target"
    if there:
        target.write_bytes(b"old")
    (tmp_path / "hop").symlink_to("far/target")
    (tmp_path / "link").symlink_to("hop")
    with writing(tmp_path / "link") as output:
        output.write(b"new")

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "hop").is_symlink()
    assert b"new" == target.read_bytes()
    assert {"target"} == names(tmp_path / "far")


@posix
def test_a_link_that_came_meanwhile_is_replaced(tmp_path: Path) -> None:
    """Of a place that was found before, what became a link to another file is not followed."""
    (tmp_path / "scratch").mkdir()
    (tmp_path / "victim").write_bytes(b"kept")
    place = real_path(tmp_path / "out")
    (tmp_path / "out").symlink_to("victim")
    with replacing(place, scratch=tmp_path / "scratch") as file:
        file.write(b"new")

    assert b"kept" == (tmp_path / "victim").read_bytes()
    assert (b"new", False) == ((tmp_path / "out").read_bytes(), (tmp_path / "out").is_symlink())


def test_other_names_are_nobodys(tmp_path: Path) -> None:
    """What looks like an unfinished file of somebody is left alone."""
    others = ["out.part", ".out.part", f".out.{os.getpid()}.part", f".out.{os.getpid()}", "out.tmp"]
    for name in others:
        (tmp_path / name).write_text(name)
    with writing(tmp_path / "out") as output:
        output.write(b"x")

    assert {*others, "out"} == names(tmp_path)
    assert others == [(tmp_path / name).read_text() for name in others]


@posix
def test_longest_name(tmp_path: Path) -> None:
    """A name may be as long as the file system lets it be."""
    path = tmp_path / ("n" * 255)
    with writing(path) as output:
        output.write(b"x")

    assert b"x" == path.read_bytes()


# What is not a regular file


@posix
def test_device_is_written_through() -> None:
    """`/dev/null` takes it, and stays a device."""
    before = Path("/dev/null").stat()
    with writing("/dev/null") as output:
        output.write(b"gone")
    after = Path("/dev/null").stat()

    assert stat.S_ISCHR(after.st_mode)
    assert (before.st_ino, before.st_rdev) == (after.st_ino, after.st_rdev)


@as_root
def test_device_in_any_folder(tmp_path: Path) -> None:
    """A device is known by what it is, not by where it lies; also behind a link."""
    null = tmp_path / "null"
    os.mknod(null, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    (tmp_path / "link").symlink_to(null)
    for path in (null, tmp_path / "link"):
        with writing(path) as output:
            output.write(b"gone")

    assert stat.S_ISCHR(null.stat().st_mode)
    assert {"null", "link"} == names(tmp_path)


@posix
def test_fifo(tmp_path: Path) -> None:
    """A named pipe gets the bytes, as they come."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_bytes()))
    reader.start()
    with writing(fifo) as output:
        output.write(b"x" * 200_000)
    reader.join(timeout=30)

    assert [b"x" * 200_000] == read
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@posix
def test_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A socket cannot be opened, and is not replaced."""
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        with pytest.raises(UnusableOutput), writing("socket"):
            pass

        assert stat.S_ISSOCK(Path("socket").stat().st_mode)


@posix
@pytest.mark.parametrize("form", ["/dev/fd/{}", "/proc/self/fd/{}", "link"])
def test_descriptor_keeps_its_place(form: str, tmp_path: Path) -> None:
    """An open file is gone on with where it is, and not replaced."""
    path = tmp_path / "out"
    with path.open("wb") as file:
        file.write(b"before ")
        file.flush()
        name = form.format(file.fileno())
        if form == "link":
            name = str(tmp_path / "link")
            Path(name).symlink_to(f"/dev/fd/{file.fileno()}")
        with writing(name) as output:
            output.write(b"between")
        file.seek(0, os.SEEK_END)
        file.write(b" behind")

    assert b"before between behind" == path.read_bytes()


@posix
@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"])
def test_stdout(name: str, tmp_path: Path) -> None:
    """Stdout gets it behind what was printed, whatever it is and is called."""
    code = (
        "import sys; from verger.files.writing import writing\n"
        "print('before')\n"
        "with writing(sys.argv[1]) as output: output.write(b'between\\n')\n"
        "print('behind')"
    )
    out = tmp_path / "out"
    with out.open("wb") as file:
        subprocess.run([sys.executable, "-c", code, name], stdout=file, check=True, timeout=60)
    piped = subprocess.run([sys.executable, "-c", code, name], stdout=subprocess.PIPE, check=True)

    assert "before\nbetween\nbehind\n" == out.read_text()
    assert b"before\nbetween\nbehind\n" == piped.stdout
    assert {"out"} == names(tmp_path)


@posix
def test_full_pipe_that_does_not_block() -> None:
    """A pipe that somebody made non-blocking gets all of it, too."""
    reading, writing_end = os.pipe()
    os.set_blocking(writing_end, False)
    read: list[bytes] = []

    def drain() -> None:
        with os.fdopen(reading, "rb") as file:
            read.append(file.read())

    reader = threading.Thread(target=drain)
    with writing(f"/dev/fd/{writing_end}") as output:
        reader.start()
        output.write(b"x" * 1_000_000)
    os.close(writing_end)
    reader.join(timeout=30)

    assert [1_000_000] == list(map(len, read))


# What cannot be written


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("folder", "it is a folder"),
        ("folder/", "it is a folder"),
        ("new/", "it is a folder"),
        ("nowhere/out", "there is no folder"),
        ("file/out", "is not a folder"),
        ("", "it is a folder"),
    ],
)
def test_places_that_cannot_be(
    name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Said before the work as it would be after it, with a way out; nothing is made."""
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").touch()
    for ask in (expect_writable, lambda path: writing(path).__enter__()):
        with pytest.raises(UnusableOutput) as caught:
            ask(name)

        assert said in caught.value.message
        assert caught.value.hint
    assert {"folder", "file"} == names(tmp_path)


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disk() -> None:
    """A disk without room is said as what it is."""
    with pytest.raises(UnusableOutput) as caught, writing("/dev/full") as output:
        output.write(b"x")

    assert "cannot write `/dev/full`: no space left on device" == caught.value.message
    assert caught.value.hint
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


UNPRIVILEGED = """
import os, sys
from verger.errors import UnusableOutput
from verger.files.writing import expect_writable, writing
if os.geteuid() == 0:  # who may write anywhere
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
for ask in (expect_writable, lambda path: writing(path).__enter__()):
    try:
        ask(sys.argv[1])
    except UnusableOutput as error:
        print(error.message, bool(error.hint))
"""


@posix
@pytest.mark.parametrize("name", ["shut/out", "read-only", "shut/there"])
def test_no_right(name: str, tmp_path: Path) -> None:
    """Neither a folder nor a file is written that this user may not write to."""
    for above in (tmp_path, *tmp_path.parents[:2]):
        above.chmod(above.stat().st_mode | 0o055)
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut" / "there").touch()
    (tmp_path / "shut").chmod(0o555)
    (tmp_path / "read-only").touch()
    (tmp_path / "read-only").chmod(0o444)
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, str(tmp_path / name)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert 2 == len(done.stdout.splitlines()), done.stderr
    for line in done.stdout.splitlines():
        assert f"cannot write `{tmp_path / name}`: permission denied" in line
        assert line.endswith(" True")


LIMITED = """
import resource, signal, sys
from verger.files.writing import writing
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
with writing("out") as output:
    output.write(b"x" * 600)
    output.write(b"x" * 600)
"""


@posix
def test_file_that_grows_too_large(tmp_path: Path) -> None:
    """What finds no room after a while leaves the old file, and nothing beside it."""
    (tmp_path / "out").write_bytes(b"old")
    done = subprocess.run(
        [sys.executable, "-B", "-c", LIMITED], cwd=tmp_path, capture_output=True, check=False
    )

    assert b"cannot write `out`: file too large" in done.stderr
    assert b"old" == (tmp_path / "out").read_bytes()
    assert {"out"} == names(tmp_path)


KILLED = """
import os, signal
from verger.files.writing import writing
with writing("out") as output:
    output.write(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="no files without a name")
def test_killed(tmp_path: Path) -> None:
    """A killed process leaves the old file, and nothing else."""
    (tmp_path / "out").write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=tmp_path, check=False)

    assert -signal.SIGKILL == done.returncode
    assert b"old" == (tmp_path / "out").read_bytes()
    assert {"out"} == names(tmp_path)


# Several files


def test_all_are_replaced(tmp_path: Path) -> None:
    """They take their places when the last is whole."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"old")
    with writing_all([one, two]) as (first, second):
        first.write(b"1")
        second.write(b"2")
        assert {"one"} >= {name for name in names(tmp_path) if not name.startswith(".")}

    assert (b"1", b"2") == (one.read_bytes(), two.read_bytes())
    assert {"one", "two"} == names(tmp_path)


def write_all(*paths: Path) -> None:
    with writing_all(paths) as outputs:
        for output in outputs:
            output.write(b"new")


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_none_is_replaced_where_one_cannot_be(
    error: type[BaseException],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    there: bool,
) -> None:
    """The first gets its place back where the second does not come to its own."""
    one, two = tmp_path / "one", tmp_path / "two"
    if there:
        one.write_bytes(b"old")
    replace = os.replace

    def replaced(source: str, target: str) -> None:
        if target == str(two):
            raise error
        replace(source, target)

    monkeypatch.setattr(os, "replace", replaced)
    wanted = UnusableOutput if error is OSError else error
    with pytest.raises(wanted):
        write_all(one, two)

    assert (
        {"one": b"old"}
        if there
        else {} == {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    )
    assert ({"one"} if there else set()) == names(tmp_path)


def test_none_is_begun_where_one_cannot_be(tmp_path: Path) -> None:
    """The second is looked at before anything is written."""
    with pytest.raises(UnusableOutput), writing_all([tmp_path / "one", tmp_path / "no" / "two"]):
        pytest.fail("not to be reached")

    assert set() == names(tmp_path)
