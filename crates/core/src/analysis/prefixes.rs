//! Prefixes: which of many texts may meet another, by what they begin with.
//!
//! In: texts, each up to its first star. Out: those of which one is a beginning of the other.
//! Others cannot match the same target.

use crate::analysis::text::{Token, STAR};
use crate::sort::{sort, sort_unique};

/// Texts by their literal beginnings, each with a number.
pub struct Prefixes<'t, T> {
    /// Sorted by beginning.
    texts: Vec<(&'t [T], u32)>,
    /// Of the beginnings, sorted.
    lengths: Vec<usize>,
}

impl<'t, T: Ord> Prefixes<'t, T> {
    /// Sort some beginnings.
    pub fn new(beginnings: impl Iterator<Item = (&'t [T], u32)>) -> Self {
        let mut texts: Vec<(&[T], u32)> = beginnings.collect();
        sort(&mut texts);
        let mut lengths: Vec<usize> = texts.iter().map(|(text, _)| text.len()).collect();
        sort_unique(&mut lengths);
        Prefixes { texts, lengths }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The numbers of the texts that may match a target that a text with this beginning matches.
    pub fn meeting<'s>(&'s self, text: &'s [T]) -> impl Iterator<Item = u32> + 's {
        let longer = self.texts.partition_point(|(other, _)| *other < text);
        let longer =
            self.texts[longer..].iter().take_while(move |(other, _)| other.starts_with(text));
        self.beginning(text, false, usize::MAX).chain(longer.map(|(_, number)| *number))
    }

    /// The numbers of the texts that may match a target: it begins with them.
    pub fn matching<'s>(&'s self, target: &'s [T]) -> impl Iterator<Item = u32> + 's {
        self.beginning(target, true, usize::MAX)
    }

    /// Of those with the same beginning, only the smallest numbers, up to a limit.
    pub fn matching_first<'s>(
        &'s self,
        target: &'s [T],
        most: usize,
    ) -> impl Iterator<Item = u32> + 's {
        self.beginning(target, true, most)
    }

    /// Texts that are a beginning of a text, or the whole of it.
    ///
    /// Those that begin like a longer part of the text are among those that begin like a shorter
    /// part, so less is searched each time, and usually nothing is left after a few. Bytes that are
    /// known to be equal are not compared again: a file can nest a thousand beginnings.
    fn beginning<'s>(
        &'s self,
        text: &'s [T],
        whole: bool,
        most: usize,
    ) -> impl Iterator<Item = u32> + 's {
        let end = text.len() + whole as usize;
        let (mut among, mut known) = (&self.texts[..], 0);
        let shorter = self.lengths.partition_point(|length| *length < end);
        let ranges = self.lengths[..shorter].iter().map_while(move |length| {
            let more = &text[known..*length];
            among = &among[among.partition_point(|(other, _)| &other[known..] < more)..];
            among = &among[..among.partition_point(|(other, _)| other[known..].starts_with(more))];
            known = *length;
            (!among.is_empty()).then_some((among, *length))
        });
        ranges.flat_map(move |(among, length)| {
            let same = among.iter().take_while(move |(other, _)| other.len() == length);
            same.take(most).map(|(_, number)| *number)
        })
    }
}

/// The part before the first star.
pub fn prefix(text: &[Token]) -> &[Token] {
    let star = text.iter().position(|token| *token == STAR);
    &text[..star.unwrap_or(text.len())]
}
