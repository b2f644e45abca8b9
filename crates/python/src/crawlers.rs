//! Crawlers, by what their operators say of them: whose groups bind each, in files.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::IntoPyObjectExt;

use verger_core::internal::{
    documented, numbers_of_alike, remark_on, special_bindings, Binding, Bound as CoreBound,
    BoundIn, Crawlers, Followed, NamedCrawler,
};
use verger_core::{
    check_product_token, Agent as CoreAgent, Dialect as CoreDialect, File, InvalidProductToken,
};

use crate::agent::Agent;
use crate::dialect::Dialect;
use crate::errors::invalid_token;
use crate::robots::{agent_by, RobotsTxt};
use crate::text::{Items, Text};

/// Crawlers, each with one product token, to look up in many files of a dialect.
#[pyclass(frozen, module = "verger._core")]
pub struct _Crawlers {
    tokens: Vec<Text>,
    bound: CoreBound,
}

#[pymethods]
impl _Crawlers {
    #[new]
    fn new(
        py: Python<'_>,
        tokens: Vec<Text>,
        by_operators: bool,
        dialect: &Dialect,
    ) -> PyResult<Self> {
        let bound = CoreBound::new(&tokens, by_operators, &dialect.core);
        let bound = bound.map_err(|wrong| refused(py, &tokens, wrong))?;
        Ok(_Crawlers { tokens, bound })
    }

    /// The places of the crawlers that groups of a file bind by a name.
    fn naming(&self, py: Python<'_>, robots: &RobotsTxt) -> Vec<usize> {
        let followed = py.detach(|| self.bound.in_file(robots.file())).followed.into_iter();
        let named = followed.enumerate().filter(|(_, whose)| matches!(whose, Followed::Named(_)));
        named.map(|(place, _)| place).collect()
    }

    /// The rules of each; none of those that no group binds, not even that of `*`.
    fn agents(&self, robots: &Bound<'_, RobotsTxt>) -> Vec<Option<Agent>> {
        let star = Arc::new(robots.get().file().wildcard_agent());
        self.agents_in(robots, &star)
    }
}

impl _Crawlers {
    /// The rules of each; none of those that no group binds.
    ///
    /// star: the rules of those that only the groups of `*` bind.
    fn agents_in(
        &self,
        robots: &Bound<'_, RobotsTxt>,
        star: &Arc<CoreAgent>,
    ) -> Vec<Option<Agent>> {
        let file = robots.get().file();
        let BoundIn { named, followed } = robots.py().detach(|| self.bound.in_file(file));
        let named: HashMap<usize, Arc<CoreAgent>> =
            named.into_iter().map(|(place, agent)| (place, Arc::new(agent))).collect();
        let agent = |(whose, token): (Followed<usize>, &Text)| match whose {
            Followed::Named(place) => {
                let of = self.bound.token_of_followed(place);
                Some(agent_of(robots, token, of, Arc::clone(&named[&place])))
            }
            Followed::Star => Some(agent_of(robots, token, None, Arc::clone(star))),
            Followed::Nobody => None,
        };
        followed.into_iter().zip(&self.tokens).map(agent).collect()
    }
}

/// The rules of a crawler, or of another that it follows.
fn agent_of(
    robots: &Bound<'_, RobotsTxt>,
    token: &Text,
    followed: Option<&'static str>,
    core: Arc<CoreAgent>,
) -> Agent {
    let own = Items(vec![token.clone()]);
    let (tokens, follower) = match followed {
        Some(other) => (Items(vec![Text(other.into())]), Some(own)),
        None => (own, None),
    };
    let source = Arc::clone(&robots.get().source);
    Agent { robots: robots.clone().into_any().unbind(), source, tokens, follower, core }
}

/// The rules of a crawler, as its operator says whose groups it follows; none if no group binds it,
/// not even that of `*`.
#[pyfunction]
pub fn _agent_of(robots: &Bound<'_, RobotsTxt>, token: Text) -> PyResult<Option<Agent>> {
    let own = agent_by(robots, vec![token.clone()])?;
    let Some(said) = documented(&token.0) else { return Ok(Some(own)) };
    let is_named = |agent: &Agent| agent.core.selection().named;
    let (own, star) = if is_named(&own) { (Some(own), None) } else { (None, Some(own)) };
    let of_other = |other: &&'static str| {
        let agent = agent_by(robots, vec![Text((*other).into())]).ok().filter(is_named)?;
        Some(Agent { follower: Some(Items(vec![token.clone()])), ..agent })
    };
    Ok(match said.binding().followed(own, of_other) {
        Followed::Named(agent) => Some(agent),
        Followed::Star => star,
        Followed::Nobody => None,
    })
}

/// The rules of groups that name each of many crawlers, each with one product token; no rules for
/// those that none names.
#[pyfunction]
pub fn _agents_named(robots: &Bound<'_, RobotsTxt>, tokens: Vec<Text>) -> PyResult<Vec<Agent>> {
    let file = robots.get().file();
    let bound = CoreBound::new(&tokens, false, file.dialect());
    let bound = bound.map_err(|wrong| refused(robots.py(), &tokens, wrong))?;
    let unnamed = Arc::new(file.agent_without_groups());
    Ok(_Crawlers { tokens, bound }.agents_in(robots, &unnamed).into_iter().flatten().collect())
}

