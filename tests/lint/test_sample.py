"""The sample of findings on real files: what a reader judged still fires."""

import hashlib
import json
from collections import Counter
from typing import Any

import pytest

from support import CHECKOUT, members, shared
from verger.lint import lint

SAMPLE = CHECKOUT / "tests" / "lint" / "data" / "sample.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in SAMPLE.read_text("utf-8").splitlines()]


def test_nineteen_of_twenty_findings_are_true() -> None:
    """A reader judged each of 200 findings from the text alone."""
    verdicts = Counter(row["verdict"] for row in ROWS)

    assert len(ROWS) >= 200
    assert set(verdicts) <= {"true", "false"}
    assert verdicts["true"] >= 0.95 * len(ROWS)
    assert all(row["why"] for row in ROWS if row["verdict"] == "false")


@pytest.mark.slow
def test_findings_of_the_sample_still_fire() -> None:
    """Each finding is reported for its file, with its line and message."""
    archive = shared("corpus/robots-real.tar.gz")
    wanted = {row["file"] for row in ROWS}
    bodies = {digest(body): body for _, body in members(archive) if digest(body) in wanted}
    found = {
        (name, each.line, each.code, each.message)
        for name, body in bodies.items()
        for each in lint(body).diagnostics
    }

    rows = {(row["file"], row["line"], row["code"], row["message"]) for row in ROWS}

    assert set() == rows - found


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
