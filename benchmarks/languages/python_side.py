"""The harness of the parsers that are asked from Python: `python_side PEER FOLDER`.

In: questions on stdin, packs in a folder. Out: answers on stdout, as protocol.py describes them.
The parsers and their loops are those of `benchmarks.peers`; garbage collection is off.
"""

from __future__ import annotations

import gc
import json
import platform
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import peers
from benchmarks.languages.protocol import unpacked

Answers = Callable[[], Sequence[bool]]


def main(arguments: Sequence[str]) -> None:
    """Answer every question."""
    name, folder = arguments
    side = PythonSide(peers.named(name), Path(folder))
    say({"peer": name, "version": side.version, "runtime": runtime()})
    gc.disable()
    for line in sys.stdin:
        gc.collect()
        question, *words = line.split()
        try:
            say(side.reply_to(question, words))
        except (MemoryError, RecursionError) as error:
            say({"error": type(error).__name__})


def runtime() -> str:
    """Name the interpreter."""
    return f"{platform.python_implementation()} {platform.python_version()}"


def say(reply: dict[str, str | int]) -> None:
    """Print a line at once."""
    print(json.dumps(reply), flush=True)


class PythonSide:
    """A parser and its inputs."""

    def __init__(self, peer: peers.Peer, folder: Path) -> None:
        self.peer = peer
        self.folder = folder
        self.contacts: list[peers.Contact] = []
        self.sites: dict[str, tuple[object, str, list[str]]] = {}

    @property
    def version(self) -> str:
        """That of the package, or of Python."""
        is_python = isinstance(self.peer, peers.StandardLibrary)
        return platform.python_version() if is_python else self.peer.version

    def reply_to(self, question: str, words: Sequence[str]) -> dict[str, str | int]:
        """Answer one question."""
        match question, words:
            case "parse", [passes]:
                return self.parse(int(passes))
            case "contact", [passes]:
                contacts = self.all_contacts()
                return measured(lambda: self.peer.contact(contacts), int(passes))
            case "load", [file]:
                self.site(file)
                return {"ns": 0, "allowed": 0, "answers": ""}
            case "first", [file, passes]:
                body, token, urls = self.site(file)
                asked = [(body, token, urls[0])]
                return measured(lambda: self.peer.contact(asked), int(passes))
            case "answer", [file, count, passes]:
                return self.answer(file, int(count), int(passes))
        raise ValueError(f"unknown question `{question}`")

    def parse(self, passes: int) -> dict[str, str | int]:
        """Parse every real file."""
        bodies = [body for body, _, _ in self.all_contacts()]
        parsed = [True] * len(bodies)

        def parse_all() -> list[bool]:
            self.peer.parse_all(bodies)
            return parsed

        return measured(parse_all, passes)

    def answer(self, file: str, count: int, passes: int) -> dict[str, str | int]:
        """Ask a file that is parsed, and was asked, before the clock starts."""
        body, token, urls = self.site(file)
        parsed = self.peer.parser()(body)
        self.peer.ask(parsed, [urls[0]] * 2, token)
        asked = urls[:count]
        return measured(lambda: self.peer.ask(parsed, asked, token), passes)

    def all_contacts(self) -> list[peers.Contact]:
        """Return all real files, each with its question."""
        if not self.contacts:
            entries = list(unpacked((self.folder / "contacts.pack").read_bytes()))
            triples = zip(entries[::3], entries[1::3], entries[2::3], strict=True)
            self.contacts = [
                (self.peer.prepare(body), token.decode(), url.decode())
                for body, token, url in triples
            ]
        return self.contacts

    def site(self, file: str) -> tuple[object, str, list[str]]:
        """Return body, token and URLs of a pack."""
        if file not in self.sites:
            body, token, *urls = unpacked((self.folder / f"{file}.pack").read_bytes())
            found = self.peer.prepare(body), token.decode(), [url.decode() for url in urls]
            self.sites[file] = found
        return self.sites[file]


def measured(answers: Answers, passes: int) -> dict[str, str | int]:
    """Take the time of some passes."""
    start = time.perf_counter_ns()
    found = [answers() for _ in range(passes)]
    ns = time.perf_counter_ns() - start
    told = "".join("1" if allowed else "0" for allowed in found[-1])
    return {"ns": ns, "allowed": sum(map(sum, found)), "answers": told}


if __name__ == "__main__":
    main(sys.argv[1:])
