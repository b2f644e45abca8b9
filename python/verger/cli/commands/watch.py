"""`verger watch`: which sites have changed their minds, for whom, and since when?

In: origins, from the command line, lists and snapshots; an archive. Out: news on stdout, in files,
in feeds and by webhooks; in the archive, all that was observed.
"""

import asyncio
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from verger import InvalidTarget, origin
from verger.cli import options
from verger.cli.live import client, network_of
from verger.cli.output import (
    DISALLOWED,
    FINE,
    UNANSWERED,
    Failure,
    encode,
    fail_with,
    note,
    plain_lines,
    refuse_first,
    see_help,
    tell,
    tell_failures,
)
from verger.cli.tokens import crawler_of, tokens_named
from verger.client import AsyncClient
from verger.crawlers.binding import dialect_for
from verger.crawlers.purposes import USES
from verger.crawlers.registry import by_purpose
from verger.errors import MissingExtra, UnusableInput
from verger.expectations.reading import load
from verger.files.lines import numbered_lines
from verger.files.paths import STANDARD, is_url
from verger.files.robots_file import read_whole
from verger.files.stdio import LONGEST
from verger.grouping import by_key
from verger.snapshots.opening import kind_of, open_stored
from verger.untrusted_text import counted, quoted, without_secrets
from verger.watch.archive import Archive, Vantage
from verger.watch.news import Interest
from verger.watch.sitemap import ENDINGS, pages_of
from verger.watch.watcher import Targets, Watcher

if TYPE_CHECKING:
    from verger.watch.webhooks import Webhooks

SECRET = "VERGER_WEBHOOK_SECRET"
"""The environment variable with the secrets of webhooks."""

HELP = """\
usage: verger watch ORIGIN... --archive PATH --user-agent STRING
                    (--once | --every SPAN) [--output FILE] [--feed FOLDER]
                    [--webhook URL]... [--expect FILE]... [--purpose NAME]...
                    [--use NAME] [OPTION...]

Which sites have changed their minds, for whom, and since when?

ORIGIN is a site, such as https://example.com, a list of sites, one on a line
(`-` for stdin), a sitemap (`.xml`, `.xml.gz`) or a snapshot, whose sites are
watched. News is what changes an answer: by meaning, not by text; and when a
site begins or ceases to fail, to serve versions in turn, to serve something
else, or to have no file.

Webhooks are signed as Standard Webhooks 1.0 says, with the secrets in
--webhook-secret FILE, one on a line, or in $VERGER_WEBHOOK_SECRET.

exit code:
  0    nothing is new
  1    there is news
  2    bad usage, or a line of a list is not a site; all others are watched
  130  interrupted

examples:
  verger watch https://example.com --archive sites.archive --once \\
      --user-agent "ExampleBot/1.0 (+https://example.com/bot)"
  verger watch sites.txt --archive sites.archive --every 6h --feed feeds \\
      --purpose training \\
      --user-agent "ExampleBot/1.0 (+https://example.com/bot)"
"""

OPTIONS = (
    options.option(
        "origins", nargs="*", type=options.file, metavar="ORIGIN", help="what is watched"
    ),
    options.ARCHIVE,
    options.switch("--once", help="check each site once, and end: for cron and timers"),
    options.option(
        "--every",
        type=options.span,
        metavar="SPAN",
        help="check each site again after this span, such as 6h, a tenth more or less",
    ),
    options.shared(
        "--output", what="a file to which each piece of news is appended as a line of JSON"
    ),
    options.option(
        "--feed",
        type=options.file,
        metavar="FOLDER",
        help="write Atom feeds there: all.atom, and one for each site",
    ),
    options.option(
        "--webhook",
        action="append",
        default=[],
        metavar="URL",
        help="post news there; may be given several times",
    ),
    options.option(
        "--webhook-secret",
        type=options.file,
        metavar="FILE",
        help="the secrets that sign what is posted, one on a line",
    ),
    options.option(
        "--expect",
        action="append",
        default=[],
        type=options.file,
        metavar="FILE",
        help="expectations as `verger test` takes them; it is news when one no longer holds",
    ),
    options.option(
        "--errors-after",
        type=options.count,
        default=3,
        metavar="N",
        help="how many failures in a row are news (default: 3)",
    ),
    options.shared(
        "--agent", more=f" only{options.REPEATED}", unless="all that are known or named"
    ),
    options.shared("--purpose"),
    options.shared(
        "--use", what="only changes for crawlers that fetch for this are news: whether it", more=""
    ),
    options.shared("--dialect"),
    options.shared("--quiet"),
    *options.NETWORK_WITH_NAME,
)


