//! May the content of a URL be used for a purpose, and which lines say so?

use verger_core::{Mechanism, Purpose, Span, UseOutcome, UseRules, UseSignal};
use wasm_bindgen::prelude::*;

use crate::agent::Rules;
use crate::json::{object, Items, Text, Written};
use crate::tokens;

#[wasm_bindgen]
impl Rules {
    /// A decision about use. A signal of a policy token has its place among the tokens.
    pub fn may_use(
        &self,
        url: &[u8],
        purpose: &str,
        policy_tokens: &[u8],
        ends: &[u32],
    ) -> Result<String, String> {
        let Some(purpose) = Purpose::named(purpose) else { return Err("null".into()) };
        let words = tokens::split(policy_tokens, ends);
        if !words.is_empty() {
            tokens::check(&words, self.agent().file().dialect())?;
        }
        let said = self.agent().use_rules_of_checked(purpose, &words);
        let outcome = self.ask(url, |target| said.check(self.agent(), target))?;
        let mut out = String::new();
        self.write_use(&said, &outcome, &mut out);
        Ok(out)
    }
}

impl Rules {
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
    let verdict = match signal.allowed {
        Some(true) => "allow",
        Some(false) => "disallow",
        None => "silent",
    };
    object!(out, "mechanism": signal.mechanism.name(), "verdict": verdict, "line": signal.line,
        "pattern": signal.pattern.map(|span| Text(span.of(bytes))), "section": signal.section,
        "tokens": Items(tokens.iter()), "span": signal.words);
}
