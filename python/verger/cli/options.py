"""The options that several commands share, each defined once with one help text.

In: the name of an option. Out: the option, for the table of a command; the meaning of its value, if
it is the same in every command.
"""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fspath

from verger import DIALECTS, RFC9309, CacheError, Dialect, InvalidTarget, RobotsError, origin
from verger.cache.address import is_server
from verger.cli.output import Failure, refuse_if, see_help
from verger.crawlers import PURPOSES, USES
from verger.crawlers.binding import OWN, dialect_for
from verger.files.formats import output_format
from verger.files.paths import STANDARD, is_url
from verger.files.same_file import expect_no_overwriting
from verger.options import is_sendable, time_of
from verger.untrusted_text import listed, quoted, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from verger.client.site import Override

A_CACHE = "a file or the redis:// URL of a server"

OWN_CACHE = "verger/robots.sqlite3 below $XDG_CACHE_HOME or ~/.cache"

FETCHING = ("cache", "timeout", "header", "connect_to", "proxy", "private", "ca_bundle")
"""The options for how to fetch and whether to keep files, as argparse names them."""

NETWORK = ("user_agent", *FETCHING)
"""The options for the network."""

OF_NETWORK = (
    *("--user-agent", "--header", "--timeout", "--connect-to", "--proxy", "--private"),
    *("--ca-bundle", "--connections", "--per-address", "--public-only"),
)
"""The options below a heading of their own in every help: how to fetch, and as whom."""

BY_NAME = "as the name of the output says, else text"
"""The default of `--format` in most commands."""

SITE_HINT = "pass a robots.txt file, or a URL such as `https://example.com`"
"""The hint of a command that needs a file."""

ONE_CRAWLER = (
    "`a,b` is one crawler with two tokens: rfc9309 combines the groups of both, google takes those "
    "of the first that is named"
)
"""What several tokens mean, by the knob `tokens` of the dialects."""

SEVERAL_TOKENS = f"; {ONE_CRAWLER}"
"""Help of `--agent` in commands for a crawler that may have several tokens."""

UNITS = {"s": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}
"""The units of spans, in seconds."""

MOST_DIGITS = 9
MOST_SPAN_DIGITS = 6

REPEATED = "; repeat the option for several"
"""Help of `--agent` and `--purpose` in commands that accept several."""

# the values of options


def format_of(args: Namespace, known: Sequence[str], *, packs: bool = False) -> str:
    """Return the format of the output: from `--format`, else from the name of the output.

    packs:  whether the command compresses an output whose name ends in `.gz`.
    """
    output = args.output or STANDARD
    return output_format(output, args.format, known, option="--format", packs=packs)


def cache_of(args: Namespace, default: Callable[[], PathLike[str]] | None = None) -> str | None:
    """Return the address of the cache; None for no cache.

    default:  the address if `--cache` is not given; by default, no cache.
    """
    word: str | None = getattr(args, "cache", None)
    if word is None:
        return None if default is None else fspath(default())
    try:
        is_server(word)
    except CacheError as error:  # the URL may hold a password
        raise Failure("`--cache` is not the URL of a Redis server", error.hint) from None
    return None if word == "none" else word  # `./none` is a file of that name


def expect_network_use(args: Namespace, words: Iterable[str]) -> None:
    """Refuse options for the network if none of the words is a URL."""
    if not any(map(is_url, words)):
        expect_no_network(args)


def expect_no_network(
    args: Namespace,
    names: Sequence[str] = NETWORK,
    why: str = "and files are read without it",
) -> None:
    """Refuse options for the network if nothing is fetched."""
    for name in names:
        refuse_if(
            getattr(args, name, None) is not None,
            f"{_named(name)} is for the network, {why}",
            f"leave {_named(name)} out",
        )


def expect_verbose_fits(args: Namespace, *formats: str) -> None:
    """Refuse `--verbose` with a format that has no use for it."""
    refuse_if(
        args.verbose and args.format not in formats,
        f"`--verbose` is for {listed(formats)}, and the format is {args.format}",
        "leave it out",
    )


def expect_exclusive(args: Namespace, command: str, *exclusive: Sequence[str]) -> None:
    """Refuse options that exclude each other: the first of each sequence those behind it."""
    for one, *others in exclusive:
        for other in others:
            refuse_if(
                getattr(args, one) and getattr(args, other),
                f"{_named(one)} and {_named(other)} cannot be combined",
                see_help(command),
            )


def _named(name: str) -> str:
    """Return an option as messages have it, by the name that argparse gives its value."""
    return f"`--{name.replace('_', '-')}`"


