"""A descriptor is what the system calls so."""

import os

import pytest

from verger.errors import UnusableOutput
from verger.files.paths import descriptor_in
from verger.files.writing import writing

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors of POSIX")


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_file_can_have(name: str) -> None:
    """They are refused like any other, not by a traceback."""
    with pytest.raises(UnusableOutput), writing(name):
        pass


@pytest.mark.parametrize("name", [f"/dev/fd/{'9' * 20}", f"/dev/fd/{'1' * 5000}"])
def test_names_that_are_no_descriptors(name: str) -> None:
    """A file is not made among descriptors."""
    assert descriptor_in(name) is None
    with pytest.raises(UnusableOutput), writing(name):
        pass
