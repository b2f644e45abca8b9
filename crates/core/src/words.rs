//! Words: what every surface calls an answer, and the reason of one.
//!
//! In: the name of a reason, as JSON and tables have it; or whether something is allowed. Out: the
//! words for a person, which every language reads here. Reasons of
//! decisions come from rules, those of access policies from what became of fetching the file;
//! [`crate::Reason::section`] names the source of the former, an access policy that of the latter.

/// What each reason is called, by its name.
pub const REASONS: [(&str, &str); 35] = [
    // of decisions
    ("MOST_SPECIFIC_RULE", "most specific match"),
    ("FIRST_MATCHING_RULE", "first matching rule"),
    ("EMPTY_RULE", "an empty rule, which disallows nothing"),
    ("NO_MATCHING_RULE", "no rule matches"),
    ("GROUP_WITHOUT_RULES", "the group has no rules"),
    ("NO_GROUP", "no group applies to this crawler"),
    ("ROBOTS_TXT_ITSELF", "it is the robots.txt file itself"),
    ("FILE_OVER_LIMIT", "the file is too long and counts as absent"),
    // of decisions about use
    ("CRAWL_RULES", "may not be fetched"),
    ("POLICY_TOKEN", "a group for this use"),
    ("CONTENT_SIGNAL", "Content-Signal"),
    ("CONTENT_USAGE", "Content-Usage"),
    ("NO_SIGNAL", "no line mentions it"),
    // of access policies
    ("SUCCESSFUL", "the rules of the file"),
    ("UNAVAILABLE", "no file"),
    ("FORBIDDEN", "access refused"),
    ("TOO_MANY_REQUESTS", "too many requests"),
    ("TOO_MANY_REDIRECTS", "too many redirects"),
    ("REDIRECT_DISALLOWED", "redirected through a disallowed URL"),
    ("REDIRECT_REFUSED", "the address is not public, and `--private` does not name it"),
    ("SERVER_ERROR", "server error"),
    ("UNDEFINED_STATUS", "no status, or an undefined one"),
    ("NETWORK_ERROR", "network error"),
    ("BROKEN_BODY", "broken body"),
    ("UNREACHABLE_FOR_LONG", "unreachable for long"),
    ("OPERATOR_OVERRIDE", "the operator's override"),
    // of rows without an answer
    ("NULL_URL", "no URL"),
    ("INVALID_UTF8", "not UTF-8"),
    ("INVALID_TARGET", "not a URL"),
    ("OUT_OF_SCOPE", "a URL of another origin than the file's"),
    ("NOT_IN_SNAPSHOT", "not in the snapshot"),
    ("UNREADABLE_FILE", "the file of the snapshot cannot be read"),
    ("invalid-url", "no URL (invalid-url)"),
    ("invalid-row", "no URL to be found in the row (invalid-row)"),
    ("url-too-long", "too long for a URL (url-too-long)"),
];

/// What a reason is called; none for a name that is not one.
pub fn words_of(reason: &str) -> Option<&'static str> {
    REASONS.iter().find(|(name, _)| *name == reason).map(|(_, words)| *words)
}

/// What an answer is called; `none`, where nothing says so, differs: no line mentions a use, and a
/// question has no answer.
pub const fn verdict(allowed: Option<bool>, none: &'static str) -> &'static str {
    match allowed {
        Some(true) => "allowed",
        Some(false) => "disallowed",
        None => none,
    }
}

/// A verdict that no line gives.
pub const SILENT: &str = "silent";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::Reason;

    #[test]
    fn every_reason_has_words_of_its_own() {
        let mut words: Vec<&str> = REASONS.iter().map(|(_, words)| *words).collect();
        words.sort_unstable();
        words.dedup();

        assert_eq!(words.len(), REASONS.len());
        assert!(Reason::ALL.iter().all(|reason| words_of(reason.name()).is_some()));
    }
}
