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
use crate::registry::{binds, documented};

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

/// Crawlers that follow the same groups of a file, and that it binds alike.
#[derive(Debug, PartialEq, Eq)]
pub struct Standing {
    /// Their places, each with the crawler that it follows, if no group names it.
    pub crawlers: Vec<(usize, Option<&'static str>)>,
    /// Whether a group names them, or whom they follow.
    pub named: bool,
    /// Whether the file binds them, as their operators say.
    pub bound: bool,
}

impl File {
    /// The rules of a crawler as its operator says whose groups it follows, with the other crawler
    /// whose groups these are; all tokens were [checked](crate::check_product_token) before. Of a
    /// crawler with several tokens, nothing is known.
    pub fn agent_by_operator<T: AsRef<[u8]>>(&self, tokens: &[T]) -> (Agent, Option<&'static str>) {
        let said = match tokens {
            [token] => documented(token.as_ref()),
            _ => None,
        };
        let binding = said.map_or_else(Binding::default, |said| said.binding());
        let (agent, whom) = self.agent_and_followed(tokens, &binding);
        (agent, whom.copied())
    }
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

    /// How many crawlers there are, without those that they only follow.
    pub(crate) fn len(&self) -> usize {
        self.bindings.len()
    }

    /// The token of a crawler, by place.
    pub(crate) fn token(&self, crawler: usize) -> &[u8] {
        self.crawlers.token(crawler)
    }

    /// The token of a crawler that others follow, by place.
    pub fn token_of_followed(&self, place: usize) -> Option<&'static str> {
        self.followed.get(place.checked_sub(self.len())?).copied()
    }

    /// What binds the crawlers in a file of their dialect.
    pub fn in_file(&self, file: &File) -> BoundIn {
        let named = self.crawlers.named(file).into_iter();
        let named: HashMap<usize, Agent> =
            named.map(|NamedCrawler { crawler, agent, .. }| (crawler, agent)).collect();
        let followed = self.followed(|place| named.contains_key(&place));
        BoundIn { named, followed }
    }

    /// Whose groups each crawler follows, by place.
    fn followed(&self, is_named: impl Fn(usize) -> bool) -> Vec<Followed<usize>> {
        let each = self.bindings.iter().enumerate().map(|(own, binding)| {
            let is_named = |place: &usize| is_named(*place).then_some(*place);
            binding.followed(is_named(&own), is_named)
        });
        each.collect()
    }

    /// The crawlers by what a file means for them, in their order.
    pub fn standings(&self, file: &File) -> Vec<Standing> {
        let mut standings: Vec<Standing> = Vec::new();
        let mut places: HashMap<(u32, bool), usize> = HashMap::new();
        let numbers = self.numbers(file);
        for (crawler, (number, followed)) in numbers.into_iter().enumerate() {
            let (named, whom) = match followed {
                Followed::Named(place) => (true, self.token_of_followed(place)),
                Followed::Star | Followed::Nobody => (false, None),
            };
            let bound = binds(self.token(crawler), named);
            let place = *places.entry((number, bound)).or_insert_with(|| {
                standings.push(Standing { crawlers: Vec::new(), named, bound });
                standings.len() - 1
            });
            standings[place].crawlers.push((crawler, whom));
        }
        standings
    }

    /// Whose groups each crawler follows, and a number: the same for those that follow the same
    /// groups of a file.
    fn numbers(&self, file: &File) -> Vec<(u32, Followed<usize>)> {
        let named = self.crawlers.groups_naming(file);
        let groups = |place: usize| named[place].as_deref();
        let mut numbers: HashMap<&[u32], u32> = HashMap::new();
        let mut number = |followed: Followed<usize>| match followed {
            Followed::Star => 0,
            Followed::Nobody => 1,
            Followed::Named(place) => {
                let next = numbers.len() as u32 + 2;
                *numbers.entry(groups(place).unwrap_or_default()).or_insert(next)
            }
        };
        let followed = self.followed(|place| groups(place).is_some()).into_iter();
        followed.map(|whose| (number(whose), whose)).collect()
    }
}

/// A number for each of some crawlers, in the order in which they come: the same for those that
/// follow the same groups in each of some files.
///
/// files: each with the crawlers, in its dialect.
pub fn numbers_of_alike(crawlers: usize, files: &[(&Bound, &File)]) -> Vec<u32> {
    let mut alike = vec![0; crawlers];
    for (place, (bound, file)) in files.iter().enumerate() {
        let is_again = |(before, other): &(&Bound, &File)| {
            std::ptr::eq(*before, *bound) && has_the_names_of(file, other)
        };
        if files[..place].iter().any(is_again) {
            continue; // as two versions with other rules for the same crawlers
        }
        let mut pairs: HashMap<(u32, u32), u32> = HashMap::new();
        for (mark, (number, _)) in alike.iter_mut().zip(bound.numbers(file)) {
            let next = pairs.len() as u32;
            *mark = *pairs.entry((*mark, number)).or_insert(next);
        }
    }
    alike
}

/// Whether the groups of two files have the same start-group lines, in their order.
fn has_the_names_of(one: &File, other: &File) -> bool {
    fn names(file: &File, group: usize) -> impl Iterator<Item = &[u8]> {
        file.groups().start_lines(group).iter().map(|line| line.value.of(file.bytes()))
    }
    let number = one.groups().len();
    number == other.groups().len()
        && (0..number).all(|group| names(one, group).eq(names(other, group)))
}