def expect_one(words: Sequence[str], if_none: tuple[str, str], if_several: tuple[str, str]) -> None:
    """Refuse no word, and several: message and hint for each; `{}` in a message is the second."""
    refuse_if(not words, *if_none)
    if len(words) > 1:
        message, hint = if_several
        raise Failure(message.format(quoted(words[1])), hint)


def expect_separate_outputs(
    args: Namespace,
    outputs: Iterable[str],
    inputs: Iterable[str | None] = (),
    folders: Sequence[str] = (),
    *,
    default_cache: Callable[[], PathLike[str]] | None = None,
) -> None:
    """Refuse an output that is also an input, a CA bundle, or the cache.

    inputs:         files; None and URLs among them are ignored.
    default_cache:  as for `cache_of`.
    """
    named = (*inputs, getattr(args, "ca_bundle", None))
    read = [path for path in named if path and not is_url(path)]
    address = cache_of(args, default_cache)
    stores = [] if address is None or is_server(address) else [address]
    expect_no_overwriting(outputs, inputs=read, folders=folders, stores=stores)


def header_field(word: str) -> tuple[str, str, str]:
    """Return the origin, empty for any, the name and the value of a header field, for argparse."""
    site, rest = "", word
    if word.startswith("origin="):
        url, _, rest = word.removeprefix("origin=").partition(" ")
        try:
            site = origin(url)
        except InvalidTarget as error:
            raise ArgumentTypeError(f"`{_brief(url)}` is not an origin: {error.message}") from None
    name, colon, value = (part.strip(" \t") for part in rest.partition(":"))
    if colon and name and is_sendable(f"{name}{value}"):
        return site, name, value
    # the value may be a secret
    raise ArgumentTypeError("write it as `NAME: VALUE`, with visible characters on one line")


def take_robots(args: Namespace, words: list[str], is_it: Callable[[str], object]) -> None:
    """Take the robots.txt file from the arguments, unless an option names what to answer from."""
    given = (getattr(args, name, None) for name in ("robots", "snapshot", "history"))
    if not any(given) and (found := next(filter(is_it, words), None)):
        args.robots = found
        words.remove(found)


def headers_of(args: Namespace) -> dict[str, dict[str, str]]:
    """Return the fields of `--header` by origin; those for any origin under an empty name."""
    found: dict[str, dict[str, str]] = {"": {}}
    for site, name, value in args.header or ():
        fields = found.setdefault(site, {})
        refuse_if(
            any(known.lower() == name.lower() for known in fields),
            f"`--header` sets `{name}` twice",
            "give each name once for an origin",
        )
        fields[name] = value
    return found


def override(word: str) -> tuple[str, str]:
    """Return an origin, and `allow`, `disallow` or the path of a file, for argparse."""
    url, _, decision = word.partition("=")
    if not url or not decision or "\0" in decision:
        why = "write it as `ORIGIN=allow`, `ORIGIN=disallow` or `ORIGIN=FILE`"
        raise ArgumentTypeError(why)
    try:
        name = origin(url)
    except InvalidTarget as error:
        raise ArgumentTypeError(f"`{_brief(url)}` is not an origin: {error.message}") from None
    if any(mark in url.partition("://")[2].removesuffix("/") for mark in "/?#@\\*"):
        why = f"`{_brief(url)}` is not one whole origin, such as `https://example.com`"
        raise ArgumentTypeError(why)
    return name, decision


def overrides_of(args: Namespace, dialects: Iterable[Dialect]) -> "dict[str, tuple[str, Override]]":
    """Return the decisions of `--override` by origin, each with what was written for it.

    A file is read as far as these dialects read it.
    """
    given = args.override or ()
    names = [name for name, _ in given]
    for name in names:
        refuse_if(
            names.count(name) > 1,
            f"`--override` is given twice for `{name}`",
            "give it once for an origin",
        )
    dialects = list(dialects)
    return {name: (word, _override_of(word, dialects)) for name, word in given}


def _override_of(word: str, dialects: Iterable[Dialect]) -> "Override":
    from verger.files.robots_file import read_named

    if word == "allow":
        return "allow"
    if word == "disallow":
        return "disallow"
    hint = "`--override` takes `ORIGIN=allow`, `ORIGIN=disallow` or `ORIGIN=FILE`"
    return read_named(word, dialects, if_missing=hint, is_path=True)


def files_of(overrides: Iterable[tuple[str, str]] | None) -> list[str]:
    """Return the paths in values of `--override`."""
    return [word for _, word in overrides or () if word not in ("allow", "disallow")]


def header_text(word: str) -> str:
    """Return an identification string, for argparse; it may be one that is not sent this time."""
    if is_sendable(word):
        return word
    why = f"`{_brief(word)}` cannot be sent: pass visible characters on one line"
    raise ArgumentTypeError(why)


