"""What crawlers are for, and the few that a scan reports by default."""

from collections.abc import Collection, Iterable

from verger._core import _USES
from verger.errors import UnknownName
from verger.untrusted_text import choice_hint, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    Purpose: TypeAlias = Literal[
        "search",
        "ai-search",
        "training",
        "user-triggered",
        "agent",
        "ai-data",
        "archive",
        "preview",
        "seo",
        "advertising",
        "monitoring",
        "security",
        "research",
        "feeds",
        "library",
        "unknown",
    ]
else:  # `verger check` starts without `typing`
    Purpose = str

PURPOSES: dict[str, str] = {
    "search": "builds a search index",
    "ai-search": "finds sources for AI assistants",
    "training": "collects training data",
    "user-triggered": "fetches what a user has just asked for",
    "agent": "acts on sites for a user",
    "ai-data": "collects pages for AI products, without a stated purpose",
    "archive": "keeps copies of pages",
    "preview": "shows a preview of links",
    "seo": "measures sites, links and brands",
    "advertising": "places advertisements and checks landing pages",
    "monitoring": "checks that sites are up",
    "security": "looks for vulnerabilities, threats and abuse",
    "research": "serves research and education",
    "feeds": "reads feeds",
    "library": "a general-purpose HTTP library",
    "unknown": "no source says what for",
}
"""What crawlers are for, as one word and as what such a crawler does; AI is in the first six."""

USES = {name: purpose for name, *_, purpose in _USES}
"""What content may be used for, each with the purpose of crawlers that fetch for it."""


def use_column(purpose: str) -> str:
    """Return the name of the column of a use, such as `use_ai_train`."""
    return f"use_{purpose.replace('-', '_')}"


def expect_purposes(purposes: Iterable[str], known: Collection[str] = PURPOSES) -> None:
    """Raise UnknownName for a purpose that is not among the known ones."""
    for purpose in purposes:
        if purpose not in known:
            raise UnknownName(f"unknown purpose {quoted(purpose)}", choice_hint(purpose, known))


LISTED = (
    # OpenAI, Anthropic and Perplexity: each has one for training, for search and for its users,
    # and sites treat them apart. Files still name `anthropic-ai`, which came before ClaudeBot.
    "GPTBot",
    "OAI-SearchBot",
    "ChatGPT-User",
    "ClaudeBot",
    "Claude-SearchBot",
    "Claude-User",
    "anthropic-ai",
    "PerplexityBot",
    "Perplexity-User",
    # Policy tokens: with them a site says that it may be found, and not trained with.
    "Google-Extended",
    "Applebot-Extended",
    # The others that files name most often because of AI.
    "Amazonbot",
    "Bytespider",
    "cohere-ai",
    "Diffbot",
    "DuckAssistBot",
    "FacebookBot",
    "Meta-ExternalAgent",
    # Search engines, each by the token that files name most often.
    "Googlebot",
    "bingbot",
    "Yandex",
    "Baiduspider",
    "Applebot",
    # Archives: the first is what most models are trained with, the others are the Wayback Machine.
    "CCBot",
    "ia_archiver",
    "archive.org_bot",
    # The two trades in links that files name most often.
    "AhrefsBot",
    "SemrushBot",
)
"""The crawlers that a scan reports by default."""
