//! `parse` and `RobotsTxt`.

use std::collections::hash_map::DefaultHasher;
use std::ffi::CString;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use verger_bulk::fingerprint::fingerprint;
use verger_core::analysis::About;
use verger_core::internal::{named_by, names_in, names_of, Complaint, LineTable, Named};
use verger_core::{Agent as CoreAgent, Cut, Dialect as CoreDialect, File};

use crate::agent::Agent;
use crate::decision::Decision;
use crate::dialect::{Dialect, DialectArgument};
use crate::errors::{complain, invalid_target, invalid_token, too_many_tokens};
use crate::explanation::words;
use crate::lazy::Lazy;
use crate::lines::{Findings, Lines};
use crate::many::allowed_many;
use crate::records;
use crate::source::{PolicyTokens, Source, SourceState};
use crate::text::{
    body_bytes, bytes_of, count, in_notebook, is_sequence, items, single_quoted, string, text,
    wrong_type, Items, Text,
};
use crate::uses::UseDecision;
use crate::values::groups_of;

/// Parse one robots.txt file. Never raises on content, whatever the bytes.
///
/// body:     bytes, bytearray or memoryview, as received; a str is encoded as UTF-8.
/// dialect:  how to read it, a name from `DIALECTS` or a `Dialect` of your own.
/// url:      str, the URL that was requested, before redirects; if given, decisions for other
///           origins raise `OutOfScope`.
/// Returns:  RobotsTxt.
/// Raises:   TypeError for a body that is neither bytes nor text, UnknownName for an
///           unknown dialect, InvalidTarget for a `url` without scheme and authority.
/// Warns:    UserWarning for a text that looks like a file name or a URL: use `verger.load` or
///           `verger.fetch` for these.
///
/// >>> robots = parse(b"User-agent: *\nDisallow: /private\n")
/// >>> robots.allowed("https://example.com/private/a", "ExampleBot")
/// False
///
/// RFC 9309 sections 2.2 and 2.3.1.5.
#[pyfunction]
#[pyo3(signature = (body, *, dialect=DialectArgument::Default, url=None), text_signature = "(body, *, dialect='rfc9309', url=None)")]
pub fn parse(
    py: Python<'_>,
    body: &Bound<'_, PyAny>,
    dialect: DialectArgument,
    url: Option<&Bound<'_, PyAny>>,
) -> PyResult<RobotsTxt> {
    let dialect = Dialect::from_argument(&dialect, py)?;
    let url = url.map(|url| bytes_of(string("url", url)?).map(|bytes| Text(bytes.into_owned())));
    let bytes = body_bytes(body)?;
    if body.is_instance_of::<PyString>() {
        warn_of_name(py, &bytes)?;
    }
    RobotsTxt::new(py, &bytes, dialect, url.transpose()?)
}

/// Warn if a text looks like the name of what should have been read.
fn warn_of_name(py: Python<'_>, text: &[u8]) -> PyResult<()> {
    let reader = match named_by(text) {
        None => return Ok(()),
        Some(Named::File) => "the name of a file, which `verger.load` reads",
        Some(Named::Url) => "a URL, which `verger.fetch` fetches",
    };
    let message = CString::new(format!("the text looks like {reader}"))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
}

/// Return the product token in an identification string, or None if it is a person's browser's.
///
/// The first product that no browser sends counts, then what a comment or the end of it names.
///
/// >>> product_token("Mozilla/5.0 (compatible; ExampleBot/0.1; +https://example.com/bot)")
/// 'ExampleBot'
/// >>> product_token("ExampleBot/0.1 (compatible; Nutch/1.19)")
/// 'ExampleBot'
///
/// The result passes `check_product_token` in every dialect. RFC 9309 section 2.2.1; RFC 9110
/// section 10.1.5.
#[pyfunction]
pub fn product_token(header: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let header = bytes_of(string("header", header)?)?;
    Ok(verger_core::product_token(&String::from_utf8_lossy(&header)).map(str::to_string))
}

