"""Known crawlers: who operates them, what they are for, and which groups of a file they follow.

In: product tokens and `User-Agent` headers. Out: a `Crawler`, or None for an unknown one; with a
parsed file, the rules that it follows, and a `Survey` of what the file says to everyone. The facts
come from the pages and lists in `SOURCES`: they are claims of operators and lists, not measured.

>>> from verger import crawlers
>>> crawlers.find("gptbot").operator
'OpenAI'
>>> crawlers.of_user_agent("Mozilla/5.0 (compatible; bingbot/2.0; +http://bing.com/bot)").token
'bingbot'
"""

from verger.crawlers.binding import agent_of, agents_of, alike, binding_of, remark_on, tokens_of
from verger.crawlers.purposes import LISTED, PURPOSES, USES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.crawlers.registry import (
        BoundBy,
        Crawler,
        Honoured,
        Kind,
        Respects,
        Source,
        find,
        is_bound,
    )
    from verger.crawlers.survey import Standing, Survey, survey_of
    from verger.crawlers.user_agents import of_user_agent, token_in
    from verger.crawlers.uses import may_use, policy_tokens, uses_of

    CRAWLERS: tuple[Crawler, ...]
    """Every known crawler, sorted by token without regard to case."""
    SOURCES: dict[str, Source]
    """The pages and lists that the registry is made from, by the names in `Crawler.sources`."""
else:  # type checkers know the names above, and report any other

    def __getattr__(name: str) -> object:
        if name in _READ:
            from verger.crawlers import registry

            value: object = getattr(registry, _READ[name])()
            globals()[name] = value
            return value
        from verger.lazy import load_attribute

        return load_attribute(globals(), _PLACES, name)


del TYPE_CHECKING

__all__ = [
    "CRAWLERS",
    "LISTED",
    "PURPOSES",
    "SOURCES",
    "USES",
    "BoundBy",
    "Crawler",
    "Honoured",
    "Kind",
    "Respects",
    "Source",
    "Standing",
    "Survey",
    "agent_of",
    "agents_of",
    "alike",
    "binding_of",
    "find",
    "is_bound",
    "may_use",
    "of_user_agent",
    "policy_tokens",
    "remark_on",
    "survey_of",
    "token_in",
    "tokens_of",
    "uses_of",
]

_PLACES = {
    **dict.fromkeys(("of_user_agent", "token_in"), "user_agents"),
    **dict.fromkeys(
        ("BoundBy", "Crawler", "Honoured", "Kind", "Respects", "Source", "find", "is_bound"),
        "registry",
    ),
    **dict.fromkeys(("Standing", "Survey", "survey_of"), "survey"),
    **dict.fromkeys(("may_use", "policy_tokens", "uses_of"), "uses"),
}
"""The modules of names that are imported on first use: few commands need the registry."""

_READ = {"CRAWLERS": "all_crawlers", "SOURCES": "all_sources"}
"""What is read from the package on first use, and the functions that read it."""


def __dir__() -> list[str]:
    from verger.lazy import public_names

    return public_names(globals())
