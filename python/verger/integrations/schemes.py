"""Schemes: which URLs a robots.txt governs (RFC 9309 section 2.3, and FTP as for Google)."""

WITH_ROBOTS = {"http": "http", "https": "https", "ftp": "ftp", "ws": "http", "wss": "https"}
"""The governed schemes, with the scheme of the file; WebSockets begin with a GET."""


def governed_url(url: str) -> str | None:
    """Return the URL to judge, that of a WebSocket as HTTP; None if no robots.txt governs it.

    It never governs `data:`, `file:` and others.
    """
    scheme, colon, rest = url.partition(":")
    of_file = WITH_ROBOTS.get(scheme.lower())
    if not colon or of_file is None:
        return None
    return url if of_file == scheme.lower() else f"{of_file}:{rest}"
