//! Python bindings of [`verger_core`]: they translate and never decide.
//!
//! `text.rs` turns Python's strings into bytes and back, `errors.rs` the core's errors into
//! exceptions; every other module holds one family of classes. All classes are frozen;
//! `python/verger/_core.pyi` documents them.

mod agent;
mod analysis;
mod bulk;
mod decision;
mod dialect;
mod errors;
mod lazy;
mod lines;
mod many;
mod origin;
mod records;
mod robots;
mod source;
mod text;
mod value_class;
mod values;

use pyo3::prelude::*;

/// The native core of verger.
#[pymodule(gil_used = false)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("DIALECTS", dialect::named_dialects(module.py())?)?;
    module.add("KNOBS", dialect::knobs(module.py())?)?;
    module.add_class::<dialect::Knob>()?;
    module.add_class::<dialect::Dialect>()?;
    module.add_class::<origin::Origin>()?;
    module.add_class::<robots::RobotsTxt>()?;
    module.add_class::<agent::Agent>()?;
    module.add_class::<decision::Decision>()?;
    values::add_classes(module)?;
    lazy::add_classes(module)?;
    lines::add_classes(module)?;
    records::add_classes(module)?;
    bulk::add(module)?;
    module.add_function(wrap_pyfunction!(robots::parse, module)?)?;
    module.add_function(wrap_pyfunction!(robots::product_token, module)?)?;
    module.add_function(wrap_pyfunction!(origin::origin, module)?)?;
    module.add_function(wrap_pyfunction!(origin::requested_url, module)?)?;
    module.add_function(wrap_pyfunction!(robots::check_product_token, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_leading_name, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_naming, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_difference, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_effects, module)?)?;
    module.add_function(wrap_pyfunction!(analysis::_redundant, module)?)?;
    module.add_function(wrap_pyfunction!(dialect::_dialect_of, module)?)?;
    module.add_function(wrap_pyfunction!(dialect::_restore_knob, module)?)?;
    module.add_function(wrap_pyfunction!(dialect::_restore_dialect, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_restore_robots, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_restore_agent, module)?)?;
    module.add_function(wrap_pyfunction!(robots::_restore_decision, module)?)?;
    Ok(())
}
