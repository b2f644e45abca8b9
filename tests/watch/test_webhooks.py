"""Webhooks, with real receivers: each message once, signed, over days; nobody holds up another."""

import asyncio
import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from verger.errors import InvalidOption
from verger.watch import webhooks
from verger.watch.archive import Archive
from verger.watch.news import Interest
from verger.watch.watcher import Targets
from verger.watch.webhooks import MOST_BYTES, Webhooks, keys_of, message_of

from .player import Played, Player, playing
from .rounds import SECRET, play
from .watching import FILE, OTHER, news_of

HOSTS: dict[str, Sequence[Played]] = {"a.example": [FILE, OTHER], "b.example": [FILE, 404, FILE]}


def outbox(path: Path) -> list[tuple[Any, ...]]:
    """Return what waits."""
    return Archive(str(path), read_only=True).ask("SELECT target, news, tries FROM outbox")


def deliver(path: Path, urls: list[str]) -> list[str]:
    """Deliver what is due, and return what was noted."""
    notes: list[str] = []
    archive = Archive(str(path))
    asyncio.run(Webhooks(archive, urls, keys_of([SECRET]), notes.append).run(once=True))
    archive.close()
    return notes


def test_a_receiver_that_fails_twice_gets_each_message_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it did not take is sent again, and its signature is right."""
    monkeypatch.setattr(webhooks, "RETRIES", (0,) * 9)
    asked: Counter[str] = Counter()
    wrong: list[Exception] = []

    def answer(_path: str, headers: Mapping[str, str], body: bytes) -> int:
        try:
            Webhook(SECRET).verify(body, dict(headers))
        except WebhookVerificationError as error:
            wrong.append(error)
        asked[headers["webhook-id"]] += 1
        return 503 if asked[headers["webhook-id"]] <= 2 else 204

    player = Player(HOSTS, answer)
    with playing(player) as stage:
        targets = Targets(webhooks=[f"http://127.0.0.1:{stage.port}/hook"])
        archive = Archive(str(tmp_path / "a.db"))

        asyncio.run(play(stage.port, archive, targets, Interest()))
        news = [json.loads(record) for *_, record in archive.news()]
        deliver(tmp_path / "a.db", list(targets.webhooks))

    messages = [json.loads(body) for *_, body in player.messages]
    assert wrong == []
    assert [each["id"] for each in news] == [each["data"]["id"] for each in messages]
    assert {3} == set(asked.values())
    assert outbox(tmp_path / "a.db") == []


@pytest.mark.parametrize("status", [301, 400, 500])
def test_what_is_not_taken_waits(tmp_path: Path, status: int) -> None:
    """A redirect is a failure as any other: the message is kept, and the receiver left alone."""
    with playing(Player(HOSTS, lambda *_: status)) as stage:
        url = f"http://127.0.0.1:{stage.port}/hook"
        news = news_of(HOSTS, tmp_path / "a.db", targets=Targets(webhooks=[url]))
        deliver(tmp_path / "a.db", [url])
        waiting = outbox(tmp_path / "a.db")

    assert [1, 0, 0] == [tries for *_, tries in waiting]
    assert len(news) == len(waiting)


def test_what_a_wrong_clock_put_off_for_years_is_sent(tmp_path: Path) -> None:
    """Nothing waits longer than the longest pause."""
    path = tmp_path / "a.db"
    player = Player(HOSTS)
    with playing(player) as stage:
        url = f"http://127.0.0.1:{stage.port}/hook"
        news_of(HOSTS, path, targets=Targets(webhooks=[url]))
        with sqlite3.connect(path) as database:
            database.execute("UPDATE outbox SET due = due + 1e9")
        deliver(path, [url])

    assert outbox(path) == []
    assert len(player.messages) == 3


def test_410_ends_it(tmp_path: Path) -> None:
    """A receiver that is gone gets nothing any more, also not of later news."""
    with playing(Player(HOSTS, lambda *_: 410)) as stage:
        url = f"http://127.0.0.1:{stage.port}/hook"
        news_of(HOSTS, tmp_path / "a.db", targets=Targets(webhooks=[url]))
        notes = deliver(tmp_path / "a.db", [url])
        news_of({"c.example": [FILE, OTHER]}, tmp_path / "a.db", targets=Targets(webhooks=[url]))

    assert outbox(tmp_path / "a.db") == []
    assert notes == [] or "wants no more news" in notes[0]


def test_one_that_never_answers_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others get their messages while it is waited for."""
    monkeypatch.setattr(webhooks, "TIMEOUT", 2.0)
    player = Player(HOSTS, lambda path, *_: -1 if path == "/never" else 204)
    with playing(player) as stage:
        urls = [f"http://127.0.0.1:{stage.port}/{name}" for name in ("never", "good")]
        news = news_of(HOSTS, tmp_path / "a.db", targets=Targets(webhooks=urls))
        deliver(tmp_path / "a.db", urls)

    assert ["/good"] * len(news) == [path for path, *_ in player.messages]
    assert {urls[0]} == {target for target, *_ in outbox(tmp_path / "a.db")}


def test_a_message_is_never_too_large() -> None:
    """Of news about thousands of crawlers, the beginning is sent."""
    crawlers = [f"Crawler-{number}" for number in range(5_000)]
    changed = [{"crawlers": crawlers, "changes": [{"region": "/" + "a" * 2_000}] * 500}] * 50
    news = {
        "id": "1",
        "time": "2026-01-01T00:00:00Z",
        "state": {"old": "good", "new": "good"},
        "difference": {"changed": changed},
        "text": ["x" * 10_000] * 100,
    }

    message = json.loads(message_of(news))

    assert len(message_of(news)) <= MOST_BYTES
    assert message["data"]["is_cut"]
    assert message["data"]["id"] == "1"


def test_what_is_no_secret_is_refused() -> None:
    """It is said what a secret looks like."""
    with pytest.raises(InvalidOption, match="not the secret of a webhook"):
        keys_of(["whsec_%"])
