//! A parsed file, with the scope of its URL.

use std::rc::Rc;

use verger_core::internal::{Bound, Complaint, Finder, FindingTable, Standing};
use verger_core::{Cut, Dialect, File, Finding, Scope, DIALECTS, RFC9309};
use wasm_bindgen::prelude::*;

use crate::agent::Rules;
use crate::held::Held;
use crate::json::{object, Items, Json, Text, Written};
use crate::values::{write_records, FileGroup};
use crate::{dialect, scratch, shown, tokens, told};

/// A parsed file.
#[wasm_bindgen]
pub struct Source(Rc<Held>);

#[cfg(feature = "analysis")]
impl Source {
    /// The file.
    pub fn file(&self) -> &File {
        &self.0.file
    }
}

impl Source {
    fn parsed(body: &[u8], dialect: &Dialect, url: Option<Vec<u8>>) -> Result<Source, String> {
        let scope = match &url {
            None => Scope::Anything,
            Some(url) => verger_fast::scope_of_file(url)
                .map_err(|why| told(Complaint::of_file_url(url, why, &shown)))?,
        };
        let file = verger_fast::parse(body, dialect);
        Ok(Source(Held::of(file, scope, url)))
    }

    fn rules_of(&self, words: &[&[u8]], by_operator: bool) -> Result<Rules, String> {
        let file = &self.0.file;
        tokens::check(words, file.dialect())?;
        let (agent, follows) = match by_operator {
            true => file.agent_by_operator(words),
            false => (file.agent_of_checked(words), None),
        };
        Ok(Rules::of(&self.0, agent, follows))
    }
}

#[wasm_bindgen]
impl Source {
    /// Parse a file.
    #[wasm_bindgen(constructor)]
    pub fn new(body: &[u8], dialect: &str, url: Option<Vec<u8>>) -> Result<Source, String> {
        Source::parsed(body, &dialect::of(dialect), url)
    }

    /// Parse the file in the scratch, after which its URL is there if it has one, in the dialect at a
    /// place of [`DIALECTS`].
    pub fn of_scratch(
        length: usize,
        end: usize,
        has_url: bool,
        place: usize,
    ) -> Result<Source, String> {
        scratch::written(end, |texts| {
            let (body, url) = texts.split_at(length.min(texts.len()));
            let dialect = DIALECTS.get(place).unwrap_or(&RFC9309);
            Source::parsed(body, dialect, has_url.then(|| url.to_vec()))
        })
    }

    /// The rules of the crawler whose token is in the scratch.
    pub fn agent_of_scratch(&self, length: usize, by_operator: bool) -> Result<Rules, String> {
        scratch::written(length, |token| self.rules_of(&[token], by_operator))
    }

    /// How much was read, and what is in it.
    pub fn facts(&self) -> String {
        let (file, mut out) = (&self.0.file, String::new());
        let extent = file.extent();
        object!(&mut out, "bytesRead": extent.end, "truncated": extent.cut != Cut::Nothing,
            "groups": file.groups().len(), "rules": file.groups().rules().len());
        out
    }

    /// The bytes as read.
    pub fn body(&self) -> Vec<u8> {
        self.0.file.bytes().to_vec()
    }

    /// The groups.
    pub fn groups(&self) -> String {
        let file = &self.0.file;
        Items((0..file.groups().len()).map(|index| FileGroup(file, index))).text()
    }

    /// One group, counted from 0.
    pub fn group(&self, index: usize) -> String {
        FileGroup(&self.0.file, index).text()
    }

    /// How many lines there are.
    pub fn number_of_lines(&self) -> usize {
        self.0.table().len()
    }

    /// Some of the lines, counted from 0.
    pub fn lines(&self, start: usize, end: usize) -> String {
        let finder = &Finder::new(&self.0.file, self.0.scope.origin());
        let line = |at| Written(move |out: &mut String| self.0.write_line(at, finder, out));
        Items((start..end.min(self.number_of_lines())).map(line)).text()
    }

    /// What was tolerated, cut or skipped.
    pub fn findings(&self) -> String {
        let origin = self.0.scope.origin();
        let table = FindingTable::of(self.0.table().clone(), origin);
        let found = (0..table.len()).filter_map(|at| table.get(at, origin));
        found.collect::<Vec<Finding>>().text()
    }

    /// The extension records.
    pub fn records(&self) -> String {
        let mut out = String::new();
        write_records(&self.0.file, self.0.scope.origin(), &mut out);
        out
    }

    /// The values of `Sitemap`.
    pub fn sitemaps(&self) -> String {
        let bytes = self.0.file.bytes();
        Items(self.0.file.sitemaps().iter().map(|span| Text(span.of(bytes)))).text()
    }

    /// Whether the file governs a URL.
    pub fn governs(&self, url: &[u8]) -> Result<bool, String> {
        self.0.scope.governs(url).map_err(|why| crate::of_target(url, why))
    }

    /// A URL without parameters that mean nothing, as JSON text.
    pub fn clean(&self, url: &[u8]) -> Result<String, String> {
        self.0.ask(url, |_| Text(&self.0.file.clean_url(url)).text())
    }

    /// The rules of a crawler: of the groups that name it, else those of `*`; or as its operator says
    /// whose groups it follows.
    pub fn agent(&self, words: &[u8], ends: &[u32], by_operator: bool) -> Result<Rules, String> {
        self.rules_of(&tokens::split(words, ends), by_operator)
    }

    /// The names in it.
    pub fn names(&self) -> String {
        self.0.file.all_names().text()
    }

    /// Its start-group lines by number, each with the name that it begins with.
    pub fn start_names(&self) -> String {
        self.0.file.start_names().text()
    }

    /// Crawlers by what the file means for them, as their operators say whose groups they follow.
    pub fn standings(&self, words: &[u8], ends: &[u32]) -> Result<String, String> {
        let words = tokens::split(words, ends);
        let found = bound_of(&words, self.0.file.dialect())?.standings(&self.0.file);
        let write = |one: &Standing, out: &mut String| write_standing(one, &words, out);
        let found = found.iter().map(|one| Written(move |out: &mut String| write(one, out)));
        Ok(Items(found).text())
    }
}

/// Crawlers with one product token each, as their operators say whose groups they follow.
pub fn bound_of(words: &[&[u8]], dialect: &Dialect) -> Result<Bound, String> {
    let wrong = |(at, why): (usize, _)| told(Complaint::of_token(words[at], why, &shown));
    Bound::new(words, true, dialect).map_err(wrong)
}

fn write_standing(found: &Standing, words: &[&[u8]], out: &mut String) {
    let Standing { crawlers, named, bound } = found;
    let tokens = crawlers.iter().map(|(at, _)| Text(words[*at]));
    let follows = crawlers.iter().map(|(_, whom)| *whom);
    object!(out, "tokens": Items(tokens), "follows": Items(follows), "named": named,
        "bound": bound);
}
