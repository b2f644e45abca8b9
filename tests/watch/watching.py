"""Watchers in this process, over a player of hosts. No test is here."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from cli.conftest import validator
from verger.watch.archive import Archive
from verger.watch.news import Interest
from verger.watch.watcher import Targets

from .player import Played, Player, playing
from .rounds import play

FILE = b"User-agent: *\nDisallow: /private\n"
OTHER = b"User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nDisallow: /blog\n"
PAGE = (200, b"<!doctype html>\n<title>Down</title>\n", {"Content-Type": "text/html"})

News = list[dict[str, Any]]


def news_of(
    hosts: Mapping[str, Sequence[Played]],
    path: Path,
    interest: Interest | None = None,
    targets: Targets | None = None,
    player: Player | None = None,
) -> News:
    """Play hosts to their end, and return all news."""
    archive = Archive(str(path))
    with playing(player or Player(hosts)) as stage:
        asyncio.run(play(stage.port, archive, targets or Targets(), interest or Interest()))
    news = [json.loads(record) for *_, record in archive.news()]
    archive.close()
    for each in news:
        validator("news").validate(each)
    return news


def moves(news: News) -> list[tuple[str, str]]:
    """Return the states that were left and entered."""
    return [(each["state"]["old"], each["state"]["new"]) for each in news]