/// The names in an identification string, and what each is there for: `sender`, `beside` or
/// `mentioned`.
#[pyfunction]
pub fn _names_in(header: &Bound<'_, PyAny>) -> PyResult<Vec<(String, &'static str)>> {
    let header = string("header", header)?.to_string_lossy();
    let names = names_in(&header).into_iter();
    Ok(names.map(|(name, role)| (name.to_string(), role.name())).collect())
}

/// The name that a value of a start-group line begins with, or an empty text.
#[pyfunction]
pub fn _leading_name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let value = bytes_of(string("value", value)?)?;
    Ok(verger_core::internal::leading_name(&String::from_utf8_lossy(&value)).to_string())
}

/// The names that values of start-group lines begin with, but for `*`: each once.
#[pyfunction]
pub fn _names_of(values: Vec<Text>) -> Vec<String> {
    names_of(values.iter().map(|value| String::from_utf8_lossy(&value.0)))
}

/// Raise InvalidProductToken if a text cannot be the product token of a crawler.
///
/// A product token has the characters of a token (RFC 9110 section 5.6.2) except `#`, `*` and `|`,
/// and letters outside ASCII; a lone `*` means the groups of `*`. `original-1994` and
/// `koster-1996` cut a version after `/`, `googlebot-cpp` accepts any text.
///
/// token:    one, or several of one crawler; all of them are checked.
/// dialect:  the dialect in which files will be read.
/// Raises:   InvalidProductToken, whose hint suggests what was probably meant; UnknownName.
///
/// >>> check_product_token("ExampleBot")
/// >>> check_product_token("ExampleBot/0.1")
/// Traceback (most recent call last):
///     ...
/// verger.errors.InvalidProductToken: `ExampleBot/0.1` is not a product token: `/` at offset 10 (RFC 9309 section 2.2.1)
/// hint: pass `ExampleBot`
///
/// RFC 9309 section 2.2.1.
#[pyfunction]
#[pyo3(signature = (token, *, dialect=DialectArgument::Default), text_signature = "(token, *, dialect='rfc9309')")]
pub fn check_product_token(
    py: Python<'_>,
    token: &Bound<'_, PyAny>,
    dialect: DialectArgument,
) -> PyResult<()> {
    let dialect = Dialect::from_argument(&dialect, py)?;
    check_tokens(py, &tokens_of(token)?, &dialect.get().core)
}

fn check_tokens(py: Python<'_>, tokens: &[Text], dialect: &CoreDialect) -> PyResult<()> {
    tokens.iter().try_for_each(|token| check_token(py, &token.0, dialect))
}

/// Refuse what is not a product token in a dialect.
pub fn check_token(py: Python<'_>, token: &[u8], dialect: &CoreDialect) -> PyResult<()> {
    verger_core::check_product_token(token, dialect).map_err(|why| invalid_token(py, token, why))
}

/// Unpickle a file.
#[pyfunction]
pub fn _restore_robots(
    py: Python<'_>,
    bytes: &[u8],
    dialect: Py<Dialect>,
    url: Option<Text>,
) -> PyResult<RobotsTxt> {
    RobotsTxt::new(py, bytes, dialect, url)
}

/// Unpickle the rules of one crawler.
#[pyfunction]
#[pyo3(signature = (robots, tokens, follower=None))]
pub fn _restore_agent(
    robots: &Bound<'_, RobotsTxt>,
    tokens: Items<Text>,
    follower: Option<Items<Text>>,
) -> PyResult<Agent> {
    Ok(Agent { follower, ..agent_by(robots, tokens.0)? })
}

/// Unpickle a decision: decide again.
#[pyfunction]
pub fn _restore_decision(
    robots: &Bound<'_, RobotsTxt>,
    tokens: Items<Text>,
    url: &Bound<'_, PyAny>,
) -> PyResult<Decision> {
    agent_by(robots, tokens.0)?.decide(robots.py(), url)
}

/// Unpickle a decision about use: decide again.
#[pyfunction]
pub fn _restore_use(
    robots: &Bound<'_, RobotsTxt>,
    tokens: Items<Text>,
    url: &Bound<'_, PyAny>,
    purpose: &Bound<'_, PyAny>,
    policy_tokens: PolicyTokens,
) -> PyResult<UseDecision> {
    agent_by(robots, tokens.0)?.may_use(robots.py(), url, purpose, Some(policy_tokens))
}

