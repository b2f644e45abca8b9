"""Every fault: imported, the modules of this folder register what they can do."""

from . import connections, contents, ftp, messages, redirects, secure
from .stage import FAULTS, Scene, Stage, awaited

__all__ = [
    "FAULTS",
    "Scene",
    "Stage",
    "awaited",
    "connections",
    "contents",
    "ftp",
    "messages",
    "redirects",
    "secure",
]
