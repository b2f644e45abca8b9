"""What a site says to crawlers as an object, see `schemas/agents-1.schema.json`."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from verger import RobotsTxt
from verger.access.answer_json import rule_facts
from verger.access.policy import AccessPolicy
from verger.crawlers import uses_of
from verger.crawlers.survey import Standing, Survey, read_by_operators, survey_of
from verger.files.json_text import Json
from verger.options import UseName

AGENTS_SCHEMA = "verger.agents/1"


class UseCell(NamedTuple):
    """Whether a use is allowed to a crawler, why, and the line that says so."""

    purpose: str
    allowed: bool | None
    reason: str
    line: int | None = None


def surveyed(
    robots: RobotsTxt | None,
    access: AccessPolicy | None,
    *,
    crawlers: Sequence[str],
    purposes: Sequence[str],
    with_unnamed: bool,
    use: UseName | None,
    own: bool,
) -> tuple[Survey, dict[str, UseCell]]:
    """Return a survey of a site, and what it says about a use, by token.

    access:  what its fetch means; None for a file that was not fetched.
    The others are those of `survey_of`.
    """
    why_closed = access.reason if access and access.effect != "allow_all" else None
    survey = survey_of(
        robots,
        is_open=why_closed is None,
        crawlers=crawlers,
        purposes=purposes,
        with_unnamed=with_unnamed,
        own=own,
    )
    uses = _uses_told(survey, robots, use, why_closed, own=own) if use else {}
    return survey, uses


def _uses_told(
    survey: Survey,
    robots: RobotsTxt | None,
    purpose: UseName,
    why_closed: str | None,
    *,
    own: bool,
) -> dict[str, UseCell]:
    """Return what the site says about a use to each crawler, by token.

    why_closed:  the reason if the site is closed without a file.
    own:         whether each operator's own dialect counts.
    """
    tokens = [each.token for each in (survey.default, *survey.standings)]
    if robots is None:  # a closed site closes every use
        cell = UseCell(purpose, False if why_closed else None, why_closed or "NO_SIGNAL")
        return dict.fromkeys(tokens, cell)
    read = read_by_operators(robots, tokens) if own else [(robots, tokens)]
    found = ((those, uses_of(each, those, purpose)) for each, those in read)
    return {
        token: UseCell(purpose, use.allowed, use.reason, use.line)
        for those, uses in found
        for token, use in zip(those, uses, strict=True)
    }


def survey_object(
    survey: Survey,
    robots: RobotsTxt | None,
    about: Mapping[str, object],
    uses: Mapping[str, UseCell],
) -> Json:
    """Return a survey as one object; `about` has more members, about the site."""
    return {
        "schema": AGENTS_SCHEMA,
        **about,
        "truncated": robots is not None and robots.truncated,
        "default": _standing_object(survey.default, uses),
        "crawlers": [_standing_object(one, uses) for one in survey.standings],
        "unnamed": survey.unnamed,
        "unbound": survey.unbound,
        "differing": survey.differing,
        "unlisted_hidden": survey.unlisted_hidden,
    }


def _standing_object(standing: Standing, uses: Mapping[str, UseCell]) -> Json:
    crawler, rule, signals = standing.crawler, standing.rule, standing.signals
    use = uses.get(standing.token)
    return {
        "token": standing.token,
        "operator": crawler and crawler.operator,
        "purposes": crawler.purposes if crawler else (),
        "respects": crawler and crawler.respects,
        "url": crawler and crawler.url,
        "kind": crawler and crawler.kind,
        "sources": crawler.sources if crawler else (),
        "follows": standing.follows,
        "bound": standing.bound,
        "posture": standing.posture,
        "extent": standing.extent,
        "elsewhere": standing.elsewhere,
        "line": rule and rule.line,
        "rule": rule and rule_facts(rule),
        "group_lines": standing.group_lines,
        "content_signals": {
            "search": signals.search,
            "ai_input": signals.ai_input,
            "ai_train": signals.ai_train,
            "use": signals.use,
        },
        "content_usage": None if standing.usage is None else dict(standing.usage),
        "dialect": standing.dialect or None,
        "own_reading": _own_object(standing),
        **({"use": use._asdict()} if use else {}),
    }


def _own_object(standing: Standing) -> Json | None:
    """Return the standing in the dialect of its operator, if it differs."""
    own = standing.own_reading
    if own is None or not standing.differs:
        return None
    facts = {name: getattr(own, name) for name in ("dialect", "posture", "extent", "elsewhere")}
    return {**facts, "line": own.rule and own.rule.line}
