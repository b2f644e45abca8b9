//! Dialects: every interpretation of robots.txt, as data.
//!
//! A [`Dialect`] is a name, the document it follows, and one value for each knob. RFC 9309 is the
//! base; the others are written as differences from it. Each knob is read in exactly one
//! function of this crate, which `tests/test_layers.py` checks. Nothing here reads a file or a URL.

use crate::field::{Field, Fields};

/// The value of a knob, for callers in other languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnobValue {
    /// Yes or no.
    Bool(bool),
    /// A number of bytes, lines or rules; none for no limit.
    Limit(Option<u64>),
    /// A number of seconds.
    Number(u64),
    /// One of the knob's choices.
    Choice(&'static str),
    /// Names of extension fields.
    Fields(Fields),
}

/// A knob: its name, what it decides, and where its values come from.
#[derive(Clone, Copy, Debug)]
pub struct Knob {
    /// The name of the field of [`Dialect`].
    pub name: &'static str,
    /// What the knob decides.
    pub doc: &'static str,
    /// The documents that its values come from.
    pub source: &'static str,
    /// The values of a knob with a fixed list of words.
    pub choices: &'static [&'static str],
    /// What each of these values means.
    pub meanings: &'static [&'static str],
    /// Whether its value is yes or no.
    pub is_bool: bool,
}

/// A value that a knob can hold.
trait Setting: Sized {
    const CHOICES: &'static [&'static str] = &[];
    const MEANINGS: &'static [&'static str] = &[];
    const IS_BOOL: bool = false;
    fn get(&self) -> KnobValue;
    fn read(value: &KnobValue) -> Option<Self>;
}

macro_rules! plain_settings {
    ($($kind:ty: $value:ident, is_bool: $is_bool:literal;)*) => { $(
        impl Setting for $kind {
            const IS_BOOL: bool = $is_bool;
            fn get(&self) -> KnobValue {
                KnobValue::$value(*self)
            }
            fn read(value: &KnobValue) -> Option<Self> {
                match value {
                    KnobValue::$value(value) => Some(*value),
                    _ => None,
                }
            }
        }
    )* };
}

plain_settings! {
    bool: Bool, is_bool: true;
    Option<u64>: Limit, is_bool: false;
    u64: Number, is_bool: false;
    Fields: Fields, is_bool: false;
}

macro_rules! choices {
    ($( $(#[$doc:meta])* $name:ident { $( $(#[doc = $vdoc:literal])* $variant:ident = $text:literal, )* } )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $( $(#[doc = $vdoc])* $variant, )* }

        impl Setting for $name {
            const CHOICES: &'static [&'static str] = &[$($text),*];
            const MEANINGS: &'static [&'static str] = &[$(concat!($($vdoc),*)),*];
            fn get(&self) -> KnobValue {
                KnobValue::Choice(match self { $($name::$variant => $text),* })
            }
            fn read(value: &KnobValue) -> Option<Self> {
                match value {
                    $(KnobValue::Choice($text) => Some($name::$variant),)*
                    _ => None,
                }
            }
        }
    )* };
}

