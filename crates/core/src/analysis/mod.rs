//! Analysis: what rules mean for all URLs at once, proved and not sampled.
//!
//! In: [`Agent`](crate::Agent)s. Out: how two of them differ ([`Difference`]), what each rule of
//! one does ([`Effect`]), and whether one keeps a [`Promise`]. The proofs, with their conditions, are in DESIGN.md; what they build
//! on is in the module `fresh`.

mod align;
mod change;
mod difference;
mod effect;
mod exempt;
mod fingerprint;
mod fresh;
mod other_records;
mod posture;
mod prefixes;
mod promise;
mod region;
mod rule_list;
mod sameness;
mod shape;
mod spelling;
mod text;
mod urls;
mod versions;
mod word;

pub use change::{Change, Difference};
pub use difference::{Sought, STEPS};
pub use effect::{Effect, RuleEffect};
pub use exempt::{exempt, Exempt};
pub use fingerprint::About;
pub use other_records::{
    heard_otherwise, record_changes, said_otherwise, HeardOtherwise, RecordChange, SaidOtherwise,
};
pub use posture::{Posture, Stance};
pub use promise::{Kept, Promise, Question};
pub use rule_list::OwnRule;
pub use sameness::says_the_same;
pub use versions::{differences, Audience, Changed, Differences};
