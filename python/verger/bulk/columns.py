"""What comes in: objects of any library that speak the Arrow PyCapsule interface."""

from typing import Protocol, TypeAlias


class ArrowStream(Protocol):
    """A table, or a column in pieces."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule named `arrow_array_stream`."""
        ...


class ArrowArray(Protocol):
    """A batch, or a column in one piece."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return capsules named `arrow_schema` and `arrow_array`."""
        ...


Columns: TypeAlias = ArrowStream | ArrowArray
"""A table, a batch, or one column."""
