//! Fingerprints: what a file says, in one order, so that equal texts are equal answers.
//!
//! In: a [`File`]. Out: bytes from which every answer could be given again: the rules of each crawler
//! that another than those of `*` bind, without the redundant ones, sorted where their order does not
//! count; and the records about use. If two files have the same bytes, every crawler gets the same
//! answer to every URL and every use from both. The converse is not promised: rules with stars that
//! say the same in different words are different bytes.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::agent::Agent;
use crate::analysis::difference::identity;
use crate::analysis::rule_list::{Candidate, RuleList};
use crate::binding::Followed;
use crate::error::InvalidProductToken;
use crate::field::{Field, FieldScope};
use crate::file::{File, LineInfo};
use crate::followed::Bound;
use crate::group::{Cut, Place};
use crate::pattern::Pattern;
use crate::registry::{all_documented, are_policy_tokens};
use crate::token::{check_product_token, NameTest, Selection};
use crate::uses::Mechanism;

/// Changes whenever the bytes do for the same file.
const VERSION: &[u8] = b"verger fingerprint 1";

/// The most names of crawlers that are looked up one by one.
const MOST_NAMES: usize = 10_000;

/// The steps of looking for redundant rules in one file: some milliseconds.
const STEPS: u64 = 1 << 22;

/// The records that say how content may be used.
const OF_USE: [Field; 3] = [Field::ContentSignal, Field::ContentUsage, Field::License];

/// What a text is about.
#[derive(Clone, Copy, Debug, Default)]
pub struct About<'t> {
    /// The crawlers, each with one product token; none for all.
    pub crawlers: Option<&'t [Vec<u8>]>,
    /// Whether records that do not say how content may be used count, such as `Crawl-delay`.
    pub records: bool,
}

impl File {
    /// What the file says, in one order. The error says which of the crawlers has no product token.
    pub fn canonical(&self, about: About) -> Result<Vec<u8>, (usize, InvalidProductToken)> {
        let mut text = Text::default();
        text.add(VERSION);
        text.add(self.dialect().derived_name().as_bytes());
        text.mark(self.extent().cut == Cut::Everything);
        let mut writer = Writer { file: self, about, left: STEPS, known: HashMap::new() };
        match about.crawlers {
            Some(crawlers) => writer.crawlers(crawlers, &mut text)?,
            None if names_are_crawlers(self) => writer.everyone(&mut text),
            None => writer.groups(&mut text),
        }
        writer.records_of_file(&mut text);
        Ok(text.0)
    }
}

/// Whether each value of a start-group line names at most the crawlers with the names in it.
fn names_are_crawlers(file: &File) -> bool {
    let names_one = !NameTest::new(file.dialect()).may_name_many();
    let takes_names = check_product_token(b" ", file.dialect()).is_err();
    names_one && takes_names && file.groups().all_start_lines().len() <= MOST_NAMES
}

/// Bytes in which no two different lists of parts are the same.
#[derive(Debug, Default)]
struct Text(Vec<u8>);

impl Text {
    fn add(&mut self, part: &[u8]) {
        self.0.extend((part.len() as u64).to_le_bytes());
        self.0.extend(part);
    }

    fn mark(&mut self, is_so: bool) {
        self.0.push(is_so.into());
    }
}

struct Writer<'f, 't> {
    file: &'f File,
    about: About<'t>,
    /// The steps that are left.
    left: u64,
    /// What groups say, as a crawler or as a policy token.
    known: HashMap<(Selection, bool), Vec<u8>>,
}

impl Writer<'_, '_> {
    /// Write what each of some crawlers is told, and what policy tokens say of use.
    fn crawlers(
        &mut self,
        crawlers: &[Vec<u8>],
        text: &mut Text,
    ) -> Result<(), (usize, InvalidProductToken)> {
        let bound = Bound::new(crawlers, true, self.file.dialect())?.in_file(self.file);
        for (place, token) in crawlers.iter().enumerate() {
            let selection = self.selection(bound.followed[place], &bound.named);
            let is_policy = are_policy_tokens(&[token]);
            text.mark(is_policy && selection.named);
            text.add(&self.said(selection, is_policy));
        }
        let policies = self.names().into_iter().filter(|name| are_policy_tokens(&[name]));
        self.named(policies.collect(), text);
        Ok(())
    }