/// The rules of one crawler, which keep their file alive.
pub fn agent_by(robots: &Bound<'_, RobotsTxt>, tokens: Vec<Text>) -> PyResult<Agent> {
    let core = robots.get().core_agent(robots.py(), tokens.clone())?;
    let source = Arc::clone(&robots.get().source);
    let robots = robots.clone().into_any().unbind();
    Ok(Agent { robots, source, tokens: Items(tokens), follower: None, core })
}

/// The most crawlers whose rules a file caches; the oldest are dropped, so that a caller with
/// endless tokens does not grow the file.
const AGENTS_KEPT: usize = 16;

struct Kept {
    tokens: Vec<Text>,
    agent: Arc<CoreAgent>,
}

/// One parsed robots.txt file, from `verger.parse`, `load` or `fetch`.
///
/// Every file has a meaning; `findings` reports what was tolerated (RFC 9309 section 2.3.1.5).
/// Frozen, equal to one of the same file in the same dialect, safe to share between threads.
///
/// >>> from verger import parse
/// >>> robots = parse("User-agent: *\nDisallow: /private\nSitemap: https://example.com/s.xml\n")
/// >>> robots.allowed("https://example.com/private/a", "ExampleBot")
/// False
/// >>> robots.decide("https://example.com/private/a", "ExampleBot").line
/// 2
/// >>> robots.sitemaps
/// ('https://example.com/s.xml',)
#[pyclass(frozen, module = "verger")]
pub struct RobotsTxt {
    pub source: Arc<Source>,
    agents: RwLock<Vec<Kept>>,
    hash: OnceLock<u64>,
    views: Views,
}

/// Values that were computed from the file on first use.
struct Views {
    body: PyOnceLock<Py<PyBytes>>,
    groups: PyOnceLock<Py<PyTuple>>,
    table: OnceLock<Arc<LineTable>>,
    lines: PyOnceLock<Py<Lines>>,
    records: PyOnceLock<Py<PyTuple>>,
    findings: PyOnceLock<Py<Findings>>,
    sitemaps: PyOnceLock<Py<PyTuple>>,
    fingerprint: OnceLock<String>,
}

impl Views {
    fn new() -> Self {
        Views {
            body: PyOnceLock::new(),
            groups: PyOnceLock::new(),
            table: OnceLock::new(),
            lines: PyOnceLock::new(),
            records: PyOnceLock::new(),
            findings: PyOnceLock::new(),
            sitemaps: PyOnceLock::new(),
            fingerprint: OnceLock::new(),
        }
    }
}

/// A view, made now or kept.
fn view<'py, T>(
    py: Python<'py>,
    kept: &PyOnceLock<Py<T>>,
    make: impl FnOnce() -> PyResult<Bound<'py, T>>,
) -> PyResult<Bound<'py, T>> {
    Ok(kept.get_or_try_init(py, || make().map(Bound::unbind))?.bind(py).clone())
}

impl RobotsTxt {
    fn new(
        py: Python<'_>,
        bytes: &[u8],
        dialect: Py<Dialect>,
        url: Option<Text>,
    ) -> PyResult<RobotsTxt> {
        Ok(RobotsTxt {
            source: Arc::new(Source::parse(py, bytes, dialect, url)?),
            agents: RwLock::new(Vec::new()),
            hash: OnceLock::new(),
            views: Views::new(),
        })
    }

    pub fn file(&self) -> &File {
        &self.source.file
    }

    fn line_table(&self) -> Arc<LineTable> {
        let make = || Arc::new(LineTable::of(self.file().clone()));
        Arc::clone(self.views.table.get_or_init(make))
    }

