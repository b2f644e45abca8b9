//! What sets the eight dialects apart, typed from their documents and not from the core.

pub use super::percent::Form;

/// How a start-group line names a crawler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum UserAgentMatch {
    SubstringEitherWay,
    Equal,
    Rfc,
    Prefix,
    Family,
}

/// Which of the groups that name a crawler bind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Named {
    First,
    Merge,
    BestMerge,
}

/// Which of the rules that match decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Precedence {
    First,
    Longest,
}

/// What becomes of a line that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum OverLong {
    Drop,
    Cut,
}

/// What can be asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Split {
    Url,
    Any,
}

/// What product tokens are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Tokens {
    Names,
    NamesWithVersion,
    Anything,
}

/// One dialect.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Switches {
    pub file_limit: Option<usize>,
    pub large_file_is_absent: bool,
    pub partial_mark: bool,
    pub nul_ends_line: bool,
    pub longest_line: Option<usize>,
    pub over_long: OverLong,
    pub most_lines: Option<usize>,
    pub most_rules: Option<usize>,
    pub longest_rule: Option<usize>,
    pub knows_allow: bool,
    pub lenient: bool,
    pub keys_by_prefix: bool,
    pub blank_ends: bool,
    pub drop_empty_groups: bool,
    pub tokens_are: Tokens,
    pub user_agent_match: UserAgentMatch,
    pub behind_star: &'static [u8],
    pub named: Named,
    pub first_star_counts: bool,
    pub first_token_counts: bool,
    pub split: Split,
    pub query: bool,
    pub form: Form,
    pub folds: bool,
    pub wildcards: bool,
    pub needs_slash: bool,
    pub empty_disallow_opens: bool,
    pub reports_empty: bool,
    pub index_is_directory: bool,
    pub trailing_stars_count: bool,
    pub precedence: Precedence,
    pub robots_txt_is_open: bool,
}

/// The switches of a named dialect.
pub fn named(dialect: &str) -> Switches {
    let rfc9309 = Switches {
        file_limit: Some(512_000),
        large_file_is_absent: false,
        partial_mark: false,
        nul_ends_line: false,
        longest_line: None,
        over_long: OverLong::Drop,
        most_lines: None,
        most_rules: None,
        longest_rule: None,
        knows_allow: true,
        lenient: true,
        keys_by_prefix: false,
        blank_ends: false,
        drop_empty_groups: false,
        tokens_are: Tokens::Names,
        user_agent_match: UserAgentMatch::Rfc,
        behind_star: b" \t",
        named: Named::Merge,
        first_star_counts: false,
        first_token_counts: false,
        split: Split::Url,
        query: true,
        form: Form::Base,
        folds: true,
        wildcards: true,
        needs_slash: true,
        empty_disallow_opens: false,
        reports_empty: false,
        index_is_directory: false,
        trailing_stars_count: true,
        precedence: Precedence::Longest,
        robots_txt_is_open: true,
    };
    let old = Switches {
        longest_line: Some(16_664),
        most_lines: Some(100_000),
        lenient: false,
        blank_ends: true,
        drop_empty_groups: true,
        tokens_are: Tokens::NamesWithVersion,
        named: Named::First,
        first_star_counts: true,
        first_token_counts: true,
        folds: false,
        wildcards: false,
        needs_slash: false,
        precedence: Precedence::First,
        ..rfc9309.clone()
    };
    match dialect {
        "original-1994" => Switches {
            knows_allow: false,
            user_agent_match: UserAgentMatch::SubstringEitherWay,
            form: Form::Raw,
            ..old
        },
        "koster-1996" => Switches {
            user_agent_match: UserAgentMatch::Equal,
            form: Form::Decoded,
            query: false,
            ..old
        },
        "koster-rep-00" => Switches { first_star_counts: true, ..rfc9309 },
        "rfc9309" => rfc9309,
        "google" => Switches {
            user_agent_match: UserAgentMatch::Prefix,
            first_token_counts: true,
            folds: false,
            ..rfc9309
        },
        "googlebot-cpp" => Switches {
            file_limit: None,
            partial_mark: true,
            nul_ends_line: true,
            longest_line: Some(16_663),
            over_long: OverLong::Cut,
            keys_by_prefix: true,
            tokens_are: Tokens::Anything,
            user_agent_match: UserAgentMatch::Prefix,
            behind_star: b" \t\x0b\x0c",
            split: Split::Any,
            form: Form::Cpp,
            folds: false,
            needs_slash: false,
            reports_empty: true,
            index_is_directory: true,
            robots_txt_is_open: false,
            ..rfc9309
        },
        "yandex" => Switches {
            large_file_is_absent: true,
            longest_line: Some(16_664),
            most_lines: Some(100_000),
            most_rules: Some(2_048),
            longest_rule: Some(1_024),
            lenient: false,
            blank_ends: true,
            user_agent_match: UserAgentMatch::Family,
            named: Named::BestMerge,
            first_token_counts: true,
            folds: false,
            empty_disallow_opens: true,
            trailing_stars_count: false,
            ..rfc9309
        },
        "bing" => Switches {
            longest_line: Some(16_664),
            most_lines: Some(100_000),
            first_token_counts: true,
            folds: false,
            ..rfc9309
        },
        _ => unreachable!("no dialect is called {dialect}"),
    }
}
