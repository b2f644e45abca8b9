//! Witnesses: a few targets that stand for all that a pattern matches.
//!
//! In: one pattern, and a way to ask which rule decides a target. Out: whether the pattern decides
//! any target at all, by its [`Standing`]. Nothing here knows a whole file; what its rules leave of
//! a site is said in [`crate::posture`]. RFC 9309 sections 2.2.2 and 2.2.3.
//!
//! # What is proved, and where
//!
//! *Targets.* A target is `/` followed by any bytes that [`TargetReader::holds`], in any order:
//! see [`TargetReader::is_possible`]. A pattern that contains another byte matches none.
//!
//! *Patterns.* A pattern is bytes and `*`. One whose end is not anchored has a `*` there. Since
//! each target begins with `/`, a pattern that begins with `*` is two: the `*` takes that `/` and
//! more (`/*` and the rest), or it takes nothing (the rest, if that begins with `/`).
//!
//! *Fresh.* A byte is fresh if no pattern that may decide holds it, as written or folded, nor
//! `/robots.txt`. Where patterns are folded it is also not reserved and not `%`, so that the fold
//! leaves it as it is.
//!
//! *Lemma 1, without the fold.* Let `w(P)` be a pattern `P` with a fresh byte for each `*`. If `Q`
//! matches `w(P)`, then `Q` matches whatever `P` matches. For no byte of `Q` stands for a fresh
//! one, so that a `*` of `Q` takes each of them; that `*` takes anything else in its place too.
//!
//! So `P` decides some target if and only if it decides `w(P)`: if another rule decides there, it
//! matches all that `P` matches and outranks `P` everywhere. That `P` decides follows only if `w(P)`
//! is a target, hence if targets hold the fresh byte. That it does not decide follows in any case.
//!
//! *The fold.* A pattern without `?` is compared as written, and then with both sides folded byte
//! by byte: `F(P)` with `F(t)`. A pattern with `?` is folded further after its first `?`, and the
//! target after its own first `?`: `G(P)` with `G(t)`, where `G(p?q)` is `F(p)?H(q)`, `p` holds no
//! `?`, and `H(q)` holds none either. `F` and `H` replace single bytes, so that whatever matches as
//! written also matches by them.
//!
//! *Lemma 2, `P` without `?`.* `P` matches what `F(P)` matches by `F`. `w(P)` holds no `?`, so that
//! a `Q` that matches it holds none, and `F(Q)` matches `F(w(P))`, which is `F(P)` with a fresh byte
//! for each `*`. By lemma 1, said of folded texts, `Q` matches whatever `P` matches.
//!
//! *Lemma 3, `P` is `p?q`.* `P` matches targets as written, `A`, and folded, `B`; if folding it
//! changes nothing, `A` is all. A target of `B` has its first `?` where `P` has it. If `p` holds no
//! `*`, the same is true of `A`, and `A` lies in `B`.
//!
//! 1. If `Q` matches `w(P)` as written, it matches all of `A`: lemma 1. If `Q` holds no `?` and
//!    matches `w(P)` folded, too: lemma 2, and `A` lies in what `F(P)` matches by `F`.
//! 2. If `Q` holds a `?` and matches `w(G(P))`, it matches all of `B`. That target has one `?`, so
//!    that `Q`, be it `r?s`, has its first `?` there: `F(r)` matches the whole of `F(w(p))`, and `H(s)`
//!    matches `H(w(q))`. Lemma 1 holds for either part.
//! 3. If `p` holds no `*` and `Q` holds a `?` and matches `w(P)` folded, it matches all of `B`, and
//!    so of `A`, as in 2.
//! 4. If `Q` matches `w(p?*)` as written or holds no `?`, it matches all of `A` and `B`. They lie
//!    in what `p?*` matches as written or by `F`; and what `Q` has after its last `?` is empty or
//!    begins with `*`, so that it matches there however the target is folded.
//!
//! Where none of this applies the standing is [`Standing::Unsure`]. After a `?` each `/` may be
//! written in two ways, and whether many rules together leave none of the ways is a question whose
//! cost doubles with each `/`. It takes patterns with `?` that the fold lets match more, and rules
//! without `?` that outrank them.

use crate::pattern::Pattern;
use crate::target::TargetReader;

