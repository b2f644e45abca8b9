"""The network: how files are fetched, as one value that commands, filters and clients share.

In: the options of a client. Out: the same, checked; and what of them can change an answer. Fetches
nothing.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import wraps
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar, cast
from warnings import warn

from verger.cache.store import Store
from verger.errors import InvalidOption
from verger.fetching.limits import FetchLimits, expect_connections, timed
from verger.files.addresses import state_of
from verger.options import AnyPath, expect_several, path_of

Made = TypeVar("Made")

CONNECTIONS = 1_000

FORMER = {"cache": "store", "per_address": "connections_per_address"}
"""The former names of options, which are taken for one version."""


def _taking_former_names(made: type[Made]) -> type[Made]:
    """Let a class take options by their former names, with a DeprecationWarning."""
    make = made.__init__

    @wraps(make)
    def init(self: Made, **given: object) -> None:
        for name in FORMER.keys() & given:
            warn(f"`{name}` is `{FORMER[name]}` now", DeprecationWarning, stacklevel=2)
            given[FORMER[name]] = given.pop(name)
        make(self, **given)

    made.__init__ = init  # type: ignore[method-assign, assignment]
    for name, new in FORMER.items():
        setattr(made, name, property(attrgetter(new), doc=f"The former name of `{new}`."))
    return made


@_taking_former_names
@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """How the files are fetched; `Network()` fetches as `verger filter --cache none` does.

    store:        where files are kept: a path, the URL of a Redis server, or a `Store`; None keeps
                  them in memory alone. The commands use `verger.cache.sqlite.default_path()`.
    connections:  how many origins are fetched from at once; fewer if the system allows fewer open
                  files.
    connections_per_address:  how many connections may be open to one IP address; None for any
                  number.
    connect_to:   `HOST1:PORT1:HOST2:PORT2` each: connect to HOST2:PORT2 if the request is for
                  HOST1:PORT1; an empty HOST1 or PORT1 means any.
    proxy:        the URL of an HTTP or SOCKS proxy for all requests, or `env` for those of the
                  environment.
    private:      networks or hosts that redirects may lead to although they are not public.
    ca_bundle:    a file or folder of certificates: trust these authorities, not those of the
                  system.
    public_only:  whether to connect only to public addresses, for lists from strangers; redirects
                  never lead to others.
    timeout:      seconds for one file with all its redirects, however long a server is silent; by
                  default 30, and 10 without a byte.
    headers:      additional header fields for every request, as for `verger.Client`.
    origin_headers:  additional header fields by origin, which are sent to that origin only.

    Its repr is without the proxy and the header fields, which may hold passwords.
    Raises InvalidOption for what makes no sense.
    """

    store: Store | AnyPath | None = None
    connections: int = CONNECTIONS
    connections_per_address: int | None = None
    connect_to: Sequence[str] = ()
    proxy: str | None = field(default=None, repr=False)
    private: Sequence[str] = ()
    ca_bundle: AnyPath | None = None
    public_only: bool = False
    timeout: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    origin_headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        expect_several("connect_to", self.connect_to, "entries")
        expect_several("private", self.private, "networks and hosts")
        expect_mappings(headers=self.headers, origin_headers=self.origin_headers)
        expect_connections(self.connections, self.connections_per_address)
        timed(FetchLimits(), self.timeout)

    @property
    def address(self) -> str | None:
        """The path or the URL of the store. Raises TypeError for a `Store`."""
        return None if self.store is None else path_of("store", cast(AnyPath, self.store))

    def options(self) -> dict[str, Any]:
        """Return the options of a client that fetches like this."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def plan(self) -> dict[str, str]:
        """Return what can change an answer, by option: digests, since some hold passwords."""
        bundle = None if self.ca_bundle is None else path_of("ca_bundle", self.ca_bundle)
        told = {
            "cache": self.address,
            "connect-to": list(self.connect_to),
            "proxy": self.proxy,
            "private": list(self.private),
            "ca-bundle": bundle and [bundle, *identity_of(bundle)],
            "public-only": self.public_only,
            "timeout": self.timeout and float(self.timeout),
            "header": [
                dict(self.headers),
                {name: dict(fields) for name, fields in self.origin_headers.items()},
            ],
        }
        return {
            f"`--{name}`": sha256(ascii(value).encode()).hexdigest() for name, value in told.items()
        }


def identity_of(path: str) -> list[int | str]:
    """Return what changes with a file: its size and its time; of a folder, a digest of the names of
    its files, with those of each."""
    if not Path(path).is_dir():
        return [*state_of(path)]
    states = (
        (os.fsencode(each.name), status.st_size, status.st_mtime_ns)
        for each in os.scandir(path)
        for status in [each.stat() if each.is_file() else each.stat(follow_symlinks=False)]
    )
    return [sha256(repr(sorted(states)).encode()).hexdigest()]


def expect_mappings(**options: Mapping[str, object] | None) -> None:
    """Raise InvalidOption for anything but a mapping, or None."""
    for name, value in options.items():
        if value is not None and not isinstance(value, Mapping):
            raise InvalidOption(f"`{name}` is `{value!r:.60}`", "pass a mapping, such as a dict")