choices! {
    /// What happens to a file above the parsing limit.
    OverLimit {
        /// The rest is not read; a line cut in two is dropped.
        Cut = "cut",
        /// The file counts as absent: everything may be fetched.
        Absent = "absent",
    }
    /// What happens to a line above `max_line_len`.
    OverLine {
        /// It is not read; a `user-agent` line still ends the group before it.
        Drop = "drop",
        /// Its first bytes are read.
        Cut = "cut",
    }
    /// Which texts are accepted as product tokens.
    TokenCheck {
        /// `*`, or the characters of a token (RFC 9110 section 5.6.2) except `#`, `*` and `|`, and
        /// letters outside ASCII; at least one.
        Strict = "strict",
        /// As strict, except for a version after `/`, which the agent test cuts.
        Cut = "cut",
        /// Any text, compared as written.
        Any = "any",
    }
    /// How the value of a start-group line is compared with a product token, in any case.
    UserAgentMatch {
        /// Either contains the other, both cut at `/`.
        Substring = "substring",
        /// The value contains the token, both cut at `/`.
        ValueContainsName = "value-contains-name",
        /// Equal, the value cut at the first special of RFC 1945, the token at `/`.
        Equal = "equal",
        /// Equal as a whole, up to a version or list, or in the leading run of legal characters.
        Rfc = "rfc",
        /// The leading run of letters, `-` and `_` equals the token.
        Prefix = "prefix",
        /// The token begins with the value; the longest such value is the best.
        FamilyPrefix = "family-prefix",
    }
    /// What may follow the `*` of a wildcard group's value.
    UserAgentStarSuffix {
        /// A space or tab, then anything.
        Blank = "blank",
        /// Any ASCII white space, then anything.
        WhiteSpace = "white-space",
    }
    /// Which of several groups that name a crawler apply to it.
    NamedGroups {
        /// The first in the file.
        First = "first",
        /// All, in file order.
        Merge = "merge",
        /// All whose name matches best.
        BestMerge = "best-merge",
    }
    /// Which of several groups apply.
    Which {
        /// The first.
        First = "first",
        /// All, in file order.
        Merge = "merge",
    }
    /// How a target is found in a URL.
    UrlSplit {
        /// A path, or a scheme and an authority; anything else is an error.
        Strict = "strict",
        /// Any text, split as google/robotstxt does.
        Google = "google",
    }
    /// What becomes of the dot segments of a path, and of tabs and line ends in a URL.
    DotSegments {
        /// They are removed, as HTTP clients do before they send a request.
        Remove = "remove",
        /// They stay.
        Keep = "keep",
    }
    /// The form in which patterns and targets are compared.
    Normalisation {
        /// Bytes as they are.
        Raw = "raw",
        /// Escapes decoded, except `%2F`.
        Koster96 = "koster96",
        /// Unreserved bytes decoded, the rest escaped in upper case.
        Base = "base",
        /// In patterns, upper-case escapes and non-ASCII escaped; targets as they are.
        Cpp = "cpp",
    }
    /// What a `Disallow` without value means.
    EmptyDisallow {
        /// Nothing.
        NoRule = "no-rule",
        /// The same as `Allow: /`.
        AllowRoot = "allow-root",
    }
    /// Which of several matching rules decides.
    Precedence {
        /// The first in the file.
        First = "first",
        /// The one with the most bytes.
        Longest = "longest",
    }
    /// Which of two matching rules of equal length decides.
    Tie {
        /// The `Allow`.
        Allow = "allow",
        /// The `Disallow`.
        Disallow = "disallow",
    }
    /// What a crawler may do if a fetch returned no rules.
    Effect {
        /// Fetch everything.
        Allow = "allow",
        /// Fetch nothing.
        Disallow = "disallow",
        /// Fetch nothing now, and ask for the file again later.
        Defer = "defer",
    }
    /// How to treat a redirect chain that leads through a disallowed URL.
    DisallowedRedirect {
        /// Like any other.
        Follow = "follow",
        /// The file counts as unavailable.
        Unavailable = "unavailable",
    }
    /// What failures other than a missing file mean.
    YandexErrors {
        /// Everything but a final status 200 opens the site.
        Open = "open",
        /// Each failure means what RFC 9309 and the other knobs say.
        Rfc9309 = "rfc9309",
    }
    /// How an unreachable file is judged over time.
    GoogleUnreachable {
        /// By `unreachable`, `stale_when_unreachable` and `unreachable_limit`.
        None = "none",
        /// 30 days closed, then the last good copy; open if there is none.
        Of2023 = "2023",
        /// 12 hours closed; until 30 days the last good copy, open if there is none; then open if
        /// the rest of the site works, otherwise closed.
        Of2026 = "2026",
    }
    /// Which header fields of a response change how long its file is fresh.
    CacheHeaders {
        /// `Cache-Control`, `Expires` and `Age`.
        All = "all",
        /// `Cache-Control` and `Age`.
        CacheControl = "cache-control",
        /// `max-age` of `Cache-Control`, and `Age`.
        MaxAge = "max-age",
    }
}

/// The document that a dialect follows; read only to print sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Law {
    /// A Standard for Robot Exclusion, 30 June 1994.
    Original1994,
    /// Koster, A Method for Robots Exclusion, draft 1, November 1996.
    Koster1996,
    /// draft-koster-rep-00, July 2019.
    KosterRep00,
    /// RFC 9309, September 2022.
    Rfc9309,
    /// Google, How Google interprets the robots.txt specification.
    Google,
    /// google/robotstxt, the parser that Google published.
    GooglebotCpp,
    /// Yandex Webmaster help, Using robots.txt.
    Yandex,
    /// Bing Webmaster blog, May 2012.
    Bing,
}

