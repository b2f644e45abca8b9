"""What got another name still goes by its former one, with a warning, for one version."""

from importlib import import_module

import pytest

from verger.bulk.filter import Network


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


@pytest.mark.parametrize(
    ("former", "now", "value"),
    [("cache", "store", "sites.sqlite"), ("per_address", "connections_per_address", 3)],
)
def test_former_option_of_a_network(former: str, now: str, value: object) -> None:
    with pytest.warns(DeprecationWarning, match=f"`{former}` is `{now}` now"):
        network = Network(**{former: value})  # type: ignore[arg-type]

    assert Network(**{now: value}) == network  # type: ignore[arg-type]
    assert value == getattr(network, former)
