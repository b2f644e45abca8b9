"""What every benchmark reads and writes: the real files, and its results as JSON."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / ".cache" / "protego-0.7.0" / "tests" / "test_data"


def no_corpus(folder: Path) -> int:
    """Say that the real files are not there; return the exit code."""
    return refused(f"`{folder}` is not there", "`make corpus` fetches the real files")


def refused(why: str, hint: str) -> int:
    """Say why nothing is done, and what to do; return the exit code."""
    print(f"error: {why}\nhint: {hint}", file=sys.stderr)
    return 2


def write_run(path: Path, **found: object) -> None:
    """Write what one run found, behind its command and date."""
    date = datetime.now(UTC).isoformat(timespec="seconds")
    write_json(path, {"version": 1, "command": sys.argv[1:], "date": date, **found})


def write_json(path: Path, found: object) -> None:
    """Write results where nothing need be yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
