"""What several test files share: the published vectors, and one way to ask either side.

In: names of files beside the checkout, questions. Out: their content; an `Outcome`, which is
the same value where verger and the reference agree, errors included. No test lives here.
"""

import base64
import json
import os
import tarfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import reference
import verger
from reference import Switches

CHECKOUT = Path(__file__).resolve().parents[1]
SHARED = CHECKOUT.parent / "shared"
VECTORS = CHECKOUT / "conformance" / "vectors"
NAMES = tuple(reference.SWITCHES)
ERRORS = {
    verger.InvalidProductToken: "no product token",
    verger.InvalidTarget: "no URL",
    reference.TokenError: "no product token",
    reference.UrlError: "no URL",
}

Vector: TypeAlias = dict[str, Any]
Outcome: TypeAlias = tuple[bool, int | None] | str
"""Allowed or not and the deciding line, or the name of the caller's error."""
KnobValue: TypeAlias = bool | int | str | tuple[str, ...] | None


FILE = verger.parse(b"", url="https://example.com/robots.txt")
REFUSERS: dict[str, Callable[[str], object]] = {
    "URL": lambda text: FILE.allowed(f"http:{text}", "a"),
    "URL out of scope": lambda text: FILE.allowed(f"http://other.example/{text}", "a"),
    "URL of a file": lambda text: verger.parse(b"", url=f"http:{text}"),
    "dialect": lambda text: verger.parse(b"", dialect=text),
    "knob": lambda text: verger.RFC9309.replace(**{text: 1}),  # type: ignore[arg-type]
    "choice": lambda text: verger.RFC9309.replace(tie=text),  # type: ignore[arg-type]
}
"""Calls that refuse whatever text they are given, and quote it in their message."""


# Files beside the checkout


def shared(name: str) -> Path:
    """Return a file of `../shared`; without it skip, or fail where CI promises it."""
    path = SHARED / name
    if path.exists():
        return path
    if os.environ.get("CI") == "true":
        pytest.fail(f"../shared/{name} is needed where CI=true")
    pytest.skip(f"../shared/{name} is not there")


@cache
def all_vectors() -> tuple[Vector, ...]:
    """Return every published vector."""
    texts = [path.read_text("utf-8") for path in sorted(VECTORS.glob("*.jsonl"))]
    return tuple(json.loads(line) for text in texts for line in text.splitlines())


def expect_cases(files: Sequence[Path]) -> None:
    """No file is empty, and each says on its first line which document it follows."""
    for file in files:
        text = file.read_text("utf-8")
        assert text.startswith("# "), file.name
        assert text.count("[[case]]\n") == len(tomllib.loads(text)["case"]) > 0, file.name


def expect_differences(case: dict[str, Any]) -> None:
    """A dialect is named under `differs` only where it does differ."""
    differs = case.get("differs", {})
    assert set(differs) <= set(NAMES) - {"rfc9309"}, case["id"]
    assert case["expect"] not in differs.values(), case["id"]


def kind_of(vector: Vector) -> str:
    return str(vector.get("kind", "match"))


def bytes_of(vector: Vector) -> bytes:
    """Return the robots.txt file of a vector, whichever way it is written down."""
    if "robots_b64" in vector:
        return base64.b64decode(vector["robots_b64"])
    parts = vector.get("robots_parts") or [(vector["robots"], 1)]
    return "".join(text * count for text, count in parts).encode("utf-8")


def members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive in the order in which they lie there."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if (opened := tar.extractfile(member)) is not None:
                yield member.name, opened.read()


# Asking either side


def decided(robots: verger.RobotsTxt, tokens: str | Sequence[str], url: str) -> Outcome:
    """Return what verger says."""
    try:
        decision = robots.decide(url, tokens)
    except (verger.InvalidProductToken, verger.InvalidTarget) as error:
        return ERRORS[type(error)]
    return decision.allowed, decision.line


def referred(data: bytes, switches: Switches, tokens: str | Sequence[str], url: str) -> Outcome:
    """Return what the reference says."""
    try:
        answer = reference.decide(data, switches, tokens, url)
    except (reference.TokenError, reference.UrlError) as error:
        return ERRORS[type(error)]
    return answer.allowed, answer.line


def turned(dialect: verger.Dialect, **knobs: Any) -> verger.Dialect:
    """Return the dialect with knobs replaced; `Any`, because `replace` types each apart."""
    return dialect.replace(small_limits=True, **knobs)


def switched(switches: Switches, **knobs: Any) -> Switches:
    """Return the reference's switches with some of them replaced."""
    return replace(switches, **knobs)
