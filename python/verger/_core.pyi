"""The native core of verger: parse robots.txt files and decide URLs.

All classes are frozen, hashable, comparable, picklable and safe to share between threads.
Bytes that appear as `str` are decoded as UTF-8 with `surrogateescape`, so
`text.encode("utf-8", "surrogateescape")` returns the bytes of the file.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import (
    Any,
    BinaryIO,
    Final,
    Literal,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypedDict,
    Unpack,
    final,
    overload,
)

import polars

DialectName: TypeAlias = Literal[
    "original-1994",
    "koster-1996",
    "koster-rep-00",
    "rfc9309",
    "google",
    "googlebot-cpp",
    "yandex",
    "bing",
]
KnobValue: TypeAlias = bool | int | str | tuple[str, ...] | None
Span: TypeAlias = tuple[int, int]

_Changed: TypeAlias = tuple[
    list[str],
    tuple[bool, bool],
    Literal["all", "some", "none", "unknown"],
    tuple[int, int],
    tuple[bool, str, str, int | None, int | None] | None,
    bool,
]
"""What changes for some crawlers."""

Reason: TypeAlias = Literal[
    "MOST_SPECIFIC_RULE",
    "FIRST_MATCHING_RULE",
    "EMPTY_RULE",
    "NO_MATCHING_RULE",
    "GROUP_WITHOUT_RULES",
    "NO_GROUP",
    "ROBOTS_TXT_ITSELF",
    "FILE_OVER_LIMIT",
]
UseName: TypeAlias = Literal["search", "ai-input", "ai-train"]
Purpose: TypeAlias = UseName  # its former name, which is the purpose of a crawler now
Mechanism: TypeAlias = Literal[
    "crawl-rules", "policy-token", "content-signal", "content-usage", "license"
]
UseReason: TypeAlias = Literal[
    "CRAWL_RULES", "POLICY_TOKEN", "CONTENT_SIGNAL", "CONTENT_USAGE", "NO_SIGNAL"
]
LineKind: TypeAlias = Literal[
    "blank", "comment", "start-group", "rule", "record", "unknown", "dropped", "beyond-limit"
]
RecordValue: TypeAlias = (
    float
    | RequestRate
    | VisitTime
    | Sitemap
    | Host
    | CleanParam
    | ContentSignal
    | ContentUsage
    | License
    | str
)

__version__: str
DIALECTS: Mapping[str, Dialect]
"""The eight named dialects, oldest first."""
KNOBS: tuple[Knob, ...]
"""The choices of a dialect, in the order of the pipeline."""

def parse(
    body: bytes | bytearray | memoryview | str,
    *,
    dialect: DialectName | Dialect = "rfc9309",
    url: str | None = None,
) -> RobotsTxt:
    """Parse one robots.txt file. Never raises on content, whatever the bytes.

    body:     bytes, bytearray or memoryview, as received; a str is encoded as UTF-8.
    dialect:  how to read it, a name from `DIALECTS` or a `Dialect` of your own.
    url:      str, the URL that was requested, before redirects; if given, decisions for other
              origins raise `OutOfScope`.
    Returns:  RobotsTxt.
    Raises:   TypeError for a body that is neither bytes nor text, UnknownName for an
              unknown dialect, InvalidTarget for a `url` without scheme and authority.
    Warns:    UserWarning for a text that looks like a file name or a URL: use `verger.load` or
              `verger.fetch` for these.

    >>> robots = parse(b"User-agent: *\\nDisallow: /private\\n")
    >>> robots.allowed("https://example.com/private/a", "ExampleBot")
    False

    RFC 9309 sections 2.2 and 2.3.1.5.
    """

def product_token(header: str) -> str | None:
    """Return the product token in an identification string, or None if it is a person's browser's.

    The first product that no browser sends counts, then what a comment or the end of it names.

    >>> product_token("Mozilla/5.0 (compatible; ExampleBot/0.1; +https://example.com/bot)")
    'ExampleBot'
    >>> product_token("ExampleBot/0.1 (compatible; Nutch/1.19)")
    'ExampleBot'

    The result passes `check_product_token` in every dialect. RFC 9309 section 2.2.1; RFC 9110
    section 10.1.5.
    """

def check_product_token(
    token: str | Sequence[str], *, dialect: DialectName | Dialect = "rfc9309"
) -> None:
    """Raise InvalidProductToken if a text cannot be the product token of a crawler.

    A product token has the characters of a token (RFC 9110 section 5.6.2) except `#`, `*` and `|`,
    and letters outside ASCII; a lone `*` means the groups of `*`. `original-1994` and
    `koster-1996` cut a version after `/`, `googlebot-cpp` accepts any text.

    token:    one, or several of one crawler; all of them are checked.
    dialect:  the dialect in which files will be read.
    Raises:   InvalidProductToken, whose hint suggests what was probably meant; UnknownName.

    >>> check_product_token("ExampleBot")
    >>> check_product_token("ExampleBot/0.1")
    Traceback (most recent call last):
        ...
    verger.errors.InvalidProductToken: `ExampleBot/0.1` is not a product token: `/` at offset 10 \
(RFC 9309 section 2.2.1)
    hint: pass `ExampleBot`

    RFC 9309 section 2.2.1.
    """

def _leading_name(value: str) -> str:
    """Return the product token that the value of a start-group line begins with, or nothing."""

def _names_of(values: Sequence[str]) -> list[str]:
    """Return the names that values of start-group lines begin with, but for `*`, in order: each as
    it is written first."""

def _names_in(header: str) -> list[tuple[str, Literal["sender", "beside", "mentioned"]]]:
    """Return the names in an identification string, and what each is there for.

    `sender`:     it is the sender's; the first is what `product_token` returns.
    `beside`:     it stands outside of comments, and is the sender's if a crawler is known by it.
    `mentioned`:  the same in a comment, without a product of the sender's own before it.
    """

def _record_text(value: object) -> str | None:
    """Return the value of a record for crawlers as a file could write it; None for no value."""

def _signal_words(signals: ContentSignal) -> list[tuple[str, str]]:
    """Return what content signals say: each key with its word."""

def _record_changes(old: RobotsTxt, new: RobotsTxt) -> list[tuple[str, str, bool, int]]:
    """Return the records of the whole file that only one of two versions has, those that were
    removed first: field, value, whether it was added, and line."""

@final
class _Crawlers:
    """Crawlers, each with one product token, to look up in many files of a dialect."""

    def __new__(cls, tokens: Sequence[str], by_operators: bool, dialect: Dialect) -> _Crawlers:
        """Raises InvalidProductToken.

        by_operators:  whether they follow whom their operators say, or only their names.
        """

    def naming(self, robots: RobotsTxt) -> list[int]:
        """Return the places of the crawlers that groups of a file bind by a name."""

    def agents(self, robots: RobotsTxt) -> list[Agent | None]:
        """Return the rules of each; None if no group binds it, not even that of `*`."""

def _agents_named(robots: RobotsTxt, tokens: Sequence[str]) -> list[Agent]:
    """Return the rules of groups that name each of many crawlers, each with one product token; no
    rules for those that none names. Raises InvalidProductToken."""

def _agent_of(robots: RobotsTxt, token: str) -> Agent | None:
    """Return the rules of a crawler, as its operator says whose groups it follows; None if no group
    binds it, not even that of `*`. Raises InvalidProductToken."""

def _alike(
    files: Sequence[RobotsTxt], crawlers: Sequence[_Crawlers], tokens: Sequence[str]
) -> list[list[str]]:
    """Partition crawlers by the groups that they follow in some files.

    crawlers:  for each file, in its dialect, those whose tokens these are.
    """

def _documented(
    token: str,
) -> tuple[
    Literal["crawler", "policy-token"],
    Literal["groups", "named-groups", "nothing"],
    tuple[str, ...],
]:
    """Return what kind of name a crawler has, which groups bind it, and whom it follows if none
    names it."""

def _special_bindings() -> list[tuple[str, tuple[str, ...], bool]]:
    """Return every crawler that does not only follow the groups that name it, else those of `*`:
    its token in lower case, which crawlers it follows, and whether `*` binds it then."""

def _binds(token: str, named: bool) -> bool:
    """Whether a file binds a crawler, according to its operator.

    named:  whether a group names it, or one that it follows.
    """

def _remark_on(token: str) -> str | None:
    """Return a remark on a crawler that the rules of a file do not bind as usual, else None."""

def _tokens_among(texts: list[str], dialects: list[Dialect]) -> list[str]:
    """Return those of some texts that can be the product token of a crawler in all of some
    dialects."""

def _values_in(robots: RobotsTxt) -> list[str]:
    """Return the values of the start-group lines of a file, but for empty ones, each once."""

def _binding_lines(
    robots: RobotsTxt, tokens: list[str]
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return for each of many crawlers the groups that bind it, by index, and the lines in them
    that name it; for one that no group names, those of `*`."""

