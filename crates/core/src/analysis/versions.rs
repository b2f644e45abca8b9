//! Versions: what a new version of a file changes, for every crawler that either version names.
//!
//! In: two [`File`]s, and an [`Audience`]. Out: a [`Changed`] for each set of crawlers that both
//! treat alike. Those that neither names are represented by `*`.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use crate::agent::Agent;
use crate::analysis::change::Difference;
use crate::binding::{Binding, Followed};
use crate::budget::Budget;
use crate::dialect::Dialect;
use crate::error::InvalidProductToken;
use crate::file::File;
use crate::group::Cut;
use crate::posture::Posture;
use crate::roll::Roll;
use crate::token::{check_product_token, leading_name, NameTest, Selection};

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
    /// That of all other crawlers.
    default: Binding,
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

    /// The crawlers to compare in two files.
    fn names(&self, old: &File, new: &File) -> Names {
        let mut names = Names::new(most_names(old, new));
        if !self.asked.is_empty() {
            names.most = usize::MAX;
            self.asked.iter().for_each(|name| names.add(name));
            return names;
        }
        names.add("*");
        [old, new].into_iter().for_each(|file| names.add_those_in(file));
        for Follower { token, follows } in &self.followers {
            if follows.iter().any(|name| names.known.contains(name)) {
                names.add(token);
            }
        }
        names
    }

    /// Whose groups a crawler follows if none names it.
    fn binding(&self, token: &str) -> &Binding {
        self.bindings.get(&token.to_ascii_lowercase()).unwrap_or(&self.default)
    }
}

/// The most names of two versions that are compared; no ordinary file has so many.
const MOST_NAMES: usize = 10_000;

/// The most names times start-group lines, in a dialect in which each line may name all of them.
const MOST_LOOKUPS: usize = 1 << 24;

fn most_names(old: &File, new: &File) -> usize {
    let lines: usize = [old, new].map(|file| file.groups().all_start_lines().len()).iter().sum();
    match NameTest::new(old.dialect()).may_name_many() {
        true => MOST_NAMES.min(MOST_LOOKUPS / lines.max(1)),
        false => MOST_NAMES,
    }
}

/// Names in the order in which they come, each once.
struct Names {
    known: HashSet<String>,
    order: Vec<String>,
    most: usize,
    /// Whether there were more.
    is_cut: bool,
}

impl Names {
    fn new(most: usize) -> Names {
        Names { known: HashSet::new(), order: Vec::new(), most, is_cut: false }
    }

    fn add(&mut self, name: &str) {
        let lower = name.to_ascii_lowercase();
        if self.known.contains(&lower) {
            return;
        }
        self.is_cut |= self.order.len() >= self.most;
        if !self.is_cut {
            self.known.insert(lower);
            self.order.push(name.to_string());
        }
    }

