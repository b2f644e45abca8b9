//! Which groups bind a crawler (RFC 9309 section 2.2.1).

use super::groups::{Group, Rule};
use super::switches::{Named, Switches, Tokens, UserAgentMatch};

/// Whether a text can be a product token: a token of RFC 9110 section 5.6.2 without `#`, `|` and
/// `*`, or letters outside ASCII; `*` alone for those that no group names.
pub fn is_token(token: &[u8], switches: &Switches) -> bool {
    let (has_version, is_any) = match switches.tokens_are {
        Tokens::Anything => (false, true),
        Tokens::Names => (false, false),
        Tokens::NamesWithVersion => (true, false),
    };
    let Ok(text) = std::str::from_utf8(token) else { return is_any };
    let is_mark = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{1dc0}'..='\u{1dff}');
    let is_legal = |c: char| match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || "!$%&'+-.^_`~".contains(c) || has_version && c == '/',
        false => c.is_alphabetic() && !is_mark(c),
    };
    is_any || text == "*" || !cut(token, b"/").is_empty() && text.chars().all(is_legal)
}

/// The rules that bind the crawler of these tokens, in file order.
pub fn rules(groups: &[Group], tokens: &[&[u8]], switches: &Switches) -> Vec<Rule> {
    let named = match switches.first_token_counts {
        true => {
            let each = tokens.iter().map(|token| named(groups, &[token], switches));
            each.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
        }
        false => named(groups, tokens, switches),
    };
    let mut found = named;
    if found.is_empty() {
        let is_star = |group: &&Group| group.agents.iter().any(|value| is_star(value, switches));
        found = groups.iter().filter(is_star).collect();
        if switches.first_star_counts {
            found.truncate(1);
        }
    }
    found.into_iter().flat_map(|group| group.rules.clone()).collect()
}

fn named<'g>(groups: &'g [Group], tokens: &[&[u8]], switches: &Switches) -> Vec<&'g Group> {
    let score = |group: &Group| {
        let hits =
            group.agents.iter().filter(|value| !is_star(value, switches)).flat_map(|value| {
                let names = tokens.iter().filter(|token| **token != b"*");
                names.filter_map(move |token| hit(value, token, switches))
            });
        hits.max()
    };
    let mut found: Vec<(usize, &Group)> =
        groups.iter().filter_map(|group| Some((score(group)?, group))).collect();
    match switches.named {
        Named::First => found.truncate(1),
        Named::Merge => {}
        Named::BestMerge => {
            let best = found.iter().map(|(score, _)| *score).max();
            found.retain(|(score, _)| Some(*score) == best);
        }
    }
    found.into_iter().map(|(_, group)| group).collect()
}

fn is_star(value: &[u8], switches: &Switches) -> bool {
    match value {
        [b'*'] => true,
        [b'*', next, ..] => switches.behind_star.contains(next),
        _ => false,
    }
}

/// How well a value names a token; none where it does not.
fn hit(value: &[u8], token: &[u8], switches: &Switches) -> Option<usize> {
    let value = value.to_ascii_lowercase();
    let token = token.to_ascii_lowercase();
    let is_hit = match switches.user_agent_match {
        UserAgentMatch::SubstringEitherWay => {
            let (value, token) = (cut(&value, b"/"), cut(&token, b"/"));
            contains(value, token) || contains(token, value)
        }
        UserAgentMatch::Equal => same(cut(&value, b"()<>@,;:\\\"/[]?={} \t"), cut(&token, b"/")),
        UserAgentMatch::Rfc => {
            let is_whole = leading_name(&value).len() == value.len();
            same(&value, &token)
                || same(cut(&value, b"/* \t,;"), &token)
                || !is_whole && same(leading_name(&value), &token)
        }
        UserAgentMatch::Prefix => {
            let name = leading_name(&value);
            match switches.tokens_are {
                Tokens::Anything => name == token,
                _ => same(name, &token),
            }
        }
        UserAgentMatch::Family => {
            let is_name = |o: &u8| o.is_ascii_alphanumeric() || b"_.-".contains(o);
            let end = value.iter().position(|o| !is_name(o)).unwrap_or(value.len());
            let name = &value[..end];
            return (!name.is_empty() && token.starts_with(name)).then_some(name.len());
        }
    };
    is_hit.then_some(0)
}

fn same(a: &[u8], b: &[u8]) -> bool {
    !a.is_empty() && a == b
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    !part.is_empty() && text.windows(part.len()).any(|here| here == part)
}

fn cut<'t>(text: &'t [u8], at: &[u8]) -> &'t [u8] {
    text.split(|o| at.contains(o)).next().expect("a first part")
}

fn leading_name(value: &[u8]) -> &[u8] {
    let is_name = |o: &u8| o.is_ascii_alphabetic() || matches!(o, b'-' | b'_');
    &value[..value.iter().position(|o| !is_name(o)).unwrap_or(value.len())]
}
