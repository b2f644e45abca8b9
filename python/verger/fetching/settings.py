"""Settings that transports share: which authorities to trust, and which proxy to use.

In: the caller's options. Out: a TLS context, a proxy's URL; or `InvalidOption`.
"""

import os
import re
import ssl
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

from verger._core import Origin
from verger.errors import InvalidOption, InvalidTarget
from verger.plain import reason_of

HASHED = re.compile(r"[0-9a-f]{8}\.[0-9]+")
"""The name of a certificate in a folder, as `openssl rehash` links it."""


def trusting(ca_bundle: str | os.PathLike[str] | None) -> ssl.SSLContext:
    """Return a context that always verifies certificates and host names.

    `ca_bundle`: a PEM file, or a folder of them named by their hashes, instead of the system's
    authorities.
    """
    if ca_bundle is None:
        return ssl.create_default_context()
    path = Path(ca_bundle)
    try:
        if path.is_dir():
            if not any(HASHED.fullmatch(each.name) for each in path.iterdir()):
                raise bad_bundle(path, "it is a folder without certificates named by their hashes")
            return ssl.create_default_context(capath=path)
        return ssl.create_default_context(cafile=path)
    except ssl.SSLError as error:
        raise bad_bundle(path, "it holds no certificate") from error
    except OSError as error:
        raise bad_bundle(path, reason_of(error)) from error


def http1_only(context: ssl.SSLContext) -> ssl.SSLContext:
    """Offer servers HTTP/1.1 and nothing else."""
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


@dataclass(frozen=True, slots=True)
class Proxy:
    """The address of an HTTP proxy, and the login for it."""

    address: str
    """Its URL without a login."""
    login: tuple[bytes, bytes] | None
    """User name and password, as sent."""

    @property
    def url(self) -> str:
        """The URL with the login, for clients that decode it as UTF-8 and send it as Latin-1."""
        if self.login is None:
            return self.address
        user, password = (quote(data.decode("latin-1"), safe="") for data in self.login)
        return self.address.replace("://", f"://{user}:{password}@", 1)


def read_proxy(url: str) -> Proxy:
    """Read the URL of a proxy; its password never appears in messages, nor in their causes."""
    try:
        server, login = Origin(url), login_of(url)
    except ValueError:
        raise not_a_proxy() from None
    if server.scheme not in ("http", "https") or not server.port:
        raise not_a_proxy()
    return Proxy(f"{server.scheme}://{server.host}:{server.port}", login)


def login_of(url: str) -> tuple[bytes, bytes] | None:
    """Return user name and password in a URL, decoded (RFC 3986 section 3.2.1), if any.

    Raises `ValueError` for a user name with a colon, which cannot log in (RFC 7617 section 2).
    """
    authority = re.split("[/?#]", url.partition("://")[2], maxsplit=1)[0]
    written = authority.rpartition("@")[0]
    if not written:
        return None
    user, _, password = written.partition(":")
    login = unquote_to_bytes(user), unquote_to_bytes(password)
    if b":" in login[0]:
        raise ValueError("a user name with a colon")
    return login


def not_a_proxy() -> InvalidOption:
    return InvalidOption(
        "the proxy is not the URL of an HTTP proxy", "pass one such as `http://proxy.example:3128`"
    )
