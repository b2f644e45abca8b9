"""Limits: the time and bytes of one fetch, and the number of connections."""

from dataclasses import dataclass, replace

from verger.errors import InvalidOption
from verger.options import MOST_BYTES, expect_seconds, expect_whole

__all__ = ["FetchLimits"]

TOTAL = 30.0

LEAST_BODY = 512_000
"""The bytes of a file that every crawler must read (RFC 9309 section 2.5)."""

CHUNK_OVERHEAD = 8
"""Bytes on the wire for each byte of a body sent in the smallest chunks; more than that are endless
extensions and trailers (RFC 9112 section 7.1)."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The limits of one fetch: the request and every redirect it follows.

    total:         seconds for one fetch with all its redirects.
    idle:          seconds without receiving a byte, and seconds to connect: the idle limit.
    header_bytes:  bytes of the status line and the header fields of one response.
    body_bytes:    decoded bytes of the body that are kept; None: the parsing limit of the dialect.
    small_limits:  whether `body_bytes` may be less than 500 KiB, for tests: rules that are not kept
                   disallow nothing (RFC 9309 section 2.5).
    """

    total: float = TOTAL
    idle: float = 10.0
    header_bytes: int = 65_536
    body_bytes: int | None = None
    small_limits: bool = False

    def __post_init__(self) -> None:
        """Refuse limits that would allow everything or nothing."""
        expect_seconds("total", self.total)
        expect_seconds("idle", self.idle)
        expect_whole("header_bytes", self.header_bytes)
        if self.body_bytes is None:
            return
        expect_whole("body_bytes", self.body_bytes, least=0, most=MOST_BYTES)
        if self.body_bytes < LEAST_BODY and not self.small_limits:
            raise InvalidOption(
                f"`body_bytes` is {self.body_bytes:,}: rules behind the first "
                f"{self.body_bytes:,} bytes would count for nothing (RFC 9309 section 2.5)",
                f"pass at least {LEAST_BODY}; tests may add `small_limits=True`",
            )


def timed(limits: FetchLimits, timeout: float | None) -> FetchLimits:
    """Return limits with a time for the whole fetch, which a silent server may use up as well."""
    if timeout is None:
        return limits
    expect_seconds("timeout", timeout)
    return replace(limits, total=timeout, idle=timeout)


def idle_limits(idle: float, *, body_bytes: int | None = None) -> FetchLimits:
    """Return the limits that a time-out means where it is that of a silent server, as in requests.

    A fetch may take as long as by default, or longer if a server may be silent for longer.
    """
    expect_seconds("idle", idle)
    return FetchLimits(total=max(TOTAL, idle), idle=idle, body_bytes=body_bytes)


def expect_connections(at_once: int, per_address: int | None) -> None:
    """Raise InvalidOption for impossible numbers of connections; None sets no bound."""
    expect_whole("connections", at_once)
    expect_whole("connections_per_address", per_address, optional=True)
