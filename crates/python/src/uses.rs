//! `UseDecision`: may the content of a URL be used for a purpose, and which lines say so?

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::IntoPyObjectExt;

use verger_core::internal::{
    are_policy_tokens, dialect_of, own_dialect, policy_tokens, verdict, Policy, SILENT,
};
use verger_core::{Agent as CoreAgent, Mechanism, Span, Use, UseOutcome, UseSignal as CoreSignal};

use crate::dialect::Dialect;
use crate::errors::{invalid_token, unknown_use};
use crate::explanation::{parts, Parts};
use crate::source::{Asked, PolicyTokens, Source};
use crate::text::{bytes_of, string, Items, Text};
use crate::value_class::value_class;

value_class! {
    /// What one mechanism says about one use.
    UseSignal {
        /// The mechanism: `crawl-rules`, `policy-token`, `content-signal`, `content-usage` or
        /// `license`.
        mechanism: String,
        /// `allow`, `disallow` or `silent`.
        verdict: String,
        /// The number of the line that says so, from 1; None if none does.
        line: Option<u32>,
        /// The path pattern that it is limited to, as written; None for every path.
        pattern: Option<Text>,
        /// The document that says what the mechanism means.
        section: Text,
        /// The policy token, if it is one, or is said in a group that names one; `a,b` if several do.
        token: Option<Text>,
        /// The span of the words that say so in the file.
        span: Option<(u32, u32)>,
    }
    defaults (mechanism, verdict, line=None, pattern=None, section=Text(Vec::new()), token=None, span=None)
}

/// Of whom it is asked.
#[derive(Clone, Copy)]
pub struct Crawler<'c> {
    /// The product tokens whose rules these are.
    pub tokens: &'c Items<Text>,
    /// Those of the crawler itself, which may follow another.
    pub asked: &'c Items<Text>,
    pub agent: &'c Arc<CoreAgent>,
}

/// What an agent was asked for, kept from an earlier question or made now.
fn asked_of(
    py: Python<'_>,
    source: &Source,
    Crawler { asked: tokens, agent, .. }: Crawler<'_>,
    purpose: Use,
    given: Option<PolicyTokens>,
) -> PyResult<Arc<Asked>> {
    let is_it = |kept: &&Arc<Asked>| {
        let are_they = given.as_ref().is_none_or(|given| kept.policy_tokens == *given);
        Arc::ptr_eq(&kept.agent, agent)
            && (kept.purpose, kept.are_given) == (purpose, given.is_some())
            && are_they
            && kept.tokens == *tokens
    };
    if let Some(kept) = source.uses().iter().find(is_it) {
        return Ok(Arc::clone(kept));
    }
    let are_given = given.is_some();
    let policy_tokens = given.unwrap_or_else(|| known_policy_tokens(&tokens.0, purpose));
    let words: Vec<&[u8]> = policy_tokens.0.iter().map(|(token, _)| &token.0[..]).collect();
    for word in words.iter().filter(|_| are_given) {
        let checked = verger_core::check_product_token(word, agent.file().dialect());
        checked.map_err(|why| invalid_token(py, word, why))?;
    }
    let speaking = agent.speaking_of_use(&tokens.0).map_or_else(|| Arc::clone(agent), Arc::new);
    let rules = speaking.use_rules_of_checked(purpose, &words);
    let (tokens, agent) = (tokens.clone(), Arc::clone(agent));
    let made =
        Arc::new(Asked { tokens, agent, speaking, purpose, are_given, policy_tokens, rules });
    source.keep_use(Arc::clone(&made));
    Ok(made)
}

fn known_policy_tokens(tokens: &[Text], purpose: Use) -> PolicyTokens {
    let text = |text: &str| Text(text.into());
    let known = policy_tokens(tokens, purpose);
    Items(known.map(|each| (text(each.token), text(each.title))).collect())
}

/// The product tokens that stand for a use of what a crawler fetches, its operator's and everyone's,
/// each with the title of the page that says so.
#[pyfunction]
pub fn _policy_tokens(tokens: Items<Text>, purpose: &Bound<'_, PyAny>) -> PyResult<PolicyTokens> {
    Ok(known_policy_tokens(&tokens.0, purpose_of(purpose.py(), purpose)?))
}

/// Whether no crawler sends these tokens.
#[pyfunction]
pub fn _are_policy_tokens(tokens: Items<Text>) -> bool {
    are_policy_tokens(&tokens.0)
}

/// The dialect in which a crawler reads, if it is another than that which is asked about; with the
/// same knobs changed.
#[pyfunction]
pub fn _own_dialect(token: Text, asked: &Bound<'_, Dialect>) -> PyResult<Option<Py<Dialect>>> {
    let own = own_dialect(&token.0, &asked.get().core);
    own.map(|core| Dialect::of(asked.py(), core)).transpose()
}

