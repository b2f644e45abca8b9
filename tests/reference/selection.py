"""Selection: which groups bind a crawler.

In: bytes of a file and product tokens. Out: the groups whose rules hold, in file order.
RFC 9309 section 2.2.1, and what each dialect makes of it. Nothing here knows a URL.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from .reader import Group, read
from .switches import Switches

NAME_MARKS = frozenset("!$%&'+-.^_`~")
"""What a name may hold besides letters and digits: RFC 9110 section 5.6.2 without `#`, `*`, `|`."""
SLASH = re.compile(rb"/")
TSPECIAL = re.compile(rb"[()<>@,;:\\\"/\[\]?={} \t]")
AFTER_NAME = re.compile(rb"[/* \t,;]")
NOT_LETTER = re.compile(rb"[^A-Za-z_-]")
NOT_FAMILY = re.compile(rb"[^A-Za-z0-9_.-]")


class TokenError(ValueError):
    """A product token that a crawler cannot have."""


@lru_cache(maxsize=512)
def checked(token: str, switches: Switches) -> bytes:
    """Return the bytes of a product token in lower case."""
    name = token.encode("utf-8", "surrogateescape").lower()
    if switches.token_check == "any":
        return name
    # A version is cut away, a whole identification string is not a token even so.
    whole = token.replace("/", "") if switches.token_check == "cut" else token
    name = cut(name, SLASH) if switches.token_check == "cut" else name
    if not name or (token != "*" and not all(map(is_of_a_name, whole))):
        raise TokenError(token)
    return name


def is_of_a_name(character: str) -> bool:
    """Whether a crawler's name may hold a character."""
    if character.isascii():
        return character.isalnum() or character in NAME_MARKS
    return character.isalpha()


@lru_cache(maxsize=256)
def binding(data: bytes, names: tuple[bytes, ...], switches: Switches) -> tuple[Group, ...]:
    """Return the groups that name the crawler, else those for crawlers that no group names."""
    groups = read(data, switches)
    own = [name for name in names if name != b"*"]
    tries = [own] if switches.tokens == "merge" else [[name] for name in own]
    for wanted in tries:
        if named := groups_naming(groups, wanted, switches):
            return tuple(named)
    return () if switches.ignore_star else star_groups(groups, switches)


def star_groups(groups: Sequence[Group], switches: Switches) -> tuple[Group, ...]:
    star = [group for group in groups if any(is_star(agent, switches) for agent in group.agents)]
    return tuple(star[:1] if switches.star_groups == "first" else star)


def groups_naming(
    groups: Sequence[Group], names: Sequence[bytes], switches: Switches
) -> Sequence[Group]:
    """Return the groups that hit any of the names: the first, all, or the best of them."""
    scored = [(best_score(group, tuple(names), switches), group) for group in groups]
    hits = [group for score, group in scored if score]
    if switches.named_groups == "first":
        return hits[:1]
    if switches.named_groups == "best-merge" and hits:
        best = max(score for score, _ in scored)
        return [group for score, group in scored if score == best]
    return hits


@lru_cache(maxsize=4096)
def best_score(group: Group, names: tuple[bytes, ...], switches: Switches) -> int:
    own = [agent.lower() for agent in group.agents if not is_star(agent, switches)]
    return max((score(agent, name, switches) for agent in own for name in names), default=0)


def is_star(agent: bytes, switches: Switches) -> bool:
    """Whether a value addresses all crawlers: `*`, alone or before a blank and any text."""
    blanks = b" \t" if switches.user_agent_star_suffix == "blank" else b" \t\v\f"
    return agent[:1] == b"*" and agent[1:2] in blanks


def score(value: bytes, name: bytes, switches: Switches) -> int:
    """How well an agent value hits a name, both in lower case; 0 is not a hit."""
    plain = cut(name, SLASH)
    match switches.user_agent_match:
        case "substring":
            agent = cut(value, SLASH)
            return int(bool(agent and plain) and (agent in plain or plain in agent))
        case "value-contains-name":
            return int(plain != b"" and plain in value)
        case "equal":
            return int(plain != b"" and plain == cut(value, TSPECIAL))
        case "rfc":
            agents = (value, cut(value, AFTER_NAME), cut(value, NOT_LETTER))
            return int(name != b"" and name in agents)
        case "prefix":
            # Only googlebot-cpp lets an empty name come here; it hits an empty run of letters.
            return int(name == cut(value, NOT_LETTER))
        case "family-prefix":
            family = cut(value, NOT_FAMILY)
            hit = name == family if switches.ignore_family else name.startswith(family)
            return len(family) if hit else 0


def cut(data: bytes, at: re.Pattern[bytes]) -> bytes:
    return at.split(data, maxsplit=1)[0]
