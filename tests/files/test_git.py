"""Versions in git, read as far as dialects read."""

import tracemalloc

import pytest

from cli.conftest import folder
from cli.test_diff import commit, repository
from verger import RFC9309
from verger.files.git import read_version

__all__ = ["folder", "repository"]


@pytest.mark.usefixtures("repository")
def test_large_version() -> None:
    """Of a version in git no more is held in memory than dialects read."""
    commit("robots.txt", b"#" * (64 << 20))
    tracemalloc.start()
    body = read_version("HEAD:robots.txt", [RFC9309])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert (RFC9309.parse_limit or 0) + 1 == len(body)
    assert most < 8 << 20