/// A byte that is in no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The byte.
    pub byte: u8,
    /// Whether targets hold it.
    pub is_held: bool,
}

/// The bytes of some patterns, as written and folded.
#[derive(Clone, Debug)]
pub struct Used {
    bytes: [bool; 256],
    folds: bool,
}

impl Used {
    /// None but those of a target that no rule decides. `folds` tells whether patterns are folded.
    pub fn new(exempt: &[u8], folds: bool) -> Self {
        let mut used = Used { bytes: [false; 256], folds };
        used.add_all(exempt);
        used
    }

    /// Add those of a pattern.
    pub fn add(&mut self, pattern: &Pattern) {
        self.add_all(&pattern.text);
        if let Some(folded) = pattern.folded() {
            self.add_all(&folded);
        }
    }

    fn add_all(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.bytes[*byte as usize] = true);
    }

    /// A fresh byte, rather one that URLs hold as it is; none where all 256 are used.
    pub fn fresh(&self, targets: &TargetReader) -> Option<Fresh> {
        self.fresh_of(|byte| targets.holds(byte))
    }

    /// As [`Used::fresh`], with the bytes that `holds` accepts as those that URLs hold.
    pub fn fresh_of(&self, holds: impl Fn(u8) -> bool) -> Option<Fresh> {
        let is_fresh = |byte: &u8| {
            !(self.bytes[*byte as usize] || self.folds && is_reserved_or_percent(*byte))
        };
        let unreserved = (b'a'..=b'z').rev().chain(b'A'..=b'Z').chain(b'0'..=b'9');
        let all = unreserved.chain(*b"-._~").chain((0..=u8::MAX).rev()).filter(is_fresh);
        let held = all.clone().find(|byte| holds(*byte));
        let byte = held.or(all.clone().next())?;
        Some(Fresh { byte, is_held: held.is_some() })
    }

    /// A byte that targets hold, and that is used like many: it stands in for a fresh one where
    /// a target is all that is wanted, and not what follows from it.
    pub fn worn(&self, targets: &TargetReader) -> u8 {
        (b'a'..=b'z').rev().chain(0..=u8::MAX).find(|o| targets.holds(*o)).unwrap_or(b'/')
    }
}

/// RFC 3986 section 2.2.
fn is_reserved_or_percent(byte: u8) -> bool {
    b"%:/?#[]@!$&'()*+,;=".contains(&byte)
}

/// What a pattern does with the targets that it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It decides one of them, or another rule of the same verdict does.
    Decides,
    /// It decides none: each is decided by a rule that outranks it.
    Covered,
    /// Nothing is proved.
    Unsure,
}

/// Which rule decides a target, as far as a proof asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Whether it has the verdict of the pattern that is judged.
    pub is_wanted: bool,
    /// Whether it outranks that pattern.
    pub outranks: bool,
    /// Whether its pattern matches the target as written, and not only folded.
    pub as_written: bool,
    /// Whether its pattern holds a `?`.
    pub has_query: bool,
}

/// Judges patterns.
#[derive(Clone, Copy, Debug)]
pub struct Witnesses<'t> {
    targets: &'t TargetReader,
    fresh: Fresh,
    folds: bool,
}

/// A text that begins with `/`, and what a pattern says of its `*` and its end.
struct Rooted<'p> {
    text: Vec<u8>,
    of: &'p Pattern<'p>,
}

impl<'t> Witnesses<'t> {
    /// `folds` tells whether patterns are folded.
    pub fn new(targets: &'t TargetReader, fresh: Fresh, folds: bool) -> Self {
        Witnesses { targets, fresh, folds }
    }

    /// Judge a pattern by asking what decides its witnesses; none is asked about that rules do not
    /// decide.
    pub fn standing(&self, pattern: &Pattern, ask: &mut dyn FnMut(&[u8]) -> Answer) -> Standing {
        let mut found = Standing::Covered;
        let folded = pattern.folded().map(|text| rooted(&text, pattern));
        for (place, text) in rooted(&pattern.text, pattern).into_iter().enumerate() {
            let folded = folded.as_ref().map(|texts| &texts[place]);
            match self.standing_of(&text, folded, ask) {
                Standing::Decides => return Standing::Decides,
                Standing::Unsure => found = Standing::Unsure,
                Standing::Covered => {}
            }
        }
        found
    }

    fn standing_of(
        &self,
        text: &Rooted,
        folded: Option<&Rooted>,
        ask: &mut dyn FnMut(&[u8]) -> Answer,
    ) -> Standing {
        if !self.has_targets(text) {
            return Standing::Covered;
        }
        let witness = self.witness(text);
        let written = ask(&witness);
        if written.is_wanted {
            return self.decides(&witness);
        }
        let Some(query) = text.text.iter().position(|o| *o == b'?').filter(|_| self.folds) else {
            return Standing::Covered;
        };
        // Lemma 3, and its numbers.
        let is_fixed = !text.text[..query].iter().any(|byte| text.is_star(*byte));
        let is_covered_as_written = written.as_written || !written.has_query || is_fixed;
        let mut is_covered_folded = true;
        if let Some(folded) = folded {
            let witness = self.witness(folded);
            let answer = ask(&witness);
            if answer.is_wanted {
                return self.decides(&witness);
            }
            is_covered_folded = answer.has_query;
        }
        if is_covered_as_written && is_covered_folded {
            return Standing::Covered;
        }
        self.standing_by_path(text, query, ask)
    }

    /// The standing of a pattern by what covers all queries after its path, or none of them.
    fn standing_by_path(
        &self,
        text: &Rooted,
        query: usize,
        ask: &mut dyn FnMut(&[u8]) -> Answer,
    ) -> Standing {
        let mut target = self.fill(text, &text.text[..=query]);
        target.push(self.fresh.byte);
        let answer = ask(&target);
        if answer.outranks && (answer.as_written || !answer.has_query) {
            return Standing::Covered;
        }
        let path = &text.text[..query];
        let Some(star) = path.iter().position(|byte| text.is_star(*byte)) else {
            return Standing::Unsure;
        };
        // A `?` before the pattern's own: the target is folded from there on.
        let begin = self.fill(text, &path[..star]);
        let between = [self.fresh.byte, b'?', self.fresh.byte];
        let rest = self.witness_of(text, &text.text[star + 1..]);
        let target = [&begin, &between[..], &rest].concat();
        match ask(&target).is_wanted {
            true => self.decides(&target),
            false => Standing::Unsure,
        }
    }

    /// A target with a fresh byte that targets do not hold proves nothing.
    fn decides(&self, target: &[u8]) -> Standing {
        match self.fresh.is_held || !target.contains(&self.fresh.byte) {
            true => Standing::Decides,
            false => Standing::Unsure,
        }
    }

    fn has_targets(&self, text: &Rooted) -> bool {
        text.text.iter().all(|byte| text.is_star(*byte) || self.targets.holds(*byte))
    }

    fn witness(&self, text: &Rooted) -> Vec<u8> {
        self.witness_of(text, &text.text)
    }

    fn witness_of(&self, text: &Rooted, part: &[u8]) -> Vec<u8> {
        let mut target = self.fill(text, part);
        target.extend((!text.of.anchored).then_some(self.fresh.byte));
        target
    }

    fn fill(&self, text: &Rooted, part: &[u8]) -> Vec<u8> {
        let mut filled = Vec::with_capacity(part.len() + 1);
        let fresh = self.fresh.byte;
        filled.extend(part.iter().map(|byte| if text.is_star(*byte) { fresh } else { *byte }));
        filled
    }
}

impl Rooted<'_> {
    fn is_star(&self, byte: u8) -> bool {
        self.of.wild && byte == b'*'
    }
}

/// The texts that begin with `/` and match together what a pattern's text matches of targets.
fn rooted<'p>(text: &[u8], of: &'p Pattern<'p>) -> Vec<Rooted<'p>> {
    let slashed = || [b"/", text].concat();
    let texts = match text {
        [b'*', b'/', ..] if of.wild => vec![slashed(), text[1..].to_vec()],
        [b'*', ..] if of.wild => vec![slashed()],
        [b'/', ..] => vec![text.to_vec()],
        [] if !of.anchored => vec![slashed()],
        _ => Vec::new(),
    };
    texts.into_iter().map(|text| Rooted { text, of }).collect()
}
