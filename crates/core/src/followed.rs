//! Whose groups bind many crawlers, as their operators say.
//!
//! In: files, and crawlers with one product token each. Out: for each crawler whose groups bind it,
//! by what the [registry](crate::registry) knows.

use std::collections::HashMap;

use crate::agent::Agent;
use crate::binding::{Binding, Followed};
use crate::crawlers::{Crawlers, NamedCrawler};
use crate::dialect::Dialect;
use crate::error::InvalidProductToken;
use crate::file::File;
use crate::registry::documented;

/// Crawlers to look up in many files of a dialect, with those whose groups they follow.
#[derive(Debug)]
pub struct Bound {
    /// The crawlers, then those that they follow.
    crawlers: Crawlers,
    followed: Vec<&'static str>,
    /// By crawler, those that it follows by their places.
    bindings: Vec<Binding<usize>>,
}

/// What binds some crawlers in a file.
#[derive(Debug)]
pub struct BoundIn {
    /// The rules of those that groups name, by place.
    pub named: HashMap<usize, Agent>,
    /// Whose groups each crawler follows, by place.
    pub followed: Vec<Followed<usize>>,
}

impl Bound {
    /// Take crawlers, each with one product token; the error says which is invalid.
    ///
    /// by_operators: whether they follow whom their operators say, or only their names.
    pub fn new<T: AsRef<[u8]>>(
        tokens: &[T],
        by_operators: bool,
        dialect: &Dialect,
    ) -> Result<Bound, (usize, InvalidProductToken)> {
        let mut all: Vec<&[u8]> = tokens.iter().map(AsRef::as_ref).collect();
        let mut followed: Vec<&'static str> = Vec::new();
        let mut place = |token: &'static str| {
            let known = followed.iter().position(|each| *each == token);
            tokens.len()
                + known.unwrap_or_else(|| {
                    followed.push(token);
                    followed.len() - 1
                })
        };
        let mut binding = |token: &&[u8]| {
            let said = documented(token).filter(|_| by_operators);
            said.map_or_else(Binding::default, |said| {
                let Binding { follows, by_star } = said.binding();
                Binding { follows: follows.into_iter().map(&mut place).collect(), by_star }
            })
        };
        let bindings = all.iter().map(&mut binding).collect();
        all.extend(followed.iter().map(|token| token.as_bytes()));
        Ok(Bound { crawlers: Crawlers::new(&all, dialect)?, followed, bindings })
    }

    /// The token of a crawler that others follow, by place.
    pub fn token_of_followed(&self, place: usize) -> Option<&'static str> {
        self.followed.get(place.checked_sub(self.bindings.len())?).copied()
    }

    /// What binds the crawlers in a file of their dialect.
    pub fn in_file(&self, file: &File) -> BoundIn {
        let named = self.crawlers.named(file).into_iter();
        let named: HashMap<usize, Agent> =
            named.map(|NamedCrawler { crawler, agent, .. }| (crawler, agent)).collect();
        let followed = self.bindings.iter().enumerate().map(|(own, binding)| {
            let is_named = |place: &usize| named.contains_key(place).then_some(*place);
            binding.followed(is_named(&own), is_named)
        });
        let followed = followed.collect();
        BoundIn { named, followed }
    }

    /// A number for each crawler: the same for those that follow the same groups of a file.
    fn numbers(&self, file: &File) -> Vec<u32> {
        let BoundIn { named, followed } = self.in_file(file);
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let number = |followed: Followed<usize>| match followed {
            Followed::Star => 0,
            Followed::Nobody => 1,
            Followed::Named(place) => {
                let next = numbers.len() as u32 + 2;
                *numbers.entry(&named[&place].selection().groups).or_insert(next)
            }
        };
        followed.into_iter().map(number).collect()
    }
}

/// A number for each of some crawlers, in the order in which they come: the same for those that
/// follow the same groups in each of some files.
///
/// files: each with the crawlers, in its dialect.
pub fn numbers_of_alike(crawlers: usize, files: &[(&Bound, &File)]) -> Vec<u32> {
    let mut alike = vec![0; crawlers];
    for (bound, file) in files {
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
        for (mark, number) in alike.iter_mut().zip(bound.numbers(file)) {
            let next = pairs.len() as u32;
            *mark = *pairs.entry((*mark, number)).or_insert(next);
        }
    }
    alike
}
