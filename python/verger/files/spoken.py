"""Spoken: whether stderr counts as an output.

A command writes progress and errors to stderr, so stderr must not lead to a file that it reads. In
other programs, stderr is theirs to direct.
"""

from verger.errors import UnusableOutput


class SpokenInto(UnusableOutput):
    """Messages on stderr would be written into a file that the command reads."""


class Speaking:
    """Within the block, stderr counts as an output of this process."""

    depth = 0

    def __enter__(self) -> None:
        Speaking.depth += 1

    def __exit__(self, *_: object) -> None:
        Speaking.depth -= 1


def is_spoken_to() -> bool:
    """Whether stderr counts as an output."""
    return Speaking.depth > 0
