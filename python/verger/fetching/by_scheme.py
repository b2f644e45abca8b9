"""One transport out of two: http and https by one client, ftp by another."""

from collections.abc import Callable

from verger.fetching.transport import Reply, Request, Transport


class BySchemeTransport:
    """Sends each request by the transport of its scheme; that of FTP is made when first needed."""

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
