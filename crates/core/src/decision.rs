//! Decisions: the answer to one question, with its reason.
//!
//! In: a matching rule and a target. Out: [`Outcome`], [`Reason`], and the bytes that matched.
//! Each reason names the text that it comes from.

use crate::dialect::{Dialect, Law};
use crate::group::Rule;
use crate::line::Span;
use crate::matcher::Subject;
use crate::pattern::{matches_pieces, Pattern, PatternReader};

/// Why a URL may or may not be fetched: one variant per cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Of the matching rules the one with the most bytes decided.
    MostSpecificRule,
    /// The first matching rule decided.
    FirstMatchingRule,
    /// Only a rule without value matched, which is reported but decides nothing.
    EmptyRule,
    /// No rule of the crawler's groups matches.
    NoMatchingRule,
    /// The crawler's groups have no rules.
    GroupWithoutRules,
    /// No group names the crawler, and there is no wildcard group.
    NoGroup,
    /// The target is `/robots.txt`.
    RobotsTxtItself,
    /// The file exceeds the parsing limit, and the dialect does not use such a file.
    FileOverLimit,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Reason; 8] = [
        Reason::MostSpecificRule,
        Reason::FirstMatchingRule,
        Reason::EmptyRule,
        Reason::NoMatchingRule,
        Reason::GroupWithoutRules,
        Reason::NoGroup,
        Reason::RobotsTxtItself,
        Reason::FileOverLimit,
    ];

    /// The name, spelled as a constant.
    pub const fn name(self) -> &'static str {
        match self {
            Reason::MostSpecificRule => "MOST_SPECIFIC_RULE",
            Reason::FirstMatchingRule => "FIRST_MATCHING_RULE",
            Reason::EmptyRule => "EMPTY_RULE",
            Reason::NoMatchingRule => "NO_MATCHING_RULE",
            Reason::GroupWithoutRules => "GROUP_WITHOUT_RULES",
            Reason::NoGroup => "NO_GROUP",
            Reason::RobotsTxtItself => "ROBOTS_TXT_ITSELF",
            Reason::FileOverLimit => "FILE_OVER_LIMIT",
        }
    }

    /// The section that gives this answer in a dialect.
    pub const fn section(self, dialect: &Dialect) -> &'static str {
        match dialect.law {
            Law::Rfc9309 => self.in_rfc9309(),
            Law::KosterRep00 => self.in_koster_rep_00(),
            Law::Koster1996 => self.in_koster_1996(),
            Law::Original1994 => "A Standard for Robot Exclusion, 30 June 1994",
            Law::Google => self.in_google(),
            // Its parser knows no such permission: it comes from the access policy.
            Law::GooglebotCpp if matches!(self, Reason::RobotsTxtItself) => self.in_rfc9309(),
            Law::GooglebotCpp => "google/robotstxt, commit 22b355f, robots.cc",
            Law::Yandex => self.in_yandex(),
            Law::Bing => self.in_rfc9309(),
        }
    }

    const fn in_rfc9309(self) -> &'static str {
        match self {
            Reason::NoGroup => "RFC 9309 section 2.2.1",
            Reason::FileOverLimit => "RFC 9309 section 2.5",
            Reason::EmptyRule => "RFC 9309 section 2.2",
            _ => "RFC 9309 section 2.2.2",
        }
    }

    const fn in_koster_rep_00(self) -> &'static str {
        match self {
            Reason::NoGroup => "draft-koster-rep-00 section 2.2.1",
            Reason::FileOverLimit => "draft-koster-rep-00 section 2.5",
            Reason::EmptyRule => "draft-koster-rep-00 section 2.2",
            _ => "draft-koster-rep-00 section 2.2.2",
        }
    }

    const fn in_koster_1996(self) -> &'static str {
        match self {
            Reason::NoGroup => "Koster, A Method for Robots Exclusion, draft 1, section 3.2.1",
            Reason::FileOverLimit => "Koster, A Method for Robots Exclusion, draft 1, section 5",
            _ => "Koster, A Method for Robots Exclusion, draft 1, section 3.2.2",
        }
    }

    const fn in_google(self) -> &'static str {
        match self {
            Reason::NoGroup | Reason::GroupWithoutRules => {
                "Google, How Google interprets the robots.txt specification, grouping of lines and rules"
            }
            Reason::FileOverLimit => {
                "Google, How Google interprets the robots.txt specification, file format"
            }
            _ => {
                "Google, How Google interprets the robots.txt specification, order of precedence for rules"
            }
        }
    }

    const fn in_yandex(self) -> &'static str {
        match self {
            Reason::NoGroup => "Yandex Webmaster help, User-agent directive",
            Reason::FileOverLimit => "Yandex Webmaster help, robots.txt error reference",
            _ => "Yandex Webmaster help, Allow and Disallow directives",
        }
    }
}

/// The answer: what [`crate::agent::Agent::check`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the URL may be fetched.
    pub allowed: bool,
    /// Why.
    pub reason: Reason,
    /// The rule that decided, an index into [`crate::group::Groups::rules`].
    pub rule: Option<u32>,
}

impl Outcome {
    /// Allowed without a rule.
    pub(crate) const fn open(reason: Reason) -> Self {
        Outcome { allowed: true, reason, rule: None }
    }
}

