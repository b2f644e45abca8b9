"""The eight dialects as one table of switches, typed from the specification's own tables.

Out: `SWITCHES`, from the name of a dialect to its frozen `Switches`. One row per switch, one
column per dialect, so that the table can be read beside its source.
"""

from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Any, Literal

NAMES = (
    "original-1994",
    "koster-1996",
    "koster-rep-00",
    "rfc9309",
    "google",
    "googlebot-cpp",
    "yandex",
    "bing",
)


@dataclass(frozen=True)
class Switches:
    """Everything that one reading of robots.txt decides, in the order of the pipeline.

    It is a key of many caches, so its hash is computed once.
    """

    parse_limit: int | None
    over_limit: Literal["cut", "absent"]
    decode_utf16: bool
    skip_partial_bom: bool
    nul_ends_line: bool
    max_line_len: int | None
    over_line: Literal["drop", "cut"]
    max_lines: int | None
    allow_is_rule: bool
    lenient_keys: bool
    prefix_keys: bool
    extensions: tuple[str, ...]
    blank_ends: bool
    record_ends_starts: bool
    usage_ends_starts: bool
    drop_empty_groups: bool
    max_rules: int | None
    max_rule_len: int | None
    token_check: Literal["strict", "cut", "any"]
    user_agent_match: Literal[
        "substring", "value-contains-name", "equal", "rfc", "prefix", "family-prefix"
    ]
    ignore_family: bool
    user_agent_star_suffix: Literal["blank", "white-space"]
    ignore_star: bool
    named_groups: Literal["first", "merge", "best-merge"]
    star_groups: Literal["first", "merge"]
    tokens: Literal["first", "merge"]
    url_split: Literal["strict", "google"]
    query: bool
    dot_segments: Literal["remove", "keep"]
    normalisation: Literal["raw", "koster96", "base", "cpp"]
    equate_reserved_escapes: bool
    wildcards: bool
    require_slash: bool
    empty_disallow: Literal["no-rule", "allow-root"]
    report_empty: bool
    index_is_directory: bool
    trailing_star_counts: bool
    precedence: Literal["first", "longest"]
    tie: Literal["allow", "disallow"]
    robots_txt_allowed: bool
    crawl_delay_inherits: bool
    crawl_delay_ceiling: int | None
    crawl_delay_whole: bool

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(astuple(self))


OTHER_RECORDS = (
    *("sitemap", "crawl-delay", "request-rate", "visit-time", "robot-version", "comment"),
    *("clean-param", "host", "noindex", "nofollow", "noarchive", "content-signal", "license"),
    *("llm-policy", "cache-delay", "revisit-after", "domain", "unavailable-after", "acap"),
    *("disallowaitraining", "allowaitraining", "permits", "prohibits", "compensation"),
)
BING_RECORDS = ("sitemap", "crawl-delay")
YANDEX_RECORDS = ("sitemap", "clean-param")

LIMIT = 500 * 1024
LONG = 16_664
LINES = 100_000


def same(value: object) -> tuple[object, ...]:
    return (value,) * len(NAMES)


def only(*names: str) -> tuple[bool, ...]:
    return tuple(name in names for name in NAMES)


def all_but(*names: str) -> tuple[bool, ...]:
    return tuple(name not in names for name in NAMES)


# Columns: 1994, 1996, koster-rep-00, RFC 9309, google, googlebot-cpp, yandex, bing.
TABLE: dict[str, tuple[Any, ...]] = {
    "parse_limit": (LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, None, LIMIT, LIMIT),
    "over_limit": ("cut", "cut", "cut", "cut", "cut", "cut", "absent", "cut"),
    "decode_utf16": same(False),
    "skip_partial_bom": only("googlebot-cpp"),
    "nul_ends_line": only("googlebot-cpp"),
    "max_line_len": (LONG, LONG, None, None, None, 16_663, LONG, LONG),
    "over_line": ("drop", "drop", "drop", "drop", "drop", "cut", "drop", "drop"),
    "max_lines": (LINES, LINES, None, None, None, None, LINES, LINES),
    "allow_is_rule": all_but("original-1994"),
    "lenient_keys": all_but("original-1994", "koster-1996", "yandex"),
    "prefix_keys": only("googlebot-cpp"),
    "extensions": (
        *((), (), OTHER_RECORDS, OTHER_RECORDS),
        *(("sitemap",), ("sitemap",), YANDEX_RECORDS, BING_RECORDS),
    ),
    "blank_ends": only("original-1994", "koster-1996", "yandex"),
    "record_ends_starts": same(False),
    "usage_ends_starts": same(True),
    "drop_empty_groups": only("original-1994", "koster-1996"),
    "max_rules": (None, None, None, None, None, None, 2_048, None),
    "max_rule_len": (None, None, None, None, None, None, 1_024, None),
    "token_check": ("cut", "cut", "strict", "strict", "strict", "any", "strict", "strict"),
    "user_agent_match": (
        *("substring", "equal", "rfc", "rfc"),
        *("prefix", "prefix", "family-prefix", "rfc"),
    ),
    "ignore_family": same(False),
    "user_agent_star_suffix": (*("blank",) * 5, "white-space", "blank", "blank"),
    "ignore_star": same(False),
    "named_groups": (
        *("first", "first", "merge", "merge"),
        *("merge", "merge", "best-merge", "merge"),
    ),
    "star_groups": ("first", "first", "first", "merge", "merge", "merge", "merge", "merge"),
    "tokens": ("first", "first", "merge", "merge", "first", "merge", "first", "first"),
    "url_split": (*("strict",) * 5, "google", "strict", "strict"),
    "query": all_but("koster-1996"),
    "dot_segments": (*("remove",) * 5, "keep", "remove", "remove"),
    "normalisation": ("raw", "koster96", "base", "base", "base", "cpp", "base", "base"),
    "equate_reserved_escapes": only("koster-rep-00", "rfc9309"),
    "wildcards": all_but("original-1994", "koster-1996"),
    "require_slash": all_but("original-1994", "koster-1996", "googlebot-cpp"),
    "empty_disallow": (*("no-rule",) * 6, "allow-root", "no-rule"),
    "report_empty": only("googlebot-cpp"),
    "index_is_directory": only("googlebot-cpp"),
    "trailing_star_counts": all_but("yandex"),
    "precedence": (*("first", "first"), *("longest",) * 6),
    "tie": same("allow"),
    "robots_txt_allowed": all_but("googlebot-cpp"),
    "crawl_delay_inherits": only("bing"),
    "crawl_delay_ceiling": (*(None,) * 7, 30),
    "crawl_delay_whole": only("bing"),
}

SWITCHES: dict[str, Switches] = {
    name: Switches(**{switch: row[column] for switch, row in TABLE.items()})
    for column, name in enumerate(NAMES)
}
