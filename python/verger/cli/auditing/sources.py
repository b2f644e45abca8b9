"""Where an audit's robots.txt file and logs come from.

In: the words of the command line. Out: versions of the file, from disk, stdin or the network; sizes
and streams of the logs. A file that cannot be had is a `Failure`: nothing is judged by a guess.
"""

# ruff: noqa: PTH116

import asyncio
import os
import stat
from argparse import Namespace
from collections.abc import Sequence
from time import time
from typing import cast

from verger import DIALECTS, Dialect, InvalidTarget, origin
from verger.bulk.audit import UnusableInput, Version, history_of
from verger.bulk.audit.history import host_of
from verger.cli.exit import Failure
from verger.cli.plain import printable
from verger.files.folder import read_robots
from verger.files.standard import stdin_bytes
from verger.plain import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader

    from verger.client.site import Site


def versions_of(args: Namespace) -> list[Version]:
    """Return what judges: one file for all times, or every version of it."""
    if args.history:
        try:
            return history_of(args.history, hosts=args.host, dialect=DIALECTS[args.dialect])
        except UnusableInput as error:
            raise Failure(printable(error.message), error.hint) from None
    if "://" in args.robots:
        return [_fetched(args)]
    return [_read(args.robots, DIALECTS[args.dialect])]


def _read(path: str, dialect: Dialect) -> Version:
    try:
        if path == "-":
            return Version("stdin", read_robots(stdin_bytes("robots.txt"), [dialect]))
        with open(path, "rb") as file:  # noqa: PTH123
            return Version(path, read_robots(file, [dialect]))
    except FileNotFoundError:
        raise Failure(f"no such file: `{printable(path)}`") from None
    except IsADirectoryError:
        hint = f"pass `--history {printable(path)}` for a folder of dated versions"
        raise Failure(f"`{printable(path)}` is a folder, not a file", hint) from None
    except OSError as error:
        raise Failure(f"cannot read `{printable(path)}`: {reason_of(error)}") from None


def _fetched(args: Namespace) -> Version:
    """Fetch the file of a URL's origin; requests for other hosts then do not count."""
    try:
        name = origin(args.robots)
    except InvalidTarget as error:
        raise Failure(error.message, error.hint) from None
    site = asyncio.run(_site(args, name))
    if not args.host:
        args.host = [host_of(name)]
    effect, entry = site.access.effect, site.entry
    assert entry is not None, "there are no overrides here"
    if effect == "rules" and entry.good is not None:
        return Version(entry.last.url, entry.good.body)
    if effect == "allow_all":
        return Version(entry.last.url, b"")
    from verger.cli.outcome import happened

    hint = "pass the file with `--robots FILE`, or its versions with `--history`"
    raise Failure(f"there are no rules to judge by: {happened(entry.last)}", hint)


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


def sizes_of(paths: Sequence[str]) -> int | None:
    """Return the bytes of all logs, None where one is no plain file; refuse what is no log."""
    total: int | None = 0
    for path in paths:
        if path == "-":
            total = None
            continue
        try:
            status = os.stat(path)
        except FileNotFoundError:
            raise Failure(f"no such file: `{printable(path)}`") from None
        except OSError as error:
            raise Failure(f"cannot read `{printable(path)}`: {reason_of(error)}") from None
        if stat.S_ISDIR(status.st_mode):
            raise Failure(f"`{printable(path)}` is a folder, not an access log")
        if total is not None:
            total = total + status.st_size if stat.S_ISREG(status.st_mode) else None
    return total


def hosts_of(words: Sequence[str]) -> list[str]:
    """Return hosts in lower case and A-label form, without ports, as servers log them."""
    return [host_of(_site_of(word)) for word in words]


def _site_of(word: str) -> str:
    try:
        return origin(f"http://{word}") if "/" not in word else origin(word)
    except InvalidTarget:
        why = f"`{printable(word)}` is no host"
        raise Failure(why, "pass one such as `www.example.com`") from None


def stdin_stream() -> "BufferedReader":
    """Return stdin with a buffer of its own: Python aborts where a thread waits in stdin's."""
    stdin = stdin_bytes("an access log")
    try:
        return open(os.dup(stdin.fileno()), "rb")  # noqa: PTH123 -- until the end
    except (OSError, ValueError):  # a test's, without a descriptor
        return cast("BufferedReader", stdin)