def seconds(word: str) -> float:
    """Return a positive number of seconds, for argparse."""
    whole, _, part = word.partition(".")
    is_number = word.isascii() and f"{whole}{part}".isdigit() and len(word) <= MOST_DIGITS
    if is_number and float(word):
        return float(word)
    raise ArgumentTypeError(f"`{_brief(word)}` is not a number of seconds such as `30` or `0.5`")


def count(word: str, *, least: int = 1) -> int:
    """Return a whole number from `least`, for argparse."""
    is_number = word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS
    if is_number and int(word) >= least:
        return int(word)
    raise ArgumentTypeError(f"`{_brief(word)}` is not a number from {least} to {'9' * MOST_DIGITS}")


def span(word: str) -> int:
    """Return the seconds of `24h`, `30min` or `7d`, for argparse."""
    digits = word.rstrip("".join(UNITS))
    unit = UNITS.get(word[len(digits) :], 1 if word == "0" else None)
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= MOST_SPAN_DIGITS
    if is_number and unit is not None:
        return int(digits) * unit
    units = ", ".join(f"`{unit}`" for unit in UNITS)
    why = f"`{_brief(word)}` is not a span such as `24h` or `30d`: a number and one of {units}"
    raise ArgumentTypeError(why)


def moment(word: str) -> "datetime":
    """Return the time of `2026-01-05`, `2026-01-05T10:30:00Z` or `7d` (ago), for argparse."""
    from datetime import UTC, datetime, timedelta

    try:
        if word[-1:].isalpha() and word[-1] not in "Zz":
            return datetime.now(UTC) - timedelta(seconds=span(word))
        return time_of(word)
    except (ValueError, OverflowError, ArgumentTypeError):
        raise ArgumentTypeError(
            f"`{word}` is not a time such as `2026-01-05`, `2026-01-05T10:30:00Z` or `7d` (ago)"
        ) from None


def _brief(word: str) -> str:
    return shortened(word, 40)


# the options


Option = tuple[tuple[str, ...], dict[str, object]]
"""The names of an option, and what argparse takes for it."""


def option(*names: str, **given: object) -> Option:
    """Return an option, or an argument, as `Parser` takes it; for what is `given` see argparse."""
    return names, given


def switch(name: str, help: str) -> Option:
    """Return an option without a value."""
    return option(name, action="store_true", help=help)


def file(word: str) -> str:
    """The argparse type of a value that names a file or a folder, which shells complete."""
    return word


def crawler(word: str) -> str:
    """The argparse type of a value that names a crawler: shells complete known ones."""
    return word


OR_OWN = (*DIALECTS, OWN)
EACH_ITS_OWN = ", or own: each crawler in that of its operator, as far as it is known"
"""Help of `--dialect` in commands that ask for each crawler."""


def dialect_name(word: str) -> str:
    """The argparse type of the name of a dialect, perhaps with knobs that differ."""
    base, plus, changes = word.partition("+")
    if not plus or base not in (*OR_OWN, "all"):
        return word  # which is refused unless it is a choice
    try:
        found = dialect_for(f"{base if base in DIALECTS else RFC9309.name}+{changes}")
    except RobotsError as error:  # argparse would take it for a ValueError
        hint = error.hint or "the page `dialects` of the documentation describes every knob"
        raise Failure(error.message, hint) from None
    return found.name if base in DIALECTS else word


