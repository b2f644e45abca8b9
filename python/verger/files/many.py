"""Many files at once: by several processes if there are hundreds, in the order of the input.

In: a function of one file, and files. Out: its result for each.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
Each = TypeVar("Each")

MANY = 400
"""Files that one process handles in the time that another takes to start."""

CHUNK = 100


def each_of(work: Callable[[Each], T], inputs: Sequence[Each]) -> Iterator[T]:
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


def _chunk(work: Callable[[Each], T], inputs: Sequence[Each]) -> list[T]:
    return list(map(work, inputs))


def _chunks(inputs: Sequence[Each]) -> Iterator[Sequence[Each]]:
    rest = iter(inputs)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk
