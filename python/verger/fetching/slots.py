"""Turns: how many connections one address may hold at a time.

In: IP addresses. Out: permission to connect, first come, first served. Hosts that share an address
count as one machine. An address without connections takes no memory. Knows no socket.
"""

import asyncio
from collections import deque

ANY = ""
"""The key for the total number of connections, to any address."""


class AddressSlots:
    """At most `limit` connections to each address; for one event loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._taken: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, address: str) -> None:
        """Wait for a slot of this address; `give` it back afterwards."""
        if self.take_now(address):
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            self._withdraw(address, turn)
            raise

    def take_now(self, address: str) -> bool:
        """Take a slot of this address if there is one, without waiting."""
        taken = self._taken.get(address, 0)
        if taken >= self._limit:
            return False
        self._taken[address] = taken + 1
        return True

    def give(self, address: str) -> None:
        """Hand a slot to the first waiting task, or free it."""
        if turn := self._next_turn(address):
            turn.set_result(None)
        elif self._taken[address] == 1:
            del self._taken[address]
        else:
            self._taken[address] -= 1

    def _next_turn(self, address: str) -> "asyncio.Future[None] | None":
        queue = self._waiting.get(address)
        while queue:
            turn = queue.popleft()
            if not queue:
                del self._waiting[address]
            if not turn.done():
                return turn
        return None

    def _withdraw(self, address: str, turn: "asyncio.Future[None]") -> None:
        if turn.done() and not turn.cancelled():  # handed over just before the cancellation
            self.give(address)
            return
        queue = self._waiting.get(address)
        if queue and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._waiting[address]


class Holding:
    """The slots that one request holds while it tries addresses."""

    def __init__(self, slots: AddressSlots | None) -> None:
        self._slots = slots
        self._held: list[str] = []

    async def take(self, address: str) -> None:
        """Wait for a slot of the address to try first."""
        if self._slots:
            await self._slots.take(address)
            self._held.append(address)

    def admits(self, address: str) -> bool:
        """Whether an address may be tried: its slot is held already, or one is free and taken."""
        if self._slots is None or address in self._held:
            return True
        if not self._slots.take_now(address):
            return False
        self._held.append(address)
        return True

    def keep(self, address: str) -> None:
        """Give back all slots except that of the address that answered."""
        for other in [held for held in self._held if held != address]:
            self._give(other)

    def release(self) -> None:
        """Give back all slots."""
        for address in list(self._held):
            self._give(address)

    def _give(self, address: str) -> None:
        self._held.remove(address)
        if self._slots:
            self._slots.give(address)