def _differences(
    old: list[Agent],
    new: list[Agent],
    steps: int,
    over: list[tuple[bool, str]] = ...,
    policy: bool = ...,
) -> tuple[
    list[int],
    dict[int, tuple[list[tuple[bool, str, str, Rule | None, Rule | None, bool]], bool]],
    int,
]:
    """Return how the rules of pairs of crawlers differ, and how many steps that took: for each pair
    the place of the first with the same rules, and for those the changes and whether they are all;
    nothing where the rules are the same. `over` outranks the rules of `new`. With `policy`, what
    they say as rules of policy tokens, where nothing is less than allowed."""

def _effects(
    agent: Agent, steps: int
) -> list[
    tuple[
        Rule,
        Literal["decides", "shadowed", "matches-nothing", "unknown"],
        str | None,
        tuple[Rule, ...],
        bool,
    ]
]:
    """Return what each rule of a crawler does among the others."""

def _page_elsewhere(agents: Sequence[Agent]) -> str:
    """Return the path of a page that no pattern for some crawlers of a file matches specifically,
    neither that of a rule nor that of a usage preference."""

def _idle(agent: Agent, steps: int) -> list[tuple[int, tuple[Rule, ...]]]:
    """Return the rules of a crawler that decide no URL, by line, each with those that outrank it:
    those that `_effects` calls `shadowed` or `matches-nothing`."""

def _rule_lines(agent: Agent) -> tuple[int, ...]:
    """Return the lines of the rules of a crawler, in the order of the file."""

def _kept(
    agent: Agent,
    pattern: str,
    except_: list[str],
    answer: bool | None,
    steps: int,
    asked: tuple[UseName, list[str]] | None = ...,
) -> tuple[str | None, bool, bool, int]:
    """Return a URL of a pattern, and of none of the exceptions, that gets another answer than the
    promised one; whether it is proved that there is none, or no shorter one; whether the pattern
    matches any URL that is no exception; and how many steps that took.

    asked:  a use, and the product tokens that stand for it; None for fetching."""

def _placed_records(robots: RobotsTxt) -> list[tuple[int | None, int, str, str]]:
    """Return the records of a file: for each the place in `RobotsTxt.groups` of the group whose
    crawlers it is for, None if it is for the whole file; its line, field and value as written."""

def _places(agent: Agent) -> list[int]:
    """Return the groups that a crawler follows, by their places in `RobotsTxt.groups`."""

def _exempt(
    old: Agent, new: Agent, opened: bool, region: str, steps: int
) -> tuple[list[str], bool, int]:
    """Return the parts of a region for which nothing changed between two crawlers, whether these
    are all, and how many steps that took."""

def _redundant(agent: Agent, steps: int, policy: bool = ...) -> tuple[tuple[Rule, ...], bool]:
    """Return the rules without which no answer for a crawler changes, or with `policy` nothing that
    they say as rules of policy tokens; and whether they are all."""

def _heard_otherwise(
    old: list[Agent], new: list[Agent]
) -> list[tuple[int, tuple[list[tuple[str, bool]], list[tuple[str, bool]], bool]]]:
    """Return what records say otherwise to pairs of crawlers, by their places: the uses of which
    content signals and usage preferences say something else, in their own groups, and with what
    stands above all groups, each with whether more may be allowed than before (`use` is how much
    may be shown); and whether other records stand in the groups that they follow. Pairs to which
    they say the same are left out."""

def _policy_tokens(tokens: Sequence[str], purpose: str) -> tuple[tuple[str, str], ...]:
    """Return the product tokens that stand for a use of what a crawler fetches, its operator's and
    everyone's, each with the title of the page that says so. Raises UnknownName for a use."""

def _are_policy_tokens(tokens: Sequence[str]) -> bool:
    """Return whether no crawler sends these tokens."""

def _own_dialect(token: str, asked: Dialect) -> Dialect | None:
    """Return the dialect in which a crawler reads, if it is another than that which is asked about;
    with the same knobs changed."""

def _dialect_of_crawler(token: str) -> DialectName | None:
    """Return the name of the dialect in which a crawler reads; None if its operator says nothing
    of it."""

def _redundant_alone(agent: Agent, steps: int) -> list[int]:
    """Return the lines of those of which each can also be removed alone: with all others there, no
    answer changes, and no other line is read otherwise."""

def _anchors(robots: RobotsTxt) -> list[int]:
    """Return the lines of the rules without which other lines would be read otherwise: the only
    rule of a group that another one follows, and every rule where a limit excludes some lines."""

def _says_the_same(old: bytes, new: bytes, dialects: list[Dialect], steps: int) -> list[int] | None:
    """Return the places of those of some dialects in which only a longer proof can show that two
    versions of a file say the same to every crawler, with the same records; None if they do not."""

def _dialect_of(dialect: str | Dialect) -> Dialect:
    """Return a dialect by name, or unchanged. Raises UnknownName."""

def origin(url: str) -> str:
    """Return the origin whose robots.txt file governs a URL, as `scheme://host:port`.

    The scheme is in lower case, the host in lower case and A-label form, IP addresses are by value;
    the port is given only if it is not the scheme's default. Equal origins have one robots.txt
    file; the result is a URL whose origin is the same text.

    A host is decoded and mapped before it is checked: `ex%61mple.com` is `example.com`, `0x7f.1` is
    127.0.0.1. If the result is empty or contains a character that no host has, such as `/` from
    U+FF0F, the host is invalid.

    >>> origin("HTTPS://user@BÜCHER.example:443/page")
    'https://xn--bcher-kva.example'

    Raises: InvalidTarget, also for a scheme without robots.txt: only http, https, ftp have one.

    RFC 9309 section 2.3; RFC 3986 section 6.2.3; UTS 46, non-transitional; URL Standard, section
    3.5.
    """

def _is_robots_txt(url: str) -> bool:
    """Return whether a URL is that of a robots.txt file that governs an origin."""

def requested_url(url: str) -> str:
    """Return the URL that an HTTP client requests for a URL.

    It has the origin in canonical form, the path without dot segments, and the query, but no user
    and no fragment. A path stays a path. Decide this URL before you send a request: rules are
    compared with URLs as written, and `/x/../basket` is requested as `/basket`.

    >>> requested_url("HTTPS://user@example.com/x/%2e%2e/basket#top")
    'https://example.com/basket'

    Raises: InvalidTarget, also for a scheme without robots.txt.

    RFC 3986 section 5.2.4; URL Standard, section 4.4: `%2e` is a dot.
    """

@final
class Origin:
    """Scheme, host and port: what one robots.txt file governs; `str()` is `origin(url)`."""

    def __new__(cls, url: str) -> Origin:
        """The origin of a URL. Raises InvalidTarget as `origin` does."""
    scheme: Final[Literal["http", "https", "ftp"]]
    host: Final[str]
    """In lower case and A-label form, as used for connections; an IPv6 address in brackets."""
    port: Final[int]
    """The port, also if it is the scheme's default."""

@final
class Knob:
    """One choice of a dialect: its name, its values, and their sources."""

    name: Final[str]
    """Its name: an attribute of `Dialect`, and an argument of `Dialect.replace`."""
    doc: Final[str]
    """What it decides, with the unit of its values."""
    source: Final[str]
    """Where its values come from."""
    choices: Final[tuple[KnobValue, ...]]
    """Every value, for a knob with a fixed list; otherwise `()`."""
    meanings: Final[tuple[str, ...]]
    """The meaning of each choice; `()` for yes or no, and if there is no fixed list."""

class Knobs(TypedDict, total=False):
    """The knobs that `Dialect.replace` accepts; `verger.KNOBS` describes each."""

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
    max_redirects: int
    too_many_redirects: Literal["allow", "disallow", "defer"]
    disallowed_redirect: Literal["follow", "unavailable"]
    forbidden: Literal["allow", "disallow", "defer"]
    status_429: Literal["allow", "disallow", "defer"]
    unreachable: Literal["allow", "disallow", "defer"]
    yandex_errors: Literal["open", "rfc9309"]
    google_unreachable: Literal["none", "2023", "2026"]
    stale_when_unreachable: int | None
    unreachable_limit: int | None
    conditional_get: bool
    cache_headers: Literal["all", "cache-control", "max-age"]
    default_lifetime: int
    max_lifetime: int | None