    /// The rules of a crawler, kept from an earlier question or made now.
    ///
    /// No lock is held when this returns: the caller may run Python code, and that code may use
    /// this file for another crawler.
    #[inline]
    fn agent_of(&self, py: Python<'_>, token: &Bound<'_, PyAny>) -> PyResult<Arc<CoreAgent>> {
        let one = token.cast::<PyString>().ok().and_then(|token| token.to_str().ok());
        let is_one =
            |tokens: &[Text], one: &str| matches!(tokens, [token] if token.0 == one.as_bytes());
        match one.and_then(|one| self.kept(|tokens| is_one(tokens, one))) {
            Some(agent) => Ok(agent),
            None => self.core_agent(py, tokens_of(token)?),
        }
    }

    fn core_agent(&self, py: Python<'_>, tokens: Vec<Text>) -> PyResult<Arc<CoreAgent>> {
        if let Some(agent) = self.kept(|kept| kept == tokens) {
            return Ok(agent);
        }
        let agent = Arc::new(self.select(py, &tokens)?);
        let mut kept = self.agents.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == AGENTS_KEPT {
            kept.remove(0);
        }
        kept.push(Kept { tokens, agent: agent.clone() });
        Ok(agent)
    }

    #[inline]
    fn kept(&self, is_it: impl Fn(&[Text]) -> bool) -> Option<Arc<CoreAgent>> {
        let kept = self.agents.read().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|kept| is_it(&kept.tokens)).map(|kept| kept.agent.clone())
    }

    fn select(&self, py: Python<'_>, tokens: &[Text]) -> PyResult<CoreAgent> {
        check_tokens(py, tokens, self.file().dialect())?;
        let tokens: Vec<&[u8]> = tokens.iter().map(|token| token.0.as_slice()).collect();
        Ok(self.file().agent_of_checked(&tokens))
    }
}

/// A product token, or several of one crawler.
pub fn tokens_of(token: &Bound<'_, PyAny>) -> PyResult<Vec<Text>> {
    if let Ok(one) = token.cast::<PyString>() {
        return Ok(vec![Text(bytes_of(one)?.into_owned())]);
    }
    let expected = "a str or a sequence of str";
    // Order matters, so a set is not accepted.
    let items = match is_sequence(token)? && !token.is_instance_of::<PyBytes>() {
        true => items(token, too_many_tokens)?,
        false => return Err(wrong_type("token", expected, token)),
    };
    let tokens = items
        .map(|item| {
            let item = item?;
            Ok(Text(bytes_of(string("token", &item)?)?.into_owned()))
        })
        .collect::<PyResult<Vec<_>>>()?;
    match tokens.is_empty() {
        true => Err(complain(token.py(), |_| Complaint::of_no_token())),
        false => Ok(tokens),
    }
}

#[pymethods]
impl RobotsTxt {
    /// Return whether the crawler may fetch the URL: the fast path of `decide`.
    ///
    /// url:      str, an absolute URL, or a path that begins with `/`. Its authority is checked
    ///           only if `parse` was given the file's URL.
    /// token:    str, a product token, or a sequence of those of one crawler.
    /// Returns:  bool.
    /// Raises:   InvalidTarget for an invalid URL, InvalidProductToken for an invalid token,
    ///           OutOfScope for a URL of another origin than the file's.
    ///
    /// >>> from verger import parse
    /// >>> robots = parse("User-agent: GPTBot\nDisallow: /\n")
    /// >>> robots.allowed("https://example.com/", "GPTBot")
    /// False
    /// >>> robots.allowed("/", ["ExampleBot-News", "ExampleBot"])
    /// True
    ///
    /// RFC 9309 section 2.2.2.
    fn allowed(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        token: &Bound<'_, PyAny>,
    ) -> PyResult<bool> {
        let agent = self.agent_of(py, token)?;
        self.source.allowed_by(py, url, &agent)
    }

    /// Decide one URL, with the line and the reason.
    ///
    /// url:      str, as in `allowed`.
    /// token:    str, or a sequence of them, as in `allowed`.
    /// Returns:  Decision.
    /// Raises:   as `allowed`.
    ///
    /// >>> from verger import parse
    /// >>> robots = parse("User-agent: *\nDisallow: /private\nAllow: /private/press\n")
    /// >>> decision = robots.decide("https://example.com/private/press/a", "ExampleBot")
    /// >>> decision.allowed, decision.line, decision.reason
    /// (True, 3, 'MOST_SPECIFIC_RULE')
    fn decide(
        slf: &Bound<'_, Self>,
        url: &Bound<'_, PyAny>,
        token: &Bound<'_, PyAny>,
    ) -> PyResult<Decision> {
        agent_by(slf, tokens_of(token)?)?.decide(slf.py(), url)
    }

