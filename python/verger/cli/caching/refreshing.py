"""Refreshing a cache: a row for each file on stdout as it is fetched, a count on stderr.

In: origins, or a selection of the cache's own. Out: rows and a count. `verger.client.upkeep`
fetches.
"""

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from time import time

from verger.cache.existing import existing_store
from verger.cli.caching.looking import tell_damage
from verger.cli.caching.rows import writer
from verger.cli.exit import DISALLOWED, FINE, Failure
from verger.cli.fetching import client
from verger.cli.streams import encode, tell
from verger.cli.tokens import Tokens
from verger.client import Event, upkeep

KINDS = ("successful", "unavailable", "unreachable")


async def refresh(args: Namespace, tokens: Tokens, origins: Sequence[str]) -> int:
    """Fetch the files of some origins, or of those in the cache that the options select."""
    encode(sys.stdout, None, "backslashreplace")
    rows = writer(args.format, sys.stdout)
    counts: Counter[str] = Counter()
    problems: list[str] = []

    def note(event: Event) -> None:
        if event.kind == "store-problem":
            problems.append(event.detail)

    async with existing_store(args.cache) as store:
        fetching = client(
            args,
            tokens=tokens,
            dialect=args.dialect,
            store=store,
            on_event=note,
            clock=time,
            memory_bytes=0,
        )
        fetched = upkeep.refresh(fetching, store, origins or None, stale_only=args.stale)
        async with fetching, aclosing(fetched):
            async for kept in fetched:
                counts[kept.entry.last.access] += 1
                rows.write(kept)
        if not args.quiet:
            tell_damage(store)
    return _code(counts, problems, quiet=args.quiet)


def _code(counts: Counter[str], problems: Sequence[str], *, quiet: bool) -> int:
    """Report what was done; return 1 if a file could not be reached."""
    if problems:
        message, _, hint = problems[0].partition("\nhint: ")
        raise Failure(f"the cache failed during the run: {message}", hint or None)
    sys.stdout.flush()
    kinds = [f"{counts[kind]:,} {kind}" for kind in KINDS if counts[kind]]
    if not quiet:
        tell(f"{counts.total():,} fetched{': ' if kinds else ''}{', '.join(kinds)}")
    return DISALLOWED if counts["unreachable"] else FINE