@final
class Dialect:
    """One complete interpretation of robots.txt, as data.

    The named dialects are in `verger.DIALECTS`; derive others with `replace`. Each knob is an
    attribute, and `verger.KNOBS` describes what it decides, its values, and their sources. Dialects
    are frozen, equal if their knobs are, and can be pickled.

    >>> from verger import DIALECTS, parse
    >>> DIALECTS["google"].tie
    'allow'
    >>> strict = DIALECTS["rfc9309"].replace(tie="disallow")
    >>> robots = parse("User-agent: *\\nAllow: /a\\nDisallow: /a\\n", dialect=strict)
    >>> robots.allowed("/a", "ExampleBot")
    False
    """

    name: Final[str]
    """Its name: a key of `DIALECTS`, or your own."""
    title: Final[str]
    """The document that the dialect follows."""
    knobs: Final[Mapping[str, KnobValue]]
    """Every knob with its value, in the order of `KNOBS`."""

    parse_limit: Final[int | None]
    over_limit: Final[Literal["cut", "absent"]]
    decode_utf16: Final[bool]
    skip_partial_bom: Final[bool]
    nul_ends_line: Final[bool]
    max_line_len: Final[int | None]
    over_line: Final[Literal["drop", "cut"]]
    max_lines: Final[int | None]
    allow_is_rule: Final[bool]
    lenient_keys: Final[bool]
    prefix_keys: Final[bool]
    extensions: Final[tuple[str, ...]]
    blank_ends: Final[bool]
    record_ends_starts: Final[bool]
    usage_ends_starts: Final[bool]
    drop_empty_groups: Final[bool]
    max_rules: Final[int | None]
    max_rule_len: Final[int | None]
    token_check: Final[Literal["strict", "cut", "any"]]
    user_agent_match: Final[
        Literal["substring", "value-contains-name", "equal", "rfc", "prefix", "family-prefix"]
    ]
    ignore_family: Final[bool]
    user_agent_star_suffix: Final[Literal["blank", "white-space"]]
    ignore_star: Final[bool]
    named_groups: Final[Literal["first", "merge", "best-merge"]]
    star_groups: Final[Literal["first", "merge"]]
    tokens: Final[Literal["first", "merge"]]
    url_split: Final[Literal["strict", "google"]]
    query: Final[bool]
    dot_segments: Final[Literal["remove", "keep"]]
    normalisation: Final[Literal["raw", "koster96", "base", "cpp"]]
    equate_reserved_escapes: Final[bool]
    wildcards: Final[bool]
    require_slash: Final[bool]
    empty_disallow: Final[Literal["no-rule", "allow-root"]]
    report_empty: Final[bool]
    index_is_directory: Final[bool]
    trailing_star_counts: Final[bool]
    precedence: Final[Literal["first", "longest"]]
    tie: Final[Literal["allow", "disallow"]]
    robots_txt_allowed: Final[bool]
    crawl_delay_inherits: Final[bool]
    crawl_delay_ceiling: Final[int | None]
    crawl_delay_whole: Final[bool]
    max_redirects: Final[int]
    too_many_redirects: Final[Literal["allow", "disallow", "defer"]]
    disallowed_redirect: Final[Literal["follow", "unavailable"]]
    forbidden: Final[Literal["allow", "disallow", "defer"]]
    status_429: Final[Literal["allow", "disallow", "defer"]]
    unreachable: Final[Literal["allow", "disallow", "defer"]]
    yandex_errors: Final[Literal["open", "rfc9309"]]
    google_unreachable: Final[Literal["none", "2023", "2026"]]
    stale_when_unreachable: Final[int | None]
    unreachable_limit: Final[int | None]
    conditional_get: Final[bool]
    cache_headers: Final[Literal["all", "cache-control", "max-age"]]
    default_lifetime: Final[int]
    max_lifetime: Final[int | None]

    def replace(
        self, *, name: str | None = None, small_limits: bool = False, **knobs: Unpack[Knobs]
    ) -> Dialect:
        """Return a dialect that differs in the knobs given.

        name:     str, its name; None to derive one from this dialect and the knobs.
        knobs:    named as in `verger.KNOBS`, each with one of its values.
        small_limits:  whether `parse_limit` may be less than 500 KiB, for tests.
        Returns:  Dialect.
        Raises:   UnknownName for an unknown knob or value, with the close match as hint;
                  InvalidOption for a parsing limit that is too small (RFC 9309 section 2.5).

        >>> from verger import RFC9309
        >>> RFC9309.replace(parse_limit=None, name="unlimited").name
        'unlimited'
        """

@final
class RobotsTxt:
    """One parsed robots.txt file, from `verger.parse`, `load` or `fetch`.

    Every file has a meaning; `findings` reports what was tolerated (RFC 9309 section 2.3.1.5).
    Frozen, equal to one of the same file in the same dialect, safe to share between threads.

    >>> from verger import parse
    >>> robots = parse("User-agent: *\\nDisallow: /private\\nSitemap: https://example.com/s.xml\\n")
    >>> robots.allowed("https://example.com/private/a", "ExampleBot")
    False
    >>> robots.decide("https://example.com/private/a", "ExampleBot").line
    2
    >>> robots.sitemaps
    ('https://example.com/s.xml',)
    """

    body: Final[bytes]
    """The bytes of the file, as received."""
    dialect: Final[Dialect]
    """The dialect that it was read in."""
    url: Final[str | None]
    """The URL that it came from, as given; None if it is unknown."""
    bytes_read: Final[int]
    """How many bytes the dialect reads; fewer than `len(body)` if a limit cuts the file."""
    truncated: Final[bool]
    """Whether the parsing limit was exceeded (RFC 9309 section 2.5)."""
    def _how_cut(self) -> str | None:
        """How a limit cut it: `cut at 511,993 bytes (parsing limit 512,000)`; None if it is
        whole."""
    def _unread_of_use(self) -> list[list[_Word]]:
        """That the dialect does not read lines about use, as sentences."""
    groups: Final[tuple[Group, ...]]
    """The groups, in file order."""
    lines: Final[Lines]
    """Every line of the file; their spans tile it. (If `decode_utf16` converted the file, spans are
    those of its UTF-8 form.)"""
    records: Final[tuple[Record, ...]]
    """The extension records that the dialect reads, as typed values (RFC 9309 section 2.2.4)."""
    sitemaps: Final[tuple[str, ...]]
    """The `Sitemap` values as written, in file order, duplicates kept."""
    findings: Final[Findings]
    """Everything that was tolerated, cut or skipped, by line."""

    def allowed(self, url: str, token: str | Sequence[str]) -> bool:
        """Return whether the crawler may fetch the URL: the fast path of `decide`.

        url:      str, an absolute URL, or a path that begins with `/`. Its authority is checked
                  only if `parse` was given the file's URL.
        token:    str, a product token, or a sequence of those of one crawler.
        Returns:  bool.
        Raises:   InvalidTarget for an invalid URL, InvalidProductToken for an invalid token,
                  OutOfScope for a URL of another origin than the file's.

        >>> from verger import parse
        >>> robots = parse("User-agent: GPTBot\\nDisallow: /\\n")
        >>> robots.allowed("https://example.com/", "GPTBot")
        False
        >>> robots.allowed("/", ["ExampleBot-News", "ExampleBot"])
        True

        RFC 9309 section 2.2.2.
        """
    def decide(self, url: str, token: str | Sequence[str]) -> Decision:
        """Decide one URL, with the line and the reason.

        url:      str, as in `allowed`.
        token:    str, or a sequence of them, as in `allowed`.
        Returns:  Decision.
        Raises:   as `allowed`.

        >>> from verger import parse
        >>> robots = parse("User-agent: *\\nDisallow: /private\\nAllow: /private/press\\n")
        >>> decision = robots.decide("https://example.com/private/press/a", "ExampleBot")
        >>> decision.allowed, decision.line, decision.reason
        (True, 3, 'MOST_SPECIFIC_RULE')
        """
    def allowed_many(self, urls: Iterable[str], token: str | Sequence[str]) -> list[bool]:
        """Decide many URLs in one call. Releases the GIL for 512 or more URLs.

        urls:     an iterable of str, each as in `allowed`.
        token:    str, or a sequence of them, as in `allowed`.
        Returns:  a list of bool, one for each URL, in order.
        Raises:   as `allowed`.

        >>> from verger import parse
        >>> parse("User-agent: *\\nDisallow: /b\\n").allowed_many(["/a", "/b"], "ExampleBot")
        [True, False]
        """
    def agent(self, token: str | Sequence[str]) -> Agent:
        """Return the rules of one crawler, to decide many URLs.

        token:    str, a product token, or a sequence of those of one crawler.
        Returns:  Agent.
        Raises:   InvalidProductToken.

        >>> from verger import parse
        >>> agent = parse("User-agent: *\\nDisallow: /b\\nCrawl-delay: 2\\n").agent("ExampleBot")
        >>> agent.allowed("/b"), agent.crawl_delay
        (False, 2.0)
        """
    def fingerprint(self, crawlers: Sequence[str] | None = None, *, records: bool = False) -> str:
        """Return a short text that is the same for two files only if they say the same.

        crawlers:  a sequence of str, one product token for each crawler; None for all crawlers.
        records:   bool, whether records that do not say how content may be used count as well, such
                   as `Crawl-delay` and `Sitemap`.
        Returns:   str, 32 hexadecimal digits. Two files with the same one in the same dialect give
                   each of the crawlers the same answer to every URL and every use, and have the
                   same records about use. Two that say the same may still have different ones, if
                   their patterns have wildcards: `verger.analysis.diff` compares them exactly.
        Raises:    InvalidProductToken.

        >>> from verger import parse
        >>> one = parse("User-agent: *\\nDisallow: /a\\nDisallow: /a/b\\n")
        >>> other = parse("# the same\\nuser-agent: *\\ndisallow: /a*\\n")
        >>> one.fingerprint() == other.fingerprint()
        True
        """
    def governs(self, url: str) -> bool:
        """Whether this file governs the origin of `url` (RFC 9309 section 2.3).

        Always true if `parse` was not given the file's URL; false for a file that is not
        `/robots.txt` at the root, which governs nothing.
        """
    def clean(self, url: str) -> str:
        """Return `url` without the query parameters that `Clean-param` marks as insignificant."""
    def _repr_html_(self) -> str: ...

