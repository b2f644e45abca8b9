"""What a cache keeps where a fetch raised."""

import time
from collections.abc import Callable


class CachePolicyBase:
    """A policy; derive your own."""

    def exception(self, url: str, exception: BaseException) -> tuple[float, object]:
        """Return until when something stands for the file, and what."""
        raise NotImplementedError("CachePolicyBase does not implement exception.")


class DefaultObjectPolicy(CachePolicyBase):
    """For `ttl` seconds, what `factory` makes of the URL."""

    def __init__(self, ttl: float, factory: Callable[[str], object]) -> None:
        self.ttl = ttl
        self.factory = factory

    def exception(self, url: str, exception: BaseException) -> tuple[float, object]:  # noqa: ARG002
        """Return until when the object stands for the file, and the object."""
        return time.time() + self.ttl, self.factory(url)


class ReraiseExceptionPolicy(CachePolicyBase):
    """For `ttl` seconds, the exception, which is raised again."""

    def __init__(self, ttl: float) -> None:
        self.ttl = ttl

    def exception(self, url: str, exception: BaseException) -> tuple[float, object]:  # noqa: ARG002
        """Return until when the exception stands for the file, and the exception."""
        return time.time() + self.ttl, exception
