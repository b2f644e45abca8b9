//! Changes: the regions of a difference.

/// How the rules of two crawlers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where answers differ: no region is inside another of the same direction.
    pub changes: Vec<Change>,
    /// Whether these are all. If not, the search ended at its budget or at one of its conditions.
    pub is_exact: bool,
}

/// A region of URLs, some of which only one crawler may fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whether only the second crawler may fetch them.
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
    /// Take the witness of a region inside this one, if it is shorter.
    pub(super) fn take_shorter(&mut self, inner: &Change) {
        if inner.witness.len() < self.witness.len() {
            self.witness.clone_from(&inner.witness);
            (self.old, self.new) = (inner.old, inner.new);
        }
    }
}