/// The name of the dialect in which a crawler reads; none if its operator says nothing of it.
#[pyfunction]
pub fn _dialect_of_crawler(token: Text) -> Option<&'static str> {
    dialect_of(&token.0).map(|dialect| dialect.name)
}

/// Every use: its name, its label in `Content-Usage`, what each of them means, and the purpose of the
/// crawlers that fetch for it.
pub fn vocabulary(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let row = |it: Use| (it.name(), it.label(), it.means(), it.label_means(), it.purpose());
    PyTuple::new(py, Use::ALL.map(row))
}

/// A purpose by its name.
pub fn purpose_of(py: Python<'_>, purpose: &Bound<'_, PyAny>) -> PyResult<Use> {
    let name = String::from_utf8_lossy(&bytes_of(string("purpose", purpose)?)?).into_owned();
    let known = Use::ALL.map(Use::name);
    Use::named(&name).ok_or_else(|| unknown_use(py, &name, &known))
}

/// Whether the content of a URL may be used for a purpose, with the lines that say so. Use
/// `.allowed`; `bool(decision)` is an error.
///
/// From `Agent.may_use` and `verger.crawlers.may_use`. Frozen, comparable, and can be pickled. It
/// is not legal advice.
///
/// >>> from verger import parse
/// >>> robots = parse("User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow: /a\n")
/// >>> robots.agent("ExampleBot").may_use("/b", "ai-train")
/// UseDecision(disallowed, purpose=ai-train, line=2, reason=CONTENT_SIGNAL)
/// >>> robots.agent("ExampleBot").may_use("/b", "ai-input").allowed is None
/// True
#[pyclass(frozen, module = "verger")]
pub struct UseDecision {
    // The Python object of the file.
    /// The file that answered.
    #[pyo3(get)]
    robots: Py<PyAny>,
    source: Arc<Source>,
    /// The product tokens of the crawler, as asked for.
    #[pyo3(get)]
    tokens: Items<Text>,
    /// The URL as given.
    #[pyo3(get)]
    url: Py<PyString>,
    asked: Arc<Asked>,
    outcome: UseOutcome,
}

impl UseDecision {
    /// Ask the agent of a crawler in a file, which `robots` is in Python.
    pub fn of(
        robots: &Bound<'_, PyAny>,
        source: &Arc<Source>,
        crawler: Crawler<'_>,
        url: &Bound<'_, PyAny>,
        purpose: &Bound<'_, PyAny>,
        policy_tokens: Option<PolicyTokens>,
    ) -> PyResult<UseDecision> {
        let py = robots.py();
        let purpose = purpose_of(py, purpose)?;
        let asked = asked_of(py, source, crawler, purpose, policy_tokens)?;
        let outcome =
            source.ask(py, url, |_, target| asked.rules.check(&asked.speaking, target))?;
        Ok(UseDecision {
            robots: robots.clone().unbind(),
            source: Arc::clone(source),
            tokens: crawler.tokens.clone(),
            url: string("url", url)?.clone().unbind(),
            asked,
            outcome,
        })
    }

    fn text_of(&self, span: Span) -> Text {
        Text(span.of(self.source.file.bytes()).to_vec())
    }

    fn signal(&self, place: usize) -> UseSignal {
        let core = &self.outcome.signals[place];
        let policies = self.policies();
        UseSignal {
            mechanism: core.mechanism.name().into(),
            verdict: core.verdict().into(),
            line: core.line,
            pattern: core.pattern.map(|span| self.text_of(span)),
            section: Text(self.outcome.section_of(place, &policies)),
            token: self.outcome.token_named(place, &policies).map(Text),
            span: core.words.map(|span| (span.start, span.end)),
        }
    }

    fn policies(&self) -> Vec<Policy<'_>> {
        let known = self.asked.policy_tokens.0.iter();
        known.map(|(token, title)| (&token.0[..], &title.0[..])).collect()
    }

    fn deciding(&self) -> Option<&CoreSignal> {
        self.outcome.deciding()
    }
}

#[pymethods]
impl UseDecision {
    /// Whether the use is allowed; None if no line mentions it, which is no permission.
    #[getter]
    fn allowed(&self) -> Option<bool> {
        self.outcome.allowed
    }

