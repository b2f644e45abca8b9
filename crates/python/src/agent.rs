//! `Agent`: the rules of one crawler, and other values of the file for it.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use verger_core::record::seconds;
use verger_core::{Agent as CoreAgent, File};

use crate::decision::Decision;
use crate::many::allowed_many;
use crate::records::{minute_of_day, ContentSignal, RequestRate, VisitTime};
use crate::source::{PolicyTokens, Source};
use crate::text::{count, quoted, string, Items, Text};
use crate::uses::{Crawler, UseDecision};
use crate::values::{groups_of, rules_of};

/// The rules of one crawler in one file, from `RobotsTxt.agent`.
///
/// Rules are compiled lazily. Properties hold other values of the file for the crawler.
///
/// >>> from verger import parse
/// >>> agent = parse("User-agent: GPTBot\nDisallow: /\n").agent("GPTBot")
/// >>> agent.named, agent.posture
/// (True, 'none')
/// >>> agent.decide("/a").line
/// 2
#[pyclass(frozen, module = "verger")]
pub struct Agent {
    // The Python object of the file.
    /// The file.
    #[pyo3(get)]
    pub robots: Py<PyAny>,
    pub source: Arc<Source>,
    /// The product tokens of the crawler, as asked for.
    #[pyo3(get)]
    pub tokens: Items<Text>,
    /// The product tokens of the crawler that follows it, if it is another.
    pub follower: Option<Items<Text>>,
    pub core: Arc<CoreAgent>,
}

impl Agent {
    fn file(&self) -> &File {
        self.core.file()
    }

    /// The product tokens of the crawler that is asked about.
    fn asked(&self) -> &Items<Text> {
        self.follower.as_ref().unwrap_or(&self.tokens)
    }
}

#[pymethods]
impl Agent {
    /// Return whether the crawler may fetch the URL.
    ///
    /// url:      str, an absolute URL, or a path that begins with `/`.
    /// Returns:  bool.
    /// Raises:   InvalidTarget, OutOfScope.
    ///
    /// >>> from verger import parse
    /// >>> parse("User-agent: *\nDisallow: /b\n").agent("ExampleBot").allowed("/b")
    /// False
    fn allowed(&self, py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.source.allowed_by(py, url, &self.core)
    }

    /// Decide one URL, with the line and the reason.
    ///
    /// url:      str, as in `allowed`.
    /// Returns:  Decision.
    /// Raises:   as `allowed`.
    ///
    /// >>> from verger import parse
    /// >>> parse("User-agent: *\nDisallow: /b\n").agent("ExampleBot").decide("/b").line
    /// 2
    pub fn decide(&self, py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<Decision> {
        let outcome = self.source.ask(py, url, |_, target| self.core.check(target))?;
        Ok(Decision {
            robots: self.robots.clone_ref(py),
            source: Arc::clone(&self.source),
            tokens: self.tokens.clone(),
            agent: self.core.clone(),
            url: string("url", url)?.clone().unbind(),
            outcome,
        })
    }

    /// Decide whether the content of a URL may be used for a purpose, and which lines say so.
    ///
    /// The rules of the crawler, groups for policy tokens, `Content-Signal` and, if the dialect
    /// reads it, `Content-Usage` are heard; any that disallows the use decides, then any that
    /// allows it. A rule that only allows fetching allows no use.
    ///
    /// url:            str, as in `allowed`.
    /// purpose:        `search`, `ai-input` (answering from it) or `ai-train`.
    /// policy_tokens:  the product tokens that stand for this use, of the crawler's operator and of
    ///                 everyone, each with the document that says so; by default those that the
    ///                 registry knows (`verger.crawlers.policy_tokens`). For one of these itself,
    ///                 the groups of `*` do not speak.
    /// Returns:        UseDecision.
    /// Raises:         UnknownName for an unknown purpose, InvalidProductToken for a policy token,
    ///                 and as `allowed`.
    ///
    /// >>> from verger import parse
    /// >>> agent = parse("User-agent: *\nContent-Signal: ai-train=no\n").agent("ExampleBot")
    /// >>> decision = agent.may_use("/a", "ai-train")
    /// >>> decision.allowed, decision.line
    /// (False, 2)
    /// >>> robots = parse("User-agent: Google-Extended\nDisallow: /\n")
    /// >>> robots.agent("Googlebot").may_use("/a", "ai-train").allowed
    /// False
    #[pyo3(signature = (url, purpose, *, policy_tokens=None))]
    pub fn may_use(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        purpose: &Bound<'_, PyAny>,
        policy_tokens: Option<PolicyTokens>,
    ) -> PyResult<UseDecision> {
        let crawler = Crawler { tokens: &self.tokens, asked: self.asked(), agent: &self.core };
        UseDecision::of(self.robots.bind(py), &self.source, crawler, url, purpose, policy_tokens)
    }

    /// Return the same rules for a crawler that follows this one: its own operator speaks about
    /// use.
    fn _followed_by(&self, py: Python<'_>, tokens: Items<Text>) -> Agent {
        let (robots, source) = (self.robots.clone_ref(py), Arc::clone(&self.source));
        let (own, core) = (self.tokens.clone(), Arc::clone(&self.core));
        Agent { robots, source, tokens: own, follower: Some(tokens), core }
    }

    /// Return the rules that speak about use: the groups of `*` do not for a policy token.
    fn _speaking_of_use(slf: PyRef<'_, Self>) -> PyResult<Py<Agent>> {
        let py = slf.py();
        let Some(speaking) = slf.core.speaking_of_use(&slf.asked().0) else {
            return Ok(slf.into());
        };
        let (robots, source) = (slf.robots.clone_ref(py), Arc::clone(&slf.source));
        let (tokens, core) = (slf.tokens.clone(), Arc::new(speaking));
        Py::new(py, Agent { robots, source, tokens, follower: None, core })
    }

    /// Decide many URLs in one call. Releases the GIL for 512 or more URLs.
    ///
    /// urls:     an iterable of str, each as in `allowed`.
    /// Returns:  a list of bool, one for each URL, in order.
    /// Raises:   as `allowed`.
    ///
    /// >>> from verger import parse
    /// >>> agent = parse("User-agent: *\nDisallow: /b\n").agent("ExampleBot")
    /// >>> agent.allowed_many(["/a", "/b"])
    /// [True, False]
    fn allowed_many(&self, py: Python<'_>, urls: &Bound<'_, PyAny>) -> PyResult<Py<PyList>> {
        allowed_many(py, &self.source, &self.core, urls)
    }

    /// The groups that this crawler follows, in file order.
    #[getter]
    fn groups<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let groups = self.core.selection().groups.iter().map(|group| *group as usize);
        groups_of(py, self.file(), groups)
    }