/// How a rule matches a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// Bytes of the pattern, as specificity counts them.
    pub specificity: u32,
    /// For each piece of the rule's value, its span in the value and what it matched in
    /// the target.
    pub bytes: Vec<(Span, Span)>,
}

/// How a rule matches a target; none if it does not.
pub fn match_of(
    bytes: &[u8],
    rule: Rule,
    reader: &PatternReader,
    subject: &Subject,
) -> Option<Match> {
    let value = rule.value().of(bytes);
    let mut found = None;
    reader.each(value, rule.is_allow(), |pattern| {
        if found.is_none() && subject.matches(&pattern) {
            let is_special = reader.has_wildcards();
            let bytes = pair_pieces(value, &pattern, is_special, subject);
            found = Some(Match { specificity: pattern.length, bytes });
        }
    });
    found
}

fn pair_pieces(
    value: &[u8],
    pattern: &Pattern,
    is_special: bool,
    subject: &Subject,
) -> Vec<(Span, Span)> {
    let plain = subject.bytes();
    let mut ends = piece_ends(&pattern.text, pattern, plain);
    if ends.is_empty() {
        let reserved = pattern.reserved();
        if let (Some(text), Some(target)) = (pattern.folded(), subject.folded(reserved)) {
            ends = piece_ends(&text, pattern, target);
            unfold(&mut ends, &reserved.fold().offsets(plain));
        }
    }
    let pieces = match pattern.is_directory {
        true => pieces_of_directory(value),
        false => pieces_of_value(value, is_special),
    };
    join(&pieces, &ends, pattern.anchored, plain.len())
}

/// Start and end in the target of each literal piece; empty if the pattern does not match.
fn piece_ends(text: &[u8], pattern: &Pattern, target: &[u8]) -> Vec<(usize, usize)> {
    if !pattern.wild {
        let is_match = match pattern.anchored {
            true => target == text,
            false => target.starts_with(text),
        };
        return if is_match { vec![(0, text.len())] } else { Vec::new() };
    }
    let mut starts = Vec::new();
    if !matches_pieces(text, pattern.anchored, target, |start| starts.push(start)) {
        return Vec::new();
    }
    let pieces = text.split(|o| *o == b'*');
    starts.into_iter().zip(pieces).map(|(start, piece)| (start, start + piece.len())).collect()
}

/// A piece of a value as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Literal(Span),
    Star(Span),
    Anchor(Span),
}

/// Cut a value as written into literals, runs of `*` and the anchor.
fn pieces_of_value(value: &[u8], is_special: bool) -> Vec<Piece> {
    if !is_special {
        return vec![Piece::Literal(span(0, value.len()))];
    }
    let body = value.strip_suffix(b"$").unwrap_or(value);
    let mut pieces = pieces_of_body(body);
    if body.len() < value.len() {
        pieces.push(Piece::Anchor(span(body.len(), value.len())));
    }
    pieces
}

/// The pieces of an index page's directory: the value up to its last slash.
fn pieces_of_directory(value: &[u8]) -> Vec<Piece> {
    let end = value.iter().rposition(|o| *o == b'/').map_or(value.len(), |n| n + 1);
    pieces_of_body(&value[..end])
}

fn pieces_of_body(body: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for run in body.chunk_by(|a, b| (*a == b'*') == (*b == b'*')) {
        let here = span(at, at + run.len());
        pieces.push(if run[0] == b'*' { Piece::Star(here) } else { Piece::Literal(here) });
        at += run.len();
    }
    pieces
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

/// Give each piece the bytes of the target that it matched. Wildcards take what is between the
/// literals, a trailing one nothing, or the rest if an anchor follows it.
fn join(
    pieces: &[Piece],
    ends: &[(usize, usize)],
    anchored: bool,
    target_len: usize,
) -> Vec<(Span, Span)> {
    // A text that begins with `*` has an empty piece before it, which is not in the value.
    let skip = matches!(pieces.first(), Some(Piece::Star(_))) as usize;
    let mut literals = ends.iter().skip(skip).copied();
    let mut at = 0;
    let mut pairs = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let rest = &pieces[index + 1..];
        match piece {
            Piece::Literal(from) => {
                let (start, end) = literals.next().unwrap_or((at, at));
                pairs.push((*from, span(start, end)));
                at = end;
            }
            Piece::Star(from) => {
                let next = literals.clone().next().map(|(start, _)| start);
                let to_the_end = !rest.is_empty() || anchored;
                let end = next.unwrap_or(if to_the_end { target_len } else { at });
                pairs.push((*from, span(at, end)));
                at = end;
            }
            Piece::Anchor(from) => pairs.push((*from, span(at, at))),
        }
    }
    pairs
}

/// From places in the folded target to those in the target itself. A byte
/// whose escape a piece matched in part belongs to that piece, and to no other.
fn unfold(ends: &mut [(usize, usize)], offsets: &[usize]) {
    let mut at = 0;
    for (start, end) in ends {
        let last = (*start < *end).then(|| offsets[*end - 1] + 1);
        *start = offsets[*start].max(at);
        *end = last.unwrap_or(*start).max(*start);
        at = *end;
    }
}