    /// Write what all crawlers are told: those of `*`, and those for which something else holds, by
    /// their names and as their operators say.
    fn everyone(&mut self, text: &mut Text) {
        let star = self.said(self.file.wildcard_agent().selection().clone(), false);
        text.add(&star);
        self.named(self.names(), text);
        let special: Vec<&str> = all_documented()
            .map(|(token, _)| token)
            .filter(|token| check_product_token(token.as_bytes(), self.file.dialect()).is_ok())
            .collect();
        let Ok(bound) = Bound::new(&special, true, self.file.dialect()) else { return };
        let bound = bound.in_file(self.file);
        for (place, token) in special.iter().enumerate() {
            let selection = self.selection(bound.followed[place], &bound.named);
            let said = self.said(selection, false);
            if said != star {
                text.add(token.as_bytes());
                text.add(&said);
            }
        }
    }

    /// Write what names are told for which something else holds than for `*`; of policy tokens, which
    /// `*` does not stand for, everything.
    fn named(&mut self, names: BTreeSet<Vec<u8>>, text: &mut Text) {
        let star = self.said(self.file.wildcard_agent().selection().clone(), false);
        let names: Vec<Vec<u8>> = names.into_iter().collect();
        let Ok(bound) = Bound::new(&names, false, self.file.dialect()) else { return };
        let bound = bound.in_file(self.file);
        for (place, name) in names.iter().enumerate() {
            let Some(agent) = bound.named.get(&place) else { continue };
            let is_policy = are_policy_tokens(&[name]);
            let said = self.said(agent.selection().clone(), is_policy);
            if is_policy || said != star {
                text.add(name);
                text.add(&said);
            }
        }
        text.add(b"");
    }

    /// The names of crawlers in the file, in lower case.
    fn names(&self) -> BTreeSet<Vec<u8>> {
        let test = NameTest::new(self.file.dialect());
        let lines = self.file.groups().all_start_lines().iter();
        let values = lines.map(|line| line.value.of(self.file.bytes()));
        let names = values.flat_map(|value| test.names_in(value)).map(<[u8]>::to_ascii_lowercase);
        let is_name =
            |name: &Vec<u8>| name != b"*" && check_product_token(name, self.file.dialect()).is_ok();
        names.filter(is_name).collect()
    }

    /// Write group after group: in a dialect in which a value may name any number of crawlers.
    fn groups(&mut self, text: &mut Text) {
        let policies = |names: &[Vec<u8>]| names.iter().any(|n| are_policy_tokens(&[n]));
        for group in 0..self.file.groups().len() {
            let names = self.file.names(group);
            let alone = Selection { groups: vec![group as u32], named: true };
            text.add(&(names.len() as u64).to_le_bytes());
            names.iter().for_each(|name| text.add(name));
            let is_policy = policies(&names);
            // Rules of several groups may be combined: without the others, none is redundant.
            let agent = Agent::new(self.file, alone.clone());
            let list = RuleList::new(&agent);
            text.mark(is_policy);
            list.candidates.iter().for_each(|each| write_pattern(each, true, text));
            text.add(b"");
            self.records_of(&alone, text);
        }
    }

    fn selection(&self, followed: Followed<usize>, named: &HashMap<usize, Agent>) -> Selection {
        match followed {
            Followed::Named(place) => named[&place].selection().clone(),
            Followed::Star => self.file.wildcard_agent().selection().clone(),
            Followed::Nobody => Selection::default(),
        }
    }

    /// What some groups say, to a crawler or as those of a policy token.
    fn said(&mut self, selection: Selection, is_policy: bool) -> Vec<u8> {
        if let Some(known) = self.known.get(&(selection.clone(), is_policy)) {
            return known.clone();
        }
        let mut text = Text::default();
        self.rules(&Agent::new(self.file, selection.clone()), is_policy, &mut text);
        self.records_of(&selection, &mut text);
        self.known.insert((selection, is_policy), text.0.clone());
        text.0
    }

    /// Write the rules of an agent without the redundant ones.
    fn rules(&mut self, agent: &Agent, is_policy: bool, text: &mut Text) {
        let list = RuleList::new(agent);
        let mut needed: Vec<&Candidate> = list.candidates.iter().collect();
        if !keep_nested(&list, &mut needed, is_policy) {
            needed = self.needed(&list, is_policy);
            keep_nested(&list, &mut needed, is_policy);
        }
        let is_natural = is_natural(&needed);
        let order_counts = list.agent.ranking().is_first() && !agree(&needed);
        text.mark(is_natural);
        text.mark(order_counts);
        if !order_counts {
            needed.sort_by(|one, other| identity(one).cmp(&identity(other)));
            needed.dedup_by(|one, other| key(one) == key(other) && is_natural);
        }
        needed.into_iter().for_each(|each| write_pattern(each, !is_natural, text));
        text.add(b"");
    }

