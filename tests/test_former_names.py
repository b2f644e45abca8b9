"""Modules that got another name still give what they gave, with a warning, for one version."""

from importlib import import_module

import pytest


@pytest.mark.parametrize(
    ("former", "module", "name"),
    [
        ("verger.cache.existing", "verger.cache.opening", "existing_store"),
        ("verger.client.upkeep", "verger.client.refresh", "refresh"),
        ("verger.fetching.aio", "verger.fetching.aiohttp_transport", "AiohttpTransport"),
        ("verger.fetching.session", "verger.fetching.requests_session", "SessionTransport"),
    ],
)
def test_former_name(former: str, module: str, name: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"{former} is {module} now"):
        given = getattr(import_module(former), name)

    assert given is getattr(import_module(module), name)
