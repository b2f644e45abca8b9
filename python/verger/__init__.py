"""The Robots Exclusion Protocol: may this crawler fetch this URL, and which line says so?

>>> import verger
>>> robots = verger.parse(b"User-agent: *\\nDisallow: /private\\n")
>>> robots.allowed("https://example.com/private/a", "ExampleBot")
False
>>> robots.decide("https://example.com/private/a", "ExampleBot").line
2

`parse` reads bytes, `load` a file, and `fetch` the file of a site; each returns a `RobotsTxt`.
`Client` and `AsyncClient` answer for any number of sites, and cache their files. `verger.bulk`
decides tables of URLs, and `verger.crawlers` lists crawlers and their purposes; these and the other
packages are imported on first use. Every exception that verger defines is a `RobotsError`, whose
`hint` says what to do.
"""

from verger._core import (
    DIALECTS,
    KNOBS,
    Agent,
    CleanParam,
    ContentSignal,
    ContentUsage,
    Decision,
    Dialect,
    Finding,
    Findings,
    Group,
    Host,
    Knob,
    License,
    Line,
    Lines,
    Origin,
    Record,
    RequestRate,
    RobotsTxt,
    Rule,
    Sitemap,
    UseDecision,
    UseSignal,
    VisitTime,
    __version__,
    check_product_token,
    origin,
    parse,
    product_token,
    requested_url,
)
from verger.dialects import (
    BING,
    GOOGLE,
    GOOGLEBOT_CPP,
    KOSTER_1996,
    KOSTER_REP_00,
    ORIGINAL_1994,
    RFC9309,
    YANDEX,
)
from verger.errors import (
    CacheError,
    InvalidOption,
    InvalidProductToken,
    InvalidTable,
    InvalidTarget,
    MissingExtra,
    MissingUserAgent,
    NewerSchema,
    OutOfScope,
    ReadOnlyStore,
    RobotsError,
    UnknownName,
    UnreachableFile,
    UnusableInput,
    UnusableOutput,
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
        expectations as expectations,
        integrations as integrations,
        lint as lint,
        testing as testing,
    )
    from verger.access.policy import AccessPolicy, SiteFacts
    from verger.access.result import AccessResult
    from verger.client import Answer, AsyncClient, Client, Event, Pacer, Site, site_of
    from verger.fetching.limits import FetchLimits
    from verger.findings import FindingCode
    from verger.loading import fetch, load
del TYPE_CHECKING

__all__ = [
    "BING",
    "DIALECTS",
    "GOOGLE",
    "GOOGLEBOT_CPP",
    "KNOBS",
    "KOSTER_1996",
    "KOSTER_REP_00",
    "ORIGINAL_1994",
    "RFC9309",
    "YANDEX",
    "AccessPolicy",
    "AccessResult",
    "Agent",
    "Answer",
    "AsyncClient",
    "CacheError",
    "CleanParam",
    "Client",
    "ContentSignal",
    "ContentUsage",
    "Decision",
    "Dialect",
    "Event",
    "FetchLimits",
    "Finding",
    "FindingCode",
    "Findings",
    "Group",
    "Host",
    "InvalidOption",
    "InvalidProductToken",
    "InvalidTable",
    "InvalidTarget",
    "Knob",
    "License",
    "Line",
    "Lines",
    "MissingExtra",
    "MissingUserAgent",
    "NewerSchema",
    "Origin",
    "OutOfScope",
    "Pacer",
    "ReadOnlyStore",
    "Record",
    "RequestRate",
    "RobotsError",
    "RobotsTxt",
    "Rule",
    "Site",
    "SiteFacts",
    "Sitemap",
    "UnknownName",
    "UnreachableFile",
    "UnusableInput",
    "UnusableOutput",
    "UseDecision",
    "UseSignal",
    "VisitTime",
    "__version__",
    "check_product_token",
    "fetch",
    "load",
    "origin",
    "parse",
    "product_token",
    "requested_url",
    "site_of",
]

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
    "expectations",
    "integrations",
    "lint",
    "testing",
)


def __getattr__(name: str) -> object:
    from verger.lazy import load_attribute

    return load_attribute(globals(), _LATER, name, _PACKAGES)


def __dir__() -> list[str]:
    from verger.lazy import public_names

    return public_names(globals(), ("dialects", "errors", *_PACKAGES))
