"""How much time and how many octets one fetch may take."""

from dataclasses import dataclass

from verger.errors import RobotsError


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
        for name in ("total", "idle", "header_octets", "body_octets"):
            value: object = getattr(self, name)
            is_bound = isinstance(value, int | float) and 0 < value < float("inf")
            if not is_bound and not (name == "body_octets" and value in (0, None)):
                raise RobotsError(f"`{name}` is `{value!r:.40}`", "pass a positive number")
