"""The purpose of each field in a sentence, for authors of robots.txt files.

In: nothing. Out: a table. The core defines the fields and how their values are read; a test keeps
the two in sync.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from verger._core import _USES


@dataclass(frozen=True, slots=True)
class FieldHelp:
    """A field, and its documentation."""

    name: str
    what: str
    source: str
    is_offered: bool = True
    """Whether completion offers it: not if no large crawler reads it any more."""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The parts of a value: names, and for each the words that may follow `=`."""


SIGNALS: dict[str, tuple[str, ...]] = {name: ("yes", "no") for name, *_ in _USES}
SIGNALS |= {"use": ("immediate", "reference", "full")}
USAGES = {label: ("y", "n") for _, label, *_ in _USES}
SIGNAL_HELP: dict[str, str] = {label: means for _, label, _, means, _ in _USES}
SIGNAL_HELP |= {name: means for name, _, means, *_ in _USES}
SIGNAL_HELP |= {"use": "how much of the content an answer may use"}

CONNER = "Conner, An Extended Standard for Robot Exclusion, 1996"
SEEN = "seen in files, not documented"
DRAFT = "an individual Internet-Draft of 2025"
RSL = "one implementation of RSL"
GOOGLE_2019 = "not supported by Google since 1 September 2019"

FIELDS = {
    each.name.lower(): each
    for each in (
        FieldHelp(
            "User-agent",
            "Begins a group: names a crawler that the rules below apply to. `*` stands for every "
            "crawler that no other group names.",
            "RFC 9309 section 2.2.1",
        ),
        FieldHelp(
            "Disallow",
            "Disallows the paths that match the pattern. `*` stands for any characters, and `$` at "
            "the end for the end of the URL. The longest matching pattern decides; an empty one "
            "matches nothing.",
            "RFC 9309 section 2.2.2",
        ),
        FieldHelp(
            "Allow",
            "Allows the paths that match the pattern. It wins over a `Disallow` that is not "
            "longer.",
            "RFC 9309 section 2.2.2",
        ),
        FieldHelp(
            "Sitemap",
            "The absolute URL of a sitemap. It applies to all crawlers, anywhere in the file.",
            "sitemaps.org protocol; RFC 9309 section 2.2.4",
        ),
        FieldHelp(
            "Crawl-delay",
            "Seconds to wait between two requests. Bing, Yahoo and others read it; Google and "
            "Yandex do not.",
            "Bing Webmaster blog, August 2009 and May 2012",
        ),
        FieldHelp(
            "Content-Signal",
            "What the content may be used for, such as `search=yes, ai-input=no, ai-train=no`. "
            "Uses that are not named are neither granted nor restricted.",
            "Cloudflare documentation, Content Signals",
            words=SIGNALS,
        ),
        FieldHelp(
            "Content-Usage",
            "What the content may be used for, such as `train-ai=n`, after an optional path. A "
            "draft that crawlers may not support yet.",
            "draft-ietf-aipref-attach-05",
            words=USAGES,
        ),
        FieldHelp(
            "License",
            "The absolute URL of a licence for the whole site.",
            'RSL, guide "Adding RSL to robots.txt"',
        ),
        FieldHelp(
            "Clean-param",
            "Query parameters that do not change the page, such as `ref&sid /shop/`. Yandex reads "
            "it.",
            "Yandex Webmaster help, Clean-param",
        ),
        FieldHelp(
            "Request-rate",
            "Documents in a span of time, such as `1/10s`. Seznam reads it.",
            f"{CONNER}; Seznam help, Crawling control",
        ),
        FieldHelp("Visit-time", "Hours for visits, UTC, such as `0200-0630`.", CONNER, False),
        FieldHelp("Robot-version", "The version of the standard.", CONNER, False),
        FieldHelp("Comment", "A remark for the operator of the crawler.", CONNER, False),
        FieldHelp(
            "Host",
            "The main mirror of the site. No crawler reads it any more.",
            "Yandex Webmaster help, Host, retired in March 2018",
            False,
        ),
        FieldHelp("Noindex", "No longer part of robots.txt.", GOOGLE_2019, False),
        FieldHelp("Nofollow", "No longer part of robots.txt.", GOOGLE_2019, False),
        FieldHelp("Noarchive", "Not part of robots.txt.", SEEN, False),
        FieldHelp("LLM-policy", "The URL of a policy for language models.", SEEN, False),
        FieldHelp("Cache-delay", "Seconds to wait between requests.", SEEN, False),
        FieldHelp("Revisit-after", "When to come back.", SEEN, False),
        FieldHelp("Domain", "The domain of the site.", SEEN, False),
        FieldHelp("Unavailable-after", "When the content expires.", SEEN, False),
        FieldHelp("ACAP", "A field of the Automated Content Access Protocol.", SEEN, False),
        FieldHelp("DisallowAITraining", "Disallows AI training on paths.", DRAFT, False),
        FieldHelp("AllowAITraining", "Allows AI training on paths.", DRAFT, False),
        FieldHelp("Permits", "What is permitted.", RSL, False),
        FieldHelp("Prohibits", "What is prohibited.", RSL, False),
        FieldHelp("Compensation", "What is to be paid.", RSL, False),
    )
}
"""Every field that the core knows, by its name in lower case."""