@final
class Agent:
    """The rules of one crawler in one file, from `RobotsTxt.agent`.

    Rules are compiled lazily. Properties hold other values of the file for the crawler.

    >>> from verger import parse
    >>> agent = parse("User-agent: GPTBot\\nDisallow: /\\n").agent("GPTBot")
    >>> agent.named, agent.posture
    (True, 'none')
    >>> agent.decide("/a").line
    2
    """

    robots: Final[RobotsTxt]
    """The file."""
    tokens: Final[tuple[str, ...]]
    """The product tokens of the crawler, as asked for."""
    named: Final[bool]
    """Whether a group names this crawler; if not, it follows the wildcard groups."""
    groups: Final[tuple[Group, ...]]
    """The groups that this crawler follows, in file order."""
    rules: Final[tuple[Rule, ...]]
    """The rules of its groups, in file order."""

    def allowed(self, url: str) -> bool:
        """Return whether the crawler may fetch the URL.

        url:      str, an absolute URL, or a path that begins with `/`.
        Returns:  bool.
        Raises:   InvalidTarget, OutOfScope.

        >>> from verger import parse
        >>> parse("User-agent: *\\nDisallow: /b\\n").agent("ExampleBot").allowed("/b")
        False
        """
    def decide(self, url: str) -> Decision:
        """Decide one URL, with the line and the reason.

        url:      str, as in `allowed`.
        Returns:  Decision.
        Raises:   as `allowed`.

        >>> from verger import parse
        >>> parse("User-agent: *\\nDisallow: /b\\n").agent("ExampleBot").decide("/b").line
        2
        """
    def may_use(
        self,
        url: str,
        purpose: UseName,
        *,
        policy_tokens: Sequence[tuple[str, str]] | None = None,
    ) -> UseDecision:
        """Decide whether the content of a URL may be used for a purpose, and which lines say so.

        The rules of the crawler, groups for policy tokens, `Content-Signal` and, if the dialect
        reads it, `Content-Usage` are heard; any that disallows the use decides, then any that
        allows it. A rule that only allows fetching allows no use.

        url:            str, as in `allowed`.
        purpose:        `search`, `ai-input` (answering from it) or `ai-train`.
        policy_tokens:  the product tokens that stand for this use, of the crawler's operator and of
                        everyone, each with the document that says so; by default those that the
                        registry knows (`verger.crawlers.policy_tokens`). For one of these itself,
                        the groups of `*` do not speak.
        Returns:        UseDecision.
        Raises:         UnknownName for an unknown purpose, InvalidProductToken for a policy token,
                        and as `allowed`.

        >>> from verger import parse
        >>> agent = parse("User-agent: *\\nContent-Signal: ai-train=no\\n").agent("ExampleBot")
        >>> decision = agent.may_use("/a", "ai-train")
        >>> decision.allowed, decision.line
        (False, 2)
        >>> robots = parse("User-agent: Google-Extended\\nDisallow: /\\n")
        >>> robots.agent("Googlebot").may_use("/a", "ai-train").allowed
        False
        """
    def _followed_by(self, tokens: Sequence[str]) -> Agent:
        """Return the same rules for a crawler that follows this one: its own operator speaks about
        use."""
    def _speaking_of_use(self) -> Agent:
        """Return the rules that speak about use: the groups of `*` do not for a policy token."""
    def allowed_many(self, urls: Iterable[str]) -> list[bool]:
        """Decide many URLs in one call. Releases the GIL for 512 or more URLs.

        urls:     an iterable of str, each as in `allowed`.
        Returns:  a list of bool, one for each URL, in order.
        Raises:   as `allowed`.

        >>> from verger import parse
        >>> agent = parse("User-agent: *\\nDisallow: /b\\n").agent("ExampleBot")
        >>> agent.allowed_many(["/a", "/b"])
        [True, False]
        """
    @property
    def posture(self) -> Literal["all", "some", "none", "unknown"]:
        """How much of the site this crawler may fetch, by its rules (RFC 9309 section 2.2.2).

        Exact: proved from the rules, not found by testing sample URLs. `unknown` if the proof would
        take too many steps: their number is bounded by the length of the file, and the answer is
        the same on every machine. `/robots.txt` itself, which may always be fetched, does not
        count.
        """
    @property
    def crawl_delay(self) -> float | None:
        """Seconds between two requests: the largest valid value, however large; at most 30 in bing.

        None also if the dialect does not read `Crawl-delay`: see `Dialect.extensions`.
        """
    @property
    def request_rate(self) -> RequestRate | None:
        """The rate that applies at all times: the first without a window, otherwise the first."""
    @property
    def request_rates(self) -> tuple[RequestRate, ...]:
        """Every rate of the crawler's groups, in file order."""
    def request_rate_at(self, minute: int) -> RequestRate | None:
        """The rate that applies at a minute of the day, UTC: the first whose window contains it,
        otherwise the first without a window."""
    @property
    def visit_time(self) -> VisitTime | None:
        """The hours in which to visit: the first valid window of the crawler's groups."""
    @property
    def content_signals(self) -> ContentSignal:
        """The site's signals for search, AI input and AI training; the most restrictive wins."""
    def content_usage(self, url: str) -> dict[str, bool] | None:
        """The usage preferences for one URL: `train-ai`, `search` and `ai-use`, as far as the
        file sets them.

        None if the dialect does not read the field. Empty if the file sets none, and for a URL
        that may not be fetched, which has no preferences (draft-ietf-aipref-attach-05).

        Content-Usage is a draft and off in every named dialect: turn it on with
        `extensions=(*verger.RFC9309.extensions, "content-usage")`.

        Raises: InvalidTarget, OutOfScope as `allowed` does.
        """

