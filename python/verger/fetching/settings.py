"""Settings that transports share: which authorities to trust, and what a host is.

In: the caller's options. Out: a TLS context, a host; or `InvalidOption`.
"""

import os
import re
import ssl
from pathlib import Path

from verger._core import Origin
from verger.errors import InvalidOption, InvalidTarget
from verger.untrusted_text import reason_of

HASHED = re.compile(r"[0-9a-f]{8}\.[0-9]+")
"""The name of a certificate in a folder, as `openssl rehash` links it."""


def trusting(ca_bundle: str | os.PathLike[str]) -> ssl.SSLContext:
    """Return a context that always verifies certificates and host names, for HTTP/1.1 alone.

    `ca_bundle`: a PEM file, or a folder of them named by their hashes, instead of the system's
    authorities.
    """
    path = Path(ca_bundle)
    try:
        if path.is_dir():
            if not any(HASHED.fullmatch(each.name) for each in path.iterdir()):
                raise bad_bundle(path, "it is a folder without certificates named by their hashes")
            context = ssl.create_default_context(capath=path)
        else:
            context = ssl.create_default_context(cafile=path)
    except ssl.SSLError as error:
        raise bad_bundle(path, "it holds no certificate") from error
    except OSError as error:
        raise bad_bundle(path, reason_of(error)) from error
    context.set_alpn_protocols(["http/1.1"])
    return context


def canonical_host(text: str) -> str | None:
    """Return a host as in request URLs, IPv6 without brackets; None if it is not a host."""
    if any(mark in text for mark in "/?#@"):
        return None
    try:
        return Origin(f"http://{text}").host.strip("[]")
    except InvalidTarget:
        return None


def bad_bundle(path: Path, reason: str) -> InvalidOption:
    return InvalidOption(
        f"`{path}` is not a CA bundle: {reason}", "pass a file of certificates in PEM form"
    )
