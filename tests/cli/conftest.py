"""The command as a function: words and stdin in; exit code, stdout and stderr out."""

import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol

import pytest
from jsonschema import Draft202012Validator

from verger.cli.app import main


@dataclass(frozen=True, slots=True)
class Done:
    """What a run of the command left behind."""

    code: int
    out: str
    err: str
    data: bytes


class Run(Protocol):
    """Runs the command in a folder of its own."""

    def __call__(self, *words: str, stdin: bytes = b"") -> Done:
        """Run `verger` with these words."""
        ...


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in this process, with streams that are not terminals."""

    def run(*words: str, stdin: bytes = b"") -> Done:
        out, err = io.BytesIO(), io.BytesIO()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding="utf-8"))
        monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(err, encoding="utf-8"))
        code = main(words)
        sys.stdout.flush()
        sys.stderr.flush()
        data = out.getvalue()
        text = data.decode("utf-8", "surrogateescape")
        return Done(code, text, err.getvalue().decode(), data)

    return run


@pytest.fixture(autouse=True)
def _any_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do without anybody's wish for a width."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, without anybody's wish for colour."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return tmp_path


@pytest.fixture
def robots(folder: Path) -> Path:
    """Lay down a `robots.txt` in which rules of both kinds decide."""
    return laid_down(
        folder,
        b"User-agent: ExampleBot\nAllow: /private/press\nDisallow: /private\n\n"
        b"User-agent: *\nDisallow: /all\n",
    )


def laid_down(folder: Path, body: bytes) -> Path:
    """Write a `robots.txt` in a folder, and return its path."""
    path = folder / "robots.txt"
    path.write_bytes(body)
    return path


def instead(command: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return a command, whose options have one value each, with words in place of those options."""
    pairs = zip(command[1::2], command[2::2], strict=True)
    kept = [word for pair in pairs if pair[0] not in words for word in pair]
    return (command[0], *kept, *words)


def schema(name: str) -> dict[str, Any]:
    """Return a published schema."""
    path = files("verger.cli") / "schemas" / f"{name}-1.schema.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def validator(name: str) -> Draft202012Validator:
    """Return what validates objects by a published schema."""
    return Draft202012Validator(schema(name))


def objects(done: Done) -> list[dict[str, Any]]:
    """Return the objects of JSON Lines."""
    return [json.loads(line) for line in done.out.splitlines()]
