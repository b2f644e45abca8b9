"""Network failures in a few words.

In: exceptions of the system. Out: `HopFailed` with a detail that can be shown to people: no object
reprs, no tracebacks, and at most one line of what the server sent.
"""

import os
import re

from verger.fetching.transport import HopFailed
from verger.plain import uncapitalized

LINE = 120
"""The most characters of a server's message that are repeated."""


def unconnected(error: OSError) -> HopFailed:
    """Return the failure of a connection that was not made, or that broke in its handshake."""
    match error:
        case ConnectionResetError() | BrokenPipeError() | ConnectionAbortedError():
            return HopFailed("reset", words(error))
        case TimeoutError():
            return HopFailed("timeout", "no connection in time")
        case _:
            return HopFailed("refused", words(error))


def words(error: OSError) -> str:
    """Return the system's description of an error, such as `connection refused`."""
    number = error.errno or first_errno(str(error))
    if number > 0:
        return uncapitalized(os.strerror(number))
    return first_line(str(error)) or "connection failed"


def first_errno(message: str) -> int:
    """Return the first error number in a message: that of the address tried first; 0 if none."""
    found = re.search(r"\[Errno (\d+)\]", message)
    return int(found[1]) if found else 0


def certificate(error: Exception) -> str:
    """Return why a certificate is not trusted, in OpenSSL's words."""
    reason = str(getattr(error, "verify_message", "")) or "not trusted"
    return f"certificate: {first_line(reason)}"


def handshake(error: OSError) -> str:
    """Return why a TLS handshake failed, in OpenSSL's words."""
    reason = getattr(error, "reason", None)
    return f"handshake: {str(reason).replace('_', ' ').lower()}" if reason else words(error)


def first_line(message: str) -> str:
    """Return the beginning of a message, printable, without the bytes quoted in it."""
    line = message.strip().partition("\n")[0].partition(": b'")[0].rstrip(":. ")
    shown = "".join(letter if letter.isprintable() else "?" for letter in line[:LINE])
    return uncapitalized(shown)
