"""Random mutations of real files, in bytes and in lines.

In: real files and a seeded generator. Out: `Batch`es whose files no human wrote, with questions
derived from the rules before and after. One to four mutations a file keep it recognisable.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random

from .corpus import RealFile
from .hints import hints
from .questions import Batch, ask

VERSIONS = 2
QUESTIONS_A_VERSION = 12
_LARGEST = 12_000
_INSERTS = (
    b"\0",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x85",
    b"\xa0",
    b"\xe2\x80\xa8",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc3\xa9",
    b"%c3%a9",
    b"%7E",
    b"%2a",
    b"%",
    b"*",
    b"**",
    b"$",
    b"#",
    b":",
    b" ",
    b"/",
    b"\r",
    b"\n",
    b"\n\n",
    b"\nUser-agent: *\n",
    b"\nDisallow:\n",
    b"\nAllow: /index.html\n",
)

Mutation = Callable[[Random, bytes], bytes]


def mutated_batches(files: Sequence[RealFile], seed: str) -> Iterator[Batch]:
    """Yield mutated versions of every real file, large ones cut to their beginning."""
    for file in files:
        rng = Random(f"{seed}/mutated/{file.host}")
        for number in range(1, VERSIONS + 1):
            yield _mutated_batch(rng, file, number)


def _mutated_batch(rng: Random, file: RealFile, number: int) -> Batch:
    original = file.data[:_LARGEST]
    data = mutated(rng, original)
    questions = ask(rng, file.host, hints(original) + hints(data), QUESTIONS_A_VERSION)
    return Batch(f"{file.host} (mutated, {number})", data, questions)


def mutated(rng: Random, data: bytes) -> bytes:
    """Return the bytes after one to four random mutations."""
    for _ in range(rng.randint(1, 4)):
        data = rng.choice(_MUTATIONS)(rng, data)
    return data


def _bytes_flipped(rng: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randint(1, 8) if changed else 0):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _bytes_inserted(rng: Random, data: bytes) -> bytes:
    for _ in range(rng.randint(1, 8)):
        place = rng.randrange(len(data) + 1)
        data = data[:place] + rng.choice(_INSERTS) + data[place:]
    return data


def _bytes_removed(rng: Random, data: bytes) -> bytes:
    start = rng.randrange(len(data) + 1)
    return data[:start] + data[start + rng.randint(1, 40) :]


def _mark_prefixed(rng: Random, data: bytes) -> bytes:
    return rng.choice((b"\xef", b"\xef\xbb", b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbf")) + data


def _ends_changed(rng: Random, data: bytes) -> bytes:
    unix = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return unix.replace(b"\n", rng.choice((b"\r", b"\r\n", b"\n\r", b"\r\r\n", b"\n\n", b"\x0b\n")))


def _one_end_changed(rng: Random, data: bytes) -> bytes:
    place = data.find(b"\n", rng.randrange(len(data) + 1))
    end = rng.choice((b"\r", b"", b" ", b"\x85", b"\x0c"))
    return data if place < 0 else data[:place] + end + data[place + 1 :]


def _lines_shuffled(rng: Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


def _lines_repeated(rng: Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(rng.randint(1, 5) if lines else 0):
        lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return b"".join(lines)


def _lines_swapped(rng: Random, data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    for _ in range(rng.randint(1, 3) if lines else 0):
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[one], lines[other] = lines[other], lines[one]
    return b"".join(lines)


def _rules_turned(_: Random, data: bytes) -> bytes:
    return (
        data.replace(b"Disallow:", b"\0").replace(b"Allow:", b"Disallow:").replace(b"\0", b"Allow:")
    )


def _case_swapped(_: Random, data: bytes) -> bytes:
    return data.swapcase()


_MUTATIONS: tuple[Mutation, ...] = (
    _bytes_flipped,
    _bytes_flipped,
    _bytes_inserted,
    _bytes_inserted,
    _bytes_removed,
    _mark_prefixed,
    _ends_changed,
    _one_end_changed,
    _lines_shuffled,
    _lines_repeated,
    _lines_swapped,
    _rules_turned,
    _case_swapped,
)
