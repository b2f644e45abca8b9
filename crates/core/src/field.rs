//! The field table: which names a line may begin with, and the kind of value of each.
//!
//! In: the bytes before the separator. Out: a [`Field`], or `None` if it is unknown.
//! RFC 9309 sections 2.2 and 2.2.4. Which of them a dialect reads is the dialect's `extensions`.

/// Whom a record applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldScope {
    /// The crawlers of the current group.
    Group,
    /// Every reader of the file.
    File,
    /// The group that contains it; before any group, the file.
    Position,
}

/// How the value of an extension record is read; see [`crate::record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Not a record of its own: `user-agent`, `allow`, `disallow`.
    Core,
    /// Seconds, as a decimal number.
    Delay,
    /// Documents in a span of time.
    Rate,
    /// A window of the day.
    Window,
    /// A dotted version number.
    Version,
    /// An absolute URL; a relative one is returned as well.
    Sitemap,
    /// Host name of the main mirror.
    Host,
    /// Query parameters without meaning.
    CleanParam,
    /// Content signals.
    Signal,
    /// Usage preferences.
    Usage,
    /// An absolute http(s) URL.
    License,
    /// Kept as written.
    Text,
}

macro_rules! fields {
    ($( $(#[$doc:meta])* $variant:ident = $name:literal, $scope:ident, $kind:ident; )*) => {
        /// A field that verger knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Field { $( $(#[$doc])* $variant, )* }

        impl Field {
            /// Every field, in the order of the table.
            pub const ALL: &'static [Field] = &[$(Field::$variant),*];

            /// The name, in lower case.
            pub const fn name(self) -> &'static str {
                match self { $(Field::$variant => $name),* }
            }

            /// Whom it applies to.
            pub const fn scope(self) -> FieldScope {
                match self { $(Field::$variant => FieldScope::$scope),* }
            }

            /// How its value is read.
            pub(crate) const fn value_kind(self) -> ValueKind {
                match self { $(Field::$variant => ValueKind::$kind),* }
            }
        }
    };
}

fields! {
    /// RFC 9309 section 2.2.1.
    UserAgent = "user-agent", Group, Core;
    /// RFC 9309 section 2.2.2.
    Allow = "allow", Group, Core;
    /// RFC 9309 section 2.2.2.
    Disallow = "disallow", Group, Core;
    /// sitemaps.org protocol; RFC 9309 section 2.2.4.
    Sitemap = "sitemap", File, Sitemap;
    /// Bing Webmaster blog, August 2009 and May 2012.
    CrawlDelay = "crawl-delay", Group, Delay;
    /// Conner, An Extended Standard for Robot Exclusion, 1996; Seznam help, Crawling control.
    RequestRate = "request-rate", Group, Rate;
    /// Conner, An Extended Standard for Robot Exclusion, 1996.
    VisitTime = "visit-time", Group, Window;
    /// Conner, An Extended Standard for Robot Exclusion, 1996.
    RobotVersion = "robot-version", Group, Version;
    /// Conner, An Extended Standard for Robot Exclusion, 1996.
    Comment = "comment", Group, Text;
    /// Yandex Webmaster help, Clean-param.
    CleanParam = "clean-param", File, CleanParam;
    /// Yandex Webmaster help, Host, retired in March 2018.
    Host = "host", File, Host;
    /// Unsupported by Google since 1 September 2019.
    Noindex = "noindex", Group, Text;
    /// Unsupported by Google since 1 September 2019.
    Nofollow = "nofollow", Group, Text;
    /// Never documented; seen in the wild.
    Noarchive = "noarchive", Group, Text;
    /// Cloudflare documentation, Content Signals.
    ContentSignal = "content-signal", Position, Signal;
    /// draft-ietf-aipref-attach-05.
    ContentUsage = "content-usage", Group, Usage;
    /// RSL, guide "Adding RSL to robots.txt".
    License = "license", File, License;
    /// Seen in the wild (crawler-commons).
    LlmPolicy = "llm-policy", File, Text;
    /// Seen in the wild.
    CacheDelay = "cache-delay", Group, Delay;
    /// Seen in the wild.
    RevisitAfter = "revisit-after", Position, Text;
    /// Seen in the wild.
    Domain = "domain", Position, Text;
    /// Seen in the wild.
    UnavailableAfter = "unavailable-after", Position, Text;
    /// Automated Content Access Protocol: every field that begins with `acap-`.
    Acap = "acap", Position, Text;
    /// An individual Internet-Draft of 2025.
    DisallowAiTraining = "disallowaitraining", Position, Text;
    /// An individual Internet-Draft of 2025.
    AllowAiTraining = "allowaitraining", Position, Text;
    /// Of one RSL implementation.
    Permits = "permits", Position, Text;
    /// Of one RSL implementation.
    Prohibits = "prohibits", Position, Text;
    /// Of one RSL implementation.
    Compensation = "compensation", Position, Text;
}

impl Field {
    /// Whether it forms groups: `user-agent`, `allow` and `disallow`.
    pub const fn is_core(self) -> bool {
        matches!(self.value_kind(), ValueKind::Core)
    }

    /// The field of exactly this name, in any case.
    pub fn named(name: &[u8]) -> Option<Field> {
        let exact = |f: &&Field| name.eq_ignore_ascii_case(f.name().as_bytes());
        if name.eq_ignore_ascii_case(b"content-signals") {
            return Some(Field::ContentSignal); // alias seen by crawler-commons
        }
        if starts_with_ignore_case(name, b"acap-") {
            return Some(Field::Acap);
        }
        Field::ALL.iter().find(exact).copied()
    }
}

/// Whether `text` begins with `prefix`, in any case.
pub fn starts_with_ignore_case(text: &[u8], prefix: &[u8]) -> bool {
    text.len() >= prefix.len() && text[..prefix.len()].eq_ignore_ascii_case(prefix)
}

/// A set of extension fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fields(u32);

impl Fields {
    /// No field.
    pub const NONE: Fields = Fields(0);

    /// Every extension field.
    pub const EVERY: Fields = {
        let mut set = Fields::NONE;
        let mut i = 0;
        while i < Field::ALL.len() {
            if !Field::ALL[i].is_core() {
                set = set.with(Field::ALL[i]);
            }
            i += 1;
        }
        set
    };

    /// This set and one more field.
    pub const fn with(self, field: Field) -> Fields {
        Fields(self.0 | 1 << field as u32)
    }

    /// This set without one field.
    pub const fn without(self, field: Field) -> Fields {
        Fields(self.0 & !(1 << field as u32))
    }

    /// Whether the field is in the set.
    pub const fn contains(self, field: Field) -> bool {
        self.0 & (1 << field as u32) != 0
    }

    /// The fields of the set, in the order of the table.
    pub fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL.iter().copied().filter(move |f| self.contains(*f))
    }
}

/// Misspellings of `disallow` that Google's parser accepts (google/robotstxt @ 22b355f,
/// robots.cc:217-253).
pub const DISALLOW_TYPOS: [&[u8]; 5] =
    [b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"];
/// Misspellings of `user-agent`, from the same list.
pub const USER_AGENT_TYPOS: [&[u8]; 2] = [b"useragent", b"user agent"];
/// The misspelling of `sitemap`, from the same list.
pub const SITEMAP_TYPOS: [&[u8]; 1] = [b"site-map"];
