//! Versions: what a new version of a file changes, for every crawler that either version names.
//!
//! In: two [`File`]s, and an [`Audience`]. Out: a [`Changed`] for each set of crawlers that both
//! treat alike. Those that neither names are represented by `*`.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::agent::Agent;
use crate::analysis::change::Difference;
use crate::dialect::Dialect;
use crate::error::InvalidProductToken;
use crate::file::File;
use crate::group::{Cut, Rule};
use crate::posture::Posture;
use crate::roll::{Binding, Roll};
use crate::token::{check_product_token, leading_name, Selection};

/// Crawlers for which the same answers change.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Their product tokens as the files write them; `*` for those that neither names.
    pub tokens: Vec<String>,
    /// Whether a group names them, before and after.
    pub named: (bool, bool),
    /// What changes; the rules are those of the first.
    pub difference: Difference,
    /// How much they may fetch afterwards.
    pub posture: Posture,
}

/// For whom files are compared.
#[derive(Clone, Debug, Default)]
pub struct Audience {
    /// Product tokens; none for all crawlers.
    asked: Vec<String>,
    /// Whose groups crawlers follow, by their tokens in lower case.
    bindings: HashMap<String, Binding>,
    /// The crawlers that follow others, in order: each pair of files is compared for all of them.
    followers: Vec<Follower>,
}

/// A crawler that follows the groups of others.
#[derive(Clone, Debug)]
struct Follower {
    /// Its product token.
    token: String,
    /// Whom it follows, in lower case.
    follows: Vec<String>,
}

impl Audience {
    /// Some crawlers, or all that the files name and `*`; and which crawlers follow other groups
    /// than those that name them. The error says which token is invalid.
    pub fn new(
        asked: Vec<String>,
        bindings: impl IntoIterator<Item = (String, Binding)>,
        dialect: &Dialect,
    ) -> Result<Audience, (String, InvalidProductToken)> {
        for token in &asked {
            let check = check_product_token(token.as_bytes(), dialect);
            check.map_err(|why| (token.clone(), why))?;
        }
        let by_token: BTreeMap<String, (String, Binding)> = bindings
            .into_iter()
            .map(|(token, binding)| (token.to_ascii_lowercase(), (token, binding)))
            .collect();
        let mut audience = Audience { asked, ..Audience::default() };
        for (lower, (token, binding)) in by_token {
            let follows = binding.follows.iter().map(|name| name.to_ascii_lowercase()).collect();
            audience.followers.push(Follower { token, follows });
            audience.bindings.insert(lower, binding);
        }
        audience.followers.sort_unstable_by(|one, other| one.token.cmp(&other.token));
        Ok(audience)
    }

    /// The crawlers to compare in two files, without duplicates.
    fn names(&self, old: &File, new: &File) -> Vec<String> {
        let mut names = Names::default();
        if !self.asked.is_empty() {
            self.asked.iter().for_each(|name| names.add(name));
            return names.order;
        }
        names.add("*");
        [old, new].into_iter().for_each(|file| names.add_those_in(file));
        for Follower { token, follows } in &self.followers {
            if follows.iter().any(|name| names.known.contains(name)) {
                names.add(token);
            }
        }
        names.order
    }

    /// Whose groups a crawler follows if none names it.
    fn follows(&self, token: &str) -> impl Iterator<Item = &str> {
        let binding = self.bindings.get(&token.to_ascii_lowercase());
        binding.into_iter().flat_map(|binding| binding.follows.iter().map(String::as_str))
    }

    fn is_bound_by_star(&self, token: &str) -> bool {
        self.bindings.get(&token.to_ascii_lowercase()).is_none_or(|binding| binding.by_star)
    }
}

/// The most names of two versions that are compared; no ordinary file has so many.
const MOST_NAMES: usize = 10_000;

/// Names in the order in which they come, each once.
#[derive(Default)]
struct Names {
    known: HashSet<String>,
    order: Vec<String>,
}

impl Names {
    fn add(&mut self, name: &str) {
        if self.order.len() < MOST_NAMES && self.known.insert(name.to_ascii_lowercase()) {
            self.order.push(name.to_string());
        }
    }

    fn add_those_in(&mut self, file: &File) {
        let groups = file.groups();
        for line in (0..groups.len()).flat_map(|group| groups.start_lines(group)) {
            let value = String::from_utf8_lossy(line.value.of(file.bytes()));
            let name = leading_name(&value);
            if check_product_token(name.as_bytes(), file.dialect()).is_ok() {
                self.add(name);
            }
        }
    }
}