impl Law {
    /// Title and date.
    pub const fn title(self) -> &'static str {
        match self {
            Law::Original1994 => "A Standard for Robot Exclusion, 30 June 1994",
            Law::Koster1996 => "Koster, A Method for Robots Exclusion, draft 1, November 1996",
            Law::KosterRep00 => "draft-koster-rep-00, July 2019",
            Law::Rfc9309 => "RFC 9309, September 2022",
            Law::Google => "Google, How Google interprets the robots.txt specification, April 2026",
            Law::GooglebotCpp => "google/robotstxt, commit 22b355f, April 2026",
            Law::Yandex => "Yandex Webmaster help, Using robots.txt",
            Law::Bing => "Bing Webmaster blog, May 2012",
        }
    }
}

macro_rules! knobs {
    ($( $(#[doc = $doc:literal])* #[source = $source:literal] $name:ident: $kind:ty, )*) => {
        /// One complete interpretation of robots.txt: a name, the document that it follows, and a
        /// value for each knob.
        ///
        /// Your own is written as its difference from a named one:
        /// `Dialect { name: "mine", tie: Tie::Disallow, ..RFC9309 }`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Dialect {
            /// Its name; read only to print it.
            pub name: &'static str,
            /// The document it follows; read only to print it.
            pub law: Law,
            $( $(#[doc = $doc])* pub $name: $kind, )*
        }

        /// Every knob, in the order of the pipeline.
        pub const KNOBS: &[Knob] = &[$( Knob {
            name: stringify!($name),
            doc: concat!($($doc),*),
            source: $source,
            choices: <$kind as Setting>::CHOICES,
            meanings: <$kind as Setting>::MEANINGS,
            is_bool: <$kind as Setting>::IS_BOOL,
        } ),*];

        impl Dialect {
            /// The value of a knob; none for an unknown name.
            pub fn get(&self, knob: &str) -> Option<KnobValue> {
                match knob {
                    $(stringify!($name) => Some(Setting::get(&self.$name)),)*
                    _ => None,
                }
            }

            /// This dialect with another value for one knob; none if the knob does not exist or
            /// does not have the value.
            pub fn with(mut self, knob: &str, value: &KnobValue) -> Option<Dialect> {
                match knob {
                    $(stringify!($name) => self.$name = Setting::read(value)?,)*
                    _ => return None,
                }
                Some(self)
            }
        }
    };
}

knobs! {
    /// Bytes of a file that are read; RFC 9309 section 2.5 demands at least 512,000. None: all.
    #[source = "RFC 9309 section 2.5; Google, How Google interprets the robots.txt specification"]
    parse_limit: Option<u64>,
    /// What happens to a larger file.
    #[source = "RFC 9309 section 2.5; Yandex Webmaster help, error reference (500 KB)"]
    over_limit: OverLimit,
    /// Whether a UTF-16 file with a byte order mark is converted.
    #[source = "RFC 9309 section 2.2.2 (conversion of other encodings); crawler-commons"]
    decode_utf16: bool,
    /// Whether the first one or two bytes of a byte order mark are skipped as well.
    #[source = "google/robotstxt @ 22b355f, ParseRobotsTxt"]
    skip_partial_bom: bool,
    /// Whether a NUL byte ends the content of its line.
    #[source = "google/robotstxt @ 22b355f, observed"]
    nul_ends_line: bool,
    /// Bytes of a line that are read, without its end. None: all.
    #[source = "google/robotstxt @ 22b355f, robots.cc:418-424 (2083 * 8 less the NUL); RFC 9309 section 3 (limit memory)"]
    max_line_len: Option<u64>,
    /// What happens to a longer line.
    #[source = "google/robotstxt @ 22b355f, observed; RFC 9309 section 3 (limit memory)"]
    over_line: OverLine,
    /// Lines of a file that are read. None: all.
    #[source = "RFC 9309 section 3 (limit memory)"]
    max_lines: Option<u64>,
    /// Whether `Allow` is a rule, or an unknown field.
    #[source = "A Standard for Robot Exclusion, 1994 (Disallow only); Koster, draft 1, November 1996, section 3.2.2"]
    allow_is_rule: bool,
    /// Whether the misspellings of Google's list, and fields without a colon, are read.
    #[source = "draft-koster-rep-00 section 2.2 (lenient reading); google/robotstxt @ 22b355f, robots.cc:217-253, 325"]
    lenient_keys: bool,
    /// Whether a key that only begins with the name of a field counts as the field.
    #[source = "google/robotstxt @ 22b355f, robots.cc:217-253"]
    prefix_keys: bool,
    /// The extension fields that are read.
    #[source = "RFC 9309 section 2.2.4; the page of each field, see the field table"]
    extensions: Fields,
    /// Whether a blank line ends a group.
    #[source = "A Standard for Robot Exclusion, 1994; Koster, draft 1, November 1996, section 3.2; Yandex Webmaster help, Allow and Disallow"]
    blank_ends: bool,
    /// Whether a record of a group, such as `Crawl-delay`, ends the run of its `User-agent` lines, as a rule does.
    #[source = "urllib.robotparser 3.15 (yes); Protego 0.7 (yes); google/robotstxt @ 22b355f, observed (no)"]
    record_ends_starts: bool,
    /// Whether a `Content-Usage` record, where it is read, ends the run of `User-agent` lines, as a rule does.
    #[source = "draft-ietf-aipref-attach-05 (by its grammar a rule of the group)"]
    usage_ends_starts: bool,
    /// Whether a group without any rule is not a group.
    #[source = "A Standard for Robot Exclusion, 1994; Koster, draft 1, November 1996, section 3.3"]
    drop_empty_groups: bool,
    /// Rules of a file that are read. None: all.
    #[source = "Yandex Webmaster help, error reference (2,048)"]
    max_rules: Option<u64>,
    /// Bytes of a rule's value above which the rule is not read. None: no such limit.
    #[source = "Yandex Webmaster help, error reference (1,024)"]
    max_rule_len: Option<u64>,
    /// Which texts are accepted as product tokens.
    #[source = "RFC 9309 section 2.2.1; RFC 9110 section 5.6.2; Koster, draft 1, November 1996, section 3.2.1; google/robotstxt @ 22b355f, observed"]
    token_check: TokenCheck,
    /// How a start-group line is compared with a product token.
    #[source = "A Standard for Robot Exclusion, 1994; Koster, draft 1, November 1996, section 3.2.1; RFC 9309 section 2.2.1; Yandex Webmaster help, User-agent"]
    user_agent_match: UserAgentMatch,
    /// Whether `family-prefix` matches only the whole name, for robots that follow no other.
    #[source = "Yandex Webmaster help, User-agent"]
    ignore_family: bool,
    /// What may follow the `*` of a wildcard group.
    #[source = "google/robotstxt @ 22b355f, observed"]
    user_agent_star_suffix: UserAgentStarSuffix,
    /// Whether wildcard groups apply to no crawler: for special crawlers.
    #[source = "Google, special-case crawlers (AdsBot, Mediapartners); Yandex Webmaster help, User-agent"]
    ignore_star: bool,
    /// Which of several groups that name a crawler apply to it.
    #[source = "RFC 9309 section 2.2.1; draft-koster-robots-00, December 1996, section 3.2.1; Yandex Webmaster help, User-agent"]
    named_groups: NamedGroups,
    /// Which of several wildcard groups apply.
    #[source = "draft-koster-rep-00 section 2.2.1 (first); google/robotstxt @ 22b355f, observed (all)"]
    star_groups: Which,
    /// What several product tokens mean: the first that has a group, or the groups of all.
    #[source = "Google, How Google interprets the robots.txt specification (ordered); crawler-commons (all)"]
    tokens: Which,
    /// How a target is found in a URL.
    #[source = "RFC 3986 section 3; google/robotstxt @ 22b355f, GetPathParamsQuery"]
    url_split: UrlSplit,
    /// Whether the query belongs to the target.
    #[source = "Koster, draft 1, November 1996, section 3.2.2 (path only); RFC 9309 section 2.2.2, Figure 4"]
    query: bool,
    /// What becomes of dot segments (`/./`, `/../`, also escaped) in the path of a URL, and of tabs
    /// and line ends in it; patterns keep theirs.
    #[source = "RFC 3986 section 5.2.4; URL Standard, section 4.4; google/robotstxt @ 22b355f, observed (kept)"]
    dot_segments: DotSegments,
    /// The form in which patterns and targets are compared.
    #[source = "Koster, draft 1, November 1996, section 3.2.2; RFC 9309 section 2.2.2; google/robotstxt @ 22b355f, MaybeEscapePattern"]
    normalisation: Normalisation,
    /// Whether the reserved bytes `:`, `@`, `[`, `]`, `!`, `'`, `(`, `)`, `,` and `;` equal their escapes, and after the first `?` of a pattern also `/` and `?`.
    #[source = "RFC 9309 section 2.2.2, and Figure 4, row 2; RFC 3986 section 3.4"]
    equate_reserved_escapes: bool,
    /// Whether `*` and a final `$` are special.
    #[source = "RFC 9309 section 2.2.3; A Standard for Robot Exclusion, 1994 (no)"]
    wildcards: bool,
    /// Whether a pattern that begins with neither `/` nor `*` is skipped.
    #[source = "RFC 9309 section 2.2 (path-pattern) and the example of section 5.1"]
    require_slash: bool,
    /// What a `Disallow` without value means.
    #[source = "RFC 9309 section 2.2 (empty-pattern); Yandex Webmaster help, Allow and Disallow"]
    empty_disallow: EmptyDisallow,
    /// Whether the line of an empty rule is reported if nothing else matched.
    #[source = "google/robotstxt @ 22b355f, observed"]
    report_empty: bool,
    /// Whether an `Allow` for an index page also allows its directory.
    #[source = "google/robotstxt @ 22b355f, robots.cc:655"]
    index_is_directory: bool,
    /// Whether trailing wildcards count in the length of a pattern.
    #[source = "google/robotstxt @ 22b355f, observed (yes); Yandex Webmaster help, special characters (no)"]
    trailing_star_counts: bool,
    /// Which of several matching rules decides.
    #[source = "Koster, draft 1, November 1996, section 3.2.2; RFC 9309 section 2.2.2"]
    precedence: Precedence,
    /// Which of two rules of equal length decides.
    #[source = "RFC 9309 section 2.2.2"]
    tie: Tie,
    /// Whether `/robots.txt` itself may always be fetched.
    #[source = "RFC 9309 section 2.2.2; google/robotstxt @ 22b355f, observed (no)"]
    robots_txt_allowed: bool,
    /// Whether a crawler with a group of its own takes `Crawl-delay` from the wildcard group.
    #[source = "report of the Bing programme manager on the Bingbot section, 2019"]
    crawl_delay_inherits: bool,
    /// Seconds above which a crawl delay is read as this many; whoever waits may set a limit of
    /// its own.
    #[source = "Bing Webmaster blog, May 2012 (30)"]
    crawl_delay_ceiling: Option<u64>,
    /// Whether a crawl delay is rounded up to whole seconds.
    #[source = "Bing Webmaster blog, August 2009"]
    crawl_delay_whole: bool,
    /// Redirects that are followed, one after another; RFC 9309 section 2.3.1.2 asks for at least 5.
    #[source = "RFC 9309 section 2.3.1.2; Google, How Google interprets the robots.txt specification"]
    max_redirects: u64,
    /// What exceeding the limit means.
    #[source = "RFC 9309 section 2.3.1.2; Koster, draft 1, November 1996, section 3.1 (no limit stated)"]
    too_many_redirects: Effect,
    /// How to treat a redirect chain that leads through a disallowed URL.
    #[source = "Google, How Google interprets the robots.txt specification (as 404)"]
    disallowed_redirect: DisallowedRedirect,
    /// What 401 and 403 mean.
    #[source = "Koster, draft 1, November 1996, section 3.1 (closed); RFC 9309 section 2.3.1.3 (open)"]
    forbidden: Effect,
    /// What 429 means.
    #[source = "Google, How Google interprets the robots.txt specification (closed); RFC 9309 section 2.3.1.3 (may be open); RFC 6585 section 4"]
    status_429: Effect,
    /// What a server error, an undefined status, a network error or a broken body means.
    #[source = "RFC 9309 section 2.3.1.4; Koster, draft 1, November 1996, section 3.1 (temporary failure)"]
    unreachable: Effect,
    /// Whether anything but 200 opens the site: recommended only for Yandex's crawlers.
    #[source = "Yandex Webmaster help, Using robots.txt"]
    yandex_errors: YandexErrors,
    /// How an unreachable file is judged over time.
    #[source = "Google, How Google interprets the robots.txt specification, 2023 and April 2026"]
    google_unreachable: GoogleUnreachable,
    /// Seconds for which the last good copy of an unreachable file is used immediately; None: never.
    #[source = "RFC 9309 section 2.4 with section 2.3.1.4 (30 days)"]
    stale_when_unreachable: Option<u64>,
    /// Seconds after which an unreachable file counts as unavailable, unless a good copy remains
    /// in use. None: never.
    #[source = "RFC 9309 section 2.3.1.4 (for example 30 days)"]
    unreachable_limit: Option<u64>,
    /// Whether a kept copy is renewed by a conditional request.
    #[source = "RFC 9110 section 13; Google, How Google interprets the robots.txt specification (unconditional)"]
    conditional_get: bool,
    /// Which header fields change how long a file is fresh.
    #[source = "RFC 9309 section 2.4 with RFC 9111; Koster, draft 1, November 1996, section 3.4; Google, How Google interprets the robots.txt specification (max-age)"]
    cache_headers: CacheHeaders,
    /// Seconds for which a file that sets no lifetime is fresh.
    #[source = "Koster, draft 1, November 1996, section 3.4 (7 days); RFC 9309 section 2.4 (24 hours)"]
    default_lifetime: u64,
    /// Seconds beyond which no file is fresh, whatever lifetime it sets. None: a year.
    #[source = "RFC 9309 section 2.4 (24 hours)"]
    max_lifetime: Option<u64>,
}

const DAY: u64 = 86_400;
const LINE_LIMIT: Option<u64> = Some(16_664);
const MAX_LINES: Option<u64> = Some(100_000);

/// RFC 9309, September 2022.
pub const RFC9309: Dialect = Dialect {
    name: "rfc9309",
    law: Law::Rfc9309,
    parse_limit: Some(512_000),
    over_limit: OverLimit::Cut,
    decode_utf16: false,
    skip_partial_bom: false,
    nul_ends_line: false,
    max_line_len: None,
    over_line: OverLine::Drop,
    max_lines: None,
    allow_is_rule: true,
    lenient_keys: true,
    prefix_keys: false,
    extensions: Fields::EVERY.without(Field::ContentUsage),
    blank_ends: false,
    record_ends_starts: false,
    usage_ends_starts: true,
    drop_empty_groups: false,
    max_rules: None,
    max_rule_len: None,
    token_check: TokenCheck::Strict,
    user_agent_match: UserAgentMatch::Rfc,
    ignore_family: false,
    user_agent_star_suffix: UserAgentStarSuffix::Blank,
    ignore_star: false,
    named_groups: NamedGroups::Merge,
    star_groups: Which::Merge,
    tokens: Which::Merge,
    url_split: UrlSplit::Strict,
    query: true,
    dot_segments: DotSegments::Remove,
    normalisation: Normalisation::Base,
    equate_reserved_escapes: true,
    wildcards: true,
    require_slash: true,
    empty_disallow: EmptyDisallow::NoRule,
    report_empty: false,
    index_is_directory: false,
    trailing_star_counts: true,
    precedence: Precedence::Longest,
    tie: Tie::Allow,
    robots_txt_allowed: true,
    crawl_delay_inherits: false,
    crawl_delay_ceiling: None,
    crawl_delay_whole: false,
    max_redirects: 5,
    too_many_redirects: Effect::Allow,
    disallowed_redirect: DisallowedRedirect::Follow,
    forbidden: Effect::Allow,
    status_429: Effect::Disallow,
    unreachable: Effect::Disallow,
    yandex_errors: YandexErrors::Rfc9309,
    google_unreachable: GoogleUnreachable::None,
    stale_when_unreachable: Some(30 * DAY),
    unreachable_limit: Some(30 * DAY),
    conditional_get: true,
    cache_headers: CacheHeaders::All,
    default_lifetime: DAY,
    max_lifetime: Some(DAY),
};

/// draft-koster-rep-00, July 2019.
pub const KOSTER_REP_00: Dialect =
    Dialect { name: "koster-rep-00", law: Law::KosterRep00, star_groups: Which::First, ..RFC9309 };

/// Koster, A Method for Robots Exclusion, draft 1, November 1996.
pub const KOSTER_1996: Dialect = Dialect {
    name: "koster-1996",
    law: Law::Koster1996,
    max_line_len: LINE_LIMIT,
    max_lines: MAX_LINES,
    lenient_keys: false,
    extensions: Fields::NONE,
    blank_ends: true,
    drop_empty_groups: true,
    token_check: TokenCheck::Cut,
    user_agent_match: UserAgentMatch::Equal,
    named_groups: NamedGroups::First,
    star_groups: Which::First,
    tokens: Which::First,
    query: false,
    normalisation: Normalisation::Koster96,
    equate_reserved_escapes: false,
    wildcards: false,
    require_slash: false,
    precedence: Precedence::First,
    too_many_redirects: Effect::Defer,
    forbidden: Effect::Disallow,
    status_429: Effect::Defer,
    unreachable: Effect::Defer,
    stale_when_unreachable: None,
    unreachable_limit: None,
    default_lifetime: 7 * DAY,
    max_lifetime: None,
    ..RFC9309
};

/// A Standard for Robot Exclusion, 30 June 1994.
pub const ORIGINAL_1994: Dialect = Dialect {
    name: "original-1994",
    law: Law::Original1994,
    allow_is_rule: false,
    user_agent_match: UserAgentMatch::Substring,
    query: true,
    normalisation: Normalisation::Raw,
    ..KOSTER_1996
};

/// Google's documentation, April 2026.
pub const GOOGLE: Dialect = Dialect {
    name: "google",
    law: Law::Google,
    extensions: Fields::NONE.with(Field::Sitemap),
    user_agent_match: UserAgentMatch::Prefix,
    tokens: Which::First,
    equate_reserved_escapes: false,
    disallowed_redirect: DisallowedRedirect::Unavailable,
    google_unreachable: GoogleUnreachable::Of2026,
    conditional_get: false,
    cache_headers: CacheHeaders::MaxAge,
    max_lifetime: None,
    ..RFC9309
};

/// Googlebot's parser, as published in google/robotstxt @ 22b355f.
pub const GOOGLEBOT_CPP: Dialect = Dialect {
    name: "googlebot-cpp",
    law: Law::GooglebotCpp,
    parse_limit: None,
    skip_partial_bom: true,
    nul_ends_line: true,
    max_line_len: Some(16_663),
    over_line: OverLine::Cut,
    prefix_keys: true,
    token_check: TokenCheck::Any,
    user_agent_star_suffix: UserAgentStarSuffix::WhiteSpace,
    tokens: Which::Merge,
    url_split: UrlSplit::Google,
    dot_segments: DotSegments::Keep,
    normalisation: Normalisation::Cpp,
    require_slash: false,
    report_empty: true,
    index_is_directory: true,
    robots_txt_allowed: false,
    ..GOOGLE
};

/// Yandex Webmaster help.
pub const YANDEX: Dialect = Dialect {
    name: "yandex",
    law: Law::Yandex,
    over_limit: OverLimit::Absent,
    max_line_len: LINE_LIMIT,
    max_lines: MAX_LINES,
    lenient_keys: false,
    extensions: Fields::NONE.with(Field::Sitemap).with(Field::CleanParam),
    blank_ends: true,
    max_rules: Some(2_048),
    max_rule_len: Some(1_024),
    user_agent_match: UserAgentMatch::FamilyPrefix,
    named_groups: NamedGroups::BestMerge,
    tokens: Which::First,
    equate_reserved_escapes: false,
    empty_disallow: EmptyDisallow::AllowRoot,
    trailing_star_counts: false,
    yandex_errors: YandexErrors::Open,
    stale_when_unreachable: None,
    cache_headers: CacheHeaders::CacheControl,
    ..RFC9309
};

/// Bing Webmaster blog; the rest assumed from RFC 9309.
pub const BING: Dialect = Dialect {
    name: "bing",
    law: Law::Bing,
    max_line_len: LINE_LIMIT,
    max_lines: MAX_LINES,
    extensions: Fields::NONE.with(Field::Sitemap).with(Field::CrawlDelay),
    tokens: Which::First,
    equate_reserved_escapes: false,
    crawl_delay_inherits: true,
    crawl_delay_ceiling: Some(30),
    crawl_delay_whole: true,
    stale_when_unreachable: None,
    cache_headers: CacheHeaders::CacheControl,
    ..RFC9309
};

/// The eight named dialects, oldest first.
pub static DIALECTS: [Dialect; 8] =
    [ORIGINAL_1994, KOSTER_1996, KOSTER_REP_00, RFC9309, GOOGLE, GOOGLEBOT_CPP, YANDEX, BING];

impl Dialect {
    /// The dialect with this name, if there is one.
    pub fn named(name: &str) -> Option<&'static Dialect> {
        DIALECTS.iter().find(|d| d.name == name)
    }
}
