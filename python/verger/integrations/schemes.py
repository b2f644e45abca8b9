"""Schemes: which URLs a robots.txt speaks for (RFC 9309 section 2.3, and FTP as Google has it)."""

GOVERNED = ("http:", "https:", "ftp:")


def is_governed(url: str) -> bool:
    """Whether a robots.txt may speak for a URL; it never does for `data:`, `file:` and others."""
    return url.lower().startswith(GOVERNED)
