"""The originals of the drop-ins that no package index has: `tools/upstream.py` fetches them.

Out: modules, to be asked beside `verger.compat`. ImportError says what is missing.
"""

from __future__ import annotations

import sys
import urllib.parse
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

UPSTREAM = Path(__file__).resolve().parent.parent / ".cache" / "upstream"
NEWEST = "robotparser_of_3_15"

Parts = tuple[Any, Any, str, str | None, str | None]


def robotparser() -> ModuleType:
    """Return `urllib.robotparser` of Python 3.15."""
    if NEWEST in sys.modules:
        return sys.modules[NEWEST]
    path = UPSTREAM / "cpython" / "robotparser.py"
    spec = spec_from_file_location(NEWEST, path) if path.exists() else None
    if spec is None or spec.loader is None:
        raise ImportError("`robotparser.py` of Python 3.15 is not there: `make upstream`")
    module = sys.modules[NEWEST] = module_from_spec(spec)
    spec.loader.exec_module(module)
    if not hasattr(urllib.parse, "_urlsplit"):  # which it takes from Python 3.15
        urllib.parse._urlsplit = split  # type: ignore[attr-defined]
        urllib.parse._urlunsplit = unsplit  # type: ignore[attr-defined]
    return module


def split(url: str, _scheme: str) -> Parts:
    """Return the parts of a URL; None for a query or a fragment that is not there."""
    parts = urllib.parse.urlsplit(url)
    query = parts.query if "?" in url.partition("#")[0] else None
    return parts.scheme, parts.netloc, parts.path, query, parts.fragment if "#" in url else None


def unsplit(_scheme: None, _authority: None, path: str, query: Any, fragment: Any) -> str:
    """Return path, query and fragment as one text."""
    query = "" if query is None else f"?{query}"
    return path + query + ("" if fragment is None else f"#{fragment}")


def reppy() -> ModuleType:
    """Return `reppy.robots`, which needs requests, six and cachetools."""
    folder = UPSTREAM / "reppy"
    if not folder.is_dir():
        raise ImportError("reppy is not there: `make upstream`")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return import_module("reppy.robots")
