//! The comparison of many pairs of files.

use std::num::NonZeroUsize;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use verger_bulk::changes::{ChangedRow, Comparer as BulkComparer, FirstChange};
use verger_core::analysis::Audience;
use verger_core::internal::Binding;

use crate::bulk::scan::names_of;
use crate::dialect::{Dialect, DialectArgument};
use crate::errors::invalid_token;
use crate::text::{Items, Text};

/// Compares pairs of files for the same crawlers.
#[pyclass(frozen, module = "verger.bulk", name = "_Comparer")]
pub struct Comparer {
    comparer: BulkComparer,
}

/// Whether it opened, the region, the witness, and the lines that decide that before and after.
type FirstParts = (bool, Text, Text, Option<u32>, Option<u32>);
/// Tokens, whether groups name them before and after, how much they may fetch afterwards, how many
/// regions were closed and opened, the first of them, and whether these are all.
type RowParts = (Vec<String>, (bool, bool), &'static str, (u32, u32), Option<FirstParts>, bool);

#[pymethods]
impl Comparer {
    #[new]
    fn new(
        py: Python<'_>,
        dialect: DialectArgument,
        crawlers: Items<Text>,
        bindings: Items<(Text, Items<Text>, bool)>,
        steps: u64,
    ) -> PyResult<Comparer> {
        let dialect = Dialect::from_argument(&dialect, py)?.get().core;
        let binding = |(token, follows, by_star): (Text, Items<Text>, bool)| {
            let token = names_of(py, Items(vec![token]))?.remove(0);
            Ok((token, Binding { follows: names_of(py, follows)?, by_star }))
        };
        let bindings: Vec<_> = bindings.0.into_iter().map(binding).collect::<PyResult<_>>()?;
        let audience = Audience::new(names_of(py, crawlers)?, bindings, &dialect)
            .map_err(|(token, why)| invalid_token(py, token.as_bytes(), why))?;
        Ok(Comparer { comparer: BulkComparer { dialect, audience, steps } })
    }

    /// Compare pairs with the GIL released.
    #[pyo3(signature = (pairs, *, threads))]
    fn compare(
        &self,
        py: Python<'_>,
        pairs: Vec<(Bound<'_, PyBytes>, Bound<'_, PyBytes>)>,
        threads: NonZeroUsize,
    ) -> Vec<Vec<RowParts>> {
        let pairs: Vec<(&[u8], &[u8])> =
            pairs.iter().map(|(old, new)| (old.as_bytes(), new.as_bytes())).collect();
        let found = py.detach(|| self.comparer.compare(&pairs, threads.get()));
        found.into_iter().map(|rows| rows.into_iter().map(parts).collect()).collect()
    }
}

fn parts(row: ChangedRow) -> RowParts {
    let ChangedRow { tokens, named, posture, closed, opened, first, is_exact } = row;
    let first = first.map(|first| {
        let FirstChange { opened, region, witness, line_before, line_after } = first;
        (opened, Text(region), Text(witness), line_before, line_after)
    });
    (tokens, named, posture.name(), (closed, opened), first, is_exact)
}
