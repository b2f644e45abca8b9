//! May the content of a URL be used for a purpose, and which lines say so?

use verger_core::internal::{own_dialect as own, policy_tokens as known, Policy};
use verger_core::{Mechanism, Span, Use, UseOutcome, UseRules, UseSignal};
use wasm_bindgen::prelude::*;

use crate::agent::Rules;
use crate::json::{object, Items, Json, Text, Written};
use crate::{dialect, explanation, tokens};

#[wasm_bindgen]
impl Rules {
    /// A decision about use. A signal of a policy token has its place among the tokens.
    ///
    /// asked: the product tokens of the crawler.
    pub fn may_use(
        &self,
        url: &[u8],
        purpose: &str,
        asked: &[u8],
        asked_ends: &[u32],
        policy_tokens: &[u8],
        ends: &[u32],
    ) -> Result<String, String> {
        let words = tokens::split(policy_tokens, ends);
        let asked = tokens::split(asked, asked_ends);
        let (said, outcome) = self.used(url, purpose, &asked, &words)?;
        let mut out = String::new();
        self.write_use(&said, &outcome, &mut out);
        Ok(out)
    }

    /// A decision about use explained.
    ///
    /// texts: so many product tokens of the crawler, those that stand for the use, and as many titles
    /// of pages about these.
    pub fn explain_use(
        &self,
        url: &[u8],
        purpose: &str,
        texts: &[u8],
        ends: &[u32],
        tokens: usize,
        verbose: bool,
    ) -> Result<String, String> {
        let texts = tokens::split(texts, ends);
        let (asked, policies) = texts.split_at(tokens.min(texts.len()));
        let (words, titles) = policies.split_at(policies.len() / 2);
        let (said, outcome) = self.used(url, purpose, asked, words)?;
        let policies: Vec<Policy> = words.iter().copied().zip(titles.iter().copied()).collect();
        let file = self.agent().file();
        let names = self.names(asked.to_vec());
        let (told, remarks) = said.explain(file, &outcome, &names, &policies, verbose);
        let mut out = String::new();
        explanation::write(told, remarks, &mut out);
        Ok(out)
    }
}

/// The name of the dialect in which a crawler reads, if it is another than that which is asked about.
#[wasm_bindgen]
pub fn own_dialect(token: &[u8], asked: &str) -> Option<String> {
    own(token, &dialect::of(asked)).map(|dialect| dialect.derived_name())
}

/// Whether a file binds a crawler, according to its operator.
#[wasm_bindgen]
pub fn binds(token: &[u8], named: bool) -> bool {
    verger_core::internal::binds(token, named)
}

/// The names of all uses, as JSON.
#[wasm_bindgen]
pub fn uses() -> String {
    Use::ALL.map(Use::name).text()
}

/// The product tokens that stand for a use of what a crawler fetches, each with the page that says
/// so.
#[wasm_bindgen]
pub fn policy_tokens(asked: &[u8], ends: &[u32], purpose: &str) -> String {
    let asked = tokens::split(asked, ends);
    let found = Use::named(purpose).into_iter().flat_map(|purpose| known(&asked, purpose));
    let pairs: Vec<_> = found.map(|each| (each.token, each.title)).collect();
    pairs.text()
}

impl Rules {
    /// What the file says about a use to this crawler, and about a URL.
    fn used(
        &self,
        url: &[u8],
        purpose: &str,
        asked: &[&[u8]],
        policy_tokens: &[&[u8]],
    ) -> Result<(UseRules, UseOutcome), String> {
        let Some(purpose) = Use::named(purpose) else { return Err("null".into()) };
        if !policy_tokens.is_empty() {
            tokens::check(policy_tokens, self.agent().file().dialect())?;
        }
        let speaking = self.agent().speaking_of_use(asked);
        let agent = speaking.as_ref().unwrap_or(self.agent());
        let said = agent.use_rules_of_checked(purpose, policy_tokens);
        let outcome = self.ask(url, |target| said.check(agent, target))?;
        Ok((said, outcome))
    }

    fn write_use(&self, said: &UseRules, outcome: &UseOutcome, out: &mut String) {
        let bytes = self.agent().file().bytes();
        let deciding = outcome.deciding();
        let signal = |(at, signal): (usize, &UseSignal), out: &mut String| {
            write_signal(signal, outcome.tokens(at).collect(), bytes, out);
        };
        let signals = outcome.signals.iter().enumerate();
        let licenses: Vec<Span> = said.licenses().collect();
        object!(out, "allowed": outcome.allowed, "purpose": said.purpose().name(),
            "reason": Mechanism::reason(deciding.map(|signal| signal.mechanism)),
            "deciding": outcome.deciding_place(), "line": deciding.and_then(|signal| signal.line),
            "signals": Items(signals.map(|one| Written(move |out: &mut String| signal(one, out)))),
            "conflicts": outcome.conflicts(),
            "licenses": Items(licenses.iter().map(|span| Text(span.of(bytes)))),
            "use": said.extent().map(|extent| extent.name()));
    }
}

fn write_signal(signal: &UseSignal, tokens: Vec<u32>, bytes: &[u8], out: &mut String) {
    object!(out, "mechanism": signal.mechanism.name(), "verdict": signal.verdict(), "line": signal.line,
        "pattern": signal.pattern.map(|span| Text(span.of(bytes))), "section": signal.section,
        "tokens": Items(tokens.iter()), "span": signal.words);
}
