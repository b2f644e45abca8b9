"""News by webhooks, as Standard Webhooks 1.0 says.

In: the outbox of an archive. Out: signed POST requests. What a receiver does not take is tried
again over days, and meanwhile it is left alone; 410 ends it, and a redirect is a failure. A
receiver that never answers delays nobody but itself.
"""

import asyncio
import json
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from verger import __version__
from verger.errors import InvalidOption, MissingExtra
from verger.files.json_text import Json, json_text
from verger.untrusted_text import printable, reason_of, shortened
from verger.watch.archive import Archive

with MissingExtra.unless_installed("watch", "a webhook"):
    import aiohttp
    from standardwebhooks import Webhook

MOST_BYTES = 20_000
"""The most bytes of a message: Standard Webhooks 1.0, "Payload size"."""

TIMEOUT = 20.0
"""Seconds for one request: the same, "Deliverability and reliability"."""

RETRIES = (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
"""Seconds until a message is tried again, by how often it was: the same, "Retry schedule"."""

LATER = 1.1
"""By how much it may be later, so that receivers are not all asked at once."""

LONGEST = RETRIES[-1] * LATER

GONE = 410

Note = Callable[[str], None]


class Webhooks:
    """The receivers of news.

    keys:  what signs messages; several while one takes the place of another.
    note:  called with what a person should know, in a line.
    """

    def __init__(
        self, archive: Archive, urls: Sequence[str], keys: Sequence[Webhook], note: Note
    ) -> None:
        self._archive, self._urls, self._keys, self._note = archive, urls, keys, note
        self._wakes = {url: asyncio.Event() for url in urls}

    def wake(self) -> None:
        """Look into the outbox now: there is news."""
        for event in self._wakes.values():
            event.set()

    async def run(self, *, once: bool) -> None:
        """Deliver for ever, or what is due now; each receiver by itself."""
        limits = aiohttp.ClientTimeout(total=TIMEOUT)
        async with aiohttp.ClientSession(timeout=limits) as session:
            await asyncio.gather(*(self._serve(session, url, once) for url in self._urls))

    async def _serve(self, session: aiohttp.ClientSession, url: str, once: bool) -> None:
        """Deliver to one receiver, in the order of the news."""
        while True:
            self._wakes[url].clear()
            now = datetime.now(UTC)
            first = self._archive.waiting(url)
            number, tries, due, record = first or (0, 0, 0.0, "")
            wait = due - now.timestamp() if first else None
            if first and not record:
                with self._archive.transaction():
                    self._remove(url, number)
            elif wait is not None and not 0 < wait < LONGEST:  # more if a clock was wrong
                self._settle(url, number, tries, *await self._post(session, url, record, now))
            elif once:
                return
            else:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._wakes[url].wait(), wait)

    async def _post(
        self, session: aiohttp.ClientSession, url: str, record: str, now: datetime
    ) -> tuple[int, str]:
        """Send a message; return the status, 0 for none, and what happened in words."""
        message = message_of(json.loads(record))
        name = f"msg_{json.loads(record)['id'].replace('-', '')}"
        signed = " ".join(key.sign(name, now, message) for key in self._keys)
        headers = {
            "content-type": "application/json",
            "user-agent": f"verger/{__version__}",
            "webhook-id": name,
            "webhook-timestamp": str(int(now.timestamp())),  # as it is signed: rounded down
            "webhook-signature": signed,
        }
        sent = {"data": message.encode(), "headers": headers, "allow_redirects": False}
        try:
            async with session.post(url, **sent) as reply:  # type: ignore[arg-type]
                return reply.status, f"it answered {reply.status}"
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            return 0, reason_of(error)

    def _settle(self, url: str, number: int, tries: int, status: int, what: str) -> None:
        """Store what became of a message."""
        shown = printable(url.partition("?")[0])
        with self._archive.transaction():
            if 200 <= status < 300:
                self._remove(url, number)
            elif status == GONE:
                query = "INSERT OR REPLACE INTO target VALUES (?, ?, unixepoch('now'))"
                self._archive.ask(query, url, number)
                self._archive.ask("DELETE FROM outbox WHERE target = ?", url)
                self._note(f"note: the webhook {shown} wants no more news: {what}")
            elif tries >= len(RETRIES):
                self._remove(url, number)
                self._note(f"note: the webhook {shown} did not take news {number} in days: {what}")
            else:
                due = datetime.now(UTC).timestamp() + RETRIES[tries] * random.uniform(1, LATER)
                rest = "UPDATE outbox SET due = max(due, ?) WHERE target = ?"
                self._archive.ask(rest, due, url)
                query = "UPDATE outbox SET tries = tries + 1 WHERE (target, news) = (?, ?)"
                self._archive.ask(query, url, number)
                if not tries:
                    self._note(f"note: the webhook {shown} is tried again: {what}")

    def _remove(self, url: str, number: int) -> None:
        self._archive.ask("DELETE FROM outbox WHERE (target, news) = (?, ?)", url, number)


def keys_of(secrets: Sequence[str]) -> list[Webhook]:
    """Return what signs messages with secrets, written as `whsec_...`. Raises InvalidOption."""
    try:
        return [Webhook(secret) for secret in secrets]
    except Exception as error:  # of base64, and of the package
        hint = "a secret is `whsec_` and 24 to 64 bytes in base64"
        raise InvalidOption(f"not the secret of a webhook: {reason_of(error)}", hint) from None


def message_of(news: dict[str, Any]) -> str:
    """Return the message about news; of lists and texts that are too long, the beginning."""
    state = news["state"]
    kind = "changed" if state["old"] == state["new"] else state["new"]
    about: Json = {"type": f"robots.{kind}", "timestamp": news["time"], "data": news}
    text = json_text(about)
    for most in (300, 100, 30, 10, 3, 1):
        if len(text) <= MOST_BYTES:
            break
        text = json_text({**about, "data": {**_cut(news, most), "is_cut": True}})
    return text


def _cut(value: Any, most: int) -> Any:
    """Return a value whose lists and texts are not longer than some size."""
    match value:
        case dict():
            return {name: _cut(each, most) for name, each in value.items()}
        case list():
            return [_cut(each, most) for each in value[:most]]
        case str():
            return shortened(value, max(100, 10 * most))
    return value
