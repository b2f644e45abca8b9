"""The scoreboard: its data is whole, and its page is written from what a run found.

Nobody is asked here: `make scoreboard` installs the parsers. Made-up scores stand for a run.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from benchmarks.scoreboard import page, python_side, results, run, toolchains
from benchmarks.scoreboard.results import Answered, Score

from patience import LONG
from support import CHECKOUT
from verger.testing import suite

HERE = results.HERE
PEERS = results.peers()
KEYS = {peer.title: peer.key for peer in PEERS}
PAGE = (CHECKOUT / "docs" / "scoreboard.md").read_text("utf-8")
PORTRAITS = dict(re.findall(r"^### ([^\n]+)\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL))
"""What the page says of each parser that was asked."""


def test_peers_are_whole() -> None:
    """Each has an adapter, and follows specifications that the suite has."""
    assert len(PEERS) == len({peer.key for peer in PEERS}) == len({peer.title for peer in PEERS})
    for peer in PEERS:
        assert peer.side in toolchains.TOOLCHAINS
        assert set(peer.follows) < set(suite.specifications())
        assert peer.says.endswith(")"), peer.key
    assert set(python_side.PEERS) == {peer.key for peer in PEERS if peer.side == "python"}


def test_versions_are_those_that_are_pinned() -> None:
    """What the page says of a parser in another language is what its adapter installs."""
    pinned = {
        "rust": (HERE / "rust" / "Cargo.toml").read_text("utf-8"),
        "go": (HERE / "go" / "go.mod").read_text("utf-8"),
        "java": (HERE / "java" / "pom.xml").read_text("utf-8"),
        "node": (HERE / "node" / "package.json").read_text("utf-8"),
    }
    for peer in PEERS:
        if peer.side != "python":
            named = rf"{re.escape(peer.key)}\W.{{0,40}}?{re.escape(peer.version)}\b"
            assert re.search(named, pinned[peer.side], re.DOTALL), peer.key


def test_python_parsers_are_pinned() -> None:
    text = (CHECKOUT / "requirements" / "dropins.txt").read_text("utf-8").lower()
    known = {"urllib", "urllib-newer"}
    named = {
        peer.key.replace(".", "-")
        for peer in PEERS
        if peer.side == "python" and peer.key not in known
    }

    assert [] == [name for name in named if f"\n{name}==" not in f"\n{text}"]


def test_what_was_looked_up_exists() -> None:
    """Each finding is about a parser and a normative case that it is asked about."""
    for peer in PEERS:
        asked = {
            case.id
            for name in peer.specifications
            for case in suite.cases(name)
            if case.level == "normative"
        }
        assert set(page.checked().get(peer.key, {})) <= asked, peer.key
    assert set(page.checked()) <= {peer.key for peer in PEERS}


def test_findings_are_about_failures() -> None:
    """A parser that has mended something has no finding any more."""
    for title, portrait in PORTRAITS.items():
        before, _, _ = portrait.partition("Looked up:")
        looked_up = page.checked().get(KEYS[title], {})
        assert [] == [case for case in looked_up if f"`{case}`" not in before]


def made_up(outcome: str) -> Score:
    answered = [
        Answered(case.id, "rfc9309", outcome, outcome == "passed", "")
        for case in suite.cases("rfc9309")
    ]
    return Score("protego", "0.0", "", answered)


def test_page_of_a_run() -> None:
    total = sum(case.level == "normative" for case in suite.cases("rfc9309"))
    text = page.markdown("2026-01-01", [made_up("passed"), Score("urllib", "", "no Python", [])])

    assert f"**{total}**" in text
    assert "**Not asked: urllib.robotparser 3.11**: no Python." in text
    assert "No normative case failed." in text
    assert "{{" not in text


def test_page_names_failures() -> None:
    text = page.markdown("2026-01-01", [made_up("failed")])

    assert "`2.2.2/case` disallowed" in text
    assert "(SHOULD)" in text
    assert "--only '2.2/line-end/lf'" in text


def test_page_is_of_this_suite() -> None:
    """The page in the tree has the counts of the suite: it was written after the last change."""
    cases = [str(len(page.normative(section))) for section in page.SECTIONS]
    total = sum(int(count) for count in cases)

    assert "| *cases* | " + " | ".join([*cases, str(total)]) in PAGE
    not_asked = {title for title in KEYS if f"**Not asked: {title}**" in PAGE}
    assert set(KEYS) == set(PORTRAITS) | not_asked


def test_every_section_has_a_column() -> None:
    sections = {case.section for case in suite.cases("rfc9309") if case.level == "normative"}

    assert set(page.SECTIONS) == sections


def test_results_survive_a_file(tmp_path: Path) -> None:
    path = tmp_path / "scoreboard.json"
    results.write([made_up("failed")], "2026-01-01", path)

    assert ("2026-01-01", [made_up("failed")]) == results.read(path)
    assert not path.with_suffix(".part").exists()


def test_unknown_parser(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run.main(["--peer", "nobody"])
    assert "error: no parser is called `nobody`" in capsys.readouterr().err


@pytest.mark.parametrize("peer", ["protego", "urllib", "robotspy"])
def test_adapter_in_python(peer: str) -> None:
    """The adapter speaks the protocol; these parsers are installed here too."""
    command = [sys.executable, str(HERE / "python_side.py"), peer]
    cases = [case for case in suite.cases("rfc9309") if case.id.startswith("2.2.2/prefix")]

    assert ["passed", "passed"] == [one.outcome for one in suite.run(command, cases, timeout=LONG)]


def test_lock_files_name_no_registry() -> None:
    lock = json.loads((HERE / "node" / "package-lock.json").read_text("utf-8"))
    cargo = tomllib.loads((HERE / "rust" / "Cargo.lock").read_text("utf-8"))

    assert [] == [name for name, it in lock["packages"].items() if "resolved" in it]
    assert {"adapter"} <= {package["name"] for package in cargo["package"]}
