//! Versions: what a new version of a file changes, for every crawler that either version names.
//!
//! In: two [`File`]s, and an [`Audience`]. Out: a [`Changed`] for each set of crawlers that both
//! treat alike. Those that neither names are represented by `*`.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::agent::Agent;
use crate::analysis::change::Difference;
use crate::analysis::difference::steps_to_read;
use crate::analysis::difference::Sought;
use crate::analysis::posture::{Posture, Stance};
use crate::analysis::rule_list::OwnRule;
use crate::binding::{Binding, Followed};
use crate::budget::Budget;
use crate::crawlers::Crawlers;
use crate::dialect::Dialect;
use crate::error::InvalidProductToken;
use crate::file::File;
use crate::group::Cut;
use crate::sort::{sort_by, sort_unstable_by};
use crate::token::{check_product_token, NameTest, Selection};
use crate::uses::Mechanism;

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
        let mut by_token: BTreeMap<String, (String, Binding)> = BTreeMap::new();
        for (token, binding) in bindings {
            by_token.insert(token.to_ascii_lowercase(), (token, binding));
        }
        let mut audience = Audience { asked, ..Audience::default() };
        for (lower, (token, binding)) in by_token {
            let follows = binding.follows.iter().map(|name| name.to_ascii_lowercase()).collect();
            audience.followers.push(Follower { token, follows });
            audience.bindings.insert(lower, binding);
        }
        sort_unstable_by(&mut audience.followers, |one, other| one.token.cmp(&other.token));
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
        [old, new].into_iter().flat_map(File::all_names).for_each(|name| names.add(&name));
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
        true => most_names_of(lines),
        false => MOST_NAMES,
    }
}

/// At least `*`, which says that the rest was not compared.
fn most_names_of(start_lines: usize) -> usize {
    (MOST_LOOKUPS / start_lines.max(1)).clamp(1, MOST_NAMES)
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
        let mut sets: Vec<Set> = Vec::new();
        let mut known: HashMap<[(bool, u32); 2], usize> = HashMap::new();
        for (at, name) in names.order.into_iter().enumerate() {
            let said = [before.of(at), after.of(at)];
            let is_rest = names.is_cut && name == "*";
            // The same rules in the same order give the same answers.
            if said[0].rules == said[1].rules && !is_rest {
                continue;
            }
            let place = *known.entry(said.map(Said::key)).or_insert_with(|| {
                sets.push(Set::new(said, is_rest));
                sets.len() - 1
            });
            sets[place].tokens.push(name);
        }
        let costs: Vec<u64> = sets.iter().map(Set::steps_to_read).collect();
        share_steps(&costs, steps, |set, budget| sets[set].compare([self, new], budget));
        changed(new, sets)
    }
}

/// Crawlers that both files treat alike, while they are compared.
struct Set<'b> {
    tokens: Vec<String>,
    /// What binds them, before and after.
    said: [&'b Said; 2],
    /// Whether they represent those that are not compared.
    is_rest: bool,
    difference: Difference,
}

