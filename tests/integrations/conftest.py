"""What the tests of every client have: sites on loopback."""

from collections.abc import Iterator

import pytest

from integrations.sites import Web, web_of_sites


@pytest.fixture
def web() -> Iterator[Web]:
    """Open sites for one test."""
    with web_of_sites() as sites:
        yield sites