@final
class Decision:
    """The answer to one question, with its reason. Use `.allowed`; `bool(decision)` is an error.

    From `RobotsTxt.decide` and `Agent.decide`. Frozen, comparable, and can be pickled.

    >>> from verger import parse
    >>> decision = parse("User-agent: *\\nDisallow: /private\\n").decide("/private/a", "ExampleBot")
    >>> decision
    Decision(disallowed, line=2, rule='Disallow: /private', reason=MOST_SPECIFIC_RULE)
    >>> decision.section
    'RFC 9309 section 2.2.2'
    >>> bool(decision)
    Traceback (most recent call last):
        ...
    TypeError: a Decision is neither true nor false: ask `decision.allowed`, or call `allowed(...)`
    """

    allowed: Final[bool]
    """Whether the crawler may fetch the URL."""
    reason: Final[Reason]
    """Why: `MOST_SPECIFIC_RULE`, `FIRST_MATCHING_RULE`, `EMPTY_RULE`, `NO_MATCHING_RULE`,
    `GROUP_WITHOUT_RULES`, `NO_GROUP`, `ROBOTS_TXT_ITSELF` or `FILE_OVER_LIMIT`."""
    section: Final[str]
    """The source of this answer, such as "RFC 9309 section 2.2.2"."""
    line: Final[int | None]
    """The 1-based line of the rule that decided; None if no rule did."""
    rule: Final[Rule | None]
    """The rule that decided; None if no rule did."""
    group: Final[Group | None]
    """The group of the rule; without a rule, the first group of the crawler, if any."""
    token: Final[str | None]
    """Which of the product tokens this group names, of a crawler with several; None for a group of
    `*`, and without a group."""
    url: Final[str]
    """The URL as given."""
    tokens: Final[tuple[str, ...]]
    """The product tokens of the crawler, as asked for."""
    robots: Final[RobotsTxt]
    """The file that answered."""
    dialect: Final[Dialect]
    """The dialect that it was read in."""
    target: Final[str]
    """What the patterns were compared with: path and query in normal form."""
    specificity: Final[int | None]
    """The number of bytes of the rule's pattern in normal form, which decides precedence (RFC 9309
    section 2.2.2); None if no rule decided."""
    matched: Final[tuple[tuple[Span, Span], ...]]
    """For each piece of the pattern, a pair of spans in bytes: its place in the rule's value as
    written, and what it matched in `target`. The first spans tile the pattern, or its directory if
    an index page stands for it; the second tile the matched part of the target. Empty if no rule
    decided."""
    beaten: Final[tuple[Rule, ...]]
    """The other matching rules, in file order; computed lazily."""
    def explain(self, *, verbose: bool = False) -> str:
        """Return the lines of the file that led to this answer, as `verger check` prints them.

        verbose:  also name what the rule was compared with, and the rules that it beats.

        >>> from verger import parse
        >>> decision = parse("User-agent: *\\nDisallow: /a\\n").decide("/a/b", "ExampleBot")
        >>> print(decision.explain())
        disallowed by line 2
        <BLANKLINE>
          1 | User-agent: *
          2 | Disallow: /a
            |           ^^ most specific match, 2 bytes (RFC 9309 section 2.2.2)
        """
    def _explanation(self) -> tuple[str, int, list[_Part]]:
        """The beginning of that text: why, the highest number of a line, and the lines.
        `verger.showing.excerpt` draws them."""
    def _remarks(self, *, verbose: bool, kept_in_part: bool) -> list[_Part]:
        """The rest of it: what is to be said about the lines."""
    def _findings(self) -> list[Finding]:
        """The findings that may explain it, those of its line first."""
    def _repr_html_(self) -> str: ...

_Word: TypeAlias = str | tuple[str, int | None]
"""A text of verger's own; or an untrusted one with the most characters to show, None between
backticks."""
_Part: TypeAlias = tuple[
    int | None, list[tuple[int, list[tuple[bytes, str]]]], list[_Word] | None, bool | None
]
"""The number of a line or None, sections of pieces of text with a mark, of which so many characters
are shown, words or None, and whether that allows something."""

@final
class Rule:
    """An `allow` or `disallow` record."""

    def __new__(cls, line: int, allow: bool, pattern: str, span: Span) -> Rule: ...

    line: Final[int]
    """The number of its line, from 1."""
    allow: Final[bool]
    """Whether it is an `Allow`."""
    pattern: Final[str]
    """The value as written."""
    pattern_bytes: Final[bytes]
    """The bytes of the value as written."""
    span: Final[Span]
    """The span of the value in the file."""

@final
class Group:
    """Start-group lines and the rules they head."""

    def __new__(
        cls, product_tokens: Sequence[str], start_lines: Sequence[int], rules: tuple[Rule, ...]
    ) -> Group: ...

    product_tokens: Final[tuple[str, ...]]
    """The values of its `User-agent` lines as written, in file order."""
    start_lines: Final[tuple[int, ...]]
    """The numbers of these lines, from 1."""
    rules: Final[tuple[Rule, ...]]
    """Its rules, in file order."""

@final
class Line:
    """One line of the file. Its span includes the line end; the spans tile the file."""

    def __new__(
        cls,
        number: int,
        span: Span,
        kind: LineKind,
        key: str | None,
        field: str | None,
        value: str | None,
        value_span: Span | None,
        comment: str | None,
        findings: Sequence[Finding],
    ) -> Line: ...

    number: Final[int]
    """Its number, from 1."""
    span: Final[Span]
    """Its bytes in the file: the first, and the one after the last."""
    kind: Final[LineKind]
    """What the dialect reads in it; `dropped`: a limit for lines skips it; `beyond-limit`: the file
    is not read so far."""
    key: Final[str | None]
    """The key as written."""
    field: Final[str | None]
    """The field that the dialect reads, in lower case."""
    value: Final[str | None]
    """The value as written, without blanks around it; None if there is none."""
    value_span: Final[Span | None]
    """The bytes of the value in the file."""
    comment: Final[str | None]
    """The comment from its `#` on, as written; None if there is none."""
    findings: Final[tuple[Finding, ...]]
    """What was tolerated, cut or skipped in it."""

@final
class Lines(Sequence[Line]):
    """The lines of a file, computed lazily from five bytes per line.

    Equal to other `Lines`, and to tuples, of the same lines; hashed as that tuple.
    """

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Line: ...
    @overload
    def __getitem__(self, index: slice, /) -> tuple[Line, ...]: ...
    def __iter__(self) -> Iterator[Line]: ...
    def _repr_html_(self) -> str: ...
    def index(self, value: object, *bounds: int) -> int:
        """Return the first index of a value. Raises ValueError."""
    def count(self, value: object) -> int:
        """Return the number of occurrences of a value."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Findings(Sequence[Finding]):
    """The findings of a file, computed lazily from four bytes per finding.

    Equal to other `Findings`, and to tuples, of the same findings; hashed as that tuple.
    """

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> Finding: ...
    @overload
    def __getitem__(self, index: slice, /) -> tuple[Finding, ...]: ...
    def __iter__(self) -> Iterator[Finding]: ...
    def _repr_html_(self) -> str: ...
    def index(self, value: object, *bounds: int) -> int:
        """Return the first index of a value. Raises ValueError."""
    def count(self, value: object) -> int:
        """Return the number of occurrences of a value."""
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Record:
    """An extension record: its raw text, and a typed value if it is well-formed.

    Equal records have equal groups up to the rules, which are not compared.
    """

    def __new__(
        cls,
        line: int,
        field: str,
        raw: str,
        value: RecordValue | None,
        scope: Literal["group", "file"],
        group: Group | None,
        findings: tuple[Finding, ...],
    ) -> Record: ...

    line: Final[int]
    """The number of its line, from 1."""
    field: Final[str]
    """Its field, in lower case, such as `crawl-delay`."""
    raw: Final[str]
    """The value as written."""
    value: Final[RecordValue | None]
    """The value with its type; None if it is not well-formed."""
    scope: Final[Literal["group", "file"]]
    """Whether it is for the crawlers of a group, or for everyone."""
    group: Final[Group | None]
    """The group that it is in; None if it is in none."""
    findings: Final[tuple[Finding, ...]]
    """What was tolerated in it."""

@final
class Finding:
    """Something in the file that was tolerated, cut or skipped.

    line:      the number of its line, from 1.
    code:      its kind, a value of `FindingCode`.
    message:   what was found, in a sentence.
    severity:  "error" if something written has no effect, or not the effect it seems to have;
               "warning" if it is read, but perhaps not as intended; otherwise "note".
    page:      the section of the documentation that explains it; None for a code of your own.
    """

    def __new__(cls, line: int, code: str, message: str) -> Finding: ...

    line: Final[int]
    code: Final[str]
    message: Final[str]
    @property
    def severity(self) -> Literal["error", "warning", "note"]: ...
    @property
    def page(self) -> str | None: ...
    def _repr_html_(self) -> str: ...

_REASONS: dict[str, str]
"""What each reason of an answer is called, by its name."""

_VERDICTS: dict[bool | None, str]
"""What an answer about use is called: `silent` if no line mentions the use."""

_USES: tuple[tuple[UseName, str, str, str, str], ...]
"""Every use: its name, its label in `Content-Usage`, what each of them means, and the purpose of
crawlers that fetch for it."""

_FINDING_CODES: tuple[tuple[str, Literal["error", "warning", "note"], str, str], ...]
"""Every kind of finding: its code, its severity, its sentence and its page."""

@final
class RequestRate:
    """`documents` in `seconds`, within an optional window (Conner 1996; Seznam)."""

    documents: Final[int]
    """How many documents may be fetched."""
    seconds: Final[int]
    """In how many seconds."""
    window: Final[VisitTime | None]
    """When; None for always."""
    def __new__(
        cls, documents: int, seconds: int, window: VisitTime | None = None
    ) -> RequestRate: ...

@final
class VisitTime:
    """A window of the day in minutes, UTC; `start > end` spans midnight.

    start:  the first minute of the day, from 0 to 1439.
    end:    the last minute of the day, from 0 to 1439.
    """

    start: Final[int]
    end: Final[int]
    def __new__(cls, start: int, end: int) -> VisitTime: ...
    def holds(self, minute: int) -> bool:
        """Whether a minute of the day, 0 to 1439, is in the window."""

@final
class Sitemap:
    """The URL of a sitemap, as written (sitemaps.org protocol)."""

    url: Final[str]
    """The value as written."""
    absolute: Final[bool]
    """Whether it is an absolute URL."""
    resolved: Final[str | None]
    """A relative URL resolved against the file's own."""
    def __new__(cls, url: str, absolute: bool, resolved: str | None = None) -> Sitemap: ...

