"""Use: may the content of a URL be used for a purpose, and which line says so?

In: bytes of a file, a dialect, product tokens, a URL, a purpose, and the tokens that stand for it.
Out: what each mechanism says, and what it comes to.
draft-romm-aipref-contentsignals-00; draft-ietf-aipref-attach-05; RSL, guide "Adding RSL to
robots.txt"; RFC 9309 section 2.2.1 for groups.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from .matcher import compiled, decide, hit_by, subject_of
from .normal import SUBJECT_FORMS
from .reader import Record, Rule, read, records
from .selection import binding, checked, groups_naming
from .switches import Switches

LABELS = {"search": "search", "ai-input": "ai-use", "ai-train": "train-ai"}
"""What `Content-Usage` calls each purpose."""
WORDS = {b"yes": True, b"no": False}
MEMBER = re.compile(rb"\s*([a-z*][a-z0-9_.*-]*)\s*(?:=\s*(.*?))?\s*", re.DOTALL)


class Said(NamedTuple):
    """What one mechanism says: None, and no line, if it is silent.

    tokens:  the policy tokens that say it, or in whose groups it is said.
    """

    mechanism: str
    allowed: bool | None = None
    line: int | None = None
    tokens: tuple[str, ...] = ()


class Use(NamedTuple):
    allowed: bool | None
    reason: str
    line: int | None
    said: tuple[Said, ...]
    licenses: tuple[bytes, ...]


def may_use(
    data: bytes,
    switches: Switches,
    tokens: str | Sequence[str],
    url: str,
    purpose: str,
    policy_tokens: Sequence[str] = (),
) -> Use:
    """Say whether the use is allowed: any mechanism that disallows it decides, then any that
    allows it. Raises TokenError, UrlError."""
    names = tuple(
        checked(each, switches) for each in ([tokens] if isinstance(tokens, str) else tokens)
    )
    crawl = decide(data, switches, tokens, url)
    own = own_records(data, names, switches)
    named = ((token, records_naming(data, token, switches)) for token in policy_tokens)
    policies = {token: found for token, found in named if found is not None}
    said = [Said("CRAWL_RULES") if crawl.allowed else Said("CRAWL_RULES", False, crawl.line)]
    said += [of_policy(data, switches, token, url) for token in policy_tokens]
    if "content-signal" in switches.extensions:
        of_file = before_groups(data, switches)
        said.append(
            of_signals(own, purpose) or of_signals(of_file, purpose) or Said("CONTENT_SIGNAL")
        )
        said += [
            each._replace(tokens=(token,))
            for token, group in policies.items()
            if (each := of_signals(group, purpose))
        ]
    if "content-usage" in switches.extensions:
        applying = own if crawl.allowed else []
        said.append(of_usage(applying, switches, url, LABELS[purpose]) or Said("CONTENT_USAGE"))
        said += [
            each._replace(tokens=(token,))
            for token, group in policies.items()
            if crawl.allowed and (each := of_usage(group, switches, url, LABELS[purpose]))
        ]
    return combined(merged(said), licenses_in(data, switches))


# What no URL changes is found once


@lru_cache(maxsize=4096)
def own_records(data: bytes, names: tuple[bytes, ...], switches: Switches) -> tuple[Record, ...]:
    """The records of the groups that bind a crawler."""
    found = binding(data, names, switches)
    return tuple(record for group in found for record in group.records)


@lru_cache(maxsize=4096)
def records_naming(data: bytes, token: str, switches: Switches) -> tuple[Record, ...] | None:
    """The records of the groups that name a policy token; None if none does."""
    groups = groups_naming(read(data, switches), [checked(token, switches)], switches)
    return tuple(record for group in groups for record in group.records) if groups else None


@lru_cache(maxsize=128)
def licenses_in(data: bytes, switches: Switches) -> tuple[bytes, ...]:
    """The licences that are addresses."""
    licenses = (each.value for each in records(data, switches) if each.field == "license")
    return tuple(filter(re.compile(rb"(?i)https?://[^/?#]").match, licenses))


def merged(said: Sequence[Said]) -> list[Said]:
    """Make one of what a mechanism says by one line, however it was reached."""
    found: list[Said] = []
    for each in said:
        same = [place for place, one in enumerate(found) if each.line and one[:3] == each[:3]]
        if same:
            one = found[same[0]]
            found[same[0]] = one._replace(tokens=(*one.tokens, *each.tokens))
        else:
            found.append(each)
    return found


def combined(said: Sequence[Said], licenses: tuple[bytes, ...]) -> Use:
    """Let a `disallow` win over an `allow`, and the first mechanism be named."""
    for verdict in (False, True):
        for each in said:
            if each.allowed is verdict:
                return Use(verdict, each.mechanism, each.line, tuple(said), licenses)
    return Use(None, "NO_SIGNAL", None, tuple(said), licenses)


def of_policy(data: bytes, switches: Switches, token: str, url: str) -> Said:
    """What the groups that name a policy token say; `*` does not stand in for it."""
    if records_naming(data, token, switches) is None:
        return Said("POLICY_TOKEN", tokens=(token,))
    answer = decide(data, switches, token, url)
    if answer.line is None or is_empty(data, switches, answer.line):
        return Said("POLICY_TOKEN", tokens=(token,))
    return Said("POLICY_TOKEN", answer.allowed, answer.line, (token,))


def is_empty(data: bytes, switches: Switches, line: int) -> bool:
    """Whether a line is an empty rule, which some parsers report though it decides nothing."""
    rule = next(record for record in records(data, switches) if record.line == line)
    return rule.value == b"" and switches.empty_disallow != "allow-root"


@lru_cache(maxsize=128)
def before_groups(data: bytes, switches: Switches) -> tuple[Record, ...]:
    """The records above all groups."""
    found = []
    starts = min((group.line for group in read(data, switches) if group.agents), default=None)
    for record in records(data, switches):
        if record.line == starts:
            break
        found.append(record)
    inside = {each for group in read(data, switches, keep_empty=True) for each in group.records}
    return tuple(record for record in found if record not in inside)


def of_signals(lines: Iterable[Record], purpose: str) -> Said | None:
    """The strictest of what these lines say, and the first line that says it."""
    said = [
        (word, record.line)
        for record in lines
        if record.field == "content-signal" and not record.value.startswith(b"/")
        for word in answers(record.value, purpose)
    ]
    for verdict in (False, True):
        for word, line in said:
            if word is verdict:
                return Said("CONTENT_SIGNAL", verdict, line)
    return None


def answers(value: bytes, purpose: str) -> list[bool]:
    sides = [member.partition(b"=")[::2] for member in value.lower().split(b",")]
    named = [
        word.strip(b" \t\f\n\r")
        for key, word in sides
        if key.strip(b" \t\f\n\r") == purpose.encode()
    ]
    return [WORDS[word] for word in named if word in WORDS]


def of_usage(lines: Iterable[Record], switches: Switches, url: str, label: str) -> Said | None:
    """What the lines with the longest matching path say."""
    subject = SUBJECT_FORMS[switches.normalisation](subject_of(url, switches))
    weighed: list[tuple[int, bool | None, int]] = []
    for record in lines:
        if record.field != "content-usage":
            continue
        path, preferences = split_usage(record.value)
        pattern = compiled(Rule(False, path, record.line), switches)
        if not path or hit_by(pattern, subject):
            weighed.append(
                (pattern.length if path else 0, preference(preferences, label), record.line)
            )
    longest = max((length for length, _, _ in weighed), default=0)
    for verdict in (False, True):
        for length, said, line in weighed:
            if length == longest and said is verdict:
                return Said("CONTENT_USAGE", verdict, line)
    return None


def split_usage(value: bytes) -> tuple[bytes, bytes]:
    if not value.startswith(b"/"):
        return b"", value
    path, *rest = re.split(rb"[ \t]", value, maxsplit=1)
    return path, rest[0] if rest else b""


def preference(dictionary: bytes, label: str) -> bool | None:
    """The last preference of a label in a dictionary of tokens (RFC 9651 section 3.2)."""
    members = [MEMBER.fullmatch(member) for member in dictionary.split(b",")]
    if not all(members):
        return None
    found = [each[2] for each in members if each and each[1] == label.encode()]
    word = (found or [b""])[-1] or b""
    return {b"y": True, b"n": False}.get(word.partition(b";")[0].strip())