    /// The patterns of the rules that are not redundant, in file order.
    fn needed<'l>(&mut self, list: &'l RuleList, is_policy: bool) -> Vec<&'l Candidate<'l>> {
        let mechanism = if is_policy { Mechanism::PolicyToken } else { Mechanism::CrawlRules };
        let (redundant, taken) = list.agent.redundant_within(mechanism, self.left);
        self.left -= taken;
        let is_needed = |each: &&Candidate| redundant.binary_search(&each.rule).is_err();
        list.candidates.iter().filter(is_needed).collect()
    }

    /// Write the records of some groups that count.
    fn records_of(&self, selection: &Selection, text: &mut Text) {
        let lines = selection.groups.iter().flat_map(|at| self.file.record_lines_of(Some(*at)));
        for line in lines {
            if let Some(field) = self.counts(line).filter(|field| !is_of_file(*field)) {
                self.record(field, line, text);
            }
        }
        text.add(b"");
    }

    /// Write the records that apply to all crawlers: those above all groups, and those of the whole
    /// file, wherever they stand.
    fn records_of_file(&self, text: &mut Text) {
        let first = self.file.groups().all_start_lines().first().map_or(u32::MAX, |it| it.line);
        for line in self.file.record_lines() {
            let Some(field) = self.counts(line) else { continue };
            if is_of_file(field) || line.group.is_none() {
                let is_above = line.place == Place::Outside && line.raw.number < first;
                text.mark(is_of_file(field) || is_above);
                self.record(field, line, text);
            }
        }
    }

    fn record(&self, field: Field, line: &LineInfo, text: &mut Text) {
        text.add(field.name().as_bytes());
        text.add(line.reading.value.of(self.file.bytes()));
    }

    /// The field of a record, if it counts.
    fn counts(&self, line: &LineInfo) -> Option<Field> {
        line.field().filter(|field| self.about.records || OF_USE.contains(field))
    }
}

fn is_of_file(field: Field) -> bool {
    field.scope() == FieldScope::File
}

/// What a pattern matches, and what it says of that.
fn key<'c>(each: &'c Candidate) -> (&'c [u8], bool, bool, bool, bool) {
    let Pattern { text, wild, anchored, folds, .. } = &each.pattern;
    (text, *wild, *anchored, *folds, each.allows)
}

fn write_pattern(each: &Candidate, with_rank: bool, text: &mut Text) {
    let (bytes, wild, anchored, folds, allows) = key(each);
    text.add(&[&[1, u8::from(wild), u8::from(anchored), u8::from(folds)], bytes].concat());
    text.mark(allows);
    if with_rank {
        text.0.extend((each.rank >> 32).to_le_bytes());
    }
}

/// Whether all patterns say the same.
fn agree(patterns: &[&Candidate]) -> bool {
    patterns.windows(2).all(|pair| pair[0].allows == pair[1].allows)
}

/// Whether the texts of patterns show which of two decides: the longer one, and of two that are as
/// long the one of the verdict that wins a tie. Else it counts how they are written, as in `/a*`.
fn is_natural(patterns: &[&Candidate]) -> bool {
    let shown = |each: &Candidate| (Reverse(each.pattern.text.len()), each.rank >> 32 & 1);
    let mut ranked: Vec<_> = patterns.iter().map(|it| (it.rank >> 32, shown(it))).collect();
    ranked.sort_unstable();
    agree(patterns) || ranked.windows(2).all(|pair| pair[0].1 <= pair[1].1)
}

/// Keep the patterns that say something else than the longest other one which begins them, if all are
/// plain beginnings of which the longest decides: these are the same for all rules that say the same.
/// Whether they are.
fn keep_nested(list: &RuleList, kept: &mut Vec<&Candidate>, is_policy: bool) -> bool {
    let is_plain = |each: &&Candidate| {
        let Pattern { wild, anchored, is_directory, .. } = &each.pattern;
        !wild && !anchored && !is_directory && each.pattern.reserved().is_empty()
    };
    if list.agent.ranking().is_first() || !kept.iter().all(is_plain) || !is_natural(kept) {
        return false;
    }
    // Of equal beginnings, the one that decides comes first.
    kept.sort_by(|one, other| {
        (&one.pattern.text, one.rank).cmp(&(&other.pattern.text, other.rank))
    });
    kept.dedup_by(|later, first| later.pattern.text == first.pattern.text);
    let mut around: Vec<&Candidate> = Vec::new();
    kept.retain(|each| {
        while around.last().is_some_and(|it| !each.pattern.text.starts_with(&it.pattern.text)) {
            around.pop();
        }
        let before = around.last().map_or((!is_policy).then_some(true), |it| Some(it.allows));
        let says_more = before != Some(each.allows);
        around.extend(says_more.then_some(*each));
        says_more
    });
    true
}
