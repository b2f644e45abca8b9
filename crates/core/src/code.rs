//! Codes of findings: what can be wrong with a line or a file, how severe it is, and where to read
//! more.
//!
//! In: nothing. Out: [`FindingCode`], a table. The page `docs/findings.md` is made from it.

/// How much a finding matters to the author of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Note,
    /// Read, but perhaps not as intended.
    Warning,
    /// What is written there has no effect, or not the effect it seems to have.
    Error,
}

impl Severity {
    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

macro_rules! codes {
    ($($variant:ident = $name:literal, $severity:ident: $sentence:literal;)*) => {
        /// What a finding is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FindingCode {
            $(#[doc = $sentence] $variant),*
        }

        impl FindingCode {
            /// Every code, in the order of the table.
            pub const ALL: &'static [FindingCode] = &[$(FindingCode::$variant),*];

            /// The name: lower case, words joined by `-`.
            pub const fn name(self) -> &'static str {
                match self { $(FindingCode::$variant => $name),* }
            }

            /// The code of this name.
            pub fn named(name: &str) -> Option<FindingCode> {
                FindingCode::ALL.iter().copied().find(|code| code.name() == name)
            }

            /// How much it matters.
            pub const fn severity(self) -> Severity {
                match self { $(FindingCode::$variant => Severity::$severity),* }
            }

            /// A sentence that is true for every such line.
            pub const fn sentence(self) -> &'static str {
                match self { $(FindingCode::$variant => $sentence),* }
            }

            /// The section of the documentation that explains it.
            pub const fn page(self) -> &'static str {
                match self { $(FindingCode::$variant => concat!("docs/findings.md#", $name)),* }
            }
        }
    };
}

codes! {
    // the file
    Utf16 = "utf-16", Error: "The file is encoded in UTF-16; robots.txt files are UTF-8, and no line is read as intended.";
    Html = "html", Error: "The file is HTML or XML, as servers send it in place of a missing file.";
    Json = "json", Error: "The file is a JSON document, not a robots.txt file.";
    NotText = "not-text", Error: "The file is not text.";
    OverParsingLimit = "over-parsing-limit", Error: "The file is larger than the dialect reads; the rest is ignored.";
    // any line
    LongLine = "long-line", Error: "The line is longer than the dialect reads.";
    NulInLine = "nul-in-line", Error: "A NUL byte ends the line; what follows it is ignored.";
    MisspeltKey = "misspelt-key", Note: "The key is misspelt in a way that the dialect accepts.";
    MissingColon = "missing-colon", Warning: "There is no colon between key and value; the dialect accepts white space.";
    UnknownLine = "unknown-line", Warning: "The line is not a field that verger knows.";
    FieldNotRead = "field-not-read", Note: "The field is known, but the dialect does not read it.";
    // start-group lines
    EmptyAgent = "empty-agent", Error: "The start-group line does not name a crawler.";
    UnmatchedAgent = "unmatched-agent", Error: "The start-group line contains more than a product token, and the intended crawler does not match it.";
    // rules
    RuleWithoutGroup = "rule-without-group", Error: "The rule is before any start-group line and applies to no crawler.";
    RuleOverLimit = "rule-over-limit", Error: "The rule exceeds a limit of the dialect and is ignored.";
    PatternWithoutSlash = "pattern-without-slash", Error: "The path pattern begins with neither `/` nor `*`, and the rule is ignored.";
    InvalidUtf8 = "invalid-utf8", Warning: "The value is not UTF-8; it is compared byte by byte.";
    InvalidEscape = "invalid-escape", Warning: "A `%` is not followed by two hexadecimal digits.";
    UnsafeByte = "unsafe-byte", Warning: "The pattern contains a byte that URLs contain only as an escape.";
    // records
    MalformedValue = "malformed-value", Error: "The value does not have the form of its field.";
    RelativeSitemap = "relative-sitemap", Warning: "The URL of the sitemap is not absolute.";
    UnknownSignal = "unknown-signal", Warning: "Some of the content signals are unknown and ignored.";
    UnknownUsage = "unknown-usage", Error: "The usage preferences are not a list such as `train-ai=n, search=y`; all of them are unknown.";
    UnknownUsageLabel = "unknown-usage-label", Note: "The usage preferences contain an unknown label, which has no effect.";
    UnknownUsageValue = "unknown-usage-value", Warning: "The value of a usage preference is neither `y` nor `n`, and has no effect.";
    ChangedDelay = "changed-delay", Note: "The dialect rounds or limits the delay.";
}
