//! The rules of one crawler in a file.

use std::rc::Rc;

use verger_core::internal::Question;
use verger_core::{Agent, Match, Outcome, Target};
use wasm_bindgen::prelude::*;

use crate::held::Held;
use crate::json::{object, Items, Json, Text, Written};
use crate::values::{rules, FileRule, Seconds};
use crate::{explanation, scratch, tokens};

/// The rules of a crawler.
#[wasm_bindgen]
pub struct Rules {
    held: Rc<Held>,
    agent: Agent,
    follows: Option<&'static str>,
}

impl Rules {
    /// Those of an agent of a file, and the other crawler whose groups it follows.
    pub fn of(held: &Rc<Held>, agent: Agent, follows: Option<&'static str>) -> Rules {
        Rules { held: Rc::clone(held), agent, follows }
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Decide a URL, given its target.
    pub fn ask<R>(&self, url: &[u8], answer: impl FnOnce(&Target) -> R) -> Result<R, String> {
        self.held.ask(url, answer)
    }

    fn write_decision(&self, target: &Target, out: &mut String) {
        let (agent, file) = (&self.agent, self.agent.file());
        let outcome = verger_fast::check(agent, target);
        let rule = agent.rule(&outcome);
        let found = outcome.rule.and_then(|index| agent.match_of(index, target));
        let matched = found.as_ref().map_or(&[][..], |found: &Match| &found.bytes);
        object!(out, "allowed": outcome.allowed, "reason": outcome.reason.name(),
            "section": outcome.reason.section(file.dialect()), "line": rule.map(|rule| rule.line),
            "rule": rule.map(|rule| FileRule(file, rule)), "group": self.group_of(&outcome),
            "target": Text(target.bytes()), "specificity": found.as_ref().map(|m| m.specificity),
            "matched": Items(matched.iter().copied()));
    }

    /// By what names groups bind it: its own, or that of the crawler that it follows.
    pub fn names<'t>(&self, own: Vec<&'t [u8]>) -> Vec<&'t [u8]> {
        self.follows.map_or(own, |whom| vec![whom.as_bytes()])
    }

    fn text_of(&self, indices: &[u32]) -> String {
        rules(self.agent.file(), indices.iter().copied()).text()
    }

    /// The group of the rule; without a rule, the first group of the crawler, if any.
    fn group_of(&self, outcome: &Outcome) -> Option<usize> {
        let first = self.agent.selection().groups.first().map(|group| *group as usize);
        let groups = self.agent.file().groups();
        outcome.rule.map(|rule| groups.group_of_rule(rule as usize)).or(first)
    }
}

#[wasm_bindgen]
impl Rules {
    /// Whether the crawler may fetch a URL.
    pub fn allowed(&self, url: &[u8]) -> Result<bool, String> {
        self.ask(url, |target| verger_fast::check(&self.agent, target).allowed)
    }

    /// The same for the URL in the scratch.
    pub fn allowed_scratch(&self, length: usize) -> Result<bool, String> {
        scratch::written(length, |url| self.allowed(url))
    }

    /// The same for many URLs: 0 or 1 for each.
    pub fn allowed_many(&self, urls: &[u8], ends: &[u32]) -> Result<Vec<u8>, String> {
        let urls = tokens::split(urls, ends);
        urls.into_iter().map(|url| self.allowed(url).map(u8::from)).collect()
    }

    /// A decision.
    pub fn decide(&self, url: &[u8]) -> Result<String, String> {
        let mut out = String::new();
        self.ask(url, |target| self.write_decision(target, &mut out))?;
        Ok(out)
    }

    /// A decision explained, to a crawler with these tokens.
    pub fn explain(
        &self,
        url: &[u8],
        tokens: &[u8],
        ends: &[u32],
        verbose: bool,
    ) -> Result<String, String> {
        let tokens = &self.names(tokens::split(tokens, ends))[..];
        let asked = Question { tokens, url, verbose, kept_in_part: false };
        self.ask(url, |target| {
            let (agent, mut out) = (&self.agent, String::new());
            let outcome = verger_fast::check(agent, target);
            let told = agent.explain(asked, target, &outcome);
            explanation::write(told, agent.remarks(asked, target, &outcome), &mut out);
            out
        })
    }

    /// For each piece of the pattern that decides a URL, 1 if it is a `*`.
    pub fn stars(&self, url: &[u8]) -> Result<Vec<u8>, String> {
        self.ask(url, |target| {
            let (agent, bytes) = (&self.agent, self.agent.file().bytes());
            let decides = verger_fast::check(agent, target).rule;
            let found = decides.and_then(|index| agent.match_of(index, target));
            let value = decides.map_or(&b""[..], |index| {
                agent.file().groups().rules()[index as usize].value().of(bytes)
            });
            let pieces = found.map_or_else(Vec::new, |found| found.bytes);
            pieces.iter().map(|(piece, _)| u8::from(agent.is_star(piece.of(value)))).collect()
        })
    }

    /// The rules that match a URL and do not decide it.
    pub fn beaten(&self, url: &[u8]) -> Result<String, String> {
        self.ask(url, |target| {
            let decides = verger_fast::check(&self.agent, target).rule;
            let mut others = self.agent.matching(target);
            others.retain(|index| Some(*index) != decides);
            self.text_of(&others)
        })
    }

    /// Which of its product tokens a group names.
    pub fn token_of_group(&self, group: usize, tokens: &[u8], ends: &[u32]) -> Option<usize> {
        self.agent.token_of_group(group, &tokens::split(tokens, ends))
    }

    /// The start-group line of a group that names it, or the crawler that it follows, most clearly.
    pub fn start_line(&self, group: usize, tokens: &[u8], ends: &[u32]) -> u32 {
        self.agent.file().clearest_start_line(group, &self.names(tokens::split(tokens, ends))).0
    }

    /// Whether a group names it.
    pub fn named(&self) -> bool {
        self.agent.selection().named
    }

    /// The crawler whose groups it follows, if none names it.
    pub fn follows(&self) -> Option<String> {
        self.follows.map(str::to_string)
    }

    /// The groups that it follows, by index.
    pub fn groups(&self) -> Vec<u32> {
        self.agent.selection().groups.clone()
    }

    /// Its rules.
    pub fn rules(&self) -> String {
        let indices: Vec<u32> = self.agent.rules().map(|(index, _)| index).collect();
        self.text_of(&indices)
    }

    /// How much of the site it may fetch.
    pub fn posture(&self) -> String {
        self.agent.stance().posture.name().into()
    }

    /// Pace, hours and signals.
    pub fn facts(&self) -> String {
        let (agent, mut out) = (&self.agent, String::new());
        object!(&mut out, "crawlDelay": agent.crawl_delay().as_deref().map(Seconds), "requestRate": agent.request_rate(),
            "requestRates": agent.request_rates(), "visitTime": agent.visit_time(),
            "contentSignals": agent.content_signals());
        out
    }

    /// The rate at a minute of the day.
    pub fn request_rate_at(&self, minute: u16) -> String {
        self.agent.request_rate_at(minute).text()
    }

    /// The usage preferences for a URL.
    pub fn content_usage(&self, url: &[u8]) -> Result<String, String> {
        let usage = self.ask(url, |target| self.agent.content_usage(target))?;
        Ok(usage
            .map(|usage| {
                Written(move |out: &mut String| {
                    let said = usage.labels().into_iter().filter(|(_, answer)| answer.is_some());
                    Items(said).write(out);
                })
            })
            .text())
    }
}
