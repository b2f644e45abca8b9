"""datatrove: its HTTP media reader, with the answers of a client.

    user_agent = "ExampleBot/1.0 (+https://example.com/bot)"
    reader = RobotsFetchReader(user_agent, client={"store": "robots.sqlite3"})
    pipeline = [reader_of_documents, reader, writer]

datatrove's own `check_robots_txt` fetches robots.txt again for each URL, and allows everything if
that fails. It is a public method, and the property `scraper`, the session that sends, is public
too: this subclass overrides the one and guards the other, redirects included.
"""

from typing import Any

from verger.client import Client, Pacer
from verger.errors import InvalidTarget, MissingExtra

with MissingExtra.unless_installed("datatrove", "the integration with datatrove"):
    import requests
    from datatrove.pipeline.media.readers.http_fetch import HTTPFetchReader
    from requests.adapters import HTTPAdapter

from verger.integrations.requests import RobotsAdapter

__all__ = ["RobotsFetchReader"]


class RobotsFetchReader(HTTPFetchReader):  # type: ignore[misc] # datatrove is not there for mypy
    """An `HTTPFetchReader` that fetches what robots.txt allows.

    Pipeline steps are sent to other processes, so this takes the options of a client, and each
    process creates its own; with a `store` they fetch each robots.txt once.

    user_agent:  the identification string to send; its product token selects the rules.
    client:      the options of `verger.Client`.
    pacer:       delays requests as Crawl-delay asks; each process has its own schedule.
    options:     those of `HTTPFetchReader`, except for `custom_agent`.
    """

    name = "HTTP Fetch Reader, with verger"

    def __init__(
        self,
        user_agent: str,
        *,
        client: dict[str, Any] | None = None,
        pacer: Pacer | None = None,
        **options: Any,
    ) -> None:
        super().__init__(custom_agent=user_agent, **options)
        self._options = dict(client or {})
        self._pacer = pacer
        self._client: Client | None = None
        self._robots  # noqa: B018 - invalid options are reported now, not in another process

    def check_robots_txt(self, url: str) -> bool:
        """Whether a URL may be fetched; False for an invalid URL."""
        try:
            return self._robots.allowed(url)
        except InvalidTarget:
            return False

    @property
    def scraper(self) -> requests.Session:
        """The session of this thread, whose requests are checked and delayed."""
        session: requests.Session = super().scraper
        for prefix, adapter in list(session.adapters.items()):
            if isinstance(adapter, HTTPAdapter):
                session.mount(prefix, RobotsAdapter(self._robots, adapter, pacer=self._pacer))
        return session

    @property
    def _robots(self) -> Client:
        if self._client is None:
            self._client = Client(self.custom_agent, **self._options)
        return self._client

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what belongs to this process."""
        return {**self.__dict__, "_client": None, "_thread_local": None}