    fn add_those_in(&mut self, file: &File) {
        for line in file.groups().all_start_lines() {
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
    /// both treat alike, without those for which nothing changes.
    ///
    /// steps: as for [`Agent::difference`], for all sets together; what is not compared any more is
    /// not exact. Of more crawlers than are compared, the rest is represented by `*`, which is not
    /// exact then.
    pub fn changes(&self, new: &File, audience: &Audience, steps: u64) -> Vec<Changed> {
        let names = audience.names(self, new);
        let mut contents = Contents::default();
        let asked = Asked::new(&names.order, audience, self.dialect());
        let [before, after] =
            [self, new].map(|file| Bound::all(file, &names.order, &asked, &mut contents));
        let budget = Budget::new(steps);
        let mut found = Found::default();
        let mut known: HashMap<[(bool, u32); 2], Option<usize>> = HashMap::new();
        for (at, name) in names.order.into_iter().enumerate() {
            let (before, after) = (before.of(at), after.of(at));
            let is_rest = names.is_cut && name == "*";
            // The same rules in the same order give the same answers.
            if before.rules == after.rules && !is_rest {
                continue;
            }
            let place = match known.entry([before.key(), after.key()]) {
                Entry::Occupied(place) => *place.get(),
                Entry::Vacant(place) => {
                    let [old, new] = [(self, before), (new, after)]
                        .map(|(file, said)| Agent::new(file, said.selection.clone()));
                    let mut difference = old.difference_within(&new, &budget);
                    difference.is_exact &= !is_rest;
                    *place.insert(found.add(difference, old, new))
                }
            };
            if let Some(place) = place {
                found.changed[place].tokens.push(name);
            }
        }
        found.with_postures(new)
    }
}

/// What changes, found so far.
#[derive(Default)]
struct Found {
    changed: Vec<Changed>,
    /// The rules of each afterwards.
    after: Vec<Agent>,
}

impl Found {
    /// Keep what changes for crawlers that are not yet named; none if it is proved that nothing
    /// does.
    fn add(&mut self, difference: Difference, before: Agent, after: Agent) -> Option<usize> {
        if difference.changes.is_empty() && difference.is_exact {
            return None;
        }
        let named = (before.selection().named, after.selection().named);
        let posture = Posture::Unknown;
        self.changed.push(Changed { tokens: Vec::new(), named, difference, posture });
        self.after.push(after);
        Some(self.changed.len() - 1)
    }

    /// All of it, with how much each may fetch afterwards.
    fn with_postures(mut self, new: &File) -> Vec<Changed> {
        let agents: Vec<&Agent> = self.after.iter().collect();
        for (changed, stance) in self.changed.iter_mut().zip(new.stances(&agents)) {
            changed.posture = stance.posture;
        }
        self.changed
    }
}

/// What one file means for some crawlers.
struct Bound {
    said: Vec<Said>,
    /// Which of those applies to each crawler.
    places: Vec<usize>,
}

/// What a choice of groups means.
struct Said {
    selection: Selection,
    /// Which list of rules that is: many groups have the same.
    rules: u32,
}

impl Said {
    fn key(&self) -> (bool, u32) {
        (self.selection.named, self.rules)
    }
}

impl Bound {
    /// Find the groups that each crawler follows.
    fn all<'f>(
        file: &'f File,
        names: &[String],
        asked: &Asked,
        contents: &mut Contents<'f>,
    ) -> Bound {
        let selections = asked.selections(file);
        let groups = contents.of_groups(file);
        let mut bound = Bound { said: Vec::new(), places: Vec::new() };
        let mut known: HashMap<Selection, usize> = HashMap::new();
        for name in names {
            let selection = selections.of_crawler(name, asked.audience);
            let place = *known.entry(selection).or_insert_with_key(|selection| {
                let rules = contents.number(&groups, selection);
                bound.said.push(Said { selection: selection.clone(), rules });
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
        tokens.extend(
            names.iter().flat_map(|name| audience.binding(name).follows.iter().map(String::as_str)),
        );
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
        let named = |token: &String| self.named.get(token.as_str());
        match audience.binding(name).followed(self.named.get(name), named) {
            Followed::Named(named) => named.clone(),
            Followed::Star => self.wildcard.clone(),
            Followed::Nobody => Selection::default(),
        }
    }
}

/// Rules of groups, as the file writes them.
type Written<'f> = Vec<(bool, &'f [u8])>;

/// The rules of groups and of choices of groups, numbered: equal ones have one number. A choice is
/// known by the numbers of its groups: with all of its rules, thousands of crawlers that share a
/// long group would take memory quadratic in the file.
#[derive(Default)]
struct Contents<'f> {
    groups: HashMap<Written<'f>, u32>,
    choices: HashMap<Vec<u32>, u32>,
}

impl<'f> Contents<'f> {
    /// The numbers of a file's groups; none for those without rules.
    fn of_groups(&mut self, file: &'f File) -> Vec<Option<u32>> {
        let is_read = file.extent().cut != Cut::Everything;
        let groups = file.groups();
        (0..groups.len())
            .map(|group| {
                let rules = groups.rules()[groups.rule_range(group)].iter().filter(|_| is_read);
                let rules: Written =
                    rules.map(|rule| (rule.is_allow(), rule.value().of(file.bytes()))).collect();
                let next = self.groups.len() as u32;
                (!rules.is_empty()).then(|| *self.groups.entry(rules).or_insert(next))
            })
            .collect()
    }

    fn number(&mut self, groups: &[Option<u32>], selection: &Selection) -> u32 {
        let said = selection.groups.iter().filter_map(|group| groups[*group as usize]).collect();
        let next = self.choices.len() as u32;
        *self.choices.entry(said).or_insert(next)
    }
}
