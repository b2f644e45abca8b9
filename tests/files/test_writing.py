"""Writing: complete or not at all, with the permissions before, and never over a device."""

import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from tempfile import gettempdir

import pytest

from patience import LONG
from verger.errors import UnusableOutput
from verger.files.locking import lock
from verger.files.writing import (
    _unfinished,
    expect_writable,
    rewrite,
    rewrite_all,
    writing,
    writing_all,
)

posix = pytest.mark.skipif(os.name != "posix", reason="permissions and devices of POSIX")
as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root may give files away"
)


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
    reader.join(timeout=LONG)

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
@pytest.mark.parametrize("form", ["/dev/fd/{}", "/proc/self/fd/{}"])
def test_descriptor_keeps_its_place(form: str, tmp_path: Path) -> None:
    """An open file is gone on with where it is, and not replaced."""
    path = tmp_path / "out"
    with path.open("wb") as file:
        file.write(b"before ")
        file.flush()
        name = form.format(file.fileno())
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
        subprocess.run([sys.executable, "-c", code, name], stdout=file, check=True, timeout=LONG)
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
    reader.join(timeout=LONG)

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
        ("file/.", "the system finds no such file"),
        ("nowhere/../file", "the system finds no such file"),
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
def test_no_right(name: str, open_folder: Path) -> None:
    """Neither a folder nor a file is written that this user may not write to."""
    (open_folder / "shut").mkdir()
    (open_folder / "shut" / "there").touch()
    (open_folder / "shut").chmod(0o555)
    (open_folder / "read-only").touch()
    (open_folder / "read-only").chmod(0o444)
    done = subprocess.run(
        [sys.executable, "-c", UNPRIVILEGED, str(open_folder / name)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert 2 == len(done.stdout.splitlines()), done.stderr
    for line in done.stdout.splitlines():
        assert f"cannot write `{open_folder / name}`: permission denied" in line
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


# Who may read and write it

with_attributes = pytest.mark.skipif(
    not hasattr(os, "setxattr"), reason="extended attributes, which Python has on Linux"
)
OWNER, USER, OWNING_GROUP, GROUP, MASK, OTHER = 1, 2, 4, 8, 16, 32
"""Tags of ACL entries (linux/posix_acl.h)."""

ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"


def acl(**permissions: int) -> bytes:
    """Return an ACL as the system keeps it (linux/posix_acl_xattr.h), with one user and group."""
    entries = [
        (OWNER, permissions.get("owner", 6), -1),
        (USER, permissions.get("user", 6), 1234),
        (OWNING_GROUP, permissions.get("owning_group", 0), -1),
        (GROUP, permissions.get("group", 4), 5678),
        (MASK, permissions.get("mask", 6), -1),
        (OTHER, permissions.get("other", 0), -1),
    ]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *each) for each in entries)


def attributes_of(path: Path) -> dict[str, bytes]:
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


@with_attributes
@pytest.mark.parametrize("default", [True, False], ids=["default ACL", "no default ACL"])
@pytest.mark.parametrize("own", [True, False], ids=["own ACL", "no own ACL"])
def test_acl_is_kept(tmp_path: Path, *, own: bool, default: bool) -> None:
    """Nobody gets in by the mask of an ACL that was dropped, or by the one of the folder."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o640)
    if own:
        os.setxattr(path, ACCESS, acl())
    if default:
        os.setxattr(tmp_path, DEFAULT, acl(group=6, owning_group=6, other=4))
    before = mode_of(path), attributes_of(path)
    with writing(path) as output:
        output.write(b"new")

    assert b"new" == path.read_bytes()
    assert before == (mode_of(path), attributes_of(path))


@with_attributes
def test_new_file_in_a_folder_with_an_acl(tmp_path: Path) -> None:
    """A file that was not there is what any program would make there."""
    os.setxattr(tmp_path, DEFAULT, acl(group=6, other=4))
    (tmp_path / "of another program").touch()
    with writing(tmp_path / "out") as output:
        output.write(b"new")

    wanted = tmp_path / "of another program"
    assert mode_of(wanted) == mode_of(tmp_path / "out")
    assert attributes_of(wanted) == attributes_of(tmp_path / "out")


@with_attributes
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    """Of every name, also those that are empty."""
    path = tmp_path / "out"
    path.touch()
    os.setxattr(path, "user.origin", b"https://a.example")
    os.setxattr(path, "user.empty", b"")
    before = attributes_of(path)
    with writing(path) as output:
        output.write(b"new")

    assert before == attributes_of(path)


@posix
def test_rights_that_change_meanwhile(tmp_path: Path) -> None:
    """What the owner closes while the new file is written is closed in the new file."""
    path = tmp_path / "out"
    path.touch(mode=0o644)
    with writing(path) as output:
        output.write(b"new")
        path.chmod(0o600)

    assert (b"new", 0o600) == (path.read_bytes(), mode_of(path))


@posix
def test_rights_of_a_file_that_came_meanwhile(tmp_path: Path) -> None:
    """A file that another program made while the new one was written keeps its rights, too."""
    path = tmp_path / "out"
    with umask(0o022), writing(path) as output:
        output.write(b"new")
        path.touch(mode=0o600)

    assert (b"new", 0o600) == (path.read_bytes(), mode_of(path))


@pytest.mark.parametrize("ask", [expect_writable, lambda path: writing(path).__enter__()])
def test_hard_links_are_not_torn_apart(ask: Callable[[Path], object], tmp_path: Path) -> None:
    """A file with a second name is not replaced under one of them."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    os.link(path, tmp_path / "other")
    with pytest.raises(UnusableOutput) as caught:
        ask(path)

    assert f"cannot write `{path}`: a new file could not keep its other hard links" == (
        caught.value.message
    )
    assert caught.value.hint
    assert {"out", "other"} == names(tmp_path)


