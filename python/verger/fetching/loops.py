"""State that belongs to one event loop of one process, created on first use.

Connections can be used only by the loop that opened them, and not at all after a fork.
"""

import asyncio
import os
from collections.abc import Callable
from typing import Generic, TypeVar

from verger.loop_thread import INHERITED

T = TypeVar("T")


class PerLoop(Generic[T]):
    """One `T` for each event loop that uses it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._process = os.getpid()
        self._states: dict[asyncio.AbstractEventLoop, T] = {}

    def get(self) -> T:
        """Return the state of the running loop."""
        self._leave_parent()
        loop = asyncio.get_running_loop()
        state = self._states.get(loop)
        if state is None:
            self._forget_dead_loops()
            state = self._states[loop] = self._make()
        return state

    def pop(self) -> T | None:
        """Return the state of the running loop, if there is any, and forget it."""
        self._leave_parent()
        return self._states.pop(asyncio.get_running_loop(), None)

    def _leave_parent(self) -> None:
        if self._process != os.getpid():
            INHERITED.append(self._states)
            self._states = {}
            self._process = os.getpid()

    def _forget_dead_loops(self) -> None:
        self._states = {loop: state for loop, state in self._states.items() if not loop.is_closed()}
