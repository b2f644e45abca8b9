"""Schemes: which URLs a robots.txt governs (RFC 9309 section 2.3, and FTP as for Google)."""

GOVERNED = ("http:", "https:", "ftp:")


def is_governed(url: str) -> bool:
    """Whether a robots.txt may govern a URL; it never governs `data:`, `file:` and others."""
    return url.lower().startswith(GOVERNED)
