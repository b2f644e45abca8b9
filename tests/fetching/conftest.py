"""The transports that have to behave alike."""

import pytest

from verger.fetching.aio import AiohttpTransport
from verger.fetching.httpx import HttpxTransport
from verger.fetching.transport import Transport


@pytest.fixture(params=[AiohttpTransport, HttpxTransport], ids=["aiohttp", "httpx2"])
def kind(request: pytest.FixtureRequest) -> type[Transport]:
    """A class of transports for HTTP."""
    chosen: type[Transport] = request.param
    return chosen
