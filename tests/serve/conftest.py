"""Real services: processes of `verger serve`, and sites on loopback that they fetch from."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.web import Page, Site, Web, web
from patience import LONG, until

AGENT = "ServeBot/1.0 (+https://example.com/bot)"
ROBOTS = b"User-agent: *\nDisallow: /private\n\nUser-agent: SlowBot\nCrawl-delay: 5\nAllow: /\n"
SITES: Mapping[str, Site] = {
    "a.example": ROBOTS,
    "gone.example": 404,
    "down.example": 503,
    "signals.example": b"User-agent: *\nContent-Signal: ai-train=no\nAllow: /\n",
    "inside.example": Page(302, headers={"Location": "http://169.254.169.254/latest"}),
}


@dataclass(frozen=True)
class Serving:
    """A service that runs, and how to call it."""

    process: subprocess.Popen[str]
    log: Path
    client: httpx.Client

    def get(self, path: str, headers: Mapping[str, str] = {}, **query: Any) -> httpx.Response:
        """Return what a GET is answered."""
        return self.client.get(path, params=query, headers=dict(headers))

    def logged(self) -> list[dict[str, Any]]:
        """Return the lines of the log."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def end(self) -> int:
        """Ask it to end; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(LONG)


Serve = Callable[..., Any]


@contextmanager
def serving(log: Path, *words: str, client: Mapping[str, Any] = {}) -> Iterator[Serving]:
    """Run a service with these options at a free port."""
    listen = () if "--listen" in words else ("--listen", "127.0.0.1:0")
    command = [sys.executable, "-m", "verger", "serve", *listen, *words]
    with log.open("w") as stderr:
        process = subprocess.Popen(command, stderr=stderr, text=True)
    try:

        def begun() -> bool:
            return process.poll() is not None or '"listening"' in log.read_text()

        until(begun)
        assert process.poll() is None, log.read_text()
        [first] = [json.loads(line) for line in log.read_text().splitlines() if "listening" in line]
        base = f"http://127.0.0.1:{first['port']}"

        def answers() -> bool:
            try:
                return httpx.get(f"{base}/livez").status_code == 200
            except httpx.TransportError:
                return False

        until(answers)
        with httpx.Client(base_url=base, timeout=LONG, **client) as calling:
            yield Serving(process, log, calling)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Serve the sites."""
    with web(SITES, tmp_path_factory.mktemp("web")) as servers:
        yield servers


def fetching(sites: Web, *, private: bool = True) -> tuple[str, ...]:
    """Return the options of a service that fetches from sites on loopback."""
    return (
        *("--user-agent", AGENT, *sites.options),
        *(("--private", "127.0.0.1") if private else ()),
    )


@pytest.fixture(scope="module")
def service(sites: Web, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A service that fetches, with a cache of its own."""
    folder = tmp_path_factory.mktemp("service")
    cache = str(folder / "cache.sqlite3")
    with serving(folder / "log", "--cache", cache, *fetching(sites)) as found:
        yield found
