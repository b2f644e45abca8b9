"""One transport made of two: one for http and https, another for ftp."""

from collections.abc import Callable

from verger.fetching.transport import Reply, Request, Transport


class BySchemeTransport:
    """Sends each request with the transport of its scheme; the FTP one is created on first use."""

    def __init__(self, http: Transport, *, ftp: Callable[[], Transport]) -> None:
        self._http = http
        self._make_ftp = ftp
        self._ftp: Transport | None = None

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`."""
        if not request.url.startswith("ftp:"):
            return await self._http.send(request)
        if self._ftp is None:
            self._ftp = self._make_ftp()
        return await self._ftp.send(request)

    async def close(self) -> None:
        """Close both."""
        await self._http.close()
        if self._ftp is not None:
            await self._ftp.close()
