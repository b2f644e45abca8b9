"""Who is measured: verger and its peers, behind one small interface.

In: a file as each peer wants it, bytes or text, prepared before the clock starts.
Out: answers, so that it can be seen how often a peer agrees with verger.

Every peer holds the loops over its questions itself, written the same way for all, so that no
wrapper stands between the clock and the call. Nothing here knows the clock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from importlib import import_module, metadata
from typing import Any, ClassVar

Contact = tuple[Any, str, str]
"""A prepared file, a product token and a URL."""
Parser = Callable[[Any], Any]
"""Makes of a prepared file what can be asked."""


class Peer(ABC):
    """A package that answers questions about robots.txt."""

    name: ClassVar[str]
    module: ClassVar[str]
    parses_once: ClassVar[bool] = True
    """Whether a file is parsed once and asked often; otherwise every question parses it."""

    def __init__(self) -> None:
        self.package: Any = import_module(self.module)

    @property
    def version(self) -> str:
        """The version that is measured."""
        return metadata.version(self.name)

    def prepare(self, body: bytes) -> Any:
        """Give a file the type that the peer takes, to its favour outside the clock."""
        return body.decode("utf-8", "replace")

    @abstractmethod
    def parser(self) -> Parser:
        """Return what parses one prepared file."""

    def parse_all(self, bodies: Iterable[Any]) -> None:
        """Parse every file, and forget it."""
        parse = self.parser()
        for body in bodies:
            parse(body)

    @abstractmethod
    def ask(self, parsed: Any, urls: Iterable[str], token: str) -> list[bool]:
        """Answer every URL by a call of its own."""

    @abstractmethod
    def contact(self, contacts: Iterable[Contact]) -> list[bool]:
        """Parse a file and answer one URL, for each."""


class Verger(Peer):
    """What the others are compared with."""

    name = "verger"
    module = "verger"

    def prepare(self, body: bytes) -> bytes:
        """Bytes are parsed as they come."""
        return body

    def parser(self) -> Parser:
        """Return what parses one file, in the dialect of RFC 9309."""
        parse: Parser = self.package.parse
        return parse

    def ask(self, parsed: Any, urls: Iterable[str], token: str) -> list[bool]:
        """Answer every URL by a call of its own."""
        allowed = parsed.allowed
        return [allowed(url, token) for url in urls]

    def ask_many(self, parsed: Any, urls: Iterable[str], token: str) -> list[bool]:
        """Answer every URL in one call."""
        answers: list[bool] = parsed.allowed_many(urls, token)
        return answers

    def contact(self, contacts: Iterable[Contact]) -> list[bool]:
        """Parse a file and answer one URL, for each."""
        parse = self.parser()
        return [parse(body).allowed(url, token) for body, token, url in contacts]


class Protego(Peer):
    """The parser of Scrapy, in Python."""

    name = "Protego"
    module = "protego"

    def parser(self) -> Parser:
        """Return what parses one file."""
        parse: Parser = self.package.Protego.parse
        return parse

    def ask(self, parsed: Any, urls: Iterable[str], token: str) -> list[bool]:
        """Answer every URL by a call of its own."""
        can_fetch = parsed.can_fetch
        return [can_fetch(url, token) for url in urls]

    def contact(self, contacts: Iterable[Contact]) -> list[bool]:
        """Parse a file and answer one URL, for each."""
        parse = self.parser()
        return [parse(body).can_fetch(url, token) for body, token, url in contacts]


class Robotspy(Peer):
    """A parser after RFC 9309, in Python."""

    name = "robotspy"
    module = "robots"

    def parser(self) -> Parser:
        """Return what parses one file."""
        parse: Parser = self.package.RobotsParser.from_string
        return parse

    def ask(self, parsed: Any, urls: Iterable[str], token: str) -> list[bool]:
        """Answer every URL by a call of its own."""
        can_fetch = parsed.can_fetch
        return [can_fetch(token, url) for url in urls]

    def contact(self, contacts: Iterable[Contact]) -> list[bool]:
        """Parse a file and answer one URL, for each."""
        parse = self.parser()
        return [parse(body).can_fetch(token, url) for body, token, url in contacts]


class StandardLibrary(Robotspy):
    """The parser that comes with Python, after the document of 1996; asked as robotspy is."""

    name = "urllib"
    module = "urllib.robotparser"

    @property
    def version(self) -> str:
        """That of Python."""
        return "of this Python"

    def parser(self) -> Parser:
        """Return what parses one file."""
        kind = self.package.RobotFileParser

        def parse(body: str) -> Any:
            parser = kind()
            parser.parse(body.splitlines())
            return parser

        return parse


class Jwm(Peer):
    """Google's parser, in C++: one call parses and answers, and nothing is kept."""

    name = "jwm.robotstxt"
    module = "jwm.robotstxt.googlebot"
    parses_once = False

    def prepare(self, body: bytes) -> bytes:
        """Bytes are parsed as they come."""
        return body

    def parser(self) -> Parser:
        """Return what gives the file back: there is nothing to keep."""
        return bytes

    def ask(self, parsed: Any, urls: Iterable[str], token: str) -> list[bool]:
        """Answer every URL by a call of its own, with one matcher."""
        allowed = self.package.RobotsMatcher().OneAgentAllowedByRobots
        return [allowed(parsed, token, url) for url in urls]

    def contact(self, contacts: Iterable[Contact]) -> list[bool]:
        """Parse a file and answer one URL, for each."""
        allowed = self.package.RobotsMatcher().OneAgentAllowedByRobots
        return [allowed(body, token, url) for body, token, url in contacts]


KINDS: tuple[type[Peer], ...] = (Verger, Protego, Robotspy, StandardLibrary, Jwm)


def installed() -> tuple[list[Peer], list[str]]:
    """Return the peers that can be imported, verger first, and the names of the others."""
    peers: list[Peer] = []
    missing: list[str] = []
    for kind in KINDS:
        try:
            peers.append(kind())
        except ImportError:
            missing.append(kind.name)
    return peers, missing


def named(name: str) -> Peer:
    """Return one peer."""
    return next(kind() for kind in KINDS if kind.name == name)
