"""One header, one name: the same identification string, asked of every surface of verger.

In: `conformance/surfaces/names.toml`. Out: from each surface the product token of the table, or
that it is a person's. The package of JavaScript reads the table in its own tests.
"""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import verger
from reference import identification
from support import CHECKOUT
from verger.bulk.audit import Version, audit_logs, crawler_in
from verger.cli.app import main
from verger.compat.asking import named_by
from verger.crawlers import token_in
from verger.integrations.guard import EVERYBODY, tokens_of
from verger.testing import MemoryTransport

CASES: list[dict[str, Any]] = tomllib.loads(
    (CHECKOUT / "conformance/surfaces/names.toml").read_text("utf-8")
)["case"]
SITE = "https://example.com"
Named = str | None


def by_client(header: str) -> Named:
    """What the client of a crawler that sends the header asks the rules about."""
    try:
        client = verger.Client(header, transport=MemoryTransport({SITE: b"User-agent: *\n"}))
    except verger.InvalidProductToken:
        return None
    with client:
        (token,) = client.decide(f"{SITE}/a").as_dict()["tokens"]
    return token


def by_guard(header: str) -> Named:
    tokens = tokens_of(header)
    return None if tokens == EVERYBODY else tokens[0]


def by_drop_in(header: str) -> Named:
    name = named_by(header)
    return None if name == "*" else name


def by_audit(header: str) -> Named:
    """Whom a log names; a file that names the engine in a comment changes nothing."""
    escaped = header.replace("\\", "\\\\").replace('"', '\\"')
    line = f'192.0.2.1 - - [10/Oct/2025:13:55:36 +0000] "GET /a HTTP/1.1" 200 1 "-" "{escaped}"\n'
    version = Version("robots.txt", b"User-agent: *\nDisallow: /a\n\nUser-agent: Nutch\nAllow: /\n")
    log = Path("access.log")
    log.write_text(line, encoding="utf-8")
    found = audit_logs(log, [version])
    assert found.log.people + found.log.judged == 1
    return found.crawlers[0].token if found.crawlers else None


SURFACES: dict[str, Callable[[str], Named]] = {
    "product_token": verger.product_token,
    "the reference": identification.product_token,
    "a client": by_client,
    "a guard": by_guard,
    "a drop-in": by_drop_in,
    "the registry": token_in,
    "an audit's name": crawler_in,
    "an audit": by_audit,
}


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_every_surface_takes_the_same_name(
    surface: str, case: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crawler of the table, or nobody."""
    monkeypatch.chdir(tmp_path)

    assert case.get("token") == SURFACES[surface](case["header"])


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_command_takes_the_same_name(
    case: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--user-agent` is obeyed by its product token; one without is refused."""
    robots = tmp_path / "robots.txt"
    robots.write_bytes(b"User-agent: *\nDisallow: /\n")
    told = ["check", "--robots", str(robots), "--user-agent", case["header"], "--format", "jsonl"]
    code = main([*told, "/a"])
    out, err = capsys.readouterr()

    if (token := case.get("token")) is None:
        assert code == 2
        assert "names no product token" in err
    else:
        assert json.loads(out)["tokens"] == [token]
