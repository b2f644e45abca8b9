"""Fetch the test suites of the originals of the drop-ins, and build reppy.

In: `tools/sources.txt`, which pins source distributions with their hashes, and the package
index of Debian, through the machine's apt. Out, in `.cache/upstream`: the unpacked archives;
`cpython`, with `test_robotparser.py` and `robotparser.py` of Python 3.15, whose hashes are below;
`reppy`, an extension built for the interpreter of `build/dropins-venv`, which runs this program.
What is already there is not fetched or built again. If something cannot be fetched or built, the
exit code is 2, and the reason is printed.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from corpus import CACHE, CorpusError, download

UPSTREAM = CACHE / "upstream"
ARCHIVES = ("LinkChecker-10.6.0", "protego-0.7.0", "reppy-0.4.14", "robotspy-0.13.0")

# Debian's packages move on; these two files rarely do.
CPYTHON = {
    "libpython3.15-testsuite": (
        "usr/lib/python3.15/test/test_robotparser.py",
        "8f653b633f01e6edfccbd151d977fc0ff79858b34f84581bfe4f226aff28eb0a",
    ),
    "libpython3.15-minimal": (
        "usr/lib/python3.15/urllib/robotparser.py",
        "621c586e66d917d99dad44ff698bf9492cf5afc82cf9b3794199a589d553c38f",
    ),
}
SUITE = "sid"

# The headers of reppy forget to include what current compilers no longer include by chance.
SETUP = """
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup

deps = "reppy/rep-cpp/deps/url-cpp/"
names = [f"reppy/rep-cpp/src/{name}.cpp" for name in ("agent", "directive", "robots")]
names += [f"{deps}src/{name}.cpp" for name in ("url", "utf8", "punycode", "psl")]
extension = Extension(
    "reppy.robots",
    ["reppy/robots.pyx", *names],
    language="c++",
    extra_compile_args=["-std=c++11", "-w", *"-include limits -include cstdint".split()],
    include_dirs=["reppy/rep-cpp/include", f"{deps}include"],
)
sys.argv[1:] = ["build_ext", "--inplace"]
setup(name="reppy", ext_modules=cythonize([extension], language_level=2))
"""


def main() -> int:
    """Make sure that everything is there; say what is not."""
    UPSTREAM.mkdir(parents=True, exist_ok=True)
    failed = [error for make in (fetch_archives, fetch_cpython, build_reppy) for error in run(make)]
    for error in failed:
        print(f"error: {error}", file=sys.stderr)
    return 2 if failed else 0


def run(make: Callable[[], None]) -> Iterator[CorpusError]:
    """Call a function, and yield its error."""
    try:
        make()
    except CorpusError as error:
        yield error


def fetch_archives() -> None:
    """Let pip fetch the pinned archives and compare their hashes; unpack them."""
    for name in ARCHIVES:
        if not (UPSTREAM / name).is_dir():
            fetch_archive(name)


def fetch_archive(name: str) -> None:
    with tempfile.TemporaryDirectory(dir=UPSTREAM) as scratch:
        with tarfile.open(download(Path(scratch), name)) as members:
            members.extractall(scratch, filter="data")
        put(Path(scratch) / name, UPSTREAM / name)


def fetch_cpython() -> None:
    """Let apt fetch the packages, with lists of its own, and take one file of each."""
    folder = UPSTREAM / "cpython"
    if folder.is_dir():
        return
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        raise CorpusError("the tests of Python 3.15 come in a package of Debian, without apt")
    with tempfile.TemporaryDirectory(dir=UPSTREAM) as scratch:
        options = apt_options(Path(scratch))
        called(["apt-get", *options, "--quiet", "update"], "could not read the lists of Debian")
        fresh = Path(scratch) / "cpython"
        fresh.mkdir()
        for package, (path, digest) in CPYTHON.items():
            called(["apt-get", *options, "download", package], f"no `{package}`", scratch)
            [archive] = Path(scratch).glob(f"{package}_*.deb")
            content = file_of(archive, path)
            if hashlib.sha256(content).hexdigest() != digest:
                raise CorpusError(f"`{path}` of `{archive.name}` is not the one that is pinned")
            (fresh / Path(path).name).write_bytes(content)
        put(fresh, folder)


def apt_options(scratch: Path) -> list[str]:
    """Return options with which apt reads the newest packages of the machine's own mirror."""
    lists, cache, sources = scratch / "lists", scratch / "cache", scratch / "sources.list"
    for folder in (lists / "partial", cache / "archives" / "partial"):
        folder.mkdir(parents=True)
    keyring = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    sources.write_text(f"deb [signed-by={keyring}] {mirror()} {SUITE} main\n", encoding="utf-8")
    settings = {
        "Dir::State::lists": lists,
        "Dir::Cache": cache,
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": scratch / "none",
        "APT::Sandbox::User": "root",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def mirror() -> str:
    """Return the address of the mirror of Debian that this machine is set up for."""
    form = ["--format", "$(REPO_URI) $(LABEL) $(COMPONENT)", "Created-By: Packages"]
    listed = called(["apt-get", "indextargets", *form], "apt has no sources").split("\n")
    for line in listed:
        address, _, rest = line.partition(" ")
        if rest == "Debian main":
            return address
    raise CorpusError("apt is not set up for a mirror of Debian")


def file_of(archive: Path, path: str) -> bytes:
    """Return one file of a package."""
    unpacked = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
    with unpacked, tarfile.open(fileobj=unpacked.stdout, mode="r|") as members:
        for member in members:
            content = members.extractfile(member) if member.name == f"./{path}" else None
            if content is not None:
                return content.read()
    raise CorpusError(f"`{archive.name}` has no `{path}`")


def build_reppy() -> None:
    """Build the extension of reppy's source distribution with an older Cython."""
    folder, source = UPSTREAM / "reppy", UPSTREAM / "reppy-0.4.14"
    if any(folder.glob("reppy/robots.*.so")) or not source.is_dir():
        return
    with tempfile.TemporaryDirectory(dir=UPSTREAM) as scratch:
        copy = Path(scratch) / "reppy"
        shutil.copytree(source, copy)
        (copy / "reppy" / "robots.cpp").unlink()  # made by a Cython that knew no current Python
        command = [sys.executable, "-c", SETUP]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CorpusError(f"reppy does not build: {last_line(done.stderr)}")
        put(copy, folder)


def called(command: list[str], trouble: str, folder: str | None = None) -> str:
    """Return what a command prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CorpusError(f"{trouble}: {last_line(done.stderr)}")
    return done.stdout


def last_line(log: str) -> str:
    """Return the last line of a log."""
    return (log.strip().splitlines() or ["no reason was given"])[-1].strip()


def put(fresh: Path, folder: Path) -> None:
    """Move a complete folder to its name."""
    if folder.exists():
        shutil.rmtree(folder)
    fresh.rename(folder)


if __name__ == "__main__":
    sys.exit(main())
