"""How the drop-ins fetch: with verger's client, whose access policy applies.

In: a URL. Out: a `Site`. Decides nothing.
"""

from collections.abc import Mapping

from verger._core import Dialect
from verger.client import Client, Site
from verger.fetching.limits import FetchLimits


def fetch_site(
    url: str,
    *,
    client: Client | None,
    user_agent: str,
    dialect: str | Dialect,
    limits: FetchLimits | None = None,
    headers: Mapping[str, str] | None = None,
) -> Site:
    """Fetch a file now, with `client` or a temporary one, and return the site of its URL.

    Raises: InvalidTarget, MissingExtra.
    """
    if client is not None:
        return client.refresh(url)
    with Client(user_agent, dialect=dialect, limits=limits, headers=headers) as own:
        return own.site(url)