    /// Decide many URLs in one call. Releases the GIL for 512 or more URLs.
    ///
    /// urls:     an iterable of str, each as in `allowed`.
    /// token:    str, or a sequence of them, as in `allowed`.
    /// Returns:  a list of bool, one for each URL, in order.
    /// Raises:   as `allowed`.
    ///
    /// >>> from verger import parse
    /// >>> parse("User-agent: *\nDisallow: /b\n").allowed_many(["/a", "/b"], "ExampleBot")
    /// [True, False]
    fn allowed_many(
        &self,
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        token: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyList>> {
        let agent = self.agent_of(py, token)?;
        allowed_many(py, &self.source, &agent, urls)
    }

    /// Return the rules of one crawler, to decide many URLs.
    ///
    /// token:    str, a product token, or a sequence of those of one crawler.
    /// Returns:  Agent.
    /// Raises:   InvalidProductToken.
    ///
    /// >>> from verger import parse
    /// >>> agent = parse("User-agent: *\nDisallow: /b\nCrawl-delay: 2\n").agent("ExampleBot")
    /// >>> agent.allowed("/b"), agent.crawl_delay
    /// (False, 2.0)
    fn agent(slf: &Bound<'_, Self>, token: &Bound<'_, PyAny>) -> PyResult<Agent> {
        agent_by(slf, tokens_of(token)?)
    }

    /// Return a short text that is the same for two files only if they say the same.
    ///
    /// crawlers:  a sequence of str, one product token for each crawler; None for all crawlers.
    /// records:   bool, whether records that do not say how content may be used count as well, such
    ///            as `Crawl-delay` and `Sitemap`.
    /// Returns:   str, 32 hexadecimal digits. Two files with the same one in the same dialect give
    ///            each of the crawlers the same answer to every URL and every use, and have the
    ///            same records about use. Two that say the same may still have different ones, if
    ///            their patterns have wildcards: `verger.analysis.diff` compares them exactly.
    /// Raises:    InvalidProductToken.
    ///
    /// >>> from verger import parse
    /// >>> one = parse("User-agent: *\nDisallow: /a\nDisallow: /a/b\n")
    /// >>> other = parse("# the same\nuser-agent: *\ndisallow: /a*\n")
    /// >>> one.fingerprint() == other.fingerprint()
    /// True
    #[pyo3(signature = (crawlers=None, *, records=false))]
    fn fingerprint(
        &self,
        py: Python<'_>,
        crawlers: Option<&Bound<'_, PyAny>>,
        records: bool,
    ) -> PyResult<String> {
        let tokens = crawlers.map(tokens_of).transpose()?;
        let tokens: Option<Vec<Vec<u8>>> =
            tokens.map(|tokens| tokens.into_iter().map(|token| token.0).collect());
        let about = About { crawlers: tokens.as_deref(), records };
        let is_usual = tokens.is_none() && !records;
        if let Some(known) = self.views.fingerprint.get().filter(|_| is_usual) {
            return Ok(known.clone());
        }
        let found = py.detach(|| fingerprint(self.file(), about));
        if let (Ok(found), true) = (&found, is_usual) {
            let _ = self.views.fingerprint.set(found.clone());
        }
        found.map_err(|(at, why)| {
            let tokens = tokens.as_deref().unwrap_or_default();
            invalid_token(py, tokens.get(at).map_or(&[][..], |token| token), why)
        })
    }

    /// Whether this file governs the origin of `url` (RFC 9309 section 2.3).
    ///
    /// Always true if `parse` was not given the file's URL; false for a file that is not
    /// `/robots.txt` at the root, which governs nothing.
    fn governs(&self, py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        let bytes = bytes_of(string("url", url)?)?;
        self.source.scope.governs(&bytes).map_err(|why| invalid_target(py, &bytes, why))
    }

    /// The bytes of the file, as received.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        view(py, &self.views.body, || Ok(PyBytes::new(py, self.file().bytes())))
    }

