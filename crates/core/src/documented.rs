//! What the registry holds of a crawler: facts that its operator documents.
//!
//! In: nothing. Out: the types of [`registry_table`](crate::registry_table), and what they say in
//! the terms of a file and in words.

use crate::binding::Binding;
use crate::vocabulary::Use;

/// A product token that no crawler sends, and that stands for a use.
#[derive(Debug, PartialEq, Eq)]
pub struct PolicyToken {
    /// The token, as it is usually written.
    pub token: &'static str,
    /// The page that says so.
    pub title: &'static str,
    /// The place of the operator of whose crawlers it speaks; none for those of everyone.
    pub(crate) operator: Option<u8>,
    /// The uses that it stands for.
    pub(crate) uses: &'static [Use],
}

/// What binds a crawler, according to its operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundBy {
    /// The groups that name it or those whom it follows, else those of `*` (RFC 9309 section 2.2.1).
    Groups,
    /// Only groups that name it, or those whom it follows.
    NamedGroups,
    /// Nothing in a file.
    Nothing,
}

impl BoundBy {
    /// Its name in the registry.
    pub fn name(self) -> &'static str {
        match self {
            BoundBy::Groups => "groups",
            BoundBy::NamedGroups => "named-groups",
            BoundBy::Nothing => "nothing",
        }
    }
}

/// What an operator says of a crawler that RFC 9309 section 2.2.1 does not.
#[derive(Debug, PartialEq, Eq)]
pub struct Documented {
    /// Whether no crawler sends this name.
    pub is_policy_token: bool,
    /// What binds it.
    pub bound_by: BoundBy,
    /// The crawlers whose groups it follows if none names it, before those of `*`.
    pub follows: &'static [&'static str],
    /// Whether it does not obey files at all.
    pub ignores: bool,
    /// The page that says so.
    pub title: &'static str,
}

impl Documented {
    /// The same, for the groups of a file.
    pub fn binding(&self) -> Binding<&'static str> {
        let by_star = self.bound_by != BoundBy::NamedGroups;
        Binding { follows: self.follows.to_vec(), by_star }
    }

    /// A remark on a crawler that the rules of a file do not bind as usual.
    pub(crate) fn remark(&self, token: &str) -> Option<String> {
        let title = self.title;
        if self.is_policy_token {
            return Some(format!("`{token}` is a policy token: no crawler sends it ({title})"));
        }
        match self.bound_by {
            BoundBy::Groups => None,
            BoundBy::NamedGroups => {
                let names: String =
                    self.follows.iter().map(|name| format!(" or `{name}`")).collect();
                Some(format!("only groups that name it{names} bind `{token}`, not `*` ({title})"))
            }
            BoundBy::Nothing => {
                let binds = if self.ignores { "does not bind" } else { "may not bind" };
                Some(format!("robots.txt {binds} `{token}`, as its operator says ({title})"))
            }
        }
    }
}
