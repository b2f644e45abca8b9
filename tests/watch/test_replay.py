"""Replayed series of real files: each change that the analysis finds is told once:
in the archive, in the file, in the feeds and by webhooks, however often the watcher is killed.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

import verger
from patience import LONG, until
from support import CHECKOUT, shared
from verger.analysis import diff, prove
from verger.findings import NOT_ROBOTS_TXT, findings_of
from verger.watch.archive import Archive
from verger.watch.feeds import ATOM

from .player import Player, playing

KILLS = 30
HOSTS = 60
"""The hosts that every run plays; `slow` plays all."""

IN_TURN = ("glenelder.com.", "www.dcsa.mil.")
"""Hosts whose versions come back by meaning, or but for a sitemap."""

CHECKS = 4
"""How often a version is checked that comes back: less often would be in turn."""


@cache
def series() -> dict[str, list[bytes]]:
    """Return the versions of each host, in order of time."""
    found: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(shared("corpus/robots-timeseries.tar.xz")) as archive:
        for member in archive:
            if file := archive.extractfile(member) if member.isfile() else None:
                *_, source, host, name = Path(member.name).parts
                found[f"{host}.{source}.example".lower().replace("_", "-")][name] = file.read()
    return {host: [body for _, body in sorted(of.items())] for host, of in sorted(found.items())}


def played(versions: Sequence[bytes]) -> list[bytes]:
    """Return what a host serves: each version once, or several times if one comes back that says
    the same."""
    read = [verger.parse(body) for body in versions]
    said = [
        [key for key, _ in groupby(each.fingerprint(records=records) for each in read)]
        for records in (True, False)
    ]
    again = CHECKS if any(len(set(keys)) < len(keys) for keys in said) else 1
    return [body for body in versions for _ in range(again)]


def is_told(old: bytes, new: bytes) -> bool:
    """Whether the analysis calls it a change, or one of them is no robots.txt file."""
    if old == new or is_other(old) != is_other(new):
        return old != new
    before, after = verger.parse(old), verger.parse(new)
    return bool(diff(before, after).changed) or bool(prove(before, after).uses)


def is_other(body: bytes) -> bool:
    """Whether it is something else than a robots.txt file."""
    return any(each.code in NOT_ROBOTS_TXT for each in findings_of(verger.parse(body)))


def told_of(versions: Sequence[bytes]) -> list[str]:
    """Return the digests of the versions that are news; the first, if it is something else."""
    first = [versions[0]] if is_other(versions[0]) else []
    return [
        digest(new)
        for new in (*first, *(new for old, new in pairwise(versions) if is_told(old, new)))
    ]


def start(port: int, folder: Path) -> "subprocess.Popen[bytes]":
    """Start a watcher."""
    words = [str(port), str(folder / "a.db"), str(folder / "news.jsonl"), str(folder / "feeds")]
    hook = f"http://127.0.0.1:{port}/hook"
    path = os.pathsep.join((str(CHECKOUT / "tests"), str(CHECKOUT / "python")))
    command = [sys.executable, "-m", "watch.rounds", *words, hook]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": path})


def play(hosts: dict[str, list[bytes]], folder: Path, *, kills: int) -> Player:
    """Play hosts to their end, with a watcher that is killed and started again."""
    axe = random.Random(7)
    with playing(Player({host: played(of) for host, of in hosts.items()})) as player:
        left = sum(map(len, player.hosts.values()))
        for _ in range(kills):
            watcher, ends = (
                start(player.port, folder),
                player.requests + axe.randint(1, min(left // 40, 60)),
            )
            until(lambda: player.requests >= ends or watcher.poll() is not None)  # noqa: B023
            watcher.send_signal(signal.SIGKILL)
            watcher.wait()
        assert start(player.port, folder).wait(LONG * 24) == 0
    return player


def check(hosts: dict[str, list[bytes]], folder: Path, *, kills: int) -> None:
    """Play hosts, and compare what was told with what the analysis says."""
    player = play(hosts, folder, kills=kills)
    archive = Archive(str(folder / "a.db"), read_only=True)
    stored = [json.loads(record) for *_, record in archive.news()]
    lines = [json.loads(line) for line in (folder / "news.jsonl").read_text().splitlines()]
    feed = ElementTree.parse(folder / "feeds" / "all.atom").getroot()
    names = {"a": ATOM}
    entries = [each.text for each in feed.iterfind("a:entry/a:id", names)]
    messages = {
        headers["webhook-id"]: json.loads(body)["data"] for _, headers, body in player.messages
    }

    assert stored == lines
    assert len({each["id"] for each in stored}) == len(stored)
    assert entries == [f"urn:uuid:{each['id']}" for each in stored[::-1]][:200]
    assert {each["id"] for each in messages.values()} == {each["id"] for each in stored}
    by_origin: dict[str, list[str]] = defaultdict(list)
    for each in stored:
        by_origin[each["origin"]].append(each["observation"]["sha256"])
    assert {
        f"http://{host}": told for host, of in hosts.items() if (told := told_of(of))
    } == by_origin


def digest(body: bytes) -> str:
    """Return the digest of a file as news have it."""
    from hashlib import sha256

    return sha256(body).hexdigest()


def test_each_change_is_told_once_although_the_watcher_is_killed(tmp_path: Path) -> None:
    """A watcher that is killed at thirty moments tells each change of real sites once."""
    hosts = dict(list(series().items())[:: len(series()) // HOSTS])
    hosts |= {host: of for host, of in series().items() if host.startswith(IN_TURN)}

    check(hosts, tmp_path, kills=KILLS)


@pytest.mark.slow
def test_each_change_of_all_series_is_told_once(tmp_path: Path) -> None:
    """All series."""
    check(series(), tmp_path, kills=KILLS)
