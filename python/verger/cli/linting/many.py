"""Many files at once: by several processes if there are hundreds, in the order of the input.

In: a function of one file, and files. Out: its result for each.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias, TypeVar

from verger.cli.linting.inputs import Input

T = TypeVar("T")
Chunk: TypeAlias = Sequence[Input]

MANY = 400
"""Files that one process handles in the time that another takes to start."""

CHUNK = 100


def each_of(work: Callable[[Input], T], inputs: Sequence[Input]) -> Iterator[T]:
    """Yield the result for each input, in order."""
    processes = min(os.cpu_count() or 1, 1 + len(inputs) // MANY)
    if processes == 1:
        yield from map(work, inputs)
        return
    from concurrent.futures import ProcessPoolExecutor

    executor = ProcessPoolExecutor(processes)
    try:
        for results in executor.map(partial(_chunk, work), _chunks(inputs)):
            yield from results
    finally:
        executor.shutdown(cancel_futures=True)


def _chunk(work: Callable[[Input], T], inputs: Chunk) -> list[T]:
    return list(map(work, inputs))


def _chunks(inputs: Sequence[Input]) -> Iterator[Chunk]:
    rest = iter(inputs)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk
