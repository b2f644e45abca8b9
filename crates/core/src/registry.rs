//! What operators say of their crawlers, as far as answers depend on it: the dialect in which these
//! read, whose groups they follow, and the product tokens that stand for a use of what they fetch.
//!
//! In: product tokens. Out: facts of [`registry_table`](crate::registry_table), which is written
//! from the registry of crawlers with their sources. Nothing here knows a file, except that the
//! groups of `*` do not speak for a policy token.

use std::cmp::Ordering;

use crate::agent::Agent;
use crate::binding::Binding;
use crate::dialect::Dialect;
use crate::documented::{BoundBy, Documented, PolicyToken};
use crate::registry_table::{DIALECT_OF, DOCUMENTED, DOCUMENTED_OF, POLICY_TOKENS, TOKENS};
use crate::vocabulary::Use;

/// What its operator says of a crawler, if that is not only what RFC 9309 section 2.2.1 says.
pub fn documented(token: &[u8]) -> Option<&'static Documented> {
    Some(&DOCUMENTED[usize::from(look_up(DOCUMENTED_OF, token)?)])
}

/// All of these crawlers, by their tokens in lower case.
pub fn all_documented() -> impl Iterator<Item = (&'static str, &'static Documented)> + Clone {
    DOCUMENTED_OF.iter().map(|(token, at)| (*token, &DOCUMENTED[usize::from(*at)]))
}

/// Whose groups crawlers follow, by their tokens in lower case: those that do not only follow the
/// groups that name them, else those of `*`.
pub fn special_bindings() -> impl Iterator<Item = (&'static str, Binding<&'static str>)> + Clone {
    let all = all_documented().map(|(token, said)| (token, said.binding()));
    all.filter(|(_, binding)| *binding != Binding::default())
}

/// Whether a file binds a crawler, according to its operator.
///
/// named: whether a group names it, or one that it follows.
pub fn binds(token: &[u8], named: bool) -> bool {
    match documented(token).map(|said| said.bound_by) {
        Some(BoundBy::NamedGroups) => named,
        Some(BoundBy::Nothing) => false,
        Some(BoundBy::Groups) | None => true,
    }
}

/// A remark on a crawler that the rules of a file do not bind as usual.
pub fn remark_on(token: &str) -> Option<String> {
    documented(token.as_bytes())?.remark(token)
}

/// The dialect in which a crawler reads, by the documents of its operator; none if it is unknown.
pub fn dialect_of(token: &[u8]) -> Option<&'static Dialect> {
    DIALECT_OF[usize::from(operator_of(token)?)]
}

/// The same where it is another than the one that is asked about, with the same knobs changed.
pub fn own_dialect(token: &[u8], asked: &Dialect) -> Option<Dialect> {
    let own = dialect_of(token)?;
    (own.law != asked.law).then(|| own.changed_as(asked))
}

/// The product tokens that stand for a use of what a crawler fetches: its operator's, by any of its
/// own tokens, and everyone's.
pub fn policy_tokens<T: AsRef<[u8]>>(
    tokens: &[T],
    purpose: Use,
) -> impl Iterator<Item = &'static PolicyToken> {
    let operators: Vec<u8> = tokens.iter().filter_map(|it| operator_of(it.as_ref())).collect();
    POLICY_TOKENS.iter().filter(move |each| {
        let is_heard = each.operator.is_none_or(|operator| operators.contains(&operator));
        is_heard && each.uses.contains(&purpose)
    })
}

/// Whether no crawler sends these tokens: files name them to say how pages may be used.
pub fn are_policy_tokens<T: AsRef<[u8]>>(tokens: &[T]) -> bool {
    let is_one = |token: &[u8]| {
        let known = POLICY_TOKENS.iter();
        known.map(|each| each.token).any(|known| known.as_bytes().eq_ignore_ascii_case(token))
    };
    !tokens.is_empty() && tokens.iter().all(|token| is_one(token.as_ref()))
}

impl Agent {
    /// What speaks about use for a crawler with these tokens, if it is not this: the groups of `*`
    /// do not speak for a policy token.
    pub fn speaking_of_use<T: AsRef<[u8]>>(&self, tokens: &[T]) -> Option<Agent> {
        let is_silent = !self.selection().named && are_policy_tokens(tokens);
        is_silent.then(|| self.file().agent_without_groups())
    }
}

/// The place of the operator of a crawler.
fn operator_of(token: &[u8]) -> Option<u8> {
    look_up(TOKENS, token)
}

/// What a table has for a token.
fn look_up(table: &[(&str, u8)], token: &[u8]) -> Option<u8> {
    let found = table.binary_search_by(|(known, _)| in_lower_case(known.as_bytes(), token));
    found.ok().map(|at| table[at].1)
}

/// How a known token, which is in lower case, compares with one in any.
fn in_lower_case(known: &[u8], token: &[u8]) -> Ordering {
    known.iter().copied().cmp(token.iter().map(u8::to_ascii_lowercase))
}
