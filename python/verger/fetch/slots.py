"""Turns: how many connections one address may hold at a time.

In: IP addresses. Out: permission to connect, first come, first served. Many hosts behind one
address are one machine. An address that nobody connects to takes no memory. Knows no socket.
"""

import asyncio
from collections import deque


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
        """Hand a slot to the first who waits for it, or put it back."""
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
        if turn.done() and not turn.cancelled():  # handed over in the moment of cancellation
            self.give(address)
            return
        queue = self._waiting.get(address)
        if queue and turn in queue:
            queue.remove(turn)
            if not queue:
                del self._waiting[address]
