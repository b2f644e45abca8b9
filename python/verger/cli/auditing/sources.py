"""Where an audit's robots.txt file and logs come from.

In: the words of the command line. Out: versions of the file, from disk, stdin or the network; the
stream of a log. A file that cannot be read or fetched is a `Failure`: an audit never guesses.
"""

import asyncio
from argparse import Namespace
from time import time
from typing import cast

from verger import DIALECTS, origin
from verger.bulk.audit import Version, history_of, version_of
from verger.bulk.audit.history import hosts_of
from verger.cli.exit import Failure
from verger.cli.files import read_named
from verger.files.places import STANDARD, is_url
from verger.files.standard import stdin_bytes, with_own_buffer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader

    from verger.client.site import Site


def versions_of(args: Namespace) -> list[Version]:
    """Return the versions to judge by: one file for all times, or its history."""
    if args.history:
        return history_of(args.history, hosts=args.host, dialect=DIALECTS[args.dialect])
    if is_url(args.robots):
        return [_fetch(args)]
    path = args.robots
    hint = f"pass `--history {path}` for a folder of dated versions"
    data = read_named(path, [DIALECTS[args.dialect]], if_folder=hint)
    return [Version("stdin" if path == STANDARD else path, data)]


def _fetch(args: Namespace) -> Version:
    """Fetch the file of a URL's origin, and select the requests for its host."""
    name = origin(args.robots)
    site = asyncio.run(_site(args, name))
    if not args.host:
        args.host = hosts_of([name])
    version = version_of(site)
    if version is not None:
        return version
    from verger.cli.outcome import happened

    assert site.entry is not None, "there are no overrides here"
    hint = "pass the file with `--robots FILE`, or its versions with `--history`"
    raise Failure(f"there are no rules to judge by: {happened(site.entry.last)}", hint)


async def _site(args: Namespace, name: str) -> "Site":
    from verger.cli.fetching import client

    fetching = client(
        args,
        tokens=("*",),
        dialect=DIALECTS[args.dialect],
        store=None,
        on_event=lambda _: None,
        clock=time,
    )
    try:
        return await fetching.site(name)
    finally:
        await fetching.close()


def stdin_stream() -> "BufferedReader":
    """Return the log on stdin."""
    return cast("BufferedReader", with_own_buffer(stdin_bytes("an access log")))