    /// The use that was asked about: `search`, `ai-input` or `ai-train`.
    #[getter]
    fn purpose(&self) -> &'static str {
        self.asked.purpose.name()
    }

    /// The mechanism that decided: `CRAWL_RULES`, `POLICY_TOKEN`, `CONTENT_SIGNAL` or
    /// `CONTENT_USAGE`; `NO_SIGNAL` if none did.
    #[getter]
    fn reason(&self) -> &'static str {
        Mechanism::reason(self.deciding().map(|signal| signal.mechanism))
    }

    /// The document that says what this mechanism means; None if none decided.
    #[getter]
    fn section(&self) -> Option<Text> {
        self.outcome.deciding_place().map(|place| self.signal(place).section)
    }

    /// The 1-based line that decided; None if none did.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.deciding().and_then(|signal| signal.line)
    }

    /// What each mechanism says that the dialect reads, also those that say nothing.
    #[getter]
    fn signals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let places = 0..self.outcome.signals.len();
        PyTuple::new(py, places.map(|place| self.signal(place)).collect::<Vec<_>>())
    }

    /// The signals that contradict each other: pairs of one that allows the use and one that does
    /// not.
    #[getter]
    fn conflicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let conflicts = self.outcome.conflicts().into_iter();
        let pairs = conflicts.map(|(yes, no)| (self.signal(yes), self.signal(no)));
        PyTuple::new(py, pairs.collect::<Vec<_>>())
    }

    /// The URLs of the site's licences, as written: conditions of every use, never a verdict.
    #[getter]
    fn licenses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let urls = self.asked.rules.licenses().map(|span| self.text_of(span));
        PyTuple::new(py, urls.collect::<Vec<_>>())
    }

    /// How much of the content may be shown: the key `use` of `Content-Signal`; None if unset.
    #[getter]
    fn r#use(&self) -> Option<&'static str> {
        self.asked.rules.extent().map(|extent| extent.name())
    }

    /// The product tokens that stand for the use, each with the document that says so, as given.
    #[getter]
    fn policy_tokens(&self) -> PolicyTokens {
        self.asked.policy_tokens.clone()
    }

    /// Return the lines of the file that speak about the use, as `verger check --use` prints
    /// them.
    ///
    /// verbose:  also name the mechanisms that are silent.
    ///
    /// >>> from verger import parse
    /// >>> robots = parse("User-agent: *\nContent-Signal: ai-train=no\n")
    /// >>> print(robots.agent("ExampleBot").may_use("/", "ai-train").explain())
    /// disallowed for ai-train by line 2
    /// <BLANKLINE>
    ///   1 | User-agent: *
    ///   2 | Content-Signal: ai-train=no
    ///     |                 ^^^^^^^^^^^ disallows it (draft-romm-aipref-contentsignals-00)
    #[pyo3(signature = (*, verbose=false))]
    fn explain<'py>(slf: &Bound<'py, Self>, verbose: bool) -> PyResult<Bound<'py, PyAny>> {
        let uses = slf.py().import("verger.showing.uses")?;
        uses.call_method1("explained", (slf, verbose))
    }

    /// The parts of that text: what decided, the highest number of a line, the lines, and what
    /// is to be said about them. `verger.showing.uses` draws them.
    #[pyo3(signature = (*, verbose))]
    fn _explanation<'py>(&self, py: Python<'py>, verbose: bool) -> PyResult<Told<'py>> {
        let tokens: Vec<&[u8]> = self.tokens.0.iter().map(AsRef::as_ref).collect();
        let (file, policies) = (&self.source.file, self.policies());
        let rules = &self.asked.rules;
        let (told, remarks) = rules.explain(file, &self.outcome, &tokens, &policies, verbose);
        Ok((told.because, told.widest, parts(py, told.lines)?, parts(py, remarks)?))
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "a UseDecision is neither true nor false: ask `decision.allowed`, which may be None",
        ))
    }

    fn __repr__(&self) -> String {
        let verdict = verdict(self.outcome.allowed, SILENT);
        let line = self.line().map_or(String::new(), |line| format!("line={line}, "));
        let (purpose, reason) = (self.purpose(), self.reason());
        format!("UseDecision({verdict}, purpose={purpose}, {line}reason={reason})")
    }

    fn __eq__(&self, other: PyRef<'_, Self>, py: Python<'_>) -> PyResult<bool> {
        Ok(self.asked.purpose == other.asked.purpose
            && self.asked.policy_tokens == other.asked.policy_tokens
            && self.outcome == other.outcome
            && self.tokens == other.tokens
            && self.url.bind(py).as_any().eq(&other.url)?
            && self.robots.bind(py).eq(&other.robots)?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        let (robots, url) = (self.robots.bind(py).hash()?, self.url.bind(py).hash()?);
        (robots, url, &self.tokens, self.asked.purpose, self.outcome.allowed).hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, UseState)> {
        let restore = py.import("verger._core")?.getattr("_restore_use")?;
        let (robots, url) = (self.robots.clone_ref(py), self.url.clone_ref(py));
        Ok((restore, (robots, self.tokens.clone(), url, self.purpose(), self.policy_tokens())))
    }
}

/// An explanation.
type Told<'py> = (String, u32, Parts<'py>, Parts<'py>);

/// File, tokens, URL, use, and policy tokens.
type UseState = (Py<PyAny>, Items<Text>, Py<PyString>, &'static str, PolicyTokens);