WITHOUT_PRIVILEGE = """
import os, sys
from verger.errors import UnusableOutput
from verger.files.writing import expect_writable, rewrite, writing
os.setgroups([int(group) for group in sys.argv[2:]]); os.setgid(65534); os.setuid(65534)
def write(path):
    with writing(path) as output: output.write(b"new")
for ask in (expect_writable, lambda path: rewrite(path, b"old", b"new"), write):
    try:
        ask(sys.argv[1])
    except UnusableOutput as error:
        print(error.message.partition("could not keep ")[2], bool(error.hint))
"""


def without_privilege(path: Path, *groups: int) -> list[str]:
    """Return what somebody who is not root could not keep of a file, at each way to write it."""
    for above in takewhile(lambda each: each != Path(gettempdir()), path.parents):
        above.chmod(above.stat().st_mode | 0o055)
    path.parent.chmod(0o777)
    command = [sys.executable, "-c", WITHOUT_PRIVILEGE, str(path), *map(str, groups)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@as_root
@pytest.mark.parametrize(
    ("owner", "group", "mode", "lost"),
    [
        (1234, 65534, 0o666, "its owner"),
        (65534, 5678, 0o664, "its group"),
        (1234, 5678, 0o666, "its owner and its group"),
        (0, 0, 0o646, "its owner and its group"),
        (65534, 5678, 0o2770, "its group"),
    ],
)
def test_what_cannot_be_kept_is_not_replaced(
    owner: int, group: int, mode: int, lost: str, tmp_path: Path
) -> None:
    """Who may write a file but not give the new one away leaves the old one as it is."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    os.chown(path, owner, group)
    path.chmod(mode)
    before = path.stat()

    assert [f"{lost} True"] * 3 == without_privilege(path)
    now = path.stat()
    assert (before.st_ino, before.st_ctime_ns) == (now.st_ino, now.st_ctime_ns)
    assert b"old" == path.read_bytes()
    assert {"out"} == names(tmp_path)


@as_root
def test_group_of_a_member_is_kept(tmp_path: Path) -> None:
    """The owner, who is a member of the file's group, keeps both."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    os.chown(path, 65534, 5678)
    path.chmod(0o640)

    assert [] == without_privilege(path, 5678)
    status = path.stat()
    assert (b"new", 65534, 5678, 0o640) == (
        path.read_bytes(),
        status.st_uid,
        status.st_gid,
        mode_of(path),
    )


@as_root
@with_attributes
def test_an_attribute_of_the_system_is_not_lost(tmp_path: Path) -> None:
    """A label that only root may set, such as one of SELinux, stays on the file."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    os.chown(path, 65534, 65534)
    os.setxattr(path, "security.label", b"web")

    assert ["its extended attribute `security.label` True"] * 3 == without_privilege(path)
    assert b"old" == path.read_bytes()


# What was read


def test_rewritten(tmp_path: Path) -> None:
    """What was read, and is as it was, is replaced; equal content leaves the file itself."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    before = path.stat()
    rewrite(path, b"old", b"old")

    assert before == path.stat()
    rewrite(path, b"old", b"new")
    assert b"new" == path.read_bytes()


@pytest.mark.parametrize("now", [b"old\nadded", b"", b"ol", b"oLd", None])
def test_what_has_changed_is_not_replaced(now: bytes | None, tmp_path: Path) -> None:
    """What somebody has written since the file was read is not lost."""
    path = tmp_path / "out"
    if now is not None:
        path.write_bytes(now)
    with pytest.raises(UnusableOutput) as caught:
        rewrite(path, b"old", b"new")

    assert f"`{path}` has changed since it was read" == caught.value.message
    assert "nothing was written: run the command again" == caught.value.hint
    assert now == (path.read_bytes() if path.exists() else None)
    assert names(tmp_path) == ({"out"} if now is not None else set())


def test_several_are_rewritten_or_none(tmp_path: Path) -> None:
    """If one of several has changed since it was read, those before it are as they were, too."""
    paths = [tmp_path / name for name in ("first", "second")]
    for path in paths:
        path.write_bytes(b"old")
    paths[1].write_bytes(b"theirs")
    with pytest.raises(UnusableOutput, match=r"`.*second` has changed since it was read"):
        rewrite_all((path, b"old", b"new") for path in paths)

    assert [b"old", b"theirs"] == [path.read_bytes() for path in paths]
    paths[1].write_bytes(b"old")
    rewrite_all((path, b"old", b"new") for path in paths)
    assert [b"new", b"new"] == [path.read_bytes() for path in paths]


@posix
@pytest.mark.parametrize("form", ["fifo", "/dev/null", "/dev/fd/{}"])
def test_only_regular_files_are_rewritten(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe or a device has no content to replace, and an open file has a position in it."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with path.open("r+b") as file, pytest.raises(UnusableOutput) as caught:
        rewrite(form.format(file.fileno()), b"old", b"new")

    assert caught.value.message.endswith("is not a regular file")
    assert b"old" == path.read_bytes()


# Kills

KILLED = """
import os, signal, sys
from verger.files import writing
def kill(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
match sys.argv[1]:
    case "half":
        writing.Output.write = kill
    case "synced":
        os.fsync = kill
    case "complete":
        os.replace = kill
    case "replaced":
        writing._sync_folder = kill
writing.rewrite("out", b"old", b"new")
"""


@posix
@pytest.mark.parametrize("moment", ["half", "synced", "complete", "replaced"])
def test_killed(moment: str, tmp_path: Path) -> None:
    """The file is whole whenever the process is killed, and the next run removes what was left."""
    (tmp_path / "out").write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", KILLED, moment], cwd=tmp_path, check=False)

    assert -signal.SIGKILL == done.returncode
    now = b"new" if moment == "replaced" else b"old"
    assert now == (tmp_path / "out").read_bytes()
    expect_writable(tmp_path / "out")
    assert {"out"} == names(tmp_path)
    rewrite(tmp_path / "out", now, b"again")
    assert b"again" == (tmp_path / "out").read_bytes()
    assert {"out"} == names(tmp_path)


@posix
@pytest.mark.parametrize("kind_of_file", ["link", "folder"])
def test_a_name_that_is_taken(kind_of_file: str, tmp_path: Path) -> None:
    """What has the name of the unfinished file and is no file is left alone, and told."""
    path = tmp_path / "out"
    taken = Path(_unfinished(str(path)))
    if kind_of_file == "folder":
        taken.mkdir()
    else:
        taken.symlink_to("victim")
    with pytest.raises(UnusableOutput) as caught:
        expect_writable(path)

    assert str(taken) in caught.value.message
    assert "remove that file" == caught.value.hint
    assert {taken.name} == names(tmp_path)


@posix
def test_two_runs_do_not_replace_one_file_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second refuses while the first replaces the file, and leaves the other's new file."""
    path = tmp_path / "out"
    path.write_bytes(b"old")
    refused: list[UnusableOutput] = []
    replace = os.replace

    def meanwhile(source: str, target: str) -> None:
        with pytest.raises(UnusableOutput) as caught:
            rewrite(path, b"old", b"of the second")
        refused.append(caught.value)
        replace(source, target)

    monkeypatch.setattr(os, "replace", meanwhile)
    rewrite(path, b"old", b"of the first")

    assert [f"another run is writing `{path}`"] == [error.message for error in refused]
    assert b"of the first" == path.read_bytes()
    assert {"out"} == names(tmp_path)


@posix
def test_another_run_ends_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that has just ended is no reason to refuse, even if its file was seen before."""
    path = tmp_path / "out"
    unfinished = Path(_unfinished(str(path)))
    unfinished.write_bytes(b"of the first")

    def end_first(descriptor: int) -> None:
        if not path.exists():
            unfinished.replace(path)
        lock(descriptor)

    monkeypatch.setattr("verger.files.writing.lock", end_first)
    with writing(path) as output:
        output.write(b"of the second")

    assert b"of the second" == path.read_bytes()
    assert {"out"} == names(tmp_path)


RACING = """
import os, sys
from verger.errors import UnusableOutput
from verger.files.writing import rewrite
for number in range(40):
    line, is_written = f"{sys.argv[1]} {number}\\n".encode(), False
    while not is_written:
        with open("out", "rb") as file:
            old = file.read()
        try:
            rewrite("out", old, old + line)
            is_written = True
        except UnusableOutput as error:
            assert "another run" in error.message or "has changed" in error.message, error
"""


@posix
def test_edits_of_several_runs_at_a_time(tmp_path: Path) -> None:
    """Each adds lines as often as it is refused: none is lost, and none is there twice."""
    path = tmp_path / "out"
    path.touch()
    runs = [subprocess.Popen([sys.executable, "-c", RACING, name], cwd=tmp_path) for name in "abc"]

    assert [0, 0, 0] == [run.wait(timeout=LONG) for run in runs]
    wanted = [f"{name} {number}" for name in "abc" for number in range(40)]
    assert sorted(wanted) == sorted(path.read_text().splitlines())
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


def test_none_is_begun_where_one_cannot_be(tmp_path: Path) -> None:
    """The second is looked at before anything is written."""
    with pytest.raises(UnusableOutput), writing_all([tmp_path / "one", tmp_path / "no" / "two"]):
        pytest.fail("not to be reached")

    assert set() == names(tmp_path)