@final
class Host:
    """The main mirror of a site (Yandex Webmaster help, Host; retired in March 2018)."""

    scheme: Final[str | None]
    """`http` or `https`; None if the record names none."""
    host: Final[str]
    """In A-label form, lower-case."""
    port: Final[int | None]
    """The port; None if the record names none."""
    def __new__(cls, scheme: str | None, host: str, port: int | None) -> Host: ...

@final
class CleanParam:
    """Query parameters without meaning, below a path (Yandex Webmaster help, Clean-param).

    params:  the names of the parameters.
    path:    the path, as written; empty if the record names none.
    """

    params: Final[tuple[str, ...]]
    path: Final[str]
    def __new__(cls, params: Sequence[str], path: str) -> CleanParam: ...

@final
class ContentSignal:
    """Permitted uses of the content; None if unset.

    Cloudflare documentation, Content Signals.
    """

    search: Final[bool | None]
    """Whether a search index may be built from it."""
    ai_input: Final[bool | None]
    """Whether AI models may be given it to answer from."""
    ai_train: Final[bool | None]
    """Whether AI models may be trained on it."""
    use: Final[Literal["immediate", "reference", "full"] | None]
    """How much of it may be shown."""
    def __new__(
        cls,
        search: bool | None = None,
        ai_input: bool | None = None,
        ai_train: bool | None = None,
        use: Literal["immediate", "reference", "full"] | None = None,
    ) -> ContentSignal: ...

@final
class ContentUsage:
    """Usage preferences for a path; None if unknown (draft-ietf-aipref-attach-05).

    `other` holds unknown labels, each with what follows it as written, such as `("bots", "y")`:
    they have no effect.
    """

    path: Final[str]
    """The path that the preferences are for, as written; empty if the record names none."""
    train_ai: Final[bool | None]
    """Whether AI models may be trained on it."""
    search: Final[bool | None]
    """Whether it may be used for search."""
    ai_use: Final[bool | None]
    """Whether AI models may use it."""
    other: Final[tuple[tuple[str, str], ...]]
    """The unknown labels."""
    def __new__(
        cls,
        path: str,
        train_ai: bool | None = None,
        search: bool | None = None,
        ai_use: bool | None = None,
        other: Sequence[tuple[str, str]] = ...,
    ) -> ContentUsage: ...

@final
class License:
    """The URL of a licence (RSL, guide "Adding RSL to robots.txt").

    url:  as written.
    """

    url: Final[str]
    def __new__(cls, url: str) -> License: ...

@final
class UseSignal:
    """What one mechanism says about one use."""

    mechanism: Final[Mechanism]
    """The mechanism: `crawl-rules`, `policy-token`, `content-signal`, `content-usage` or
    `license`."""
    verdict: Final[Literal["allow", "disallow", "silent"]]
    """`allow`, `disallow` or `silent`."""
    line: Final[int | None]
    """The number of the line that says so, from 1; None if none does."""
    pattern: Final[str | None]
    """The path pattern that it is limited to, as written; None for every path."""
    section: Final[str]
    """The document that says what the mechanism means."""
    token: Final[str | None]
    """The policy token, if it is one, or is said in a group that names one; `a,b` if several do."""
    span: Final[Span | None]
    """The span of the words that say so in the file."""
    def __new__(
        cls,
        mechanism: Mechanism,
        verdict: Literal["allow", "disallow", "silent"],
        line: int | None = None,
        pattern: str | None = None,
        section: str = ...,
        token: str | None = None,
        span: Span | None = None,
    ) -> UseSignal: ...

@final
class UseDecision:
    """Whether the content of a URL may be used for a purpose, with the lines that say so. Use
    `.allowed`; `bool(decision)` is an error.

    From `Agent.may_use` and `verger.crawlers.may_use`. Frozen, comparable, and can be pickled. It
    is not legal advice.

    >>> from verger import parse
    >>> robots = parse("User-agent: *\\nContent-Signal: search=yes, ai-train=no\\nDisallow: /a\\n")
    >>> robots.agent("ExampleBot").may_use("/b", "ai-train")
    UseDecision(disallowed, purpose=ai-train, line=2, reason=CONTENT_SIGNAL)
    >>> robots.agent("ExampleBot").may_use("/b", "ai-input").allowed is None
    True
    """

    allowed: Final[bool | None]
    """Whether the use is allowed; None if no line mentions it, which is no permission."""
    purpose: Final[UseName]
    """The use that was asked about: `search`, `ai-input` or `ai-train`."""
    reason: Final[UseReason]
    """The mechanism that decided: `CRAWL_RULES`, `POLICY_TOKEN`, `CONTENT_SIGNAL` or
    `CONTENT_USAGE`; `NO_SIGNAL` if none did."""
    section: Final[str | None]
    """The document that says what this mechanism means; None if none decided."""
    line: Final[int | None]
    """The 1-based line that decided; None if none did."""
    signals: Final[tuple[UseSignal, ...]]
    """What each mechanism says that the dialect reads, also those that say nothing."""
    conflicts: Final[tuple[tuple[UseSignal, UseSignal], ...]]
    """The signals that contradict each other: pairs of one that allows the use and one that does
    not."""
    licenses: Final[tuple[str, ...]]
    """The URLs of the site's licences, as written: conditions of every use, never a verdict."""
    use: Final[Literal["immediate", "reference", "full"] | None]
    """How much of the content may be shown: the key `use` of `Content-Signal`; None if unset."""
    policy_tokens: Final[tuple[tuple[str, str], ...]]
    """The product tokens that stand for the use, each with the document that says so, as given."""
    url: Final[str]
    """The URL as given."""
    tokens: Final[tuple[str, ...]]
    """The product tokens of the crawler, as asked for."""
    robots: Final[RobotsTxt]
    """The file that answered."""
    def explain(self, *, verbose: bool = False) -> str:
        """Return the lines of the file that speak about the use, as `verger check --use` prints
        them.

        verbose:  also name the mechanisms that are silent.

        >>> from verger import parse
        >>> robots = parse("User-agent: *\\nContent-Signal: ai-train=no\\n")
        >>> print(robots.agent("ExampleBot").may_use("/", "ai-train").explain())
        disallowed for ai-train by line 2
        <BLANKLINE>
          1 | User-agent: *
          2 | Content-Signal: ai-train=no
            |                 ^^^^^^^^^^^ disallows it (draft-romm-aipref-contentsignals-00)
        """
    def _explanation(self, *, verbose: bool) -> tuple[str, int, list[_Part], list[_Part]]:
        """The parts of that text: what decided, the highest number of a line, the lines, and what
        is to be said about them. `verger.showing.uses` draws them."""

