"""Spoken: whether stderr is an output like any other.

A command says on stderr how it gets on and what went wrong, so that stderr must not lead to what it
reads. Other programs write there what they like, and it is theirs to say where that goes.
"""

from verger.errors import UnusableOutput


class SpokenInto(UnusableOutput):
    """What a command says on stderr would be written into what it reads."""


class Speaking:
    """Within it, in this process, stderr counts as an output."""

    depth = 0

    def __enter__(self) -> None:
        Speaking.depth += 1

    def __exit__(self, *_: object) -> None:
        Speaking.depth -= 1


def is_spoken_to() -> bool:
    """Whether stderr counts as an output."""
    return Speaking.depth > 0
