//! Bindings of [`verger_bulk`]: tables in, tables out, with the GIL released while they are read.

pub mod access;
pub mod archive;
pub mod audit;
pub mod capsule;
pub mod changes;
pub mod column;
pub mod decide;
pub mod kept;
mod moment;
pub mod opened;
mod origins;
pub mod plain_lines;
pub mod row_judge;
pub mod scan;
pub mod snapshot;
pub mod table;

use pyo3::prelude::*;

/// Add the classes and functions of this family.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<table::Table>()?;
    module.add_class::<decide::DecisionStream>()?;
    module.add_class::<access::AccessTable>()?;
    module.add_class::<snapshot::SnapshotBuilder>()?;
    module.add_class::<snapshot::SnapshotIndex>()?;
    module.add_class::<scan::CaptureScanner>()?;
    module.add_class::<archive::ArchiveReader>()?;
    module.add_class::<changes::Comparer>()?;
    module.add_class::<row_judge::RowJudge>()?;
    module.add_class::<plain_lines::PlainLines>()?;
    module.add_function(wrap_pyfunction!(decide::_decide_by_file, module)?)?;
    module.add_function(wrap_pyfunction!(decide::_decide_by_snapshot, module)?)?;
    module.add_function(wrap_pyfunction!(row_judge::_endings_by_agent, module)?)?;
    module.add_function(wrap_pyfunction!(row_judge::_are_lines, module)?)?;
    module.add_function(wrap_pyfunction!(opened::_opened, module)?)?;
    module.add_function(wrap_pyfunction!(decide::_stream_kept, module)?)?;
    module.add_function(wrap_pyfunction!(origins::_origins, module)?)?;
    module.add_function(wrap_pyfunction!(kept::_changed_bodies, module)?)?;
    module.add_function(wrap_pyfunction!(moment::_moment, module)?)?;
    audit::add_classes(module)?;
    Ok(())
}
