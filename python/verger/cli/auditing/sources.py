"""Where an audit's robots.txt file and logs come from.

In: the words of the command line. Out: versions of the file, from disk, stdin or the network; the
stream of a log. A file that cannot be read or fetched is a `Failure`: an audit never guesses.
"""

from argparse import Namespace
from typing import cast

from verger import DIALECTS
from verger.bulk.audit import Version, history_of, version_of
from verger.bulk.audit.history import hosts_of
from verger.files.named import read_named
from verger.files.places import input_name, is_url
from verger.files.standard import stdin_bytes, with_own_buffer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedReader


def versions_of(args: Namespace) -> list[Version]:
    """Return the versions to judge by: one file for all times, or its history."""
    if args.history:
        return history_of(args.history, hosts=args.host, dialect=DIALECTS[args.dialect])
    if is_url(args.robots):
        return [_fetch(args)]
    path = args.robots
    hint = f"pass `--history {path}` for a folder of dated versions"
    data = read_named(path, [DIALECTS[args.dialect]], if_folder=hint)
    return [Version(input_name(path), data)]


def _fetch(args: Namespace) -> Version:
    """Fetch the file of a URL's origin, and select the requests for its host."""
    from verger.cli.live import fetch_site, no_file, tell_absence

    fetched = fetch_site(args, args.robots, [args.dialect])
    if not args.host:
        args.host = hosts_of([fetched.site.origin])
    version = version_of(fetched.site)
    if version is None:
        raise no_file(fetched.last, "judge by")
    tell_absence(args, fetched)
    return version


def stdin_stream() -> "BufferedReader":
    """Return the log on stdin."""
    return cast("BufferedReader", with_own_buffer(stdin_bytes("an access log")))
