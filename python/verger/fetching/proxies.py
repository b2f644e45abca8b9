"""Which proxy carries a request: one for all, that of the environment, or none.

In: the option `proxy`. Out: for each request its proxy, or None for a direct connection; through
SOCKS (RFC 1928), a connected socket. A password never appears in messages, nor in their causes.
"""

import os
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import quote, unquote_to_bytes
from urllib.request import (  # type: ignore[attr-defined]
    getproxies_environment,
    proxy_bypass_environment,
)

from verger._core import Origin
from verger.errors import InvalidOption, MissingExtra

OF_ENVIRONMENT = "env"
"""The value of the option for the proxies that environment variables name."""

DEFAULT_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
"""The schemes of proxies, with their ports."""

EXAMPLE = "`http://proxy.example:3128` or `socks5h://127.0.0.1:9050`"

LONGEST_LOGIN = 255
"""The most bytes of a user name or a password for SOCKS (RFC 1929 section 2)."""

has_port = re.compile(r":[0-9]+/?$").search


@dataclass(frozen=True, slots=True)
class Proxy:
    """One proxy.

    scheme:          of `DEFAULT_PORTS`.
    host:            as in URLs: IPv6 addresses in brackets.
    user, password:  each byte as a character; None without a login.
    """

    scheme: str
    host: str
    port: int
    user: str | None
    password: str | None = field(repr=False)

    @property
    def is_socks(self) -> bool:
        return self.scheme.startswith("socks")

    @property
    def looks_up(self) -> bool:
        """Whether it gets the names of hosts, so that we never see their addresses."""
        return self.scheme != "socks5"

    @property
    def url(self) -> str:
        """The URL, its login as aiohttp takes it: decoded as UTF-8 and sent as Latin-1."""
        login = ""
        if self.user is not None:
            login = f"{quote(self.user, safe='')}:{quote(self.password or '', safe='')}@"
        return f"{self.scheme}://{login}{self.host}:{self.port}"

    async def tunnel(self, host: str, port: int, timeout: float | None) -> socket.socket:
        """Return a socket that the SOCKS proxy has connected; raise OSError if it cannot."""
        import python_socks
        from python_socks.async_.asyncio import Proxy as SocksProxy

        proxy = SocksProxy(
            python_socks.ProxyType.SOCKS5,
            self.host.strip("[]"),
            self.port,
            self.user,
            self.password,
            rdns=True,
        )
        try:
            return await proxy.connect(host, port, timeout=timeout)
        except python_socks.ProxyError as error:
            raise OSError(str(error)) from error


class Proxies:
    """The proxies of requests by their scheme, and the hosts that are reached without one."""

    def __init__(self, by_scheme: Mapping[str, Proxy], bypassed: str = "") -> None:
        self._by_scheme = by_scheme
        self._bypassed = {"no": bypassed}
        if any(proxy.is_socks for proxy in by_scheme.values()):
            with MissingExtra.unless_installed("socks", "a SOCKS proxy"):
                import python_socks.async_.asyncio  # noqa: F401

    @classmethod
    def of(cls, proxy: str | None) -> Self:
        """Return what an option means: a URL, `env`, or None for no proxy. Raises InvalidOption."""
        if proxy is None:
            return cls({})
        if proxy == OF_ENVIRONMENT:
            return cls.of_environment()
        return cls({"all": read_proxy(proxy)})

    @classmethod
    def of_environment(cls) -> Self:
        """Return those of `HTTP_PROXY`, `HTTPS_PROXY`, `FTP_PROXY`, `ALL_PROXY` and `NO_PROXY`."""
        named = getproxies_environment()
        schemes = [scheme for scheme in ("http", "https", "ftp", "all") if named.get(scheme)]
        found = {scheme: _of_variable(scheme, named[scheme]) for scheme in schemes}
        return cls(found, named.get("no", "").strip())

    def carrying(self, scheme: str, host: str, port: int) -> Proxy | None:
        """Return the proxy for a request; None to connect to the host itself."""
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        if any(proxy_bypass_environment(each, self._bypassed) for each in (host, place)):
            return None
        return self._by_scheme.get(scheme) or self._by_scheme.get("all")


def read_proxy(
    url: str,
    name: str = "the proxy",
    remedy: str = f"pass one such as {EXAMPLE}, or `{OF_ENVIRONMENT}` for those of the environment",
) -> Proxy:
    """Return the proxy with this URL. Raises InvalidOption."""
    try:
        return _read(url)
    except (ValueError, TypeError, AttributeError):
        raise InvalidOption(f"{name} is not the URL of an HTTP or SOCKS proxy", remedy) from None


def _of_variable(scheme: str, value: str) -> Proxy:
    """Return the proxy in an environment variable, where `http://` may be left out before a port.

    Raises InvalidOption.
    """
    known = {name.lower(): name for name in os.environ if os.environ[name] == value}
    variable = known.get(f"{scheme}_proxy", f"{scheme}_proxy")
    return read_proxy(
        value if "://" in value or not has_port(value) else f"http://{value}",
        f"the environment variable `{variable}`",
        f"set it to one such as {EXAMPLE}, or unset it",
    )


def _read(url: str) -> Proxy:
    """Return the proxy with this URL. Raises ValueError."""
    scheme, mark, rest = url.partition("://")
    scheme = scheme.lower()
    server = Origin(f"http://{rest}")
    login, _, place = re.split("[/?#]", rest, maxsplit=1)[0].rpartition("@")
    port = server.port if has_port(place) else DEFAULT_PORTS.get(scheme)
    if not mark or scheme not in DEFAULT_PORTS or not port:
        raise ValueError("not a proxy")
    return Proxy(scheme, server.host, port, *_read_login(scheme, login))


def _read_login(scheme: str, written: str) -> tuple[str | None, str | None]:
    """Return user name and password, each byte as a character.

    Raises ValueError for a user name with a colon, which cannot log in (RFC 7617 section 2), and
    for what SOCKS cannot send.
    """
    if not written:
        return None, None
    user, password = (
        unquote_to_bytes(part).decode("latin-1") for part in written.partition(":")[::2]
    )
    fits = all(part.isascii() and 0 < len(part) <= LONGEST_LOGIN for part in (user, password))
    if ":" in user or (scheme.startswith("socks") and not fits):
        raise ValueError("a login that cannot be sent")
    return user, password
