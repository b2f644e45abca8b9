//! Sameness: whether two versions of a file say the same to every crawler, where few steps show it.
//!
//! In: two [`File`]s, read in one dialect. Out: yes or no, or that only a proof for all known crawlers
//! can say. In most dialects a value of a start-group line names a few crawlers, which it shows; where
//! it may name any number of them, each follows the first group that names it. Either way, all sets of
//! groups that crawlers follow are known, and those whose rules differ are compared.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;

use crate::agent::Agent;
use crate::analysis::difference::Sought;
use crate::analysis::versions::differences;
use crate::crawlers::Crawlers;
use crate::dialect::NamedGroups;
use crate::file::{File, LineInfo};
use crate::group::{Cut, Place};
use crate::token::{check_product_token, NameTest, Selection};
use crate::uses::Mechanism;

/// Whether it is proved that two versions of a file say the same about every URL and every use to
/// every crawler, with the same records, or that some crawler gets another answer; none if neither
/// is.
///
/// steps: as for [`Agent::difference`].
pub fn says_the_same(old: &File, new: &File, steps: u64) -> Option<bool> {
    let files = [old, new];
    if files.iter().any(|file| file.extent().cut != Cut::Nothing) || !are_records_alike(files) {
        return None;
    }
    let touched = touched(files);
    if touched.iter().all(Vec::is_empty) {
        return Some(true);
    }
    let test = NameTest::new(old.dialect());
    let named = followed_by(files, names_in(files, &touched, &test))?;
    // What changes no word of a policy token changes no verdict.
    let [are_spoken_alike, are_alike] = [Mechanism::PolicyToken, Mechanism::CrawlRules]
        .map(|mechanism| move |followed: &[Followed]| are_same(files, followed, mechanism, steps));
    if are_spoken_alike(&named) != Some(true) {
        return are_alike(&named).filter(|is_same| !is_same);
    }
    let is_proved = match (test.which, test.compares_anywhere()) {
        (NamedGroups::First, _) => {
            let followed = by_values(files, &test)?;
            are_heard_alike(files, &followed) && are_spoken_alike(&followed)?
        }
        (_, None) => are_heard_alike(files, &named),
        (_, Some(_)) => {
            let kin = kin_of(&names_in(files, &touched, &test));
            if followed_by(files, kin).is_some_and(|kin| are_alike(&kin) == Some(false)) {
                return Some(false);
            }
            false
        }
    };
    is_proved.then_some(true)
}

/// The groups that some crawlers follow in each file.
type Followed = [Selection; 2];

/// The groups of each file that the other does not have at their places; all, if it has more.
fn touched(files: [&File; 2]) -> [Vec<usize>; 2] {
    let [old, new] = files.map(|file| file.groups().len());
    let is_alike = |at: &usize| is_named_alike(files, *at) && is_ruled_alike(files, *at);
    match old == new {
        true => [0, 1].map(|_| (0..old).filter(|at| !is_alike(at)).collect()),
        false => [(0..old).collect(), (0..new).collect()],
    }
}

/// Whether a group names the same crawlers in both files.
fn is_named_alike(files: [&File; 2], group: usize) -> bool {
    let [old, new] = files;
    values(old, group).eq(values(new, group)) || old.names(group) == new.names(group)
}

fn values(file: &File, group: usize) -> impl Iterator<Item = &[u8]> {
    file.groups().start_lines(group).iter().map(|line| line.value.of(file.bytes()))
}

/// Whether a group has the same rules in both files, but for those that repeat an earlier one: these
/// decide nothing.
fn is_ruled_alike(files: [&File; 2], group: usize) -> bool {
    let [old, new] = files;
    rules(old, group).eq(rules(new, group)) || once(rules(old, group)) == once(rules(new, group))
}

fn rules(file: &File, group: usize) -> impl Iterator<Item = (bool, &[u8])> {
    let rules = file.groups().rules()[file.groups().rule_range(group)].iter();
    rules.map(|rule| (rule.is_allow(), rule.value().of(file.bytes())))
}

/// Items without those that repeat an earlier one.
fn once<T: Clone + Eq + Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut known = HashSet::new();
    items.filter(|item| known.insert(item.clone())).collect()
}

/// Whether both files have the same records besides rules, in the same groups; if they do not have as
/// many groups, which are all touched then, outside all groups: what crawlers hear is compared.
fn are_records_alike(files: [&File; 2]) -> bool {
    let [old, new] = files.map(records);
    let are_placed_alike = files[0].groups().len() == files[1].groups().len();
    let is_alike = |(one, other): (&PlacedRecord, &PlacedRecord)| {
        (one.0.is_none(), one.1, one.2) == (other.0.is_none(), other.1, other.2)
    };
    match are_placed_alike {
        true => old == new,
        false => old.len() == new.len() && old.iter().zip(&new).all(is_alike),
    }
}

/// The group of a record; whether it stands above all groups, where signals are for everyone; its field
/// and its value.
type PlacedRecord<'f> = (Option<u32>, bool, (&'static str, &'f [u8]));

