//! Bindings: whose groups a crawler follows if none names it.
//!
//! In: what is known of the groups that name some crawlers. Out: which of it applies to one.

/// Whose groups a crawler follows if none names it, as its operator documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding<T = String> {
    /// Other crawlers, by their product tokens or numbers: this one follows the groups of the first
    /// that is named.
    pub follows: Vec<T>,
    /// Whether it follows the groups of `*` if no group names it or these.
    pub by_star: bool,
}

impl<T> Default for Binding<T> {
    fn default() -> Self {
        Binding { follows: Vec::new(), by_star: true }
    }
}

/// What a crawler follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed<G> {
    /// Groups that name it, or a crawler that it follows.
    Named(G),
    /// The groups of `*`.
    Star,
    /// No group.
    Nobody,
}

impl<T> Binding<T> {
    /// What the crawler follows: the groups that name it; otherwise those that name the first of
    /// the others that any names; otherwise those of `*`, if it follows them at all.
    ///
    /// own: the groups that name it; of: those that name another.
    #[inline]
    pub fn followed<'b, G>(
        &'b self,
        own: Option<G>,
        of: impl FnMut(&'b T) -> Option<G>,
    ) -> Followed<G> {
        match own.or_else(|| self.follows.iter().find_map(of)) {
            Some(named) => Followed::Named(named),
            None if self.by_star => Followed::Star,
            None => Followed::Nobody,
        }
    }
}
