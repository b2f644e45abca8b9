//! Python bindings of [`verger_core`]: they translate and never decide.
//!
//! `text.rs` turns Python's strings into bytes and back, `errors.rs` the core's errors into
//! exceptions; every other module holds one family of classes. All classes are frozen;
//! `python/verger/_core.pyi` documents them.

mod agent;
mod analysis;
mod bulk;
mod crawlers;
mod decision;
mod dialect;
mod errors;
mod explanation;
mod lazy;
mod lines;
mod many;
mod origin;
mod records;
mod robots;
mod source;
mod text;
mod uses;
mod value_class;
mod values;

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use verger_core::internal::{verdict, REASONS, SILENT};

/// The native core of verger.
///
/// Everything that runs at import is in this function: the pages around each function that runs are
/// loaded as well, and functions in several modules took 0.3 MB.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("DIALECTS", dialect::named_dialects(module.py())?)?;
    module.add("KNOBS", dialect::knobs(module.py())?)?;
    module.add("_CLOCKS_APART", verger_bulk::access::CLOCKS_APART)?;
    module.add("_FINDING_CODES", lines::finding_codes(module.py())?)?;
    module.add("_REASONS", REASONS.into_py_dict(module.py())?)?;
    let verdicts = [Some(true), Some(false), None].map(|said| (said, verdict(said, SILENT)));
    module.add("_VERDICTS", verdicts.into_py_dict(module.py())?)?;
    module.add("_USES", uses::vocabulary(module.py())?)?;
    module.add_class::<agent::Agent>()?;
    module.add_class::<decision::Decision>()?;
    module.add_class::<dialect::Dialect>()?;
    module.add_class::<dialect::Knob>()?;
    module.add_class::<lazy::LazyIterator>()?;
    module.add_class::<lines::Finding>()?;
    module.add_class::<lines::Findings>()?;
    module.add_class::<lines::Line>()?;
    module.add_class::<lines::Lines>()?;
    module.add_class::<origin::Origin>()?;
    module.add_class::<records::CleanParam>()?;
    module.add_class::<records::ContentSignal>()?;
    module.add_class::<records::ContentUsage>()?;
    module.add_class::<records::Host>()?;
    module.add_class::<records::License>()?;
    module.add_class::<records::Record>()?;
    module.add_class::<records::RequestRate>()?;
    module.add_class::<records::Sitemap>()?;
    module.add_class::<records::VisitTime>()?;
    module.add_class::<robots::RobotsTxt>()?;
    module.add_class::<crawlers::_Crawlers>()?;
    module.add_class::<uses::UseDecision>()?;
    module.add_class::<uses::UseSignal>()?;
    module.add_class::<values::Group>()?;
    module.add_class::<values::Rule>()?;
    module.add_function(wrap_pyfunction!(missing_attribute, module)?)?;
    module.add_function(wrap_pyfunction!(bulk::access::_period_after, module)?)?;
    module.add_function(wrap_pyfunction!(robots::parse, module)?)?;
    module.add_function(wrap_pyfunction!(robots::product_token, module)?)?;
    module.add_function(wrap_pyfunction!(origin::origin, module)?)?;
    module.add_function(wrap_pyfunction!(origin::requested_url, module)?)?;
    module.add_function(wrap_pyfunction!(origin::_is_robots_txt, module)?)?;
    module.add_function(wrap_pyfunction!(robots::check_product_token, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_leading_name, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_names_in, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_names_of, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_record_changes, module)?)?;
    module.add_function(wrap_pyfunction!(records::_record_text, module)?)?;
    module.add_function(wrap_pyfunction!(records::_signal_words, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_agent_of, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_agents_named, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_alike, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_documented, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_binds, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_remark_on, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_special_bindings, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_binding_lines, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_tokens_among, module)?)?;
    module.add_function(wrap_pyfunction!(crawlers::_values_in, module)?)?;
    module.add_function(wrap_pyfunction!(uses::_are_policy_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(uses::_dialect_of_crawler, module)?)?;
    module.add_function(wrap_pyfunction!(uses::_own_dialect, module)?)?;
    module.add_function(wrap_pyfunction!(uses::_policy_tokens, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_anchors, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_differences, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_effects, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_exempt, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_idle, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_page_elsewhere, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_rule_lines, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_kept, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_placed_records, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_places, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_redundant, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_redundant_alone, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_heard_otherwise, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_says_the_same, module)?)?;
    module.add_function(wrap_pyfunction!(dialect::_dialect_of, module)?)?;
    module.add_function(wrap_pyfunction!(dialect::_restore_knob, module)?)?;
    module.add_function(wrap_pyfunction!(dialect::_restore_dialect, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_restore_robots, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_restore_agent, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_restore_decision, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_restore_use, module)?)?;
    Ok(())
}

/// What the module lacks (PEP 562): the classes of tables are made when one of them is first asked
/// for. Few programs need them.
#[pyfunction(name = "__getattr__", pass_module)]
fn missing_attribute<'py>(
    module: &Bound<'py, PyModule>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    // The import system itself asks for names such as `__path__`.
    if !name.starts_with("__") {
        bulk::add(module)?;
    }
    let found = module.dict().get_item(name)?;
    found.ok_or_else(|| PyAttributeError::new_err(["no attribute: ", name].concat()))
}