SHARED: dict[str, dict[str, object]] = {
    "--agent": {
        "action": "append",
        "default": [],
        "type": crawler,
        "metavar": "TOKEN",
        "help": "the product token of the crawler to ask about{more} (default: {unless})",
    },
    "--purpose": {
        "action": "append",
        "default": [],
        "choices": PURPOSES,
        "metavar": "NAME",
        "help": "{more}"
        f"the known crawlers for this purpose, in addition to --agent{REPEATED}: "
        f"{', '.join(PURPOSES)}",
    },
    "--use": {
        "choices": USES,
        "metavar": "NAME",
        "help": f"whether {{what}} may be used for this: {', '.join(USES)}{{more}}",
    },
    "--bindings": {
        "choices": ("operators", "file"),
        "default": "operators",
        "metavar": "NAME",
        "help": "whose groups a crawler follows: what its operator says (operators), or what the "
        "names in the file say (file) (default: operators)",
    },
    "--dialect": {
        "choices": DIALECTS,
        "default": "rfc9309",
        "type": dialect_name,
        "metavar": "NAME",
        "help": f"how files are read: {', '.join(DIALECTS)}{{more}}; knobs may follow, as in "
        "rfc9309+tie=disallow or rfc9309+content-usage (default: rfc9309)",
    },
    "--robots": {
        "type": file,
        "metavar": "FILE|URL|-",
        "help": "the robots.txt file{more}; `-` for stdin; for a URL, that of its origin is "
        "fetched",
    },
    "--snapshot": {
        "type": file,
        "metavar": "PATH",
        "help": "answer without a network, from many files: a folder of robots.txt files named "
        "after hosts (example.com, example.com:8080 or example.com_8080, each with or without "
        ".txt); a table (Parquet, CSV, JSON Lines) with the columns origin (or url, host), body, "
        "and perhaps status and time; a WARC archive; or a cache",
    },
    "--format": {"metavar": "FORMAT", "help": "{what} (default: {unless})"},
    "--input-format": {"metavar": "FORMAT", "help": "{what} (default: {unless})"},
    "--output": {"type": file, "metavar": "FILE|-", "help": "{what}"},
    "--quiet": {
        "action": "store_true",
        "help": "no progress, no notes, no closing lines on stderr",
    },
    "--verbose": {"action": "store_true", "help": "{what}"},
    "--anonymous": {
        "action": "store_true",
        "help": "read public buckets (s3://, gs://, az://) without credentials",
    },
    "--strict": {"action": "store_true", "help": "exit with 1 if {what}"},
    "--override": {
        "action": "append",
        "type": override,
        "metavar": "ORIGIN=allow|disallow|FILE",
        "help": "decide about an origin, such as https://example.com, without its file: everything "
        "is allowed, nothing is, or FILE is read in its place; may be given several times",
    },
    "--cache": {
        "type": file,
        "metavar": "PATH|URL|none",
        "help": f"keep what is fetched in this cache, {A_CACHE}, and use what is fresh; `none` for "
        "no cache (default: {unless})",
    },
    "--user-agent": {
        "type": header_text,
        "metavar": "STRING",
        "help": "the identification string that requests carry ({unless})",
    },
    "--header": {
        "action": "append",
        "type": header_field,
        "metavar": "[origin=URL ]NAME: VALUE",
        "help": "also send this header field; with origin=, to that site only; may be given "
        "several times",
    },
    "--timeout": {
        "type": seconds,
        "metavar": "SECONDS",
        "help": "for one file with all its redirects, and without a byte (default: 30 and 10)",
    },
    "--connect-to": {
        "action": "append",
        "metavar": "HOST1:PORT1:HOST2:PORT2",
        "help": "connect to HOST2:PORT2 for requests to HOST1:PORT1; an empty HOST1 or "
        "PORT1 matches any; may be given several times",
    },
    "--proxy": {
        "metavar": "URL|env",
        "help": "send all requests through this HTTP or SOCKS proxy; `env`: through those that "
        "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY name",
    },
    "--private": {
        "action": "append",
        "metavar": "HOST|NETWORK",
        "help": "let redirects lead to this host or network although it is not public; may be "
        "given several times",
    },
    "--ca-bundle": {
        "type": file,
        "metavar": "FILE",
        "help": "trust these authorities instead of the system's",
    },
}
"""The options that several commands share: for each, what argparse takes; its help is filled."""

SHORT = {"--verbose": "-v"}


def shared(
    name: str, *, what: str = "", more: str = "", unless: str = BY_NAME, **changes: object
) -> Option:
    """Return an option that several commands share.

    what, more, unless:  fill the gaps of its help: what the option means, more on that, and what
                         holds if it is not given; by default, what holds for a format.
    changes:             what argparse takes, in place of what the table says.
    """
    given = SHARED[name] | changes
    given["help"] = str(given["help"]).format(what=what, more=more, unless=unless)
    return option(*filter(None, [SHORT.get(name), name]), **given)


CRAWLERS = (
    shared("--agent", more=REPEATED, unless="all that are known or named, and `*`"),
    shared("--purpose"),
    shared("--dialect"),
)
"""The options of commands that compare what files say to crawlers."""

HOW_TO_FETCH = tuple(
    map(shared, ("--header", "--timeout", "--connect-to", "--proxy", "--private", "--ca-bundle"))
)

NETWORK_OPTIONS = (
    shared("--user-agent", unless="default: a name made of the product token and verger's version"),
    *HOW_TO_FETCH,
)
"""The options for how to fetch, and as whom."""

ARCHIVE = option(
    "--archive",
    type=file,
    metavar="PATH",
    help="the archive of all that was observed, a file that `verger watch` makes",
)

NETWORK_WITH_NAME = (
    shared("--user-agent", unless="required: servers need to know who fetches"),
    *HOW_TO_FETCH,
)
"""The same for commands that make up no name."""
