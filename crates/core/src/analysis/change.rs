//! Changes: what is told of a difference.

/// What two crawlers' rules say otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where answers differ: no region lies within another of the same direction.
    pub changes: Vec<Change>,
    /// Whether these are all. If not, the search ended at its budget, or at one of the conditions
    /// that it has.
    pub is_exact: bool,
}

/// A region of URLs in which some may be fetched by one crawler alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whether the second crawler may fetch there what the first may not.
    pub opened: bool,
    /// The region as a path pattern. More specific rules may exempt some of it.
    pub region: Vec<u8>,
    /// The path of a URL in it whose answer differs; no shorter one does.
    pub witness: Vec<u8>,
    /// The rule of the first crawler that decides the witness.
    pub old: Option<u32>,
    /// The rule of the second.
    pub new: Option<u32>,
}

impl Change {
    /// Tell of the witness of a region within, where it is shorter.
    pub(super) fn take_shorter(&mut self, inner: &Change) {
        if inner.witness.len() < self.witness.len() {
            self.witness.clone_from(&inner.witness);
            (self.old, self.new) = (inner.old, inner.new);
        }
    }
}
