"""Fetch the 4,231 real robots.txt files that Protego 0.7.0 ships.

In: `tools/sources.txt`, which pins Protego's source distribution with its hash.
Out: `.cache/protego-0.7.0/tests/test_data`, one file for each site, named after its host.
If the files are already there, nothing is fetched and no network is needed.

pip fetches the archive, compares the hash, and only then reads the archive's metadata, with the
pinned build backend of `requirements/run.txt`. Only the regular files of one folder are extracted,
under their base names, so no member of the archive is written elsewhere.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
PINNED = ROOT / "tools" / "sources.txt"
FOLDER = PurePosixPath("protego-0.7.0/tests/test_data")
SITES = CACHE / FOLDER
SITE_COUNT = 4_231


class CorpusError(Exception):
    """The files could not be fetched; the message says why, in one line."""


def main() -> int:
    """Make sure the files are there and say where."""
    fetch = None if count_sites() == SITE_COUNT else fetch_and_unpack
    return fetched(fetch, f"{SITE_COUNT:,} robots.txt files in {SITES.relative_to(ROOT)}")


def fetched(fetch: Callable[[], None] | None, found: str) -> int:
    """Fetch what is not there yet, and say what is there then; return the exit code."""
    try:
        if fetch:
            fetch()
    except CorpusError as error:
        print(f"error: {error}", file=sys.stderr)
        print("hint: only the first run needs the package index", file=sys.stderr)
        return 2
    print(found)
    return 0


def count_sites() -> int:
    """Return how many files the cache holds now."""
    return sum(path.is_file() for path in SITES.iterdir()) if SITES.is_dir() else 0


def fetch_and_unpack() -> None:
    """Fill the cache; the folder appears under its name only when it is complete."""
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        archive = download(Path(scratch), FOLDER.parts[0])
        fresh = Path(scratch) / "test_data"
        written = unpack(archive, fresh)
        if written != SITE_COUNT:
            raise CorpusError(f"`{archive.name}` holds {written} files, not {SITE_COUNT}")
        put_in_place(fresh)


def download(folder: Path, name: str) -> Path:
    """Let pip fetch a pinned archive into `folder` and compare its hash; `name`: NAME-VERSION."""
    pinned = folder / "pinned.txt"
    pinned.write_text(pin(name), encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder)]
    command += ["--retries", "1", "--timeout", "30", "--no-deps", "--no-binary", ":all:"]
    command += ["--no-build-isolation", "--require-hashes", "--requirement", str(pinned)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    archives = list(folder.glob("*.tar.gz"))
    if done.returncode != 0 or len(archives) != 1:
        raise CorpusError(f"could not fetch {name}: {last_error(done.stderr)}")
    return archives[0]


def pin(name: str) -> str:
    """Return the lines of `tools/sources.txt` that pin an archive."""
    lines = PINNED.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(n for n, line in enumerate(lines) if line.startswith(name.replace("-", "==")))
    return "".join(lines[first : first + 2])


def last_error(log: str) -> str:
    """Return the last line of pip's log that names an error, or the last line at all."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
    errors = [line for line in errors if line != "Exception:"]  # a traceback follows it
    return (errors or lines or ["pip gave no reason"])[-1]


def unpack(archive: Path, folder: Path) -> int:
    """Write the plain files of the one folder that matters, and count them."""
    folder.mkdir()
    written = 0
    with tarfile.open(archive) as members:
        for member in members:
            path = PurePosixPath(member.name)
            content = members.extractfile(member) if member.isreg() else None
            if content is not None and path.parent == FOLDER and path.name != "..":
                (folder / path.name).write_bytes(content.read())
                written += 1
    return written


def put_in_place(fresh: Path) -> None:
    """Move the complete folder to its name, over the remains of an earlier try."""
    SITES.parent.mkdir(parents=True, exist_ok=True)
    if SITES.exists():
        SITES.rename(fresh.with_name("replaced"))
    fresh.rename(SITES)


if __name__ == "__main__":
    sys.exit(main())
