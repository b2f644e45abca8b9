"""How files are fetched: the options for it, and the client that they make.

In: the words behind `--agent`, `--timeout`, `--proxy` and the like. Out: product tokens, the
identification string that requests carry, an `AsyncClient`. What fetches is imported when a
client is made, so that these options cost nothing where nothing is fetched.
"""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Sequence

from verger import Dialect, __version__, product_token
from verger.cli.exit import Failure
from verger.cli.options import Parser
from verger.cli.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cache.store import Store
    from verger.client import AsyncClient, Event

EXAMPLE = "ExampleBot/1.0 (+https://example.com/bot)"
TIMEOUT = 30.0
IDLE = 10.0

NETWORK = ("user_agent", "timeout", "connect_to", "proxy", "ca_bundle")
"""What `add_network` adds, as argparse names it."""


def add_network(grammar: Parser) -> None:
    """Add the options that say how to fetch."""
    grammar.add_argument(
        "--user-agent",
        metavar="STRING",
        help="the identification string that requests carry, where it is not that of the crawler",
    )
    grammar.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help=f"for one file with all its redirects (default: {TIMEOUT:g})",
    )
    add_route(grammar)


def add_route(grammar: Parser) -> None:
    """Add the options that say where connections go, and whom they trust."""
    grammar.add_argument(
        "--connect-to",
        action="append",
        metavar="HOST1:PORT1:HOST2:PORT2",
        help="connect to HOST2:PORT2 where the request is for HOST1:PORT1; left empty, HOST1 and "
        "PORT1 mean any; may be given several times",
    )
    grammar.add_argument("--proxy", metavar="URL", help="send all requests through this proxy")
    grammar.add_argument(
        "--ca-bundle", metavar="FILE", help="trust these authorities in place of the system's"
    )


def seconds(word: str) -> float:
    """Return a positive number of seconds, for argparse."""
    try:
        number = float(word)
    except ValueError:
        number = 0.0
    if 0 < number < float("inf"):
        return number
    raise ArgumentTypeError(f"`{word}` is no number of seconds")


def tokens_of(agent: str) -> tuple[str, ...]:
    """Return the product tokens of `a,b`, or the one in an identification string."""
    if not any(mark in agent for mark in " /("):
        return tuple(agent.split(","))
    token = product_token(agent)
    if token is None:
        raise Failure(
            f"`{printable(agent)}` names no product token (RFC 9309 section 2.2.1)",
            f'pass one, or an identification string such as "{EXAMPLE}"',
        )
    return (token,)


def identification(agents: Sequence[str]) -> str:
    """Return what requests say of who asks: the first crawler's own string, or a name for it.

    A bare token is no identification: servers are told what is going on.
    """
    for agent in agents:
        if any(mark in agent for mark in " /("):
            return agent
    token = agents[0].partition(",")[0]
    return (
        f"verger/{__version__}" if token == "*" else f"{token} (checked with verger/{__version__})"
    )


def client(
    asked: Namespace,
    *,
    tokens: tuple[str, ...],
    dialect: str | Dialect,
    store: "Store | None",
    on_event: "Callable[[Event], None]",
    clock: Callable[[], float],
    body_octets: int | None = None,
    memory_octets: int = 16 << 20,
) -> "AsyncClient":
    """Return the client that the options ask for; it fetches as who `asked.agent` names.

    body_octets:  how much of a file is kept; None for what the dialect reads.
    """
    import logging

    from verger.client import AsyncClient
    from verger.fetch.limits import FetchLimits

    # What goes wrong with a store is told by events, and not once more by Python's last resort.
    logging.getLogger("verger").addHandler(logging.NullHandler())
    total = asked.timeout or TIMEOUT
    return AsyncClient(
        asked.user_agent or identification(asked.agent),
        token=tokens,
        dialect=dialect,
        store=store,
        limits=FetchLimits(total=total, idle=min(total, IDLE), body_octets=body_octets),
        memory_octets=memory_octets,
        connect_to=asked.connect_to or (),
        proxy=asked.proxy,
        ca_bundle=asked.ca_bundle,
        on_event=on_event,
        clock=clock,
    )


def problem_lines(detail: str) -> str:
    """Return the lines that tell a person of a cache that is worked around."""
    message, _, hint = detail.partition("\nhint: ")
    told = f"note: the cache failed, and is done without: {printable(message)}\n"
    return f"{told}hint: {printable(hint)}\n" if hint else told
