"""The Robots Exclusion Protocol: may this crawler fetch this URL, and which line says so?

>>> import verger
>>> robots = verger.parse(b"User-agent: *\\nDisallow: /private\\n")
>>> robots.allowed("https://example.com/private/a", "ExampleBot")
False
>>> robots.decide("https://example.com/private/a", "ExampleBot").line
2
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
    Group,
    Host,
    Knob,
    License,
    Line,
    Record,
    RequestRate,
    RobotsTxt,
    Rule,
    Sitemap,
    VisitTime,
    __version__,
    parse,
    product_token,
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
    InvalidProductToken,
    InvalidTarget,
    OutOfScope,
    RobotsError,
    UnknownName,
)

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
    "Agent",
    "CleanParam",
    "ContentSignal",
    "ContentUsage",
    "Decision",
    "Dialect",
    "Finding",
    "Group",
    "Host",
    "InvalidProductToken",
    "InvalidTarget",
    "Knob",
    "License",
    "Line",
    "OutOfScope",
    "Record",
    "RequestRate",
    "RobotsError",
    "RobotsTxt",
    "Rule",
    "Sitemap",
    "UnknownName",
    "VisitTime",
    "__version__",
    "parse",
    "product_token",
]