impl File {
    /// What a new version of this file, in the same dialect, changes for each set of crawlers that
    /// both treat alike, without those for which nothing changes. `steps`: as for
    /// [`Agent::difference`], for each.
    pub fn changes(&self, new: &File, audience: &Audience, steps: u64) -> Vec<Changed> {
        let names = audience.names(self, new);
        let mut rules = RuleLists::default();
        let asked = Asked::new(&names, audience, self.dialect());
        let [before, after] = [self, new].map(|file| Bound::all(file, &names, &asked, &mut rules));
        let mut found: Vec<Changed> = Vec::new();
        let mut known: HashMap<[(bool, u32); 2], Option<usize>> = HashMap::new();
        for (at, name) in names.into_iter().enumerate() {
            let (before, after) = (before.of(at), after.of(at));
            // The same rules in the same order give the same answers.
            if before.rules == after.rules {
                continue;
            }
            let place = match known.entry([before.key(), after.key()]) {
                Entry::Occupied(place) => *place.get(),
                Entry::Vacant(place) => {
                    let changed = changed(&before.agent, &after.agent, steps);
                    let place = *place.insert(changed.is_some().then_some(found.len()));
                    found.extend(changed);
                    place
                }
            };
            if let Some(place) = place {
                found[place].tokens.push(name);
            }
        }
        found
    }
}

/// What changes for crawlers that are not yet named; none if it is proved that nothing does.
fn changed(before: &Agent, after: &Agent, steps: u64) -> Option<Changed> {
    let difference = before.difference(after, steps);
    let is_changed = !difference.changes.is_empty() || !difference.is_exact;
    is_changed.then(|| Changed {
        tokens: Vec::new(),
        named: (before.selection().named, after.selection().named),
        difference,
        posture: after.stance().posture,
    })
}

/// What one file means for some crawlers.
struct Bound {
    said: Vec<Said>,
    /// Which of those applies to each crawler.
    places: Vec<usize>,
}

/// What a choice of groups means.
struct Said {
    agent: Agent,
    /// Which list of rules that is: many groups have the same.
    rules: u32,
}

impl Said {
    fn key(&self) -> (bool, u32) {
        (self.agent.selection().named, self.rules)
    }
}

impl Bound {
    /// Find the groups that each crawler follows: its own, otherwise those of the first token that
    /// it follows and the file names, otherwise those of `*`, if the crawler obeys them.
    fn all<'f>(
        file: &'f File,
        names: &[String],
        asked: &Asked,
        rules: &mut RuleLists<'f>,
    ) -> Bound {
        let selections = asked.selections(file);
        let mut bound = Bound { said: Vec::new(), places: Vec::new() };
        let mut known: HashMap<Selection, usize> = HashMap::new();
        for name in names {
            let selection = selections.of_crawler(name, asked.audience);
            let place = *known.entry(selection).or_insert_with_key(|selection| {
                let agent = Agent::new(file, selection.clone());
                let rules = rules.number(file, &agent);
                bound.said.push(Said { agent, rules });
                bound.said.len() - 1
            });
            bound.places.push(place);
        }
        bound
    }

    fn of(&self, crawler: usize) -> &Said {
        &self.said[self.places[crawler]]
    }
}

/// The crawlers to compare, and those that they follow.
struct Asked<'a> {
    audience: &'a Audience,
    tokens: Vec<&'a str>,
    roll: Option<Roll>,
}

impl<'a> Asked<'a> {
    fn new(names: &'a [String], audience: &'a Audience, dialect: &Dialect) -> Self {
        let mut tokens: Vec<&str> = names.iter().map(String::as_str).collect();
        tokens.extend(names.iter().flat_map(|name| audience.follows(name)));
        // No group names a crawler that the dialect cannot name.
        tokens.retain(|token| check_product_token(token.as_bytes(), dialect).is_ok());
        let roll = Roll::new(&tokens, dialect).ok();
        Asked { audience, tokens, roll }
    }

    fn selections(&self, file: &File) -> Selections<'a> {
        let crawlers = self.roll.as_ref().map(|roll| roll.named(file)).unwrap_or_default();
        let named = crawlers
            .iter()
            .map(|each| (self.tokens[each.crawler], each.agent.selection().clone()))
            .collect();
        Selections { named, wildcard: file.wildcard_agent().selection().clone() }
    }
}

/// The groups that name crawlers, and those of `*`.
struct Selections<'a> {
    named: HashMap<&'a str, Selection>,
    wildcard: Selection,
}

impl Selections<'_> {
    fn of_crawler(&self, name: &str, audience: &Audience) -> Selection {
        let mut tokens = std::iter::once(name).chain(audience.follows(name));
        match tokens.find_map(|token| self.named.get(token)) {
            Some(named) => named.clone(),
            None if audience.is_bound_by_star(name) => self.wildcard.clone(),
            None => Selection { groups: Vec::new(), named: false },
        }
    }
}

/// Lists of rules, numbered: equal ones have one number.
#[derive(Default)]
struct RuleLists<'f> {
    numbers: HashMap<Vec<(bool, &'f [u8])>, u32>,
}

impl<'f> RuleLists<'f> {
    fn number(&mut self, file: &'f File, agent: &Agent) -> u32 {
        let rule = |(_, rule): (u32, Rule)| (rule.is_allow(), rule.value().of(file.bytes()));
        let is_read = file.extent().cut != Cut::Everything;
        let rules = agent.rules().filter(|_| is_read).map(rule).collect();
        let next = self.numbers.len() as u32;
        *self.numbers.entry(rules).or_insert(next)
    }
}
