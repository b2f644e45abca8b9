"""Many files at once: by two processes where there are some hundred, in the order of the input.

In: a function of one file, and files. Out: what it returns of each.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from verger.cli.linting.inputs import Input

Told = TypeVar("Told")

MANY = 400
"""Files that one process looks at while another would begin."""

CHUNK = 100


def each_of(work: Callable[[Input], Told], inputs: Sequence[Input]) -> Iterator[Told]:
    """Yield what the work returns of each input, in their order."""
    processes = min(os.cpu_count() or 1, 1 + len(inputs) // MANY)
    if processes == 1:
        yield from map(work, inputs)
        return
    from concurrent.futures import ProcessPoolExecutor

    executor = ProcessPoolExecutor(processes)
    try:
        pieces = executor.map(_Chunk(work), _chunks(inputs))
        for piece in pieces:
            yield from piece
    finally:
        executor.shutdown(cancel_futures=True)


class _Chunk:
    """The work on several inputs, which travel together."""

    def __init__(self, work: Callable[[Input], Told]) -> None:
        self._work = work

    def __call__(self, inputs: Sequence[Input]) -> list[Told]:
        return list(map(self._work, inputs))


def _chunks(inputs: Sequence[Input]) -> Iterator[Sequence[Input]]:
    rest = iter(inputs)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk
