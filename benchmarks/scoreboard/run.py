"""Ask every parser of peers.toml every case of the suite: `make scoreboard`.

In: the toolchains that this machine has. Out: build/scoreboard/scoreboard.json and
docs/scoreboard.md. A parser that cannot be installed is named, on stderr and on the page.

    python -m benchmarks.scoreboard --peer Protego --only 2.2.4/between-user-agents/unknown

asks one parser one case, and shows the question.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache

from benchmarks.languages.protocol import ROOT
from benchmarks.languages.toolchains import Missing, shown
from benchmarks.scoreboard import page, python_side, toolchains
from benchmarks.scoreboard.results import Peer, Score, peers, read, score_of, write
from verger.testing import suite
from verger.testing.suite.command import main as suite_command

RESULT = toolchains.WORK / "scoreboard.json"
PAGE = ROOT / "docs" / "scoreboard.md"
TIMEOUT = 60.0
"""Seconds for one answer: some take long to start on a busy machine."""
MEMORY = 4 << 30
"""Bytes: the heaps of Java and JavaScript grow as they like."""
NEWER = "urllib-newer"
NEWER_PYTHON = "python3.15"


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask everybody, or one."""
    options = options_from(arguments)
    if options.peer:
        return asked_one(options.peer, options.only)
    if not options.write_docs:
        scores = [scored(peer) for peer in peers()]
        write(scores, datetime.now(UTC).date().isoformat(), RESULT)
    if not RESULT.is_file():
        print(f"error: `{shown(RESULT)}` is not there", file=sys.stderr)
        print("hint: `make scoreboard` writes it", file=sys.stderr)
        return 2
    PAGE.write_text(page.markdown(*read(RESULT)), encoding="utf-8")
    print(f"written: {shown(PAGE)}")
    return 0


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scoreboard", description="Parsers through the test suite."
    )
    parser.add_argument("--peer", metavar="TITLE", help="ask one parser, and print its failures")
    parser.add_argument("--only", metavar="ID", help="with --peer: ask one case, and show it")
    parser.add_argument(
        "--write-docs", action="store_true", help="ask nobody; write the page of the last run"
    )
    return parser.parse_args(arguments)


def asked_one(title: str, only: str | None) -> int:
    """Run the command of the suite for one parser."""
    known = {peer.title: peer for peer in peers()}
    if title not in known:
        print(f"error: no parser is called `{title}`", file=sys.stderr)
        print(f"hint: {', '.join(known)}", file=sys.stderr)
        return 2
    peer = known[title]
    try:
        ready(peer)
    except Missing as why:
        print(
            f"error: {title}: {why}\nhint: `make scoreboard` installs the parsers", file=sys.stderr
        )
        return 2
    chosen = ["--only", only] if only else [f"--specification={it}" for it in peer.specifications]
    limits = ["--timeout", str(TIMEOUT), "--memory", str(MEMORY >> 20)]
    return suite_command([*chosen, *limits, *command_of(peer)])


def scored(peer: Peer) -> Score:
    """Ask one parser every case that it is asked about."""
    try:
        version = ready(peer)
    except Missing as why:
        print(f"NOT ASKED: {peer.title}: {why}", file=sys.stderr)
        return Score(peer.key, "", str(why), [])
    cases = [case for name in peer.specifications for case in suite.cases(name)]
    verdicts = suite.run(command_of(peer), cases, timeout=TIMEOUT, memory=MEMORY)
    score = score_of(peer, version, verdicts)
    failed = sum(one.outcome == "failed" for one in score.answered)
    print(f"{peer.title} {version}: {len(cases)} cases, {failed} answered otherwise", flush=True)
    return score


def ready(peer: Peer) -> str:
    """Build what a parser needs, and return its version. Raises Missing."""
    build(peer.side)
    if peer.key == NEWER and not (shutil.which(NEWER_PYTHON) or python_side.MODULE in os.environ):
        raise Missing(f"`{NEWER_PYTHON}` is not there, and {python_side.MODULE} names no file")
    if peer.version:
        return peer.version
    command = [*command_of(peer), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing("it is not installed in `build/dropins-venv`")
    return done.stdout.strip()


def command_of(peer: Peer) -> list[str]:
    """Return what starts the adapter of a parser."""
    newer = shutil.which(NEWER_PYTHON) if peer.key == NEWER else None
    if newer is not None and python_side.MODULE not in os.environ:
        return [newer, python_side.__file__, "urllib"]
    return toolchains.command_for(peer.side, peer.key)


@cache
def build(side: str) -> None:
    """Build the adapter of a language once."""
    toolchains.build(side)
