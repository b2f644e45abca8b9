"""The transport for HTTP."""

import pytest

from verger.fetching.aio import AiohttpTransport
from verger.fetching.transport import Transport


@pytest.fixture
def kind() -> type[Transport]:
    """The class of transports for HTTP."""
    return AiohttpTransport
