"""How much time and how many octets one fetch may take."""

from dataclasses import dataclass

from verger.options import MOST_OCTETS, expect_seconds, expect_whole


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """The bounds of one fetch: the request and every redirect it follows."""

    total: float = 30.0
    """Seconds for one fetch with all its redirects."""
    idle: float = 10.0
    """Seconds without an octet, or to connect."""
    header_octets: int = 65_536
    """Octets of the status line and the header fields of one response."""
    body_octets: int | None = None
    """Decoded octets of the body that are kept; None: the parsing limit of the dialect."""

    def __post_init__(self) -> None:
        """Refuse what bounds nothing, or everything."""
        expect_seconds("total", self.total)
        expect_seconds("idle", self.idle)
        expect_whole("header_octets", self.header_octets)
        if self.body_octets is not None:
            expect_whole("body_octets", self.body_octets, least=0, most=MOST_OCTETS)
