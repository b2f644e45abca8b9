"""The reference implementation itself: it answers the published vectors and our own cases.

The core is compared with the reference elsewhere; here the reference is compared with what
was written by hand. The vectors lie beside the checkout; without them those tests skip, but
fail where `CI=true`.
"""

import base64
import dataclasses
import gzip
import json
import os
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from reference import (
    PATTERN_FORMS,
    SUBJECT_FORMS,
    SWITCHES,
    Answer,
    Switches,
    TokenError,
    UrlError,
    decide,
    records,
    subject_of,
)
from reference.flips import DECIDING, EXEMPT, FLIPS, Flip, named, star
from reference.matcher import without_dot_segments

SHARED = Path(__file__).resolve().parents[2] / "shared"
VECTORS = Path(__file__).resolve().parents[1] / "conformance" / "vectors"
Seed = dict[str, Any]

# The kinds of vector that section 1 of the specification decides, and how many there are.
KINDS = {
    "match": 944 + 72,
    "limit": 14,
    "tokens": 3,
    "normalise": 32,
    "subject": 12,
    "lines": 5,
    "content-usage": 4,
}


def shared(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        if os.environ.get("CI") == "true":
            pytest.fail(f"../shared/{name} is needed where CI=true")
        pytest.skip(f"../shared/{name} is not there")
    return path


def kind_of(seed: Seed) -> str:
    return str(seed.get("kind", "match"))


def seeds(kind: str) -> list[Seed]:
    texts = [path.read_text("utf-8") for path in sorted(VECTORS.glob("*.jsonl"))]
    lines = [line for text in texts for line in text.splitlines()]
    return [seed for seed in map(json.loads, lines) if kind_of(seed) == kind]


def answers(kind: str) -> Iterator[tuple[str, Any, Any]]:
    """For each vector of a kind: its id, what it says, what the reference says."""
    for seed in seeds(kind):
        expected, actual = ASKED[kind](seed)
        yield seed["id"], expected, actual


def bytes_of(seed: Seed) -> bytes:
    if "robots_b64" in seed:
        return base64.b64decode(seed["robots_b64"])
    parts = seed.get("robots_parts") or [(seed["robots"], 1)]
    return "".join(text * count for text, count in parts).encode("utf-8")


def ask_match(seed: Seed) -> tuple[Any, Any]:
    answer = decide(bytes_of(seed), seed["dialect"], seed["agent"], seed["url"])
    return seed["allowed"], answer.allowed


def ask_tokens(seed: Seed) -> tuple[Any, Any]:
    asked = [decide(bytes_of(seed), seed["dialect"], seed["agents"], u) for u, _ in seed["rows"]]
    return [allowed for _, allowed in seed["rows"]], [answer.allowed for answer in asked]


def ask_normalise(seed: Seed) -> tuple[Any, Any]:
    data = seed["input"].encode("utf-8")
    forms = (PATTERN_FORMS[seed["form"]], SUBJECT_FORMS[seed["form"]])
    expected = [seed[side].encode("utf-8") for side in ("pattern", "subject")]
    return expected, [forms[0](data), forms[1](without_dot_segments(data))]


def ask_subject(seed: Seed) -> tuple[Any, Any]:
    return seed["subject"].encode("utf-8"), subject_of(seed["url"], SWITCHES[seed["dialect"]])


def ask_lines(seed: Seed) -> tuple[Any, Any]:
    read = records(bytes_of(seed), SWITCHES[seed["dialect"]])
    known = [[r.line, r.field, r.value.decode("utf-8")] for r in read if r.field[0] != "("]
    return seed["fields"], known


def ask_content_usage(seed: Seed) -> tuple[Any, Any]:
    switches = dataclasses.replace(SWITCHES["rfc9309"], extensions=("content-usage",))
    answer = decide(bytes_of(seed), switches, seed["agent"], seed["url"])
    return seed["allowed"], answer.allowed


ASKED = {
    "match": ask_match,
    "limit": ask_match,
    "tokens": ask_tokens,
    "normalise": ask_normalise,
    "subject": ask_subject,
    "lines": ask_lines,
    "content-usage": ask_content_usage,
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_seed_is_answered(kind: str) -> None:
    """The reference gives the answer of every vector of a kind, and none is left out."""
    asked = list(answers(kind))
    wrong = [row for row in asked if row[1] != row[2]]

    assert not wrong
    assert KINDS[kind] == len(asked)


@pytest.mark.slow
def test_google_fuzz_vectors() -> None:
    """Decision and line are those of Google's own parser on every fuzz vector."""
    packed = gzip.decompress(shared("corpus/vectors-fuzz.jsonl.gz").read_bytes())
    vectors = [json.loads(line) for line in packed.splitlines()]
    files = members(shared("corpus/robots-fuzz.tar.xz"))
    differing = [vector["id"] for vector in vectors if not agrees(vector, files)]

    assert not differing
    assert len(vectors) == 20_500


def members(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        files = ((member.name, tar.extractfile(member)) for member in tar)
        return {name: file.read() for name, file in files if file is not None}


def agrees(vector: dict[str, Any], files: dict[str, bytes]) -> bool:
    data = files[vector["robots"]]
    answer = decide(data, "googlebot-cpp", vector["agent"], vector["url"])
    return (vector["allowed"], vector["line"]) == (answer.allowed, answer.line or 0)


LONG_AGENT = named("y" * 17_000, "Disallow: /")

CASES: tuple[tuple[bytes, str, str | Sequence[str], str, Answer], ...] = (
    (b"", "rfc9309", "x", "/", Answer(True, None)),
    (star("Disallow: /p", "Allow: /p/q"), "rfc9309", "x", "http://e.com/p/q", Answer(True, 3)),
    (star("Disallow: /a", "Disallow: /a"), "rfc9309", "x", "/a", Answer(False, 2)),
    (star("Disallow: /a", "Allow: /a", "Allow: /a"), "rfc9309", "x", "/a", Answer(True, 3)),
    (star("Disallow: /a*c*e"), "rfc9309", "x", "/abcde", Answer(False, 2)),
    (star("Disallow: /a*bc$"), "rfc9309", "x", "/abcbc", Answer(False, 2)),
    (star("Disallow: /ab*ba$"), "rfc9309", "x", "/aba", Answer(True, None)),
    (star("Disallow: /a$b"), "rfc9309", "x", "/a$b", Answer(False, 2)),
    (star("Disallow: *$"), "yandex", "x", "/a", Answer(False, 2)),
    (star("Disallow: /p?u=*/z"), "rfc9309", "x", "/p?u=a%2Fz", Answer(False, 2)),
    (star("Disallow: /"), "rfc9309", "x", "/%72obots.txt", Answer(True, None)),
    (star("Disallow: /"), "rfc9309", "x", "/robots.txt?", Answer(False, 2)),
    (b"User-agent: x\n\r\nDisallow: /\r", "rfc9309", "x", "/", Answer(False, 3)),
    (named("x", "Disallow: /a") + star("Disallow: /"), "rfc9309", "x", "/", Answer(True, None)),
    (named("x") + star("Disallow: /a"), "rfc9309", "y", "/a", Answer(False, 3)),
    (named("x", "Allow: /") + star("Disallow: /"), "rfc9309", "*", "/", Answer(False, 4)),
    (named("x", "# c", "Disallow: /"), "koster-1996", "x", "/", Answer(False, 3)),
    (named("x", "Allow: /ok") + LONG_AGENT, "koster-1996", "x", "/", Answer(True, None)),
    (named("", "Disallow: /"), "googlebot-cpp", "", "/", Answer(False, 2)),
    (named("7", "Disallow: /"), "googlebot-cpp", "", "/", Answer(False, 2)),
    (star("Disallow:", "Allow:"), "googlebot-cpp", "x", "/", Answer(True, 3)),
    (star("Disallow: /", "Allow: /d/index.html"), "googlebot-cpp", "x", "a/d/", Answer(True, 3)),
    (named("a", "Disallow: /") + named("b", "Allow: /"), "bing", "b", "/", Answer(True, 4)),
)


@pytest.mark.parametrize(("data", "dialect", "tokens", "url", "answer"), CASES)
def test_case(
    data: bytes, dialect: str, tokens: str | Sequence[str], url: str, answer: Answer
) -> None:
    """A question worked out by hand has its answer, and its line."""
    assert answer == decide(data, dialect, tokens, url)


@pytest.mark.parametrize("token", ["", "Googlebot/2.1", "a b", "a;b", "a(b"])
def test_invalid_token(token: str) -> None:
    """A token that is not a product token is the caller's error, not an answer."""
    with pytest.raises(TokenError):
        decide(b"", "rfc9309", token, "/")


@pytest.mark.parametrize("url", ["", "a/b", "?q", "http:/a", "http://", "http:///a", "://a/"])
def test_invalid_url(url: str) -> None:
    """What is neither a path nor a URL with authority is the caller's error."""
    with pytest.raises(UrlError):
        decide(b"", "rfc9309", "x", url)


def test_hostile_pattern() -> None:
    """Many wildcards against a long subject are decided without backtracking."""
    data = star("Disallow: /" + "a*" * 4_000 + "b$")

    assert Answer(True, None) == decide(data, "rfc9309", "x", "/" + "a" * 60_000)


def flipped(flip: Flip) -> Switches:
    switches = SWITCHES[flip.dialect]
    return dataclasses.replace(switches, **{flip.switch: flip.value})  # type: ignore[arg-type]


def outcome(flip: Flip, switches: Switches) -> Answer | type[ValueError]:
    try:
        return decide(flip.data, switches, flip.tokens, flip.url)
    except (TokenError, UrlError) as error:
        return type(error)


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: f"{flip.switch}-{flip.dialect}")
def test_flipping_one_switch_changes_an_answer(flip: Flip) -> None:
    """Each row's answer depends on its switch."""
    assert outcome(flip, SWITCHES[flip.dialect]) != outcome(flip, flipped(flip))


def test_every_deciding_switch_is_flipped() -> None:
    """No switch is without a row, and no exempt one has any."""
    assert set(DECIDING) == {flip.switch for flip in FLIPS}


@pytest.mark.parametrize("switch", sorted(EXEMPT))
def test_exempt_switches_change_no_answer(switch: str) -> None:
    """An exempt switch leaves the answer to every question of the table as it is."""
    changed = [
        flip for flip in FLIPS if outcome(flip, SWITCHES[flip.dialect]) != without(flip, switch)
    ]

    assert not changed


def without(flip: Flip, switch: str) -> Answer | type[ValueError]:
    """The outcome of a row's question with another, exempt switch turned over."""
    value = getattr(SWITCHES[flip.dialect], switch)
    other = not value if isinstance(value, bool) else (value or 0) + 1
    return outcome(flip, flipped(flip._replace(switch=switch, value=other)))
