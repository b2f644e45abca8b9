//! `Source`: a parsed file with its inputs, which every object made from it holds.
//!
//! In: bytes, a dialect, and their URL. Out: decisions about URLs, and exceptions for URLs that it
//! does not decide. It does not depend on the Python classes, so each of them can build on it
//! without the others.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use verger_core::internal::Complaint;
use verger_core::{Agent, File, Origin, Refusal, Scope, Target, Use, UseRules};

use crate::dialect::Dialect;
use crate::errors::complain;
use crate::text::{bytes_of, string, Items, Text};

/// A parsed file, and its inputs.
pub struct Source {
    pub file: File,
    pub scope: Scope,
    given: Option<Box<[u8]>>,
    dialect: Py<Dialect>,
    url: Option<Text>,
    uses: Mutex<Vec<Arc<Asked>>>,
}

/// The product tokens that stand for a use, each with the document that says so.
pub type PolicyTokens = Items<(Text, Text)>;

/// What a file says to one crawler about one use, as it was asked for.
pub struct Asked {
    pub tokens: Items<Text>,
    pub agent: Arc<Agent>,
    /// The rules that speak about use: those of the agent, unless it is of a policy token.
    pub speaking: Arc<Agent>,
    pub purpose: Use,
    /// Whether the policy tokens were given, and are not those that are known.
    pub are_given: bool,
    pub policy_tokens: PolicyTokens,
    pub rules: UseRules,
}

/// The most crawlers and uses of one file whose rules are kept; the oldest are dropped.
const USES_KEPT: usize = 16;

/// The inputs to parse a file again: bytes, dialect and URL.
pub type SourceState<'py> = (Bound<'py, PyBytes>, Py<Dialect>, Option<Text>);

impl Source {
    pub fn parse(
        py: Python<'_>,
        bytes: &[u8],
        dialect: Py<Dialect>,
        url: Option<Text>,
    ) -> PyResult<Source> {
        let scope = match &url {
            None => Scope::Anything,
            Some(url) => {
                let told = |why| complain(py, |show| Complaint::of_file_url(&url.0, why, show));
                Scope::of_file(&url.0).map_err(told)?
            }
        };
        let file = File::parse(bytes, &dialect.get().core);
        let given = (file.bytes() != bytes).then(|| bytes.into());
        Ok(Source { file, scope, given, dialect, url, uses: Mutex::default() })
    }

    pub fn dialect(&self) -> &Py<Dialect> {
        &self.dialect
    }

    pub fn url(&self) -> Option<&Text> {
        self.url.as_ref()
    }

    pub fn origin(&self) -> Option<&Origin> {
        self.scope.origin()
    }

    /// What was asked about use before. No Python code may run while it is held.
    pub fn uses(&self) -> MutexGuard<'_, Vec<Arc<Asked>>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn keep_use(&self, asked: Arc<Asked>) {
        let mut kept = self.uses();
        if kept.len() == USES_KEPT {
            kept.remove(0);
        }
        kept.push(asked);
    }

    /// The bytes before any conversion.
    pub fn given_bytes(&self) -> &[u8] {
        self.given.as_deref().unwrap_or(self.file.bytes())
    }

    /// The target of a URL that the file governs. Needs no Python.
    #[inline]
    pub fn target<'u>(&self, url: &'u [u8]) -> Result<Target<'u>, Refusal> {
        self.file.target_within(&self.scope, url)
    }

    /// The exception for a question that is refused.
    #[cold]
    pub fn refuse(&self, py: Python<'_>, url: &[u8], why: Refusal) -> PyErr {
        let file = self.url().map_or(&[][..], |url| &url.0);
        complain(py, |show| Complaint::of_refusal(url, why, &self.scope, file, show))
    }

    /// Decide a URL, given its bytes and its target.
    #[inline]
    pub fn ask<R>(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        answer: impl FnOnce(&[u8], &Target) -> R,
    ) -> PyResult<R> {
        let bytes = bytes_of(string("url", url)?)?;
        let target = self.target(&bytes).map_err(|why| self.refuse(py, &bytes, why))?;
        Ok(answer(&bytes, &target))
    }

    #[inline]
    pub fn allowed_by(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        agent: &Agent,
    ) -> PyResult<bool> {
        self.ask(py, url, |_, target| agent.check(target).allowed)
    }

    pub fn state<'py>(&self, py: Python<'py>) -> SourceState<'py> {
        let given = PyBytes::new(py, self.given_bytes());
        (given, self.dialect.clone_ref(py), self.url.clone())
    }

    /// A `RobotsTxt` parsed again, for views that are pickled as views of their file.
    pub fn read_again<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("verger._core")?.getattr("_restore_robots")?.call1(self.state(py))
    }
}
