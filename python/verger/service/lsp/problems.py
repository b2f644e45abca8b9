"""The linter's findings for a file in an editor, and the settings that apply to it.

In: a URI, the bytes of a file. Out: `Settings`, diagnostics, and the fixed or formatted file. The
only module of the server that uses the linter.
"""

import os
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from verger.lint import Diagnostic, Settings, fixed, formatted, lint, proved, settings_for

__all__ = [
    "Diagnostic",
    "Settings",
    "fixed",
    "formatted",
    "lint",
    "name_of",
    "proved",
    "settings_of",
]


def settings_of(uri: str, dialect: str | None) -> Settings:
    """Return the settings of the nearest configuration file above a file; raise InvalidOption.

    dialect:  the dialect that comes first, unless it is None.
    """
    path = _path(uri)
    settings = settings_for(path) if path else Settings()
    if dialect is None:
        return settings
    others = tuple(name for name in settings.targets if name != dialect)
    return replace(settings, targets=(dialect, *others))


def name_of(uri: str) -> str | None:
    """Return the name of a file on this machine, without its folder."""
    path = _path(uri)
    return path.name if path else None


def _path(uri: str) -> Path | None:
    """Return the path of a file on this machine; None if it is elsewhere, or not saved yet."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost") or "\0" in path:
        return None
    return Path(path.removeprefix("/") if os.name == "nt" else path)