/// Partition crawlers by the groups that they follow in some files.
///
/// crawlers: for each file, in its dialect, those whose tokens these are.
#[pyfunction]
pub fn _alike<'py>(
    py: Python<'py>,
    files: Vec<Bound<'py, RobotsTxt>>,
    crawlers: Vec<Bound<'py, _Crawlers>>,
    tokens: Vec<Bound<'py, PyString>>,
) -> Vec<Vec<Bound<'py, PyString>>> {
    let pairs = crawlers.iter().zip(&files);
    let pairs: Vec<(&CoreBound, &File)> =
        pairs.map(|(crawlers, file)| (&crawlers.get().bound, file.get().file())).collect();
    let number = tokens.len();
    let numbers = py.detach(|| numbers_of_alike(number, &pairs));
    let mut alike: Vec<Vec<Bound<'py, PyString>>> = Vec::new();
    for (token, number) in tokens.into_iter().zip(numbers) {
        let place = number as usize;
        if place == alike.len() {
            alike.push(Vec::new());
        }
        alike[place].push(token);
    }
    alike
}

/// What kind of name a crawler has, which groups bind it, and whom it follows if none names it.
#[pyfunction]
pub fn _documented(token: Text) -> (&'static str, &'static str, Items<&'static str>) {
    let Some(said) = documented(&token.0) else {
        return ("crawler", "groups", Items(Vec::new()));
    };
    let kind = if said.is_policy_token { "policy-token" } else { "crawler" };
    (kind, said.bound_by.name(), Items(said.follows.to_vec()))
}

/// Every crawler that does not only follow the groups that name it, else those of `*`.
#[pyfunction]
pub fn _special_bindings() -> Vec<(&'static str, Items<&'static str>, bool)> {
    special_bindings()
        .map(|(token, Binding { follows, by_star })| (token, Items(follows), by_star))
        .collect()
}

/// Whether a file binds a crawler, according to its operator.
#[pyfunction]
pub fn _binds(token: Text, named: bool) -> bool {
    verger_core::internal::binds(&token.0, named)
}

/// A remark on a crawler that the rules of a file do not bind as usual.
#[pyfunction]
pub fn _remark_on(token: Text) -> Option<String> {
    remark_on(&String::from_utf8_lossy(&token.0))
}

fn refused(py: Python<'_>, tokens: &[Text], (at, why): (usize, InvalidProductToken)) -> PyErr {
    invalid_token(py, &tokens[at].0, why)
}

fn crawlers_of(py: Python<'_>, tokens: &[Text], dialect: &CoreDialect) -> PyResult<Crawlers> {
    Crawlers::new(tokens, dialect).map_err(|wrong| refused(py, tokens, wrong))
}

/// Those of some texts that can be the product token of a crawler in all of some dialects.
#[pyfunction]
pub fn _tokens_among<'py>(
    texts: Vec<Bound<'py, PyString>>,
    dialects: Vec<PyRef<'_, Dialect>>,
) -> PyResult<Vec<Bound<'py, PyString>>> {
    let mut tokens = Vec::new();
    for text in texts {
        let name = text.extract::<Text>()?.0;
        let is_one = |dialect: &PyRef<'_, Dialect>| check_product_token(&name, &dialect.core);
        if dialects.iter().all(|dialect| is_one(dialect).is_ok()) {
            tokens.push(text);
        }
    }
    Ok(tokens)
}

/// The values of the start-group lines of a file, but for empty ones, each once.
#[pyfunction]
pub fn _values_in(robots: &RobotsTxt) -> Vec<Text> {
    let (file, mut known) = (robots.file(), HashSet::new());
    let lines = (0..file.groups().len()).flat_map(|group| file.groups().start_lines(group));
    let values = lines.map(|line| line.value.of(file.bytes()));
    let values = values.filter(|value| !value.is_empty() && known.insert(*value));
    values.map(|value| Text(value.to_vec())).collect()
}

/// For each of many crawlers the groups that bind it, by index, and the lines in them that name it.
#[pyfunction]
pub fn _binding_lines<'py>(
    robots: &Bound<'py, RobotsTxt>,
    tokens: Vec<Text>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let (py, file) = (robots.py(), robots.get().file());
    let crawlers = crawlers_of(py, &tokens, file.dialect())?;
    let (named, star) =
        py.detach(|| (crawlers.named_with_lines(file), crawlers.star_with_lines(file)));
    // Crawlers that are named alike share their values: a file may have thousands of groups.
    let mut made: HashMap<(Vec<u32>, Vec<u32>), Bound<'py, PyAny>> = HashMap::new();
    let mut value = |key: (Vec<u32>, Vec<u32>)| -> PyResult<Bound<'py, PyAny>> {
        if let Some(value) = made.get(&key) {
            return Ok(value.clone());
        }
        let value = (Items(key.0.clone()), Items(key.1.clone())).into_bound_py_any(py)?;
        made.insert(key, value.clone());
        Ok(value)
    };
    let mut all = vec![value(star)?; tokens.len()];
    for NamedCrawler { crawler, agent, lines } in named {
        all[crawler] = value((agent.selection().groups.clone(), lines))?;
    }
    Ok(all)
}
