"""Schemes: which URLs a robots.txt governs (RFC 9309 section 2.3, and FTP as for Google)."""

WITH_ROBOTS = {"http": "http", "https": "https", "ftp": "ftp", "ws": "http", "wss": "https"}
"""The governed schemes, with the scheme of the file; WebSockets begin with a GET."""

GOVERNED = frozenset(WITH_ROBOTS.values())


def with_robots(scheme: str) -> str:
    """Return the scheme of the robots.txt file for a scheme; an ungoverned scheme stays."""
    return WITH_ROBOTS.get(scheme.lower(), scheme)


def is_governed(url: str) -> bool:
    """Whether a robots.txt may govern a URL; it never governs `data:`, `file:` and others."""
    return url.partition(":")[0].lower() in GOVERNED
