"""Failures of the network in few words.

In: exceptions of the system. Out: `HopFailed`, its detail fit to be shown to a person: no
objects, no traces, nothing that the server sent beyond a line.
"""

import os
import re

from verger.fetching.transport import HopFailed

LINE = 120
"""Characters of a server's own words that are worth repeating."""


def unconnected(error: OSError) -> HopFailed:
    """Return the failure of a connection that never was, or that broke in its handshake."""
    match error:
        case ConnectionResetError() | BrokenPipeError() | ConnectionAbortedError():
            return HopFailed("reset", words(error))
        case TimeoutError():
            return HopFailed("timeout", "no connection in time")
        case _:
            return HopFailed("refused", words(error))


def words(error: OSError) -> str:
    """Return what went wrong as the system says it: `connection refused`."""
    number = error.errno or first_errno(str(error))
    if number > 0:
        return os.strerror(number).lower()
    return first_line(str(error)).lower() or "connection failed"


def first_errno(message: str) -> int:
    """Return the error that a message quotes first: that of the address tried first."""
    found = re.search(r"\[Errno (\d+)\]", message)
    return int(found[1]) if found else 0


def certificate(error: Exception) -> str:
    """Return why a certificate is not to be trusted, as OpenSSL says it."""
    reason = str(getattr(error, "verify_message", "")) or "not to be trusted"
    return f"certificate: {first_line(reason)}"


def handshake(error: OSError) -> str:
    """Return why a TLS handshake failed, as OpenSSL names it."""
    reason = getattr(error, "reason", None)
    return f"handshake: {str(reason).replace('_', ' ').lower()}" if reason else words(error)


def first_line(message: str) -> str:
    """Return the beginning of a message, printable, without the bytes quoted in it."""
    line = message.strip().partition("\n")[0].partition(": b'")[0].rstrip(":. ")
    shown = "".join(letter if letter.isprintable() else "?" for letter in line[:LINE])
    return shown[:1].lower() + shown[1:]
