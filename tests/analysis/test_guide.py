"""The changes that the guide of `verger diff` shows are those of real files."""

import re
import tarfile
from pathlib import Path

import pytest

import verger
from cli.conftest import folder
from cli.console import lay_down_versions
from cli.test_diff import GUIDE
from support import shared
from verger.analysis import diff

__all__ = ["folder"]


REAL = re.compile(
    r"^(?P<host>\S+), between (?P<old>\S+) and (?P<new>\S+)\.$.*?^```diff\n(?P<diff>.*?)^```$",
    re.M | re.S,
)


@pytest.mark.usefixtures("folder")
def test_real_changes_of_the_guide() -> None:
    """The lines that the guide shows change what the whole files change, in the same severity."""
    changes = list(REAL.finditer(GUIDE.read_text("utf-8")))
    wanted = {f"{each['host']}/{each[day]}.txt" for each in changes for day in ("old", "new")}
    with tarfile.open(shared("corpus/robots-timeseries.tar.xz")) as archive:
        bodies = {
            name: file.read()
            for each in archive
            if (name := "/".join(each.name.split("/")[-2:])) in wanted
            and "/bharath06/" in each.name
            and (file := archive.extractfile(each))
        }
    assert 8 == len(changes)
    for each in changes:
        lay_down_versions(each["diff"], Path())
        short = _meaning(Path("old.txt").read_bytes(), Path("new.txt").read_bytes())
        whole = _meaning(*(bodies[f"{each['host']}/{each[day]}.txt"] for day in ("old", "new")))

        assert short <= whole, each["host"]


def _meaning(old: bytes, new: bytes) -> set[tuple[str, str, bool, str]]:
    found = diff(verger.parse(old), verger.parse(new))
    return {
        (token, each.severity, change.opened, change.region)
        for each in found.changed
        for token in each.shown
        for change in each.changes
    }