class _ArrowStream(Protocol):
    """A table or chunked column with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

class _ArrowArray(Protocol):
    """A batch or column with the Arrow PyCapsule interface."""

    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

@final
class Table:
    """A table in memory, for any library that supports the Arrow PyCapsule interface.

    `pyarrow.table(table)`, `polars.DataFrame(table)`, `pandas.DataFrame.from_arrow(table)`.
    """

    column_names: Final[list[str]]
    def to_polars(self) -> polars.DataFrame:
        """Return it as a `polars.DataFrame`. Raises MissingExtra."""
    def to_pandas(self) -> Any:
        """Return it as a `pandas.DataFrame` with dtypes that have nulls: `boolean`, `Int32`.

        Texts of the same few values are categories. Raises MissingExtra.
        """
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class DecisionStream:
    """Decisions that are computed as they are read: once, and batch by batch."""

    def read_all(self) -> Table:
        """Decide all remaining rows. Raises InvalidTable if the source fails."""
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class _OpenedTable:
    """A table that can be read once, by verger; or by others, if it came as a stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def _stream_kept(reader: object) -> DecisionStream:
    """Return the stream that a reader of pyarrow is, which has decisions and other columns."""

def _opened(table: object, name: str) -> tuple[list[str], _OpenedTable]:
    """Return the names of a table's columns, and the table, from which nothing was read.

    name:  that of the argument that the table was passed as.
    Raises InvalidTable for a lone column.
    """

_Beside: TypeAlias = tuple[str | None, str | None, str | None]
"""The columns that say how long bodies are, how they are coded, and whether they are cut off."""

_Judge: TypeAlias = Callable[
    [bytes, bool, str | None, str | None, str | None], tuple[bytes, bool] | None
]
"""Takes a body, whether it is text, and what is said about it; returns the file and whether it goes
on, or None."""

def _changed_bodies(
    table: _ArrowStream | _ArrowArray, judge: _Judge
) -> dict[int, tuple[bytes, bool] | None]:
    """Return, by their rows, the files in the bodies of a table that are not as they stand there,
    or go on behind them, and whether they do.

    The bodies are in the column `body`, and what is said about them in `length`, `coding` and
    `truncated`, if there are such columns. Only those are judged that may not be whole files.
    Raises InvalidTable.
    """

def _moment(number: float) -> int | None:
    """Return a time as a number in microseconds since the epoch: whole units since then, which its
    size tells, or its digits in a row (`20230615123456`)."""

def _origins(urls: _ArrowStream | _ArrowArray, column: str, *, with_hosts: bool = False) -> Table:
    """The native half of `verger.bulk.origins`.

    with_hosts:  whether a bare host such as `example.com` is the origin `https://example.com`.
    """

_AskedUse: TypeAlias = tuple[str, Sequence[str], bool]
"""A use, the product tokens that stand for it, and whether groups of `*` speak for the crawler."""

def _decide_by_file(
    urls: _ArrowStream | _ArrowArray,
    agent: Agent,
    *,
    column: str,
    threads: int | None = None,
    used: _AskedUse | None = None,
) -> DecisionStream:
    """The native half of `verger.bulk.decide_stream` for one file."""

def _decide_by_snapshot(
    urls: _ArrowStream | _ArrowArray,
    snapshot: _SnapshotIndex,
    token: str | Sequence[str],
    binding: tuple[Sequence[str], bool],
    *,
    column: str,
    threads: int | None = None,
    used: _AskedUse | None = None,
) -> DecisionStream:
    """The native half of `verger.bulk.decide_stream` for a snapshot."""

_CLOCKS_APART: float
"""How many seconds a clock may be ahead of another."""

def _period_after(period: float, before: float, time: float, now: float) -> float:
    """For how many seconds a file has been unreachable, after one more failure (RFC 9309 section
    2.3.1.4).

    Of the time between two failures that follow one another a week counts at most.

    period:  what the failures before it come to.
    before:  the time of the last of them, in seconds since the epoch.
    time:    the time of the failure. More than five minutes ahead of `now`, it adds nothing. Before
             2000, or more than five minutes behind `before`, it begins the period anew, since a
             clock was wrong; less far behind, another clock told it, and that is taken off.
    """

@final
class _AccessTable:
    """The access rules of one dialect, for the native kernels.

    reasons:  the reasons of policies.
    kinds:    the kinds of observations: the access, whether it is a failure, whether that is an
              answer of no use, and its steps. A step has its end in seconds of a run of failures,
              and what applies until then without a copy and with one: -1 for the rules of the
              file, otherwise twice the index of a reason, plus one if the policy allows everything.
    places:   the index of the kind for each status below 1,000, for any other number, and for no
              status; first for observations without a body, then for those with one.
    failures: the index of the kind for each failure, whatever its status and body.
    """

    def __new__(
        cls,
        reasons: Sequence[str],
        kinds: Sequence[tuple[str, bool, bool, Sequence[tuple[float, int, int]]]],
        places: Sequence[int],
        failures: Sequence[tuple[str, int]],
    ) -> _AccessTable: ...

@final
class _SnapshotBuilder:
    """The native half of `verger.bulk.Snapshot` under construction."""

    def __new__(cls, dialect: str | Dialect, table: _AccessTable, now: float) -> _SnapshotBuilder:
        """Begin a snapshot; `now` is the time in seconds, see `_period_after`."""
    def add(
        self,
        url: str,
        time: float | None,
        kind: int,
        body: bytes | bytearray | memoryview | str,
        unreachable_for: float | None = None,
        is_short: bool = False,
    ) -> None:
        """Add one observation of an origin; `kind` is an index into the table.

        time:             seconds since the epoch; None, NaN and infinities are before all times.
        unreachable_for:  the seconds of the run of failures up to this one, if a store has counted
                          them; None if they follow from the observations.
        Raises InvalidTarget.
        """
    def add_table(
        self,
        table: _ArrowStream,
        names: tuple[str, str, str | None, str | None, str | None, str | None, _Beside],
        judge: _Judge,
        enough: int,
    ) -> None:
        """Add a table. Raises InvalidTable, which names the column and the row.

        names:  the columns of origins, bodies, statuses, times, failures and counted seconds, None
                for the last four if the table has none; and those of what is said about bodies.
        judge:  as for `_changed_bodies`.
        enough: how many bytes of a file that goes on behind them are read.
        """
    def finish(self) -> _SnapshotIndex:
        """Return the snapshot; nothing can be added afterwards."""

@final
class _SnapshotIndex:
    """The native half of `verger.bulk.Snapshot`."""

    def __len__(self) -> int: ...
    def __contains__(self, origin: str, /) -> bool: ...
    def origins(self) -> list[str]:
        """The origins in canonical form, in the order of their first observations."""

_Ending: TypeAlias = tuple[
    int | None,
    bool | None,
    str | None,
    str | None,
    int | None,
    tuple[bool, str] | None,
    bool | None,
]
"""What is known about the origin, allowed, reason, section, line, the rule as whether it allows and
its value, and whether the use that was asked about is allowed.

All except the first are None if a policy applies to the origin; all are None if the URL has none.
"""

@final
class _RowJudge:
    """Decides lists of URLs by the files of origins, which are added on demand.

    binding:       the crawlers whose groups it follows if none names it, and whether it then
                   follows those of `*`.
    most_bytes:    the approximate limit for the memory of parsed files; a quarter of it is that of
                   their bytes, of which the others are in a temporary file.
    most_endings:  the most endings of rows that keep their numbers from call to call.
    by_rule:       whether there is an ending for each rule that decides; otherwise there is one for
                   allowed rows and one for disallowed rows.
    used:          the use that is asked about.
    """

    def __new__(
        cls,
        dialect: str | Dialect,
        token: str | Sequence[str],
        binding: tuple[Sequence[str], bool],
        most_bytes: int,
        most_endings: int,
        by_rule: bool,
        used: _AskedUse | None = None,
    ) -> _RowJudge: ...
    def decide(
        self,
        urls: Sequence[Sequence[str]],
        learn: Callable[[list[str]], Iterable[tuple[int, bytes | None]]],
    ) -> tuple[bytes, bytes, int, list[_Ending]]:
        """Decide URLs: the entry of the origin of each, and the number of its ending, as native
        integers of four bytes; and the endings from a number on.

        These are new, and replace endings that had their numbers before. Entries are counted from
        1; 0 is a row without an answer.

        urls:   lists of URLs, columns of Arrow, or URLs of `_PlainLines`.
        learn:  takes the origins without an entry, and yields for each, in their order, the number
                of what is known about it, and its file, None for a policy.
        Raises OSError if a temporary file cannot be written or read.
        """

