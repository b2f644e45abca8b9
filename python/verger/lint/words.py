"""Quotations for messages: a piece of a file, safe to show and not too long."""

from verger import plain

MOST = 60


def quoted(text: str | bytes) -> str:
    """Return a piece of a file in backticks."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "surrogateescape")
    return plain.quoted(text, MOST)
