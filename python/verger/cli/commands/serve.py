"""`verger serve`: answers for crawlers in any language, over HTTP.

In: an address to listen at, and what answers: a cache and the network, or a snapshot. Out: the
service, until it is told to end; a line for each request on stderr.
"""

import asyncio
import os
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from pathlib import Path

from verger import RFC9309, Dialect, MissingExtra
from verger.cache.opening import usable_store
from verger.cache.sqlite import default_path
from verger.cli import options
from verger.cli.live import client, network_of
from verger.cli.output import FINE, Failure, refuse_first, refuse_if
from verger.cli.tokens import crawler_of
from verger.client import AsyncClient, Event
from verger.files.lines import numbered_lines
from verger.files.stdio import LONGEST
from verger.untrusted_text import quoted, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.serve.server import ServerSettings
    from verger.serve.sites import NewClient

LISTEN = "127.0.0.1:8080"

MEMORY_BYTES = 64 << 20
"""Bytes of files in the memory of one client."""

LEAST_TOKEN = 16
"""The fewest characters of a token: shorter ones can be guessed."""

HELP = """\
usage: verger serve --user-agent STRING [--listen HOST:PORT]
                    [--cache PATH|URL|none] [--token-file FILE | --behind-proxy]
                    [--workers N] [OPTION...]
       verger serve --snapshot PATH [--listen HOST:PORT] [OPTION...]

Answers over HTTP for crawlers in any language, as the commands give them.

`GET /v1/check?url=URL&agent=TOKEN` gives the object of `verger check`;
/openapi.json describes all routes, and /openapi.html shows them. All callers
share one cache, with one fetch of a file at a time. It connects only to public
addresses. Who listens on other addresses than loopback needs --token-file or
--behind-proxy.

exit code:
  0    it was told to end, and has answered what it had accepted
  2    bad usage, or the service cannot start
  130  interrupted before it served

examples:
  verger serve --user-agent "ExampleBot/1.0 (+https://example.com/bot)"
  verger serve --snapshot june.warc.gz --listen 127.0.0.1:8081
  curl "http://127.0.0.1:8080/v1/check?agent=GPTBot&url=https://example.com/"
"""

OPTIONS = (
    options.option(
        "--listen",
        metavar="HOST:PORT",
        default=LISTEN,
        help=f"where to listen; port 0 is a free one (default: {LISTEN})",
    ),
    options.shared("--agent", unless="the one in --user-agent"),
    options.shared("--cache", unless="the one of `verger cache`"),
    options.shared("--snapshot"),
    options.option(
        "--token-file",
        type=options.file,
        metavar="FILE",
        help="answer only who sends one of these tokens, a line each, as `Authorization: Bearer`",
    ),
    options.switch(
        "--behind-proxy",
        help="a proxy in front keeps others out, and says who calls in `X-Forwarded-For`",
    ),
    options.option(
        "--workers",
        type=options.count,
        default=1,
        metavar="N",
        help="how many processes answer (default: 1)",
    ),
    options.shared("--quiet"),
    *options.NETWORK_WITH_NAME,
)


def run(args: Namespace) -> int:
    """Serve until SIGTERM, and return the exit code."""
    _check_usage(args)
    with MissingExtra.unless_installed("serve", "`verger serve`"):
        import aiohttp  # noqa: F401
    from verger.serve.metrics import Shares
    from verger.serve.server import Service, listening, log, supervise
    from verger.serve.slots import Slots
    from verger.snapshots.opening import open_stored

    settings = _settings(args)
    settings.expect_safe()
    snapshot = open_stored(args.snapshot) if args.snapshot else None
    if snapshot is not None:
        snapshot.shown = Path(snapshot.path).resolve().name
    store = None if snapshot else options.cache_of(args, default_path)
    new_client = partial(_new_client, args, store)
    if snapshot is None:  # a cache or a bundle that cannot be used is told now
        new_client(print)(RFC9309, None)
    try:
        bound = listening(settings)
    except OSError as error:
        why = f"cannot listen at {quoted(args.listen)}: {reason_of(error)}"
        raise Failure(why, "pass another address with `--listen`; port 0 is a free one") from None
    host, port = bound.getsockname()[:2]
    log("listening", host=host, port=port, workers=settings.workers)
    shares = Shares(settings.workers)

    def start(worker: int) -> None:
        service = Service(
            settings,
            new_client,
            snapshot=snapshot,
            slots=lambda sites: Slots(sites, usable_store(store)),
            shares=shares,
            worker=worker,
        )
        asyncio.run(service.serve(bound))

    if settings.workers == 1:
        start(0)
    else:
        supervise(settings.workers, start)
    return FINE


def _check_usage(args: Namespace) -> None:
    """Refuse usage that argparse cannot detect."""
    has_snapshot = args.snapshot is not None
    if has_snapshot:
        why = "which is not used with `--snapshot`"
        options.expect_no_network(args, options.NETWORK, why)
    refuse_first(
        (
            not has_snapshot and not args.user_agent,
            "no identification string given",
            'pass one, such as `--user-agent "ExampleBot/1.0 (+https://example.com/bot)"`',
        ),
        (
            args.token_file and args.behind_proxy,
            "`--token-file` and `--behind-proxy` cannot be combined",
            "a proxy that lets others in without a token needs none itself: pass one of them",
        ),
        (
            args.workers > 1 and not hasattr(os, "fork"),
            "`--workers` needs a system that forks processes",
            "start several services, each at a port of its own",
        ),
    )
    options.expect_separate_outputs(args, [], [args.snapshot, args.token_file])


def _settings(args: Namespace) -> "ServerSettings":
    from verger.serve.server import ServerSettings

    host, colon, port = args.listen.rpartition(":")
    refuse_if(
        not (colon and host and port.isascii() and port.isdigit() and int(port) < 1 << 16),
        f"`--listen {args.listen}` is not an address",
        f"write it as `HOST:PORT`, such as `{LISTEN}`",
    )
    return ServerSettings(
        host.strip("[]"),
        int(port),
        tokens=_tokens_in(args.token_file) if args.token_file else (),
        behind_proxy=args.behind_proxy,
        workers=args.workers,
        quiet=args.quiet,
    )


def _tokens_in(path: str) -> tuple[str, ...]:
    """Return the tokens of a file, a line each; empty lines and comments are none."""
    lines = (line.strip() for _, line in numbered_lines(path, LONGEST, what="tokens"))
    tokens = tuple(line for line in lines if line and not line.startswith("#"))
    is_text = all(token.isascii() and token.isprintable() for token in tokens)
    refuse_if(
        not (tokens and is_text and min(map(len, tokens)) >= LEAST_TOKEN),
        f"{quoted(path)} has no token, or one of fewer than {LEAST_TOKEN} characters",
        "write one such as `openssl rand -hex 32` prints, on a line of its own",
    )
    return tokens


def _new_client(
    args: Namespace, store: str | None, on_event: Callable[[Event], None]
) -> "NewClient":
    tokens = crawler_of(args, "rfc9309") if args.user_agent else ("*",)

    def new_client(dialect: Dialect, body_bytes: int | None) -> AsyncClient:
        return client(
            args,
            network_of(args, usable_store(store), public_only=True),
            tokens=tokens,
            dialect=dialect,
            body_bytes=body_bytes,
            on_event=on_event,
            memory_bytes=MEMORY_BYTES,
        )

    return new_client
