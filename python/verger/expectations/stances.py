"""Stances: ready robots.txt files to start from, each with the expectations that prove it.

In: a name. Out: a `Stance`. tools/stances.py writes the files, with the crawlers of the registry.
"""

from dataclasses import dataclass
from pkgutil import get_data

from verger.errors import UnknownName
from verger.options import expect_text
from verger.untrusted_text import choice_hint, quoted

STANCES = (
    "open",
    "no-training",
    "search-only",
    "no-ai",
    "archive-only",
    "staging",
    "shop",
    "news",
)


@dataclass(frozen=True, slots=True)
class Stance:
    """What a site wants of crawlers, and the robots.txt file that says so.

    name:          one of `STANCES`.
    robots:        the robots.txt file.
    expectations:  a file with expectations that hold for it, as TOML.
    """

    name: str
    robots: bytes
    expectations: bytes


def stance(name: str) -> Stance:
    """Return a stance. Raises UnknownName.

    >>> stance("open").robots.splitlines()[1:]
    [b'User-agent: *', b'Disallow:']
    """
    expect_text("name", name)
    if name not in STANCES:
        raise UnknownName(f"unknown stance {quoted(name)}", choice_hint(name, STANCES))
    return Stance(name, _data(f"{name}.txt"), _data(f"{name}.toml"))


def _data(name: str) -> bytes:
    data = get_data(__package__, f"ready/{name}")
    assert data is not None, "the package is read from a place that gives no data"
    return data
