"""Fetch Scrapy's source distribution, whose tests also run with verger's integration.

In: `tools/sources.txt`, which pins it with its hash. Out: `.cache/scrapy-2.19.0`, the whole
archive. If it is already there, nothing is fetched and no network is needed.
"""

from __future__ import annotations

import sys
import tarfile
import tempfile
from pathlib import Path

from corpus import CACHE, ROOT, download, fetched

SCRAPY = CACHE / "scrapy-2.19.0"


def main() -> int:
    """Make sure the files are there and say where."""
    missing = None if SCRAPY.is_dir() else fetch
    return fetched(missing, f"Scrapy's tests in {SCRAPY.relative_to(ROOT)}")


def fetch() -> None:
    """Unpack the archive; the folder appears under its name only when it is complete."""
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        archive = download(Path(scratch), SCRAPY.name)
        with tarfile.open(archive) as members:
            members.extractall(scratch, filter="data")
        (Path(scratch) / SCRAPY.name).rename(SCRAPY)


if __name__ == "__main__":
    sys.exit(main())