def _endings_by_agent(
    agent: Agent, urls: list[str], used: _AskedUse | None = None
) -> tuple[bytes, bytes, int, list[_Ending]]:
    """Decide URLs by the rules of one crawler, as `_RowJudge.decide` does; what is known of the
    origin is 0."""

@final
class _PlainLines:
    """Lines of JSON with a `url` and perhaps an `agent`, all in printable ASCII without escapes."""

    @staticmethod
    def read(lines: bytes) -> _PlainLines | None:
        """Read whole lines; None if one of them is of another kind."""
    @property
    def agents(self) -> list[str | None]:
        """The values of `agent`, each once, in the order in which they come; None if a line has
        none."""
    def of_agent(self, place: int) -> Sequence[str]:
        """The URLs of the lines with an `agent`, by its place among `agents`."""
    def answered(
        self,
        first: int,
        around: tuple[str, str],
        answers: Sequence[tuple[Sequence[str], bytes, Sequence[object], bytes, str]],
    ) -> bytes:
        """The lines that answer.

        first:    the number of the first line.
        around:   what stands before the number of a line, and between it and the URL.
        answers:  for each `agent` the texts of origins, and the number of that of each of its
                  lines; what has a `text` with the end of a line, and the number of that of each;
                  and what is put in before the end. Numbers are native integers of four bytes.
        """

def _are_lines(column: object) -> bool:
    """Whether each value of a column of Arrow is UTF-8 on one line, without a control character or
    a space around it."""

# Access logs: the kernel of `verger.bulk.audit`

_Requests: TypeAlias = tuple[int, int, int, int | None, int | None]
"""All requests, those answered (status 200 to 399), those refused (400 and above), first, last."""

@final
class _LogAudit:
    """Access logs, judged by the versions of a robots.txt file. Times are microseconds, UTC.

    versions:    when each took effect, None for always, and its bytes.
    crawler_of:  returns the product tokens in an identification string, as `a,b` for a crawler
                 that prefers a to b; None for people. Usually called once for each string.
    log_format:  the name of a log format, or a format of nginx or Apache; None to detect it for
                 each line.
    fields:      additional names of JSON members, by path: (`user_agent`, `x.ua`).
    since:       the first time that counts; `until` is the first that no longer counts.
    hosts:       the hosts that count; empty for all. `crawlers` likewise.
    grace:       how long a crawler may use its copy of the file (RFC 9309 section 2.4).
    """

    def __new__(
        cls,
        versions: Sequence[tuple[int | None, bytes]],
        crawler_of: Callable[[str], str | None],
        *,
        dialect: DialectName | Dialect = "rfc9309",
        log_format: str | None = None,
        fields: Sequence[tuple[str, str]] = (),
        since: int | None = None,
        until: int | None = None,
        hosts: Sequence[str] = (),
        crawlers: Sequence[str] = (),
        grace: int = 0,
    ) -> _LogAudit: ...
    @staticmethod
    def expect_format(log_format: str | None) -> None:
        """Raise InvalidOption for a format of lines that cannot be read."""

    def feed(self, chunk: bytes) -> None:
        """Process the next bytes of the input; releases the GIL."""

    def finish_input(self) -> None:
        """End the input; later bytes belong to another."""

    @property
    def log(self) -> _LogTally:
        """The counts for the whole log so far."""

    @property
    def crawlers(self) -> list[_CrawlerTally]:
        """The crawlers; the first entry is for those beyond the limit, counted together."""

    @property
    def rules(self) -> list[_RuleTally]:
        """The rules that were broken, by which crawler, and how often."""

@final
class _LogTally:
    """Counts of lines for the whole log."""

    lines: Final[int]
    unreadable: Final[int]
    unreadable_lines: Final[list[tuple[int, int, str]]]
    """The first of them, and the first of each input: the input, from 0, the number of the line,
    from 1, and the reason."""
    other_times: Final[int]
    undated: Final[int]
    other_hosts: Final[int]
    no_url: Final[int]
    lines_without_url: Final[list[tuple[int, int, str]]]
    """The first of them in each input, with its text, shortened."""
    methods: Final[list[tuple[str, int]]]
    people: Final[int]
    nameless: Final[int]
    other_crawlers: Final[int]
    first: Final[int | None]
    last: Final[int | None]
    hosts: Final[list[tuple[str, int]]]

@final
class _CrawlerTally:
    """Counts for one crawler."""

    tokens: Final[str]
    """Empty for the crawlers beyond the limit, counted together."""
    agent: Final[str]
    requests: Final[_Requests]
    closed: Final[_Requests]
    excused: Final[int]
    unknown: Final[int]
    robots_txt: Final[_Requests]
    examples: Final[list[str]]

@final
class _RuleTally:
    """Requests of one crawler that one rule disallows."""

    version: Final[int]
    rule: Final[Rule]
    crawler: Final[int]
    closed: Final[_Requests]
    example: Final[str]

@final
class _Comparer:
    """Compares pairs of files for the same crawlers.

    crawlers:  product tokens; empty for all that either file names, and `*`.
    bindings:  crawlers that follow other groups than those that name them: the token, whom each
               follows if none names it, and whether it then follows those of `*`.
    steps:     the most steps of the comparison of one pair; what is not compared then, for these
               crawlers or for more than can be compared (under `*`), is not exact.
    """

    def __new__(
        cls,
        dialect: str | Dialect,
        crawlers: Sequence[str],
        bindings: Sequence[tuple[str, Sequence[str], bool]],
        steps: int,
    ) -> _Comparer: ...
    def compare(
        self, pairs: Sequence[tuple[bytes, bytes]], *, threads: int
    ) -> list[list[_Changed]]:
        """Return, for each pair, what changes for each set of crawlers: tokens, whether groups name
        them before and after, how much they may fetch afterwards, the numbers of closed and opened
        regions, the first of them with its witness and both lines, and whether these are all."""

@final
class _ArchiveReader:
    """The native half of `verger.captures.warc`: an iterator of captures, the number of revisits
    among the records before them, of responses for other URLs, and of bodies that were cut.

    file:         a binary file that can be read at any place.
    size:         the number of bytes in it.
    asked:        functions that answer what is decided in Python: `moment` (a time, in microseconds
                  since the epoch), `target` (of a redirect), `file` (in a body), and `no_room` (the
                  error for temporary files); `skip` hears the place that cannot be read, and why.
    packed:       whether it consists of gzip members.
    with_broken:  whether a success whose body cannot be read is a capture without a body.
    """

    has_record: Final[bool]
    """Whether there was any record so far."""
    def __new__(
        cls,
        file: BinaryIO,
        size: int,
        asked: Mapping[str, Callable[..., object]],
        *,
        packed: bool,
        with_broken: bool,
    ) -> _ArchiveReader: ...
    def __iter__(self) -> Iterator[tuple[Table, int, int, int]]: ...
    def __next__(self) -> tuple[Table, int, int, int]: ...

@final
class _CaptureScanner:
    """The native half of `verger.bulk.scan.Scanner`.

    bindings:  for each crawler, whose groups it follows if none names it, and whether it then
               follows those of `*`.
    uses:      what for, the product tokens that stand for it whoever asks, and the crawlers that
               fetch for it: the place of each, whether it follows any groups, and the tokens that
               stand for the use of what it fetches.
    fingerprints:  whether rows have those of files.
    """

    recalled: Final[int]
    """The number of bodies whose facts were known from an equal one."""
    def __new__(
        cls,
        dialect: str | Dialect,
        crawlers: Sequence[str],
        table: _AccessTable,
        bindings: Sequence[tuple[Sequence[str], bool]],
        uses: Sequence[tuple[UseName, Sequence[str], Sequence[tuple[int, bool, Sequence[str]]]]],
        fingerprints: bool = False,
    ) -> _CaptureScanner: ...
    def rows_schema(self) -> Table:
        """Return the columns of the rows, as an empty table."""
    def records_schema(self) -> Table:
        """Return the columns of the records, as an empty table."""
    def scan(
        self,
        captures: _ArrowStream | _ArrowArray,
        judge: _Judge,
        *,
        threads: int,
        with_records: bool,
    ) -> tuple[Table, Table | None]:
        """Return rows, and records on request. Raises InvalidTable, which names the column.

        judge:  as for `_changed_bodies`, whose columns are those of the captures.
        """
