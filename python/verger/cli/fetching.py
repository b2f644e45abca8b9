"""How files are fetched: the client that the options describe.

In: the values of `--user-agent`, `--timeout`, `--proxy` and the like. Out: the identification
string that requests carry, an `AsyncClient`. The fetching code is imported when a client is
created, so that these options cost nothing if nothing is fetched.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence

from verger import Dialect, __version__
from verger.cli.options import TIMEOUT, headers_of
from verger.cli.tokens import Tokens
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cache.store import Store
    from verger.client import AsyncClient, Event

IDLE = 10.0


def identification(tokens: Tokens) -> str:
    """Return the default identification string of requests.

    A bare token does not identify the client, so the string also names verger.
    """
    token = tokens[0]
    return (
        f"verger/{__version__}" if token == "*" else f"{token} (checked with verger/{__version__})"
    )


def client(
    args: Namespace,
    *,
    tokens: Tokens,
    dialect: str | Dialect,
    store: "Store | None",
    on_event: "Callable[[Event], None]",
    clock: Callable[[], float],
    body_bytes: int | None = None,
    memory_bytes: int = 16 << 20,
    public_only: bool = False,
    private: Sequence[str] = (),
) -> "AsyncClient":
    """Return the client that the options describe; requests carry `--user-agent`, or a token.

    body_bytes:  how much of a file to keep; None for what the dialect reads.
    """
    from verger.client import AsyncClient
    from verger.fetching.limits import FetchLimits

    silence_log()
    total = args.timeout or TIMEOUT
    headers = headers_of(args)
    return AsyncClient(
        args.user_agent or identification(tokens),
        token=tokens,
        dialect=dialect,
        store=store,
        limits=FetchLimits(total=total, idle=min(total, IDLE), body_bytes=body_bytes),
        headers=headers.pop(""),
        origin_headers=headers,
        memory_bytes=memory_bytes,
        connect_to=args.connect_to or (),
        proxy=args.proxy,
        ca_bundle=args.ca_bundle,
        public_only=public_only,
        private=private,
        on_event=on_event,
        clock=clock,
    )


def silence_log() -> None:
    """Keep Python from printing what commands print themselves, or ask for on purpose.

    That is problems of the store, which events report, and questions about other crawlers.
    """
    import logging
    import warnings

    from verger.client.identity import TokenNotSent

    warnings.simplefilter("ignore", TokenNotSent)
    logging.getLogger("verger").addHandler(logging.NullHandler())


def problem_lines(detail: str) -> str:
    """Return the lines that report a cache that failed and is bypassed."""
    message, _, hint = detail.partition("\nhint: ")
    note = f"note: the cache failed, and is not used: {printable(message)}\n"
    return f"{note}hint: {printable(hint)}\n" if hint else note
