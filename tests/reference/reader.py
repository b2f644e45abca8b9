"""Reading: the bytes of a file become groups.

In: bytes and `Switches`. Out: `Group`s in file order, holding rules as written.
Nothing here knows a product token or a URL.
RFC 9309 sections 2.1 and 2.2, and what each dialect makes of them.
"""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from .switches import Switches

BLANKS = b" \t\v\f"
LINE_END = re.compile(rb"\r\n|\r|\n")
UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# The fields that bear on groups, and Sitemap: the proper spelling, then those tolerated.
SPELLINGS = {
    "user-agent": (b"user-agent", b"useragent", b"user agent"),
    "allow": (b"allow",),
    "disallow": (
        *(b"disallow", b"dissallow", b"dissalow"),
        *(b"disalow", b"diasllow", b"disallaw"),
    ),
    "sitemap": (b"sitemap", b"site-map"),
}
# The records that speak to the crawlers of a group.
GROUP_RECORDS = (
    *("crawl-delay", "request-rate", "visit-time", "robot-version", "comment"),
    *("noindex", "nofollow", "noarchive", "cache-delay"),
)

# What a line may be besides a record of a known field.
BLANK = "(blank)"
WITHOUT_EFFECT = "(comment or unknown)"
DROPPED_AGENT = "(over-long user-agent)"


class Record(NamedTuple):
    line: int
    field: str
    value: bytes


class Rule(NamedTuple):
    allow: bool
    value: bytes
    line: int


@dataclass(slots=True, eq=False)
class Group:
    """Agent values and rules; equal only to itself, so that what is made of it can be cached."""

    agents: list[bytes] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    has_rule_line: bool = False
    line: int = 0


@lru_cache(maxsize=128)
def read(data: bytes, switches: Switches, keep_empty: bool = False) -> tuple[Group, ...]:
    """Return the groups of a file; those without a rule line are left out where void, unless
    `keep_empty`."""
    groups: list[Group] = []
    current: Group | None = None
    rule_lines = 0
    for record in records(data, switches):
        if record.field == "user-agent":
            if current is None or current.has_rule_line:
                groups.append(current := Group(line=record.line))
            current.agents.append(record.value)
        elif record.field == DROPPED_AGENT:
            groups.append(current := Group(line=record.line))
        elif record.field == BLANK and switches.blank_ends:
            current = None
        elif record.field in ("allow", "disallow"):
            rule_lines += 1
            if current is not None:
                current.has_rule_line = True
                if within(switches.max_rules, rule_lines) and rule_fits(record, switches):
                    current.rules.append(rule_of(record))
        elif current is not None and record.field not in (BLANK, WITHOUT_EFFECT):
            current.records.append(record)
            current.has_rule_line |= ends_starts(record.field, switches)
    drops = switches.drop_empty_groups and not keep_empty
    return tuple(group for group in groups if group.has_rule_line or not drops)


def ends_starts(field: str, switches: Switches) -> bool:
    """Whether what is not a rule ends a run of user-agent lines: Content-Usage is a rule by its
    draft's grammar, though it forbids nothing."""
    if field == "content-usage":
        return switches.usage_ends_starts
    return switches.record_ends_starts and field in GROUP_RECORDS


def rule_of(record: Record) -> Rule:
    return Rule(record.field == "allow", record.value, record.line)


def within(limit: int | None, number: int) -> bool:
    return limit is None or number <= limit


def rule_fits(record: Record, switches: Switches) -> bool:
    return within(switches.max_rule_len, len(record.value))


@lru_cache(maxsize=128)
def records(data: bytes, switches: Switches) -> tuple[Record, ...]:
    """Return what each line says, numbered from 1; over-long lines are dropped or cut."""
    return tuple(_records(data, switches))


def _records(data: bytes, switches: Switches) -> Iterator[Record]:
    for number, line in enumerate(lines(data, switches), start=1):
        if within(switches.max_line_len, len(line)):
            yield Record(number, *field_and_value(line, switches))
        elif switches.over_line == "cut":
            yield Record(number, *field_and_value(line[: switches.max_line_len], switches))
        elif field_and_value(line, switches)[0] == "user-agent":
            yield Record(number, DROPPED_AGENT, b"")


def lines(data: bytes, switches: Switches) -> list[bytes]:
    """Return the lines that are read, without line ends and without a leading BOM."""
    body = without_bom(within_limit(decoded(data, switches), switches), switches)
    found = LINE_END.split(body)
    if found[-1] == b"":
        found.pop()  # a final line end ends the last line and begins none
    return found[: switches.max_lines]


def decoded(data: bytes, switches: Switches) -> bytes:
    """UTF-16 with a BOM as UTF-8, which keeps the BOM, where the dialect converts."""
    encoding = UTF16.get(data[:2])
    if not switches.decode_utf16 or encoding is None:
        return data
    return data.decode(encoding, "replace").encode("utf-8")


def within_limit(data: bytes, switches: Switches) -> bytes:
    """The part of a file that is read, without the line that the limit falls into."""
    if within(switches.parse_limit, len(data)):
        return data
    if switches.over_limit == "absent":
        return b""
    kept, next_byte = data[: switches.parse_limit], data[switches.parse_limit :][:1]
    if next_byte in (b"\r", b"\n"):
        return kept
    return kept[: max(kept.rfind(b"\r"), kept.rfind(b"\n")) + 1]


def without_bom(data: bytes, switches: Switches) -> bytes:
    if data.startswith(codecs.BOM_UTF8) or not switches.skip_partial_bom:
        return data.removeprefix(codecs.BOM_UTF8)
    return data.removeprefix(b"\xef").removeprefix(b"\xbb") if data[:1] == b"\xef" else data


def field_and_value(line: bytes, switches: Switches) -> tuple[str, bytes]:
    """Cut the comment, split at the colon, and name the field."""
    if switches.nul_ends_line:
        line = line.partition(b"\0")[0]
    content, comment, _ = line.partition(b"#")
    content = content.strip(BLANKS)
    if not content:
        return (WITHOUT_EFFECT if comment else BLANK), b""
    key, colon, value = content.partition(b":")
    if not colon:
        return two_words(content, switches)
    key = key.strip(BLANKS).lower()
    field = written_field(key, switches)
    name = {b"content-signals": "content-signal"}.get(key, key.decode("latin-1"))
    if field is None and name in switches.extensions:
        field = name
    return field or WITHOUT_EFFECT, value.strip(BLANKS)


def two_words(content: bytes, switches: Switches) -> tuple[str, bytes]:
    """Read a line without colon as key and value, where that is tolerated."""
    words = re.split(rb"[ \t]+", content)
    if not switches.lenient_keys or len(words) != 2:
        return WITHOUT_EFFECT, b""
    key, value = (word.strip(BLANKS) for word in words)
    return written_field(key.lower(), switches) or WITHOUT_EFFECT, value


def written_field(key: bytes, switches: Switches) -> str | None:
    """Return the field that a lower-case key means, misspellings included, if it is read."""
    for name, spellings in SPELLINGS.items():
        accepted = spellings if switches.lenient_keys else spellings[:1]
        if key.startswith(accepted) if switches.prefix_keys else key in accepted:
            return name if is_read(name, switches) else None
    return None


def is_read(name: str, switches: Switches) -> bool:
    if name == "sitemap":
        return "sitemap" in switches.extensions
    return name != "allow" or switches.allow_is_rule
