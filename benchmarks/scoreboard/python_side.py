"""Parsers in Python behind the protocol of the robots.txt test suite: `python_side.py PEER`.

`--version` prints what is installed. The module imports nothing of verger, so that it also runs in
the environment that holds the peers alone.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import platform
import sys
import tempfile
import urllib.parse
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

Ask = Callable[[bytes, str, str], bool]
MODULE = "SCOREBOARD_ROBOTPARSER"
"""Names the file of a newer urllib/robotparser.py."""


def main() -> None:
    """Answer every question."""
    name = sys.argv[1]
    if "--version" in sys.argv:
        print(version(name))
        return
    ask = PEERS[name]()
    for line in sys.stdin:
        asked = json.loads(line)
        answer: dict[str, object] = {"id": asked["id"]}
        try:
            robots = base64.b64decode(asked["robots"])
            answer["allowed"] = bool(ask(robots, asked["agent"], asked["url"]))
        except Exception as why:  # whatever a parser raises is its own word
            answer["cannot"] = f"{type(why).__name__}: {why}"
        print(json.dumps(answer), flush=True)


def version(name: str) -> str:
    """Return the version of a package, or of Python."""
    if name == "urllib":
        return platform.python_version()
    if name == "urllib-newer":
        return Path(os.environ[MODULE]).stem
    return metadata.version(name)


def text_of(robots: bytes) -> str:
    """Return a file for who takes text."""
    return robots.decode("utf-8", "replace")


def protego() -> Ask:
    """The parser of Scrapy."""
    parse = import_module("protego").Protego.parse
    return lambda robots, agent, url: parse(text_of(robots)).can_fetch(url, agent)


def robotspy() -> Ask:
    """Module `robots`."""
    parse = import_module("robots").RobotsParser.from_string
    return lambda robots, agent, url: parse(text_of(robots)).can_fetch(agent, url)


def standard_library() -> Ask:
    """`urllib.robotparser` of this Python."""
    return asked_by_lines(import_module("urllib.robotparser"))


def newer_standard_library() -> Ask:
    """The module of a Python that is not installed here.

    It calls two functions of `urllib.parse` that are new: they tell an empty query from none.
    """
    urllib.parse._urlsplit = parts_of  # type: ignore[attr-defined]
    urllib.parse._urlunsplit = joined  # type: ignore[attr-defined]
    spec = importlib.util.spec_from_file_location("newer_robotparser", os.environ[MODULE])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return asked_by_lines(module)


def parts_of(url: str, _: str) -> tuple[str, str, str, str | None, str | None]:
    """Split a URL; None for a query or a fragment that is not there."""
    rest, hash_, fragment = url.partition("#")
    rest, mark, query = rest.partition("?")
    found = urllib.parse.urlsplit(rest)
    return (
        found.scheme,
        found.netloc,
        found.path,
        query if mark else None,
        fragment if hash_ else None,
    )


def joined(_: None, __: None, path: str, query: str | None, fragment: str | None) -> str:
    """Join the parts behind the authority."""
    with_query = path if query is None else f"{path}?{query}"
    return with_query if fragment is None else f"{with_query}#{fragment}"


def asked_by_lines(module: ModuleType) -> Ask:
    """Ask a `RobotFileParser` as its `read` does."""

    def ask(robots: bytes, agent: str, url: str) -> bool:
        parser = module.RobotFileParser()
        parser.parse(text_of(robots).splitlines())
        allowed: bool = parser.can_fetch(agent, url)
        return allowed

    return ask


def google() -> Ask:
    """google/robotstxt, bound by jwm.robotstxt."""
    matcher = import_module("jwm.robotstxt.googlebot").RobotsMatcher()
    return lambda robots, agent, url: matcher.OneAgentAllowedByRobots(robots, agent, url)


def fast_robotstxt() -> Ask:
    """A fork of google/robotstxt."""
    matcher = import_module("robotstxt").RobotsMatcher()
    return lambda robots, agent, url: matcher.is_allowed(text_of(robots), agent, url)


def advertools() -> Ask:
    """Reads a file by its URL."""
    test = import_module("advertools").robotstxt_test
    folder = tempfile.mkdtemp()
    path = Path(folder) / "robots.txt"

    def ask(robots: bytes, agent: str, url: str) -> bool:
        path.write_bytes(robots)
        frame: Any = test(path.as_uri(), agent, url)
        return bool(frame["can_fetch"][0])

    return ask


PEERS: dict[str, Callable[[], Ask]] = {
    "protego": protego,
    "robotspy": robotspy,
    "urllib": standard_library,
    "urllib-newer": newer_standard_library,
    "jwm.robotstxt": google,
    "fast-robotstxt": fast_robotstxt,
    "advertools": advertools,
}

if __name__ == "__main__":
    main()
