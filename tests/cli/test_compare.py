"""`verger compare`: where dialects answer one file differently, as text and JSON."""

import json
from pathlib import Path

import pytest

import verger
from verger.objects.diff import COMPARE_SCHEMA

from .conftest import Run, validator

pytestmark = pytest.mark.usefixtures("folder")

VALID = validator("compare")

CASES = {
    "wildcards": "User-agent: *\nDisallow: /*.gif$\n",
    "the first rule or the longest": "User-agent: *\nDisallow: /a\nAllow: /a/b\n",
    "the same": "User-agent: *\nDisallow: /a*b$\nAllow: /a/b\n",
}


@pytest.mark.parametrize("dialect", verger.DIALECTS)
@pytest.mark.parametrize("name", CASES)
def test_json(run: Run, name: str, dialect: str) -> None:
    """One object, which follows the schema, with all other dialects in order."""
    done = run("compare", "-", "--dialect", dialect, "--format=json", stdin=CASES[name].encode())
    said = json.loads(done.out)
    VALID.validate(said)

    assert (COMPARE_SCHEMA, "stdin", dialect) == (said["schema"], said["file"], said["dialect"])
    assert [each["dialect"] for each in said["others"]] == [
        name for name in verger.DIALECTS if name != dialect
    ]
    assert done.code == any(each["changes_answers"] for each in said["others"])


def test_both_ways(run: Run) -> None:
    """What one dialect alone allows, the other alone disallows."""
    Path("r.txt").write_text(CASES["wildcards"])
    words = ("compare", "r.txt", "--agent", "*", "--format", "json")
    there, back = (
        json.loads(run(*words, "--dialect", one, "--with", other).out)
        for one, other in (("rfc9309", "original-1994"), ("original-1994", "rfc9309"))
    )
    (one,), (other,) = (said["others"][0]["changed"][0]["changes"] for said in (there, back))

    assert (one["region"], one["opened"]) == (other["region"], not other["opened"])
    assert (one["old"], one["new"]) == (other["new"], other["old"])
