"""The Robots Exclusion Protocol: may this crawler fetch this URL, and which line says so?

>>> import verger
>>> robots = verger.parse(b"User-agent: *\\nDisallow: /private\\n")
>>> robots.allowed("https://example.com/private/a", "ExampleBot")
False
>>> robots.decide("https://example.com/private/a", "ExampleBot").line
2

The names that most programs use; `help(verger.Client)`, and so on, says all about one:

parse        read a file from its bytes or text; `load` reads a path, `fetch` asks a site
RobotsTxt    what they return: `allowed`, `decide`, `sitemaps`, `findings`, `groups`, `lines`
Agent        the rules of a file for one crawler, to decide many URLs
Decision     one answer of a file: `allowed`, `line`, `reason`; `explain()` shows the lines
Client       answers for any number of sites, whose files it fetches and caches
AsyncClient  the same for asyncio
Answer       one answer of a client: a decision, or what it means that there is no file
site_of      judge a robots.txt that your own program fetched
FetchLimits  the seconds and bytes that a client may take
RobotsError  every exception that verger defines; its `hint` says what to do

And the packages, which are imported on first use:

verger.bulk          tables of URLs and of answers, access logs, archives, snapshots compared
verger.cache         where fetched files are kept: SQLite, Redis
verger.crawlers      crawlers, their operators and purposes, and whose groups they follow
verger.analysis      all URLs at once: what a change opens or closes, and edits
verger.expectations  tests of a file
verger.lint          mistakes in a file, and their fixes
verger.integrations  guards for requests, httpx, aiohttp, Scrapy, Crawlee and others
verger.compat        drop-ins for urllib.robotparser, Protego, reppy, robotspy, advertools
verger.testing       sites in memory, for your tests; the robots.txt test suite

`dir(verger)` lists all names: the other values and exceptions, and the dialects. The command
`verger` does the same for files and tables: `verger --help`.
"""

from verger._core import (
    DIALECTS as DIALECTS,
    KNOBS as KNOBS,
    Agent as Agent,
    CleanParam as CleanParam,
    ContentSignal as ContentSignal,
    ContentUsage as ContentUsage,
    Decision as Decision,
    Dialect as Dialect,
    Finding as Finding,
    Findings as Findings,
    Group as Group,
    Host as Host,
    Knob as Knob,
    License as License,
    Line as Line,
    Lines as Lines,
    Origin as Origin,
    Record as Record,
    RequestRate as RequestRate,
    RobotsTxt as RobotsTxt,
    Rule as Rule,
    Sitemap as Sitemap,
    UseDecision as UseDecision,
    UseSignal as UseSignal,
    VisitTime as VisitTime,
    __version__ as __version__,
    check_product_token as check_product_token,
    origin as origin,
    parse as parse,
    product_token as product_token,
    requested_url as requested_url,
)
from verger.dialects import (
    BING as BING,
    GOOGLE as GOOGLE,
    GOOGLEBOT_CPP as GOOGLEBOT_CPP,
    KOSTER_1996 as KOSTER_1996,
    KOSTER_REP_00 as KOSTER_REP_00,
    ORIGINAL_1994 as ORIGINAL_1994,
    RFC9309 as RFC9309,
    YANDEX as YANDEX,
)
from verger.errors import (
    CacheError as CacheError,
    InvalidOption as InvalidOption,
    InvalidProductToken as InvalidProductToken,
    InvalidTable as InvalidTable,
    InvalidTarget as InvalidTarget,
    MissingExtra as MissingExtra,
    MissingUserAgent as MissingUserAgent,
    NewerSchema as NewerSchema,
    OutOfScope as OutOfScope,
    ReadOnlyStore as ReadOnlyStore,
    RobotsError as RobotsError,
    UnknownName as UnknownName,
    UnreachableFile as UnreachableFile,
    UnusableInput as UnusableInput,
    UnusableOutput as UnusableOutput,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger import (
        analysis as analysis,
        bulk as bulk,
        cache as cache,
        client as client,
        compat as compat,
        crawlers as crawlers,
        dialects as dialects,
        errors as errors,
        expectations as expectations,
        integrations as integrations,
        lint as lint,
        snapshots as snapshots,
        testing as testing,
    )
    from verger.access.policy import AccessPolicy as AccessPolicy, SiteFacts as SiteFacts
    from verger.access.result import AccessResult as AccessResult
    from verger.client import (
        Answer as Answer,
        AsyncClient as AsyncClient,
        Client as Client,
        Event as Event,
        Pacer as Pacer,
        Site as Site,
        site_of as site_of,
    )
    from verger.fetching.limits import FetchLimits as FetchLimits
    from verger.findings import FindingCode as FindingCode
    from verger.loading import fetch as fetch, load as load
else:  # type checkers know the names above, and report any other

    def __getattr__(name: str) -> object:
        from verger.lazy import load_attribute

        return load_attribute(globals(), _LATER, name, _PACKAGES)


del TYPE_CHECKING

__all__ = [
    "check_product_token",
    "fetch",
    "load",
    "origin",
    "parse",
    "product_token",
    "requested_url",
    "site_of",
]
"""What `help(verger)` writes out and `import *` brings: the functions. `dir` lists all names."""

# No module that is imported later is among them.
_IMPORTED = [name for name in dir() if name[0].isalpha()]

# Modules that fetch are imported on first use: parsing and deciding do not need them.
_LATER = {
    "AccessPolicy": "access.policy",
    "AccessResult": "access.result",
    "Answer": "client",
    "AsyncClient": "client",
    "Client": "client",
    "Event": "client",
    "FetchLimits": "fetching.limits",
    "FindingCode": "findings",
    "Pacer": "client",
    "Site": "client",
    "SiteFacts": "access.policy",
    "fetch": "loading",
    "load": "loading",
    "site_of": "client",
}

_PACKAGES = (
    "analysis",
    "bulk",
    "cache",
    "client",
    "compat",
    "crawlers",
    "dialects",
    "errors",
    "expectations",
    "integrations",
    "lint",
    "snapshots",
    "testing",
)


def __dir__() -> list[str]:
    from verger.lazy import public_names

    return public_names(globals(), (*_IMPORTED, *_LATER, *_PACKAGES))
