"""Without its package an integration names the extra to install, and brings no other package in."""

import subprocess
import sys

import pytest

from support import CHECKOUT
from verger.errors import MissingExtra

NEEDED = {
    "aiohttp": (("aiohttp",), "http"),
    "httpx": (("httpx", "httpx2"), "httpx"),
    "requests": (("requests",), "requests"),
    "urllib3": (("urllib3",), "urllib3"),
    "niquests": (("niquests",), "niquests"),
    "scrapling": (("scrapling",), "scrapling"),
    "datatrove": (("datatrove",), "datatrove"),
}
"""The packages of a module, and the extra that brings one of them."""

FOREIGN = {
    *("aiohttp", "crawl4ai", "crawlee", "datatrove", "httpx", "httpx2", "niquests"),
    *("requests", "scrapling", "scrapy", "trafilatura"),
}

HIDING = """
import sys
for name in sys.argv[2].split(","):
    sys.modules[name] = None
try:
    __import__(sys.argv[1])
except ImportError as error:
    print(type(error).__name__, error, sep="|")
else:
    print(*sorted(name for name in sys.modules if sys.modules[name] and "." not in name))
"""


def imported(module: str, *, hidden: tuple[str, ...] = ()) -> str:
    """Import a module in an interpreter of its own, some packages hidden; return what it says."""
    command = [sys.executable, "-c", HIDING, module, ",".join(hidden) or "nothing_at_all"]
    run = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=CHECKOUT / "python"
    )
    return run.stdout.strip()


@pytest.mark.parametrize("name", NEEDED)
def test_missing_package(name: str) -> None:
    """One error, whose hint is the command."""
    packages, extra = NEEDED[name]

    said = imported(f"verger.integrations.{name}", hidden=packages)

    assert said.startswith("MissingExtra|")
    assert said.endswith(f"hint: {MissingExtra.remedy(extra)}")


@pytest.mark.parametrize("hidden", ["httpx", "httpx2"])
def test_one_httpx_is_enough(hidden: str) -> None:
    """Either of the two serves."""
    found = imported("verger.integrations.httpx", hidden=(hidden,)).split()

    assert {"httpx", "httpx2"} & set(found) == {"httpx", "httpx2"} - {hidden}


@pytest.mark.parametrize(
    ("module", "packages"),
    [
        ("verger", set()),
        ("verger.integrations", set()),
        ("verger.integrations.guard", set()),
        ("verger.integrations.urllib", set()),
        ("verger.integrations.trafilatura", set()),
        ("verger.integrations.aiohttp", {"aiohttp"}),
        ("verger.integrations.requests", {"requests"}),
        ("verger.integrations.urllib3", set()),
        ("verger.integrations.httpx", {"httpx", "httpx2"}),
    ],
)
def test_nothing_else_is_imported(module: str, packages: set[str]) -> None:
    """A module brings in the packages that it is for, and none of the others."""
    assert packages == FOREIGN & set(imported(module).split())
