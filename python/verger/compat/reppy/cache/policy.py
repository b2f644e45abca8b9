"""What a cache keeps if a fetch raises an exception."""

import time
from collections.abc import Callable


class CachePolicyBase:
    """A policy; derive your own."""

    def exception(self, url: str, exception: BaseException) -> tuple[float, object]:
        """Return the time until which an object is kept instead of the file, and the object."""
        raise NotImplementedError("CachePolicyBase does not implement exception.")


class DefaultObjectPolicy(CachePolicyBase):
    """Keeps the object that `factory` returns for the URL, for `ttl` seconds."""

    def __init__(self, ttl: float, factory: Callable[[str], object]) -> None:
        self.ttl = ttl
        self.factory = factory

    def exception(self, url: str, exception: BaseException) -> tuple[float, object]:  # noqa: ARG002
        """Return the time until which the object is kept, and the object."""
        return time.time() + self.ttl, self.factory(url)


class ReraiseExceptionPolicy(CachePolicyBase):
    """Keeps the exception for `ttl` seconds; it is raised again."""

    def __init__(self, ttl: float) -> None:
        self.ttl = ttl

    def exception(self, url: str, exception: BaseException) -> tuple[float, object]:  # noqa: ARG002
        """Return the time until which the exception is kept, and the exception."""
        return time.time() + self.ttl, exception
