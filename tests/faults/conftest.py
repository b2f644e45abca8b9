"""One stage for all tests of this folder."""

from collections.abc import Iterator

import pytest

from .stage import Stage


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """Servers that misbehave by name."""
    made = Stage()
    yield made
    made.close()
