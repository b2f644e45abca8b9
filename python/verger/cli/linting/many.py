"""Many files at once: by two processes where there are some hundred, in the order of the input.

In: a function of one file, and files. Out: what it returns of each.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias, TypeVar

from verger.cli.linting.inputs import Input

Told = TypeVar("Told")
Chunk: TypeAlias = Sequence[Input]

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
        for told in executor.map(partial(_chunk, work), _chunks(inputs)):
            yield from told
    finally:
        executor.shutdown(cancel_futures=True)


def _chunk(work: Callable[[Input], Told], inputs: Chunk) -> list[Told]:
    return list(map(work, inputs))


def _chunks(inputs: Sequence[Input]) -> Iterator[Chunk]:
    rest = iter(inputs)
    while chunk := list(islice(rest, CHUNK)):
        yield chunk