    /// Whether a group names this crawler; if not, it follows the wildcard groups.
    #[getter]
    fn named(&self) -> bool {
        self.core.selection().named
    }

    /// How much of the site this crawler may fetch, by its rules (RFC 9309 section 2.2.2).
    ///
    /// Exact: proved from the rules, not found by testing sample URLs. `unknown` if the proof would
    /// take too many steps: their number is bounded by the length of the file, and the answer is
    /// the same on every machine. `/robots.txt` itself, which may always be fetched, does not
    /// count.
    #[getter]
    fn posture(&self) -> &'static str {
        self.core.stance().posture.name()
    }

    /// The rules of its groups, in file order.
    #[getter]
    fn rules<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        rules_of(py, self.file(), self.core.rules().map(|(index, _)| index))
    }

    /// Seconds between two requests: the largest valid value, however large; at most 30 in bing.
    ///
    /// None also if the dialect does not read `Crawl-delay`: see `Dialect.extensions`.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.core.crawl_delay().as_deref().map(seconds)
    }

    /// The rate that applies at all times: the first without a window, otherwise the first.
    #[getter]
    fn request_rate(&self) -> Option<RequestRate> {
        self.core.request_rate().map(RequestRate::of)
    }

    /// Every rate of the crawler's groups, in file order.
    #[getter]
    fn request_rates<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let rates = self.core.request_rates();
        PyTuple::new(py, rates.into_iter().map(RequestRate::of))
    }

    /// The rate that applies at a minute of the day, UTC: the first whose window contains it,
    /// otherwise the first without a window.
    fn request_rate_at(&self, minute: i64) -> PyResult<Option<RequestRate>> {
        let minute = minute_of_day(minute)?;
        Ok(self.core.request_rate_at(minute).map(RequestRate::of))
    }

    /// The hours in which to visit: the first valid window of the crawler's groups.
    #[getter]
    fn visit_time(&self) -> Option<VisitTime> {
        self.core.visit_time().map(VisitTime::of)
    }

    /// The site's signals for search, AI input and AI training; the most restrictive wins.
    #[getter]
    fn content_signals(&self) -> ContentSignal {
        ContentSignal::of(self.core.content_signals())
    }

    /// The usage preferences for one URL: `train-ai`, `search` and `ai-use`, as far as the
    /// file sets them.
    ///
    /// None if the dialect does not read the field. Empty if the file sets none, and for a URL
    /// that may not be fetched, which has no preferences (draft-ietf-aipref-attach-05).
    ///
    /// Content-Usage is a draft and off in every named dialect: turn it on with
    /// `extensions=(*verger.RFC9309.extensions, "content-usage")`.
    ///
    /// Raises: InvalidTarget, OutOfScope as `allowed` does.
    fn content_usage<'py>(
        &self,
        py: Python<'py>,
        url: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        let usage = self.source.ask(py, url, |_, target| self.core.content_usage(target))?;
        let Some(usage) = usage else { return Ok(None) };
        let preferences = PyDict::new(py);
        for (label, answer) in usage.labels() {
            if let Some(answer) = answer {
                preferences.set_item(label, answer)?;
            }
        }
        Ok(Some(preferences))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rules = count(self.core.rules().count(), "rule");
        let tokens: Vec<String> =
            self.tokens.0.iter().map(|token| quoted(py, &token.0)).collect::<PyResult<_>>()?;
        Ok(format!("Agent({}, {rules})", tokens.join(", ")))
    }

    fn __eq__(&self, other: PyRef<'_, Self>, py: Python<'_>) -> PyResult<bool> {
        let are_equal = self.tokens == other.tokens && self.asked() == other.asked();
        Ok(are_equal && self.robots.bind(py).eq(&other.robots)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        (self.robots.bind(py).hash()?, &self.tokens).hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, AgentState)> {
        let restore = py.import("verger._core")?.getattr("_restore_agent")?;
        Ok((restore, (self.robots.clone_ref(py), self.tokens.clone(), self.follower.clone())))
    }
}

/// File, tokens, and those of the crawler that follows them.
pub type AgentState = (Py<PyAny>, Items<Text>, Option<Items<Text>>);
