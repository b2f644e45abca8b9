"""Settings that transports share: whom to trust, and which proxy to use.

In: what the caller wrote. Out: a TLS context, a proxy's URL; or `InvalidOption`.
"""

import os
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from verger.errors import RobotsError


class InvalidOption(RobotsError, ValueError):
    """A setting of a transport cannot be understood."""


def trusting(ca_bundle: str | os.PathLike[str] | None) -> ssl.SSLContext:
    """Return a context that verifies certificates and host names, always.

    `ca_bundle`: a PEM file, or a folder of hashed ones, instead of the system's authorities.
    """
    if ca_bundle is None:
        return ssl.create_default_context()
    path = Path(ca_bundle)
    try:
        if path.is_dir():
            return ssl.create_default_context(capath=path)
        return ssl.create_default_context(cafile=path)
    except ssl.SSLError as error:
        raise bad_bundle(path, "it holds no certificate") from error
    except OSError as error:
        raise bad_bundle(path, (error.strerror or "it cannot be read").lower()) from error


def http1_only(context: ssl.SSLContext) -> ssl.SSLContext:
    """Offer servers HTTP/1.1 and nothing else."""
    context.set_alpn_protocols(["http/1.1"])
    return context


def bad_bundle(path: Path, reason: str) -> InvalidOption:
    return InvalidOption(
        f"`{path}` is no CA bundle: {reason}", "pass a file of certificates in PEM form"
    )


@dataclass(frozen=True, slots=True)
class Proxy:
    """Where an HTTP proxy is, and who may use it."""

    url: str
    host: str
    port: int | None


def read_proxy(url: str) -> Proxy:
    """Read the URL of a proxy; its password stays out of messages."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise not_a_proxy() from error
    if parts.scheme not in ("http", "https") or not host:
        raise not_a_proxy()
    return Proxy(url, host, port)


def not_a_proxy() -> InvalidOption:
    return InvalidOption(
        "the proxy is not the URL of an HTTP proxy", "pass one such as `http://proxy.example:3128`"
    )
