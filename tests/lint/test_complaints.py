"""What people complained of, beside what `verger lint` finds there."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from verger.lint import lint

ROOT = Path(__file__).parent.parent.parent
COMPLAINTS: list[dict[str, Any]] = tomllib.loads(
    (ROOT / "conformance" / "complaints" / "complaints.toml").read_text("utf-8")
)["complaint"]


@pytest.mark.parametrize("complaint", COMPLAINTS, ids=lambda each: str(each["title"]))
def test_complaint_is_found(complaint: dict[str, Any]) -> None:
    """The mistake is reported, in the line that makes it."""
    report = lint(complaint["robots"].encode())

    found = {f"{each.code}:{each.line}" for each in report.diagnostics}

    assert set(complaint["finds"]) <= found


def test_there_are_eleven_complaints() -> None:
    """The page shows at least as many as it promises."""
    assert len(COMPLAINTS) >= 11
