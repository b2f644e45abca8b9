"""A watcher that plays the rounds of a player to their end; it may be killed and started again.

    python -m watch.rounds PORT ARCHIVE OUTPUT FEEDS [WEBHOOK...]

No test is here.
"""

import asyncio
import json
import sys
from http.client import HTTPConnection

from patience import LONG
from verger.client import AsyncClient
from verger.watch.archive import Archive, Vantage
from verger.watch.news import Interest
from verger.watch.watcher import Targets, Watcher
from verger.watch.webhooks import Webhooks, keys_of

from .player import CONTROL

AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def asked(port: int, path: str) -> list[str]:
    """Ask the player."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Host": CONTROL})
    hosts: list[str] = json.loads(connection.getresponse().read())
    connection.close()
    return hosts


async def play(port: int, archive: Archive, targets: Targets, interest: Interest) -> int:
    """Play the rounds that are left, and return how much news there was."""
    webhooks = Webhooks(archive, targets.webhooks, keys_of([SECRET]), lambda _: None)
    told = 0
    hosts = asked(port, "/round")
    while hosts:
        # no version is missed since the machine is busy
        patient = AsyncClient(AGENT, connect_to=[f":80:127.0.0.1:{port}"], timeout=LONG)
        async with patient as client:
            watcher = Watcher(archive, client, Vantage(AGENT), interest, targets)
            await watcher.watch([f"http://{host}" for host in hosts])
            await webhooks.run(once=True)
            told += watcher.told
        hosts = asked(port, "/done")
    return told


def main(port: str, path: str, output: str, feeds: str, *webhooks: str) -> None:
    """Play them in this process."""
    archive = Archive(path)
    targets = Targets(output or None, feeds or None, webhooks)
    asyncio.run(play(int(port), archive, targets, Interest()))
    archive.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