impl<'b> Set<'b> {
    fn new(said: [&'b Said; 2], is_rest: bool) -> Self {
        let difference = Difference { changes: Vec::new(), is_exact: false };
        Set { tokens: Vec::new(), said, is_rest, difference }
    }

    /// The cost of reading their rules.
    fn steps_to_read(&self) -> u64 {
        self.said.iter().map(|said| said.steps_to_read).sum()
    }

    /// Compare them.
    fn compare(&mut self, files: [&File; 2], budget: &Budget) {
        let agent = |at: usize| Agent::new(files[at], self.said[at].selection.clone());
        self.difference =
            agent(0).difference_within(&agent(1), &[], Mechanism::CrawlRules, Sought::All, budget);
        self.difference.is_exact &= !self.is_rest;
    }
}

/// How the rules of many pairs of crawlers differ.
#[derive(Debug)]
pub struct Differences {
    /// For each pair, the first with the same rules before and after.
    pub firsts: Vec<usize>,
    /// How those differ; those whose rules are the same are left out.
    pub found: BTreeMap<usize, Difference>,
    /// How many steps that took; all that were allowed, if that was too little.
    pub steps: u64,
}

/// Compare the rules of pairs of crawlers, those of equal rules once. All that come first are of
/// one dialect, and so are all that come second.
///
/// over: rules that outrank those that come second. mechanism: as what rules are compared, as in
/// [`Agent::difference_in`]. sought: if one difference is enough, the search ends there. steps: as for [`Agent::difference`], for all
/// pairs together; what is not compared any more is not exact.
pub fn differences(
    pairs: &[[&Agent; 2]],
    over: &[OwnRule],
    mechanism: Mechanism,
    sought: Sought,
    steps: u64,
) -> Differences {
    let mut is_over = false;
    let (firsts, costs) = first_pairs(pairs, !over.is_empty());
    let places: Vec<usize> = costs.keys().copied().collect();
    let costs: Vec<u64> = costs.into_values().collect();
    let unknown = || Difference { changes: Vec::new(), is_exact: false };
    let mut found = BTreeMap::new();
    found.extend(places.iter().map(|place| (*place, unknown())));
    let steps = share_steps(&costs, steps, |at, budget| {
        // Compiled rules live no longer than the comparison.
        let agent = |agent: &Agent| Agent::new(agent.file(), agent.selection().clone());
        let [old, new] = pairs[places[at]].map(agent);
        if !is_over {
            let difference = old.difference_within(&new, over, mechanism, sought, budget);
            is_over = sought == Sought::One && !difference.changes.is_empty();
            found.insert(places[at], difference);
        }
    });
    Differences { firsts, found, steps }
}

/// For each pair the first with the same rules; and the costs of reading the rules of each of those
/// that are to be compared.
fn first_pairs(pairs: &[[&Agent; 2]], has_more: bool) -> (Vec<usize>, BTreeMap<usize, u64>) {
    let mut contents = Contents::default();
    let mut known: HashMap<[u32; 2], usize> = HashMap::new();
    let mut costs = BTreeMap::new();
    let mut firsts = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate() {
        let [(old, old_cost), (new, new_cost)] =
            pair.map(|agent| contents.number(agent.file(), agent.selection()));
        let first = *known.entry([old, new]).or_insert(at);
        firsts.push(first);
        let are_alike = pair[0].file().dialect() == pair[1].file().dialect();
        if first == at && (has_more || old != new || !are_alike) {
            costs.insert(at, old_cost + new_cost);
        }
    }
    (firsts, costs)
}

/// Compare some pairs of crawlers with a limit of steps for all; how many that took. One that is
/// hard to compare must not hide what changes for the others: at first each gets at most an equal
/// share of one half. The other half, and what they leave, goes to those for which that was too
/// little, one by one: in shares, it might be too little for each of them again. Those with few
/// rules come first.
///
/// costs: those of reading the rules of each pair. Rules that thousands of pairs share are not read
/// for each that cannot afford it.
fn share_steps(costs: &[u64], steps: u64, mut compare: impl FnMut(usize, &Budget)) -> u64 {
    let mut shared = if costs.len() > 1 { steps / 2 } else { steps };
    let mut left = steps - shared;
    let mut compare_within = |pair: usize, steps: u64| {
        if costs[pair] >= steps {
            return (0, true);
        }
        let budget = Budget::new(steps);
        compare(pair, &budget);
        (steps - budget.left(), budget.is_spent())
    };
    let mut order: Vec<usize> = (0..costs.len()).collect();
    sort_by(&mut order, |one, other| costs[*one].cmp(&costs[*other]));
    let mut cut: Vec<(usize, u64)> = Vec::new();
    let sharers = (1..=order.len() as u64).rev();
    for (pair, sharers) in order.into_iter().zip(sharers) {
        let share = shared / sharers;
        let (taken, is_cut) = compare_within(pair, share);
        shared -= taken;
        cut.extend(is_cut.then_some((pair, share)));
    }
    left += shared;
    let mut is_whole = true;
    for (pair, share) in cut {
        let (taken, is_cut) = if share < left { compare_within(pair, left) } else { (0, true) };
        left -= taken;
        is_whole &= !is_cut;
    }
    if is_whole {
        steps - left
    } else {
        steps
    }
}

/// What changes, without the sets for which it is proved that nothing does, and how much each may
/// fetch afterwards.
fn changed(new: &File, mut sets: Vec<Set>) -> Vec<Changed> {
    sets.retain(|set| !set.difference.changes.is_empty() || !set.difference.is_exact);
    let after: Vec<Agent> =
        sets.iter().map(|set| Agent::new(new, set.said[1].selection.clone())).collect();
    let stances = new.stances(&after.iter().collect::<Vec<_>>());
    let changed = |(set, stance): (Set, Stance)| Changed {
        tokens: set.tokens,
        named: (set.said[0].selection.named, set.said[1].selection.named),
        difference: set.difference,
        posture: stance.posture,
    };
    sets.into_iter().zip(stances).map(changed).collect()
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
    /// The cost of reading them.
    steps_to_read: u64,
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
        let mut bound = Bound { said: Vec::new(), places: Vec::new() };
        let mut known: HashMap<Selection, usize> = HashMap::new();
        for name in names {
            let selection = selections.of_crawler(name, asked.audience);
            let place = *known.entry(selection).or_insert_with_key(|selection| {
                let (rules, steps_to_read) = contents.number(file, selection);
                bound.said.push(Said { selection: selection.clone(), rules, steps_to_read });
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
    crawlers: Option<Crawlers>,
}

impl<'a> Asked<'a> {
    fn new(names: &'a [String], audience: &'a Audience, dialect: &Dialect) -> Self {
        let mut tokens: Vec<&str> = names.iter().map(String::as_str).collect();
        tokens.extend(
            names.iter().flat_map(|name| audience.binding(name).follows.iter().map(String::as_str)),
        );
        // No group names a crawler that the dialect cannot name.
        tokens.retain(|token| check_product_token(token.as_bytes(), dialect).is_ok());
        let crawlers = Crawlers::new(&tokens, dialect).ok();
        Asked { audience, tokens, crawlers }
    }

    fn selections(&self, file: &File) -> Selections<'a> {
        let crawlers =
            self.crawlers.as_ref().map(|crawlers| crawlers.named(file)).unwrap_or_default();
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
    /// What the groups that some crawler follows say, by the place of their file in memory: a
    /// comparison of two crawlers does not read all others.
    read: HashMap<(*const u8, u32), Content>,
}

/// A group.
#[derive(Clone, Copy)]
struct Content {
    /// The number of its rules; none if it has none.
    rules: Option<u32>,
    /// The cost of reading them.
    steps_to_read: u64,
}

impl<'f> Contents<'f> {
    /// What a group of a file says.
    fn of_group(&mut self, file: &'f File, group: u32) -> Content {
        let key = (file.bytes().as_ptr(), group);
        if let Some(known) = self.read.get(&key) {
            return *known;
        }
        let groups = file.groups();
        let rules = &groups.rules()[groups.rule_range(group as usize)];
        let steps_to_read = rules.iter().map(|rule| steps_to_read(*rule)).sum();
        let is_read = file.extent().cut != Cut::Everything;
        let rules = rules.iter().filter(|_| is_read);
        let written: Written =
            rules.map(|rule| (rule.is_allow(), rule.value().of(file.bytes()))).collect();
        let next = self.groups.len() as u32;
        let rules = (!written.is_empty()).then(|| *self.groups.entry(written).or_insert(next));
        let content = Content { rules, steps_to_read };
        self.read.insert(key, content);
        content
    }

    /// The number of the rules of a choice, and the cost of reading them.
    fn number(&mut self, file: &'f File, selection: &Selection) -> (u32, u64) {
        let chosen: Vec<Content> =
            selection.groups.iter().map(|group| self.of_group(file, *group)).collect();
        let next = self.choices.len() as u32;
        let said = chosen.iter().filter_map(|group| group.rules).collect();
        let steps_to_read = chosen.iter().map(|group| group.steps_to_read).sum();
        (*self.choices.entry(said).or_insert(next), steps_to_read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_represented_however_many_lines_there_are() {
        assert_eq!([0, 1, 1 << 20].map(most_names_of), [MOST_NAMES, MOST_NAMES, 16]);
        assert_eq!([1 << 24, (1 << 24) + 1, usize::MAX].map(most_names_of), [1; 3]);
    }
}