    /// The dialect that it was read in.
    #[getter]
    fn dialect(&self, py: Python<'_>) -> Py<Dialect> {
        self.source.dialect().clone_ref(py)
    }

    /// The URL that it came from, as given; None if it is unknown.
    #[getter]
    fn url(&self) -> Option<Text> {
        self.source.url().cloned()
    }

    /// How many bytes the dialect reads; fewer than `len(body)` if a limit cuts the file.
    #[getter]
    fn bytes_read(&self) -> u32 {
        self.file().extent().end
    }

    /// Whether the parsing limit was exceeded (RFC 9309 section 2.5).
    #[getter]
    fn truncated(&self) -> bool {
        self.file().extent().cut != Cut::Nothing
    }

    /// How a limit cut it: `cut at 511,993 bytes (parsing limit 512,000)`; None if it is
    /// whole.
    fn _how_cut(&self) -> Option<String> {
        self.file().how_cut()
    }

    /// That the dialect does not read lines about use, as sentences.
    fn _unread_of_use<'py>(&self, py: Python<'py>) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
        self.file().unread_of_use().into_iter().map(|said| words(py, said)).collect()
    }

    /// The groups, in file order.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let groups = 0..self.file().groups().len();
        view(py, &self.views.groups, || groups_of(py, self.file(), groups))
    }

    /// Every line of the file; their spans tile it. (If `decode_utf16` converted the file, spans are
    /// those of its UTF-8 form.)
    #[getter]
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Lines>> {
        view(py, &self.views.lines, || Lines::new(self.line_table(), &self.source).into_python(py))
    }

    /// The extension records that the dialect reads, as typed values (RFC 9309 section 2.2.4).
    #[getter]
    fn records<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        view(py, &self.views.records, || records::records(py, self.file(), self.source.origin()))
    }

    /// Everything that was tolerated, cut or skipped, by line.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Findings>> {
        view(py, &self.views.findings, || {
            Findings::new(self.line_table(), &self.source).into_python(py)
        })
    }

    /// The `Sitemap` values as written, in file order, duplicates kept.
    #[getter]
    fn sitemaps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let bytes = self.file().bytes();
        let texts = self.file().sitemaps().into_iter().map(|span| text(py, span.of(bytes)));
        view(py, &self.views.sitemaps, || PyTuple::new(py, texts.collect::<PyResult<Vec<_>>>()?))
    }

    /// Return `url` without the query parameters that `Clean-param` marks as insignificant.
    fn clean<'py>(
        &self,
        py: Python<'py>,
        url: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyString>> {
        let clean = self.source.ask(py, url, |bytes, _| self.file().clean_url(bytes))?;
        text(py, &clean)
    }

    fn __repr__(&self) -> String {
        let (bytes, groups) = (self.source.given_bytes().len(), self.file().groups());
        let (groups, rules) = (groups.len(), groups.rules().len());
        let dialect = single_quoted(self.source.dialect().get().name());
        let (bytes, groups, rules) =
            (count(bytes, "byte"), count(groups, "group"), count(rules, "rule"));
        format!("RobotsTxt({bytes}, {groups}, {rules}, dialect={dialect})")
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        in_notebook("of_file", slf)
    }

    fn __eq__(&self, other: PyRef<'_, Self>) -> bool {
        std::ptr::eq(self, &*other)
            || self.source.given_bytes() == other.source.given_bytes()
                && self.file().dialect() == other.file().dialect()
                && self.source.dialect().get().name() == other.source.dialect().get().name()
                && self.source.url() == other.source.url()
    }

    /// Counted once: decisions about a large file are hashed with it.
    fn __hash__(&self) -> u64 {
        *self.hash.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            (self.source.given_bytes(), self.file().dialect(), self.source.url()).hash(&mut hasher);
            hasher.finish()
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, SourceState<'py>)> {
        let restore = py.import("verger._core")?.getattr("_restore_robots")?;
        Ok((restore, self.source.state(py)))
    }
}