def run(args: Namespace) -> int:
    """Run the command, and return the exit code."""
    _check_usage(args)
    with MissingExtra.unless_installed("watch", "a watch"):
        from verger.watch.webhooks import Webhooks, keys_of
    origins: dict[str, None] = {}
    problems = [*_find(args.origins, origins)]
    if not origins:
        fail_with(problems or [("no site to watch", "name one on a line of the list")])
    tell_failures(problems)
    interest, keys = _interest(args), keys_of(_secrets(args))
    fetching = client(
        args,
        network_of(args, None),
        tokens=crawler_of(Namespace(agent=[], user_agent=args.user_agent), args.dialect),
        dialect=args.dialect,
        on_event=lambda _: None,
    )
    with closing(Archive(args.archive)) as archive:
        webhooks = Webhooks(archive, args.webhook, keys, tell)
        told = asyncio.run(_watch(args, list(origins), fetching, archive, interest, webhooks))
        note(args, *archive.notes())
    note(args, f"{counted(len(origins), 'site')}, {told:,} news")
    return UNANSWERED if problems else DISALLOWED if told else FINE


async def _watch(
    args: Namespace,
    origins: Sequence[str],
    fetching: AsyncClient,
    archive: Archive,
    interest: Interest,
    webhooks: "Webhooks",
) -> int:
    """Watch the sites, and return how many pieces of news there were."""
    encode(sys.stdout, None, "backslashreplace")
    targets = Targets(args.output, args.feed, args.webhook, _say)
    looked = Vantage(args.user_agent, without_secrets(args.proxy or ""))
    async with fetching:
        watcher = Watcher(archive, fetching, looked, interest, targets, webhooks.wake)
        checks = watcher.watch(origins, every=args.every)
        if args.once:
            await checks
            await webhooks.run(once=True)
        else:
            await asyncio.gather(checks, webhooks.run(once=False))
    return watcher.told


def _say(news: dict[str, Any]) -> None:
    """Write news as text."""
    lines = "\n  ".join((f"{news['time']}  {news['summary']}", *news["text"]))
    print(plain_lines(lines), end="", flush=True)


def _check_usage(args: Namespace) -> None:
    refuse_first(
        (not args.origins, "no site to watch", see_help("watch")),
        (args.archive is None, "no archive given", "pass `--archive sites.archive`"),
        (
            args.user_agent is None,
            "no identification string given",
            'pass `--user-agent "ExampleBot/1.0 (+https://example.com/bot)"`',
        ),
        (
            args.once == bool(args.every),
            "pass either `--once` or `--every`",
            "such as `--every 6h`",
        ),
        (
            not all(map(_is_web, args.webhook)),
            "`--webhook` is not an http or https URL",
            "pass one such as `https://example.com/hook`",
        ),
    )
    read = [*filter(os.path.isfile, args.origins), *args.expect, args.webhook_secret]
    outputs = dict.fromkeys([args.output or STANDARD, STANDARD])
    options.expect_separate_outputs(args, outputs, [args.archive, *read])
    refuse_first(
        (args.output == STANDARD, "news are on stdout as text", "name a file for `--output`"),
    )


def _is_web(url: str) -> bool:
    with suppress(InvalidTarget):
        return origin(url).startswith(("http://", "https://"))
    return False


def _find(words: Sequence[str], origins: dict[str, None]) -> Iterator[tuple[str, str | None]]:
    """Find the sites that words name; yield a message and a hint for each that names none."""
    for word in words:
        if is_url(word):
            named = [("", word)]
        elif word != STANDARD and _is_snapshot(word):
            with closing(open_stored(word)) as snapshot:
                named = [("", name) for name in snapshot.origins()]
        elif word.endswith(ENDINGS):
            named = [(f"{quoted(word)}: ", url) for url in dict.fromkeys(pages_of(word))]
        else:
            if "." in word and not os.path.lexists(word):
                raise Failure(f"no such file: {quoted(word)}", f"a site is `https://{word}`")
            lines = numbered_lines(word, LONGEST, what="sites")
            named = [(f"line {at} of {quoted(word)}: ", line) for at, line in lines]
        for place, text in named:
            if site := text.partition("#")[0].strip():
                try:
                    if "@" in site and not is_url(site):
                        raise InvalidTarget("it is an address of mail, or names a user")
                    origins[origin(site if is_url(site) else f"https://{site}")] = None
                except InvalidTarget as error:
                    yield f"{place}{error.message}", error.hint or "name a site as `example.com`"


def _is_snapshot(path: str) -> bool:
    with suppress(UnusableInput):  # reading it as a list says why
        return bool(kind_of(path))
    return False


def _secrets(args: Namespace) -> list[str]:
    """Return the secrets of webhooks."""
    if not args.webhook:
        return []
    path = args.webhook_secret
    text = (
        os.environ.get(SECRET, "") if path is None else read_whole(path).decode("ascii", "replace")
    )
    if not text.split():
        hint = f"pass `--webhook-secret FILE`, or set ${SECRET}"
        raise Failure("no secret for the webhooks: they are signed", hint)
    return text.split()


def _interest(args: Namespace) -> Interest:
    tokens = tokens_named(args, [args.dialect])
    if args.use is not None:
        tokens += [crawler.token for crawler in by_purpose([USES[args.use]])]
    files = [load(path) for path in args.expect]
    named = ((each.robots_path or "", each) for each in files)
    expected = by_key((origin(path) if is_url(path) else "", each) for path, each in named)
    dialect = dialect_for(args.dialect)
    return Interest(dialect, tuple(tokens), args.use, args.errors_after, expected)