fn records(file: &File) -> Vec<PlacedRecord<'_>> {
    let first = file.groups().all_start_lines().first().map_or(u32::MAX, |start| start.line);
    let placed = |line: &LineInfo| {
        let is_above = line.place == Place::Outside && line.raw.number < first;
        (line.group, is_above, record(file, line))
    };
    file.record_lines().iter().map(placed).collect()
}

fn record<'f>(file: &'f File, line: &LineInfo) -> (&'static str, &'f [u8]) {
    let field = line.field().map_or("", |field| field.name());
    (field, line.reading.value.of(file.bytes()))
}

/// Names of crawlers whom values of some groups of each file name.
fn names_in(files: [&File; 2], groups: &[Vec<usize>; 2], test: &NameTest) -> BTreeSet<Vec<u8>> {
    let of_file = files.into_iter().zip(groups);
    let values = of_file.flat_map(|(file, groups)| groups.iter().flat_map(|at| values(file, *at)));
    values.flat_map(|value| test.names_in(value)).map(<[u8]>::to_vec).collect()
}

/// Names that are longer or shorter than others: where a value names all crawlers whose names are
/// in it, or have it in them, it names these.
fn kin_of(names: &BTreeSet<Vec<u8>>) -> BTreeSet<Vec<u8>> {
    let longer = |name: &Vec<u8>| [[&name[..], b"-x"].concat(), [b"x-", &name[..]].concat()];
    let shorter = |name: &Vec<u8>| [name[1..].to_vec(), name[..name.len() - 1].to_vec()];
    let kin = names.iter().flat_map(|name| longer(name).into_iter().chain(shorter(name)));
    kin.filter(|name| !name.is_empty()).collect()
}

/// What crawlers with some names follow in each file; that of all others comes last.
fn followed_by(files: [&File; 2], mut names: BTreeSet<Vec<u8>>) -> Option<Vec<Followed>> {
    let dialect = files[0].dialect();
    names.retain(|name| *name != b"*" && check_product_token(name, dialect).is_ok());
    let names: Vec<Vec<u8>> = names.into_iter().collect();
    let crawlers = Crawlers::new(&names, dialect).ok()?;
    let [old, new] = files.map(|file| {
        let star = file.wildcard_agent().selection().clone();
        let mut followed = vec![star; names.len() + 1];
        let named = crawlers.named(file).into_iter();
        named.for_each(|found| followed[found.crawler] = found.agent.selection().clone());
        followed
    });
    Some(once(old.into_iter().zip(new).map(|(old, new)| [old, new])))
}

/// What any crawler may follow in a dialect in which that is the first group that names it: for each
/// value the group that has it first, in both files. None if they do not have the same values.
fn by_values(files: [&File; 2], test: &NameTest) -> Option<Vec<Followed>> {
    let [old, new] = files.map(|file| {
        let groups = 0..file.groups().len();
        let named = groups.flat_map(|at| values(file, at).map(move |value| (value, at as u32)));
        let mut known = HashSet::new();
        let first = named.filter_map(|(value, at)| {
            let name = test.naming(value).to_ascii_lowercase();
            known.insert(name.clone()).then_some((name, at))
        });
        first.collect::<Vec<_>>()
    });
    let names = |of: &[(Vec<u8>, u32)]| of.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let alone = |group: u32| Selection { groups: vec![group], named: true };
    (names(&old) == names(&new)).then(|| {
        let places = once(old.iter().zip(&new).map(|(old, new)| [old.1, new.1]));
        let star = files.map(|file| file.wildcard_agent().selection().clone());
        let named = places.into_iter().map(|places| places.map(alone));
        named.chain([star]).collect()
    })
}

/// Whether each crawler is named in both files or in none, with the same records.
fn are_heard_alike(files: [&File; 2], followed: &[Followed]) -> bool {
    let records = |at: usize, of: &Selection| {
        let lines = of.groups.iter().flat_map(|group| files[at].record_lines_of(Some(*group)));
        lines.map(|line| record(files[at], line)).collect::<Vec<_>>()
    };
    let is_alike =
        |[old, new]: &Followed| old.named == new.named && records(0, old) == records(1, new);
    followed.iter().all(is_alike)
}

/// Whether the rules of crawlers say the same in both files; none if no difference was found, but
/// there may be one.
fn are_same(
    files: [&File; 2],
    followed: &[Followed],
    mechanism: Mechanism,
    steps: u64,
) -> Option<bool> {
    let agent = |at: usize, of: &Followed| Agent::new(files[at], of[at].clone());
    let agents: Vec<[Agent; 2]> =
        followed.iter().map(|of| [0, 1].map(|at| agent(at, of))).collect();
    let pairs: Vec<[&Agent; 2]> = agents.iter().map(|pair| pair.each_ref()).collect();
    let found = differences(&pairs, &[], mechanism, Sought::One, steps).found;
    match found.values().any(|difference| !difference.changes.is_empty()) {
        true => Some(false),
        false => found.values().all(|difference| difference.is_exact).then_some(true),
    }
}
